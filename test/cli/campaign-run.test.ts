// The wiring of a run to the service and the mail server.
import { expect, it, vi } from 'vitest'
import { newTally } from '../../src/campaigns/tally.ts'
import { createRunDeps, withExternalServices } from '../../src/cli/invite/campaign-run.ts'
import { loadCompanyOf } from '../../src/cli/invite/email.ts'
import { loadSettings, type Settings } from '../../src/settings/settings.ts'
import { mail } from '../campaigns/sample-email.ts'
import { startSmtpServer } from '../campaigns/smtp-server.ts'
import { memoryRecords } from '../helpers/memory-records.ts'
import { REQUIRED } from '../helpers/settings-faults.ts'

const contextOf = (settings: Settings) => {
  const input = { list: [], faults: [], leftOut: { blocked: 0, guest: 0, mailbox: 0 }, settings }
  return { ...input, company: loadCompanyOf(settings), context: { now: Date.now } as never }
}

it('a run checks people at SERVICE_BASE_URL and sends emails through SMTP_URL', async () => {
  const settings = loadSettings({
    ...REQUIRED,
    SERVICE_BASE_URL: 'http://127.0.0.1:1',
    SERVICE_GLOBAL_TOKEN: 'token',
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'search@acme.example',
  })
  const { signal } = new AbortController()
  const run = contextOf(settings)

  await withExternalServices(run, { isDryRun: false, signal }, async (services) => {
    const { send } = createRunDeps(memoryRecords().records, run, {
      ...services,
      tally: newTally(),
      holdsLease: () => Promise.resolve(true),
      checksPerSecond: 1_000,
      progress: undefined,
      signal,
    })
    const reply = expect.stringContaining('ECONNREFUSED') as string
    expect(await send?.(mail)).toMatchObject({ outcome: 'deferred', reply })
    await expect(services.service.unconnectedAppsOf('ada@acme.example')).rejects.toMatchObject({
      name: 'ServiceProblem',
    })
  })
})

it('a stopped run abandons its emails after thirty seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const controller = new AbortController()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const server = await startSmtpServer(({ stage }) => {
    if (stage === 'MAIL') begin()
    return stage === 'MAIL' ? 3_600_000 : undefined
  })
  const run = contextOf(loadSettings({ ...REQUIRED, SMTP_URL: server.url }))
  await withExternalServices(run, { isDryRun: false, signal: controller.signal }, async ({ mailServer }) => {
    const sending = mailServer?.send(mail)
    await begun
    controller.abort()
    vi.advanceTimersByTime(30_000)
    expect(await sending).toMatchObject({ outcome: 'deferred' })
  })
  await server.close()
  vi.useRealTimers()
})
