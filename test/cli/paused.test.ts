// Commands that a person runs by hand, mostly while apps are paused. The service is a stub.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Pool, type Dispatcher } from 'undici'
import { expect, it, vi } from 'vitest'
import { ONBOARDING } from '../../src/campaigns/campaign.ts'
import { SmtpClient } from '../../src/campaigns/mail/smtp-client.ts'
import { openKeepState, openPeople } from '../../src/cli/store.ts'
import { withCheck, type Person } from '../../src/people/person.ts'
import { createSqliteRecords } from '../../src/records/sqlite-records.ts'
import { loadSettings } from '../../src/settings/settings.ts'
import { DAY, HOUR, jira, lostApps, monday, slack } from '../campaigns/lapsed-person.ts'
import { useFolder } from '../helpers/folder.ts'
import { REQUIRED, runCommand } from './run-command.ts'

const folder = useFolder()
const list = join(folder, 'people.csv')
writeFileSync(list, 'ada@acme.example\n')
const env = { ...REQUIRED, SERVICE_GLOBAL_TOKEN: 'token', DATA_DIR: join(folder, 'data') }
const mail = { SMTP_URL: 'smtp://mail.acme.example', MAIL_FROM: 'search@acme.example' }
const now = () => monday

const send = (company: string, ...options: string[]) =>
  runCommand(
    ['invite', 'send', list, ...options],
    { ...env, ...mail, COMPANY_FILE: company },
    { now, input: '' },
  )

/** Ada has lost both apps, and emails about Slack are paused. */
async function paused() {
  const [records, settings] = [createSqliteRecords(env.DATA_DIR), loadSettings(env)]
  await openPeople({ records, settings, now }).change('ada@acme.example', () => lostApps([slack, jira]))
  const mass = { instance: 'slack_1', name: 'Slack', noticedAt: monday - HOUR, since: 0, lapsed: 6, had: 12 }
  const keepState = openKeepState(records, settings)
  await keepState.save({ ...(await keepState.load()), massDisconnects: [mass], evaluatedAt: monday })
  records.close()
}

it.each([
  [[], 'jira_1'],
  [['--release', 'slack'], 'slack_1, jira_1'],
])('a dry run of keep with %j names the apps that are not paused', async (release, apps) => {
  await paused()
  const { out } = await runCommand(['keep', list, '--dry-run', ...release], env, { now })
  expect(out).toBe(`ada@acme.example  lapse  ${apps}\n`)
})

const answerWithBoth = () => {
  vi.spyOn(Pool.prototype, 'dispatch').mockImplementation(({ headers }, handler) => {
    const isForPerson = 'x-service-actas' in (headers as object)
    const entries = ['slack_1', 'jira_1'].map((datasourceInstance) => ({
      datasourceInstance,
      authUrlRelativePath: `/auth/datasource/${datasourceInstance}?token=t`,
    }))
    const body = JSON.stringify({ unauthorizedDatasourceInstances: entries })
    const controller = { abort() {} } as unknown as Dispatcher.DispatchController
    handler.onRequestStart?.(controller, {})
    handler.onResponseStart?.(controller, isForPerson ? 200 : 401, {}, '')
    handler.onResponseData?.(controller, Buffer.from(isForPerson ? body : ''))
    handler.onResponseEnd?.(controller, {})
    return true
  })
}

it.each([
  { during: 'a pause', change: { pausedUntil: Date.parse('2027-01-20') }, quiet: '[]' },
  { during: 'a quiet day', change: {}, quiet: '[2027-01-18/2027-01-19]' },
])('invite send sends nothing during $during, and its dry run prints the end', async ({ change, quiet }) => {
  await paused()
  answerWithBoth()
  vi.spyOn(SmtpClient.prototype, 'check').mockResolvedValue(undefined)
  const company = join(folder, 'company.yaml')
  writeFileSync(company, `quiet: ${quiet}\n`)
  const [records, settings] = [createSqliteRecords(env.DATA_DIR), loadSettings(env)]
  const keepState = openKeepState(records, settings)
  const stateBefore = await keepState.load()
  await keepState.save({ ...stateBefore, ...change })

  const refused = await send(company)
  const question = vi.spyOn(process.stderr, 'write')
  const refusedOnTerminal = await runCommand(
    ['invite', 'send', list],
    { ...env, ...mail, COMPANY_FILE: company },
    { now, isTTY: true },
  )
  const hasPrompted = question.mock.calls.length > 0
  const dryRun = await send(company, '--dry-run')
  await keepState.save(stateBefore)
  records.close()
  vi.restoreAllMocks()

  expect(refused.exit).toBe(1)
  expect(refused.err).toContain('no email leaves before 2027-01-20')
  expect([refusedOnTerminal.exit, hasPrompted]).toEqual([1, false])
  expect(refusedOnTerminal.err).toContain('no email leaves before 2027-01-20')
  expect(dryRun.exit).toBe(0)
  expect(dryRun.err).toContain('before 2027-01-20')
  expect(dryRun.out).toContain('ada@acme.example')
})

it('invite send leaves out paused apps, and prints that it does', async () => {
  await paused()
  answerWithBoth()
  vi.spyOn(SmtpClient.prototype, 'check').mockResolvedValue(undefined)
  const sent = vi.spyOn(SmtpClient.prototype, 'send').mockResolvedValue({ outcome: 'sent' })
  const dryRun = await runCommand(['invite', 'send', list, '--dry-run'], env, { now })
  await send('')
  const emails = JSON.stringify(sent.mock.calls)
  vi.restoreAllMocks()
  expect(dryRun.out).toBe('ada@acme.example  invitation  Jira 1\n')
  expect(dryRun.err).toMatch(/slack_1: on hold until .* keep PEOPLE\.csv --release slack_1\.\n/)
  expect(emails).toContain('Jira')
  expect(emails).not.toContain('Slack')
})

it('a reminder counts apps connected elsewhere, where keep never ran', async () => {
  answerWithBoth()
  vi.spyOn(SmtpClient.prototype, 'check').mockResolvedValue(undefined)
  const sent = vi.spyOn(SmtpClient.prototype, 'send').mockResolvedValue({ outcome: 'sent' })
  const alone = { ...env, ...mail, DATA_DIR: join(folder, 'alone') }
  const [records, settings] = [createSqliteRecords(alone.DATA_DIR), loadSettings(alone)]
  const invited = [{ reminder: 0, state: 'sent' as const, at: monday - 9 * DAY }]
  await openPeople({ records, settings, now }).change('ada@acme.example', (person) => {
    const three = [slack, jira, { ...jira, instance: 'box_1', name: 'Box' }]
    const before = withCheck(person, { checkedAt: monday - 9 * DAY, unconnected: three }, monday)
    const after = withCheck(before, { checkedAt: monday - DAY, unconnected: [slack, jira] }, monday)
    return { ...after, campaigns: [{ name: ONBOARDING, emails: invited }] }
  })
  records.close()
  await runCommand(['invite', 'send', list, '--remind-after', '7'], alone, { now, input: '' })
  const text = sent.mock.calls[0]?.[0].text
  vi.restoreAllMocks()
  expect(text).toContain('1 of your 3 apps')
})

it('invite send makes no fifth email in a quarter, and counts these people', async () => {
  await paused()
  answerWithBoth()
  const [records, settings] = [createSqliteRecords(env.DATA_DIR), loadSettings(env)]
  const emails = [40, 30, 20, 10].map((days, reminder) => ({
    reminder: Math.max(0, reminder - 1),
    state: 'sent' as const,
    at: monday - days * DAY,
  }))
  const change = (person: Person) => ({ ...person, campaigns: [{ name: ONBOARDING, emails }] })
  await openPeople({ records, settings, now }).change('ada@acme.example', change)
  records.close()
  const { out, err } = await send('', '--remind-after', '7', '--dry-run')
  vi.restoreAllMocks()
  expect(out).toBe('')
  expect(err).toContain('        1  waiting for the limit of four emails in a quarter\n')
})

it('invite send exits with 3 if a row may be someone else’s', async () => {
  answerWithBoth()
  vi.spyOn(SmtpClient.prototype, 'check').mockResolvedValue(undefined)
  vi.spyOn(SmtpClient.prototype, 'send').mockResolvedValue({ outcome: 'sent' })
  const other = { ...env, ...mail, DATA_DIR: join(folder, 'other') }
  const [records, settings] = [createSqliteRecords(other.DATA_DIR), loadSettings(other)]
  const people = openPeople({ records, settings, now })
  await people.change('bob@acme.example', (person) => ({ ...person, formerEmails: ['ada@acme.example'] }))
  records.close()
  const input = 'ada@acme.example\nbob@acme.example\n'
  const { exit, err } = await runCommand(['invite', 'send', '-'], other, { now, input })
  vi.restoreAllMocks()
  expect({ exit, err }).toEqual({ exit: 3, err: expect.stringContaining('ada@acme.example gets no email') })
})

it('options of keep given during another run have to be repeated', async () => {
  const records = createSqliteRecords(env.DATA_DIR)
  const lease = 'lease:campaign:onboarding'
  await records.put(lease, 'another run', 3600)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], fakeNodeBuiltins: true })
  const sending = { ...env, ...mail }
  const requests = ['', '--release all', '--removed jira', '--pause-until 2027-02-01', '--confirm']
  let ended = 0
  const exits = requests.map(async (request) => {
    const options = request.split(' ').filter(Boolean)
    const { exit } = await runCommand(['keep', list, ...options], sending, { now })
    ended++
    return exit
  })
  while (ended < requests.length) await vi.advanceTimersByTimeAsync(100)
  vi.useRealTimers()
  expect(await Promise.all(exits)).toEqual([0, 3, 3, 3, 3])
  await records.remove(lease)
  records.close()
})
