// Failures of invite send, and their limits.
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { withCampaignLease } from '../../src/cli/invite/lease.ts'
import { withStore } from '../../src/cli/store.ts'
import { loadSettings } from '../../src/settings/settings.ts'
import { waitForEnd, useCompany } from './command.ts'
import { startSmtpServer } from './smtp-server.ts'

const { company, received, recipients, send, list } = useCompany()

const EVERYBODY = 'email,name\nada@acme.example,Ada\nbob@acme.example,Bob\ncarol@acme.example,Carol\n'

it.each(['', 'email,name\n'])(
  'a list without people (%j) is an error, from a pipe or a file',
  async (input) => {
    for (const file of [list(input), '-']) {
      const { code, stderr } = await send([file], { input })
      expect(code).toBe(1)
      expect(stderr).toContain('the list is empty')
    }
  },
)

it('Ctrl-C stops a run with a piped list, and the message says how to resume', async () => {
  const child = company().start(['invite', 'send', '-', '--rate', '1'])
  const end = waitForEnd(child)
  child.stdin.end('ada@acme.example\nbob@acme.example\n')
  while (received().length < 1) await sleep(20)
  child.kill('SIGINT')
  const { code, stderr } = await end
  expect(code).toBe(130)
  expect(stderr).toContain('Interrupted. Run the same command again to resume.')
  expect(recipients()).toEqual(['ada@acme.example'])
})

it('a closed standard error doesn’t stop the emails', async () => {
  const child = company().start([
    'invite',
    'send',
    list('ghost@acme.example\nada@acme.example\nbob@acme.example\n'),
  ])
  child.stderr.destroy()
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(recipients().toSorted()).toEqual(['ada@acme.example', 'bob@acme.example'])
})

it('the run after one with --limit continues with the next people', async () => {
  const everyone = list('ada@acme.example\nbob@acme.example\ndan@acme.example\n')
  const first = await send([everyone, '--limit', '2'])
  expect(first.code).toBe(0)
  expect(first.stderr).toContain('--limit 2 reached. Run the same command again')
  expect(await send([everyone])).toMatchObject({ code: 0 })
  expect(recipients().toSorted()).toEqual(['ada@acme.example', 'bob@acme.example', 'dan@acme.example'])
})

it('a dry run prints each email instead of sending it', async () => {
  const args = [list(EVERYBODY)]
  const dry = async (...more: string[]) =>
    await send([...args, '--dry-run', ...more], { env: { SMTP_URL: '', MAIL_FROM: '' } })

  expect((await dry()).stdout).toBe(
    'ada@acme.example  invitation  Slack, GitHub, Google Drive, Jira, Confluence\n' +
      'bob@acme.example  invitation  Slack, Google Drive\n',
  )

  const { stdout, stderr } = await dry('--json')
  const lines = stdout.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({ email: 'ada@acme.example', reminder: 0 }),
    { email: 'bob@acme.example', reminder: 0, apps: ['Slack', 'Google Drive'] },
    expect.objectContaining({ rows: 3, wouldSend: 2, leftOut: { blocked: 0, guest: 0, mailbox: 0 } }),
  ])
  expect([stderr, received()]).toEqual(['Columns: email, name. Ignored: none.\n', []])

  await send(args)
  expect(received()).toHaveLength(2)
})

it('a missing mail server is reported, without a summary', async () => {
  const { code, stderr } = await send([list('ada@acme.example\n')], {
    env: { SMTP_URL: 'smtp://127.0.0.1:9' },
  })
  expect([code, stderr]).toEqual([1, expect.stringContaining('127.0.0.1:9 cannot be reached')])
  expect(stderr).not.toContain('0  people')
})

it('a 429 of the service pauses the run for its Retry-After', async () => {
  const until = Math.ceil(Date.now() / 1000 + 3) * 1000
  // The first call checks whether the token is a global one.
  const headers = { 'retry-after': new Date(until).toUTCString() }
  const refusal = { status: 429, headers, skip: 1, times: 1 }
  company().sandbox.switches.set({ answers: { checkdatasourceauth: refusal } })
  const people = ['ada', 'bob', 'dan', 'grace'].map((name) => `${name}@acme.example\n`)
  const { code } = await send([list(people.join('')), '--rate', '5'])
  expect([code, recipients().length]).toEqual([0, 4])
  const calls = company().sandbox.requests.filter(({ operation }) => operation === 'checkdatasourceauth')
  expect(calls.map(({ status }) => status)).toEqual([401, 429, 200, 200, 200, 200])
  expect(calls.slice(2).every(({ at }) => Date.parse(at) >= until)).toBe(true)
})

it('a second run of invite send sends nothing while the first one is in progress', async () => {
  const settings = loadSettings(company().env)
  const second = await withStore(settings, (records) =>
    withCampaignLease(records, () => send([list('bob@acme.example\n')])),
  )
  expect(second).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('another run is in progress') as string,
  })
  expect(recipients()).toEqual([])
})

it('a run slows down to the mail server’s limit, and everyone gets one email', async () => {
  let isBusy = true
  const server = await startSmtpServer(({ stage, taken }) => {
    if (stage !== 'end' || taken !== 1 || !isBusy) return undefined
    isBusy = false
    return '432 4.3.2 sender thread limit exceeded'
  })
  const names = ['ada', 'bob', 'dan', 'grace'].map((name) => `${name}@acme.example`)
  const people = `email,suspended\nliz@acme.example,yes\n${names.join(',no\n')},no\n`
  const args = [list(people), '--json']

  const { code, stdout, stderr } = await send(args, { env: { SMTP_URL: server.url } })

  expect([code, server.recipients.toSorted()]).toEqual([0, names])
  expect(stderr).toContain(
    'The mail server is throttling: 432 4.3.2 sender thread limit exceeded. Waiting 5 s…',
  )
  expect(JSON.parse(stdout)).toMatchObject({
    sent: 4,
    leftOut: { blocked: 1 },
    emailsPerMinute: expect.any(Number) as number,
  })
  expect(stderr).toContain('1 is blocked there')
  await server.close()
})
