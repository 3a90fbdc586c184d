// Commands that a person runs by hand, also while apps are paused. The service is a stub.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Pool, type Dispatcher } from 'undici'
import { afterEach, expect, it, vi } from 'vitest'
import { ONBOARDING } from '../../src/campaigns/campaign.ts'
import { SmtpClient } from '../../src/campaigns/mail/smtp-client.ts'
import type { KeepState } from '../../src/people/keep-state.ts'
import { withCheck } from '../../src/people/person.ts'
import { DAY, HOUR, jira, lostApps, monday, slack } from '../campaigns/lapsed-person.ts'
import { useFolder } from '../helpers/folder.ts'
import { runCommand } from './run-command.ts'
import { useStoredPeople } from './stored-people.ts'

const folder = useFolder()
const list = join(folder, 'people.csv')
writeFileSync(list, 'ada@acme.example\n')
const now = () => monday
const mail = { SMTP_URL: 'smtp://mail.acme.example', MAIL_FROM: 'search@acme.example' }
const { env, withPeople } = useStoredPeople({ SERVICE_GLOBAL_TOKEN: 'token', ...mail }, now)
afterEach(() => vi.restoreAllMocks())

const keep = (...options: string[]) => runCommand(['keep', list, ...options], env, { now })
const send = (options: string[] = [], terminal = {}, COMPANY_FILE = '') =>
  runCommand(['invite', 'send', list, ...options], { ...env, COMPANY_FILE }, { now, input: '', ...terminal })

/** Ada has lost both apps, and emails about Slack are paused. */
const pauseSlack = (change: Partial<KeepState> = {}) =>
  withPeople(async (people, keepState) => {
    await people.change('ada@acme.example', () => lostApps([slack, jira]))
    const slackHold = { instance: 'slack_1', name: 'Slack', noticedAt: monday - HOUR, since: 0 }
    const massDisconnects = [{ ...slackHold, lapsed: 6, had: 12 }]
    await keepState.save({ ...(await keepState.load()), massDisconnects, evaluatedAt: monday, ...change })
  })

it.each([
  [[], 'jira_1'],
  [['--release', 'slack'], 'slack_1, jira_1'],
])('a dry run of keep with %j names the apps that are not paused', async (release, apps) => {
  await pauseSlack()
  const { out } = await keep('--dry-run', ...release)
  expect(out).toBe(`ada@acme.example  lapse  ${apps}\n`)
})

/** Both apps are unconnected, and the mail server accepts emails. @returns the calls that sent one */
const stubServers = () => {
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
  vi.spyOn(SmtpClient.prototype, 'check').mockResolvedValue(undefined)
  return vi.spyOn(SmtpClient.prototype, 'send').mockResolvedValue({ outcome: 'sent' }).mock.calls
}

it.each([
  { during: 'a pause', change: { pausedUntil: Date.parse('2027-01-20') }, quiet: '[]' },
  { during: 'a quiet day', change: {}, quiet: '[2027-01-18/2027-01-19]' },
])('invite send sends nothing during $during, and its dry run prints the end', async ({ change, quiet }) => {
  await pauseSlack(change)
  const sent = stubServers()
  const company = join(folder, 'company.yaml')
  writeFileSync(company, `quiet: ${quiet}\n`)
  const question = vi.spyOn(process.stderr, 'write')

  for (const terminal of [{}, { input: undefined, isTTY: true }]) {
    const { exit, err } = await send([], terminal, company)
    expect([exit, sent, question.mock.calls]).toEqual([1, [], []])
    expect(err).toContain('no email leaves before 2027-01-20')
  }
  const dryRun = await send(['--dry-run'], {}, company)

  expect(dryRun.exit).toBe(0)
  expect(dryRun.err).toContain('before 2027-01-20')
  expect(dryRun.out).toContain('ada@acme.example')
})

it('invite send leaves out paused apps, and prints that it does', async () => {
  await pauseSlack()
  const sent = stubServers()
  const dryRun = await send(['--dry-run'])
  await send()
  expect(dryRun.out).toBe('ada@acme.example  invitation  Jira 1\n')
  expect(dryRun.err).toMatch(/slack_1: on hold until .* keep PEOPLE\.csv --release slack_1\.\n/)
  expect(JSON.stringify(sent)).toContain('Jira')
  expect(JSON.stringify(sent)).not.toContain('Slack')
})

it('a reminder counts apps connected elsewhere, where keep never ran', async () => {
  const sent = stubServers()
  const invited = [{ reminder: 0, state: 'sent' as const, at: monday - 9 * DAY }]
  await withPeople((people) =>
    people.change('ada@acme.example', (person) => {
      const three = [slack, jira, { ...jira, instance: 'box_1', name: 'Box' }]
      const before = withCheck(person, { checkedAt: monday - 9 * DAY, unconnected: three }, monday)
      const after = withCheck(before, { checkedAt: monday - DAY, unconnected: [slack, jira] }, monday)
      return { ...after, campaigns: [{ name: ONBOARDING, emails: invited }] }
    }),
  )
  await send(['--remind-after', '7'])
  expect(sent[0]?.[0].text).toContain('1 of your 3 apps')
})

it('invite send makes no fifth email in a quarter, and counts these people', async () => {
  await pauseSlack()
  stubServers()
  const emails = [40, 30, 20, 10].map((days, reminder) => ({
    reminder: Math.max(0, reminder - 1),
    state: 'sent' as const,
    at: monday - days * DAY,
  }))
  const campaigns = [{ name: ONBOARDING, emails }]
  await withPeople((people) => people.change('ada@acme.example', (person) => ({ ...person, campaigns })))
  const { out, err } = await send(['--remind-after', '7', '--dry-run'])
  expect(out).toBe('')
  expect(err).toContain('        1  waiting for the limit of four emails in a quarter\n')
})

it('invite send exits with 3 if a row may be someone else’s', async () => {
  stubServers()
  const formerEmails = ['ada@acme.example']
  await withPeople((people) => people.change('bob@acme.example', (person) => ({ ...person, formerEmails })))
  const input = 'ada@acme.example\nbob@acme.example\n'
  const { exit, err } = await runCommand(['invite', 'send', '-'], env, { now, input })
  expect({ exit, err }).toEqual({ exit: 3, err: expect.stringContaining('ada@acme.example gets no email') })
})

it('options of keep given during another run have to be repeated', async () => {
  await withPeople((_people, _keepState, records) =>
    records.put('lease:campaign:onboarding', 'another run', 3600),
  )
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], fakeNodeBuiltins: true })
  const requests = ['', '--release all', '--removed jira', '--pause-until 2027-02-01', '--confirm']
  let ended = 0
  const exits = requests.map(async (request) => {
    const { exit } = await keep(...request.split(' ').filter(Boolean))
    ended++
    return exit
  })
  while (ended < requests.length) await vi.advanceTimersByTimeAsync(100)
  vi.useRealTimers()
  expect(await Promise.all(exits)).toEqual([0, 3, 3, 3, 3])
})
