// Fixture: an installation with a store, in which `onramp keep` runs. Service and mail server are stubs.
import { userInfo } from 'node:os'
import type { Email } from '../../src/campaigns/mail/email.ts'
import type { SendResult } from '../../src/campaigns/mail/send-result.ts'
import type { Company } from '../../src/company/company.ts'
import type { ListEntry } from '../../src/campaigns/people-file.ts'
import { runOnce } from '../../src/cli/keep.ts'
import { openKeepState, openPeople } from '../../src/cli/store.ts'
import { loadCompanyOf } from '../../src/cli/invite/email.ts'
import { loadSettings } from '../../src/settings/settings.ts'
import { failing, memoryRecords } from '../helpers/memory-records.ts'
import { newKeepState, withConsents } from '../helpers/people.ts'
import { REQUIRED } from '../helpers/settings-faults.ts'

export const HOUR = 3_600_000
export const DAY = 24 * HOUR
/** A Monday. */
export const monday = Date.parse('2027-01-18T10:00:00Z')
export const ADA = 'ada@acme.example'
export const OPERATOR = userInfo().username
const REJECTED: SendResult = { outcome: 'failed', reply: '550 5.1.1 unknown', reason: 'recipient' }

type RunOptions = Parameters<typeof runOnce>[1]['options']

const massDisconnectOf = (instance: string) => ({
  instance,
  name: instance,
  noticedAt: monday - HOUR,
  since: monday - 2 * HOUR,
  lapsed: 0,
  had: 12,
})

export const twelve = Array.from({ length: 12 }, (_, one) => `p${one}@acme.example`)

/** @param env settings beside the required ones @param earlier a copy of an installation, which this one continues */
export function setUpInstallation(env: Record<string, string> = {}, earlier?: InstallationCopy) {
  const continued = structuredClone(earlier)
  const memory = memoryRecords(continued?.values)
  const records = failing(
    memory.records,
    (operation) => operation === 'put' && conditions.isStoreFull && 'full',
  )
  const settings = loadSettings({
    ...REQUIRED,
    MAIL_FROM: 'Search team <search@acme.example>',
    ADMIN_EMAILS: 'old@acme.example,admin@acme.example',
    ...env,
  })
  const conditions = {
    now: continued?.now ?? monday,
    holdsLease: true,
    isStoreFull: false,
    isMailServerUsable: true,
    isTokenGlobal: true,
    sendResult: { outcome: 'sent' } as SendResult,
    onCheck: () => {},
  }
  const defaultCompany = loadCompanyOf(settings)
  /** The instances of each person's unconnected apps. */
  const unconnectedApps = continued?.unconnectedApps ?? new Map<string, string[]>()
  const names = continued?.names ?? new Map<string, string>()
  const checkedEmails: string[] = []
  const sentEmails: Email[] = continued?.sentEmails ?? []
  const events: unknown[] = []
  /** The output of the latest run, even of a failed one. */
  const printed = { out: '', err: '' }
  const people = openPeople({ records, settings, now: () => conditions.now })
  const keepState = openKeepState(records, settings)

  async function run(list: readonly (string | ListEntry)[], given: Partial<RunOptions> & Conditions = {}) {
    const {
      timezone = 'UTC',
      digest,
      quietDays = [],
      company = defaultCompany,
      faults = [],
      signal = new AbortController().signal,
      ...options
    } = given
    Object.assign(printed, { out: '', err: '' })
    const writes = (name: 'out' | 'err') => ({
      write: (more: string | Uint8Array) => void (printed[name] += more),
    })
    const exit = await runOnce(
      records,
      {
        list: list.map((one): ListEntry => (typeof one === 'string' ? { email: one } : one)),
        faults,
        leftOut: { blocked: 0, guest: 0, mailbox: 0 },
        settings,
        company: { ...company, timezone, digest, quietDays },
        options: { askRate: 60_000_000, ...options },
        context: { stdout: writes('out'), stderr: writes('err'), now: () => conditions.now } as never,
        signal,
      },
      () => Promise.resolve(conditions.holdsLease),
      {
        service: {
          checkToken: () =>
            conditions.isTokenGlobal ? Promise.resolve() : Promise.reject(new Error('personal')),
          unconnectedAppsOf(email) {
            checkedEmails.push(email)
            conditions.onCheck()
            const apps = unconnectedApps.get(email) ?? []
            const displayName = (instance: string) => names.get(instance) ?? instance
            return Promise.resolve(
              apps.map((instance) => ({ instance, name: displayName(instance), status: 'awaiting' })),
            )
          },
        },
        emailsPerSecond: 1_000_000,
        mailServer: {
          check: () =>
            conditions.isMailServerUsable ? Promise.resolve() : Promise.reject(new Error('no mail server')),
          send(mail) {
            sentEmails.push(mail)
            return Promise.resolve(mail.to === 'old@acme.example' ? REJECTED : conditions.sendResult)
          },
        },
        sendEvent(_settings, event) {
          events.push(event)
          return Promise.resolve({ kind: 'delivered' })
        },
      },
    )
    conditions.now += HOUR
    return { exit, ...printed }
  }
  /** A run at `at` for twelve people, each of whom has these apps left to connect. */
  const runForTwelve = async (apps: readonly string[], at: number) => {
    for (const email of twelve) unconnectedApps.set(email, [...apps])
    conditions.now = at
    return await run(twelve)
  }
  return {
    run,
    runForTwelve,
    conditions,
    unconnectedApps,
    names,
    checkedEmails,
    sentEmails,
    events,
    printed,
    people,
    keepState,
    records,
    settings,
    /** Its store, service and sent emails, for installations that continue from here. */
    copy: (): InstallationCopy =>
      structuredClone({ values: memory.values, now: conditions.now, unconnectedApps, names, sentEmails }),
    subjectsTo: (email: string) => sentEmails.filter(({ to }) => to === email).map(({ subject }) => subject),
    /** After a sweep, so that no run evaluates them. */
    pauseEmails: (...instances: string[]) => {
      const sweep = { beganAt: monday, endedAt: monday }
      const massDisconnects = instances.map(massDisconnectOf)
      return keepState.save({ ...newKeepState(), sweep, massDisconnects })
    },
  }
}

export type Installation = ReturnType<typeof setUpInstallation>

type InstallationCopy = {
  values: Map<string, string>
  now: number
  unconnectedApps: Map<string, string[]>
  names: Map<string, string>
  sentEmails: Email[]
}

type Conditions = Partial<Pick<Company, 'quietDays'>> & {
  company?: Company
  timezone?: string
  digest?: 'monday'
  faults?: string[]
  signal?: AbortSignal
}

/** What the operator did, from the audit lines of a run. */
export const auditedIn = ({ err }: { err: string }) =>
  err
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, string>)
    .filter(({ operator }) => operator === OPERATOR)
    .map(({ audit, datasource }) => `${audit} ${datasource}`)

/** Twelve people are invited to Jira and Slack; then no list has Jira. @returns also that run's output */
export async function goneForTwelve(installation = setUpInstallation()) {
  await installation.runForTwelve(['jira_1', 'slack_1'], monday)
  installation.sentEmails.length = 0
  await installation.runForTwelve(['slack_1'], monday + DAY)
  return { ...installation, ...(await installation.run(twelve)) }
}

/** Twelve people connect these apps and lose the last one, noticed by three runs. @returns also the last run's */
export async function runMassDisconnect(apps: string[], installation = setUpInstallation()) {
  const { run, runForTwelve, conditions, sentEmails, people } = installation

  // Everyone still has to connect. At night, so that no one is invited.
  await runForTwelve(apps, monday - 8 * HOUR)

  // They connect, and their pages notice it.
  conditions.now = monday + DAY
  for (const email of twelve) await people.change(email, (person) => withConsents(person, conditions.now))
  await runForTwelve([], conditions.now)

  // They lose the last app.
  sentEmails.length = 0
  await runForTwelve(apps.slice(-1), monday + 2 * DAY)

  conditions.now += 6 * HOUR
  await run(twelve)
  return { ...installation, ...(await run(twelve)) }
}
