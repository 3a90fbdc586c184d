// Guarantees about every record, checked daily.
import { Readable } from 'node:stream'
import { listPeople, parsePeopleQuery } from '../../../src/admin/filters.ts'
import { overviewPage } from '../../../src/admin/overview.ts'
import { summarize } from '../../../src/admin/person-summary.ts'
import type { Report } from '../../../src/admin/report.ts'
import { appTable, groupTable } from '../../../src/admin/sorted-table.ts'
import { neutralCompany } from '../../../src/company/company.ts'
import { activeMassDisconnects, delistedInstances } from '../../../src/people/keep-state.ts'
import type { KeepState } from '../../../src/people/keep-state.ts'
import type { PeopleStore } from '../../../src/people/people-store.ts'
import type { Person } from '../../../src/people/person.ts'
import { figuresIn } from '../../helpers/figures.ts'
import { t } from '../../helpers/texts.ts'
import { DAY, HOUR } from './calendar.ts'
import { dayOf, type Changes } from './changes.ts'
import type { Workforce } from './workforce.ts'

const QUARTER = 91 * DAY
/** The life of a person's record after its last change, and of a walk. */
export const RETENTION = 90 * DAY
/** Working days on which an email about a new app is possible, before it is late. */
const MAX_WAITED = 4

type CheckedDaily = 'optedOut' | 'renamed' | 'oneRecord' | 'aside' | 'announced' | 'approval' | 'figures'
type Day = {
  all: readonly Person[]
  report: Report
  keepState: KeepState
  now: number
  people: PeopleStore
  workforce: Workforce
  changes: Changes
  check: (promise: CheckedDaily, isKept: boolean, example: () => string) => void
}

export async function checkRecords(day: Day): Promise<void> {
  await checkPeople(day)
  checkNewApps(day)
  if ([0, 3].includes(new Date(day.now).getUTCDay())) await checkFigures(day)
}

/** A new address on the list is noticed by the next run. */
async function checkPeople({ all, now, people, workforce, check }: Day): Promise<void> {
  const records = Map.groupBy(all, ({ email }) => workforce.byEmail.get(email))
  const { from, to } = workforce.outage
  const soon = (now > from && now < to + DAY ? 49 : 25) * HOUR
  for (const employee of workforce.employees) {
    const { email, formerEmails, renamedAt, links, isListed, isOptedOut, consents } = employee
    const isErased = !employee.isKnown && now - employee.knownChangedAt > RETENTION
    const [record, ...others] = records.get(employee) ?? []
    if (isOptedOut) check('optedOut', record?.optedOutAt !== undefined, () => email)
    if (record === undefined) continue
    const known = [record.email, ...(record.formerEmails ?? [])]
    const isTheirs = known.every((one) => one === email || formerEmails.includes(one))
    const sent = record.campaigns.flatMap(({ emails }) => emails.filter(({ state }) => state === 'sent'))
    const isOne = others.length === 0 && isTheirs && (record.id ?? employee.id) === employee.id
    check('oneRecord', isOne && sent.length <= employee.emails.length, () =>
      JSON.stringify([record, ...others]),
    )
    if (!isListed || isErased) continue
    for (const { instance, aside, isConnected } of consents) {
      const intent = record.intents?.apps.find((one) => one.instance === instance)?.kind
      check('aside', isConnected || aside === intent, () => `${email}, ${instance}: ${aside}, not ${intent}`)
    }
    if (renamedAt === 0 || now - renamedAt < soon) continue
    check('renamed', record.email === email, () => `${email} is ${record.email}`)
    for (const link of links)
      check('renamed', (await people.addressAt(link.email, link.sentAt)) === email, () =>
        JSON.stringify(link),
      )
  }
}

/** Counts the days on which a due email about a new app was possible. */
function checkNewApps({ all, keepState, now, workforce, changes, check }: Day): void {
  const weekday = new Date(now).getUTCDay()
  const { from, to } = workforce.outage
  if (weekday === 0 || weekday === 6 || (now > from && now < to + 30 * HOUR)) return
  // Emails that a killed run had begun to send count as sent.
  const begun = all.filter(({ campaigns }) =>
    campaigns.some((one) => one.emails.some(({ state }) => state === 'sending')),
  )
  const unclear = new Set(begun.map(({ email }) => email))
  const paused = new Set(activeMassDisconnects(keepState).map(({ instance }) => instance))
  const connected = workforce.employees.flatMap(({ consents }) =>
    consents.filter(
      ({ isConnected, approvals, since }) => isConnected && approvals > 0 && now - since > 30 * HOUR,
    ),
  )
  const confirmed = new Set(connected.map(({ instance }) => instance))
  for (const { email, group, isListed, isKnown, isOptedOut, emails, consents } of workforce.employees) {
    if (!isListed || !isKnown || isOptedOut || unclear.has(email)) continue
    if (changes.isQuiet(now, dayOf(now), group) || now - (emails.at(-1) ?? 0) < 40 * HOUR) continue
    if (emails.filter((at) => now - at < QUARTER).length >= 4) continue
    for (const consent of consents) {
      const { instance, newAt = now, named, isConnected, aside, approvals } = consent
      if (isConnected || paused.has(instance)) continue
      if (aside === 'blocked' && approvals === 0 && confirmed.has(instance))
        check('approval', ++consent.waited <= MAX_WAITED, () => `${email} waits for ${instance}`)
      if (aside !== undefined || named > 0 || now - newAt < 12 * HOUR) continue
      check('announced', ++consent.waited <= MAX_WAITED, () => `${email} isn't told of ${instance}`)
    }
  }
}

async function checkFigures({ all, report, keepState, now, check }: Day): Promise<void> {
  const removed = delistedInstances(keepState)
  const summaries = all.map((person) => summarize(person, keepState))
  const view = { query: { page: '1' } }
  const figures = figuresIn([
    overviewPage(report, keepState, t, { ...neutralCompany, now, since: undefined }),
    groupTable(report.groups, view, t),
    appTable(report.datasources, view, t),
  ])
  const lists = new Map<string, ReturnType<typeof listPeople>>()
  for (const { count, href } of figures) {
    const { show, ...narrowed } = Object.fromEntries(new URLSearchParams(href.split('?')[1]))
    const key = JSON.stringify(narrowed)
    const list = lists.get(key) ?? listPeople(Readable.from(summaries), parsePeopleQuery(narrowed, now))
    lists.set(key, list)
    const { filter } = parsePeopleQuery({ show }, now)
    const { counts } = await list
    check('figures', counts[filter] === count, () => `${href} has ${counts[filter]}, and the figure ${count}`)
  }
  const here = all.filter(({ leftAt, unknownAt }) => leftAt === undefined && unknownAt === undefined)
  for (const { instance, counts } of report.datasources) {
    const found = here.flatMap(
      ({ lastCheck }) => lastCheck?.apps.filter((app) => app.instance === instance) ?? [],
    )
    const connected = removed.has(instance) ? 0 : found.filter(({ status }) => status === 'connected').length
    check(
      'figures',
      counts.connected === connected,
      () => `${instance}: ${counts.connected} and ${connected}`,
    )
  }
  const optedOut = here.filter(({ optedOutAt }) => optedOutAt !== undefined).length
  check('figures', report.optedOut === optedOut, () => `${report.optedOut} opted out, not ${optedOut}`)
}
