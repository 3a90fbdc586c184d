// The promises that every record of a day is held to.
import { Readable } from 'node:stream'
import { parsePeopleQuery } from '../../../src/admin/filters.ts'
import { overviewPage } from '../../../src/admin/overview.ts'
import { listPeople } from '../../../src/admin/people-page.ts'
import { summarize } from '../../../src/admin/person-summary.ts'
import type { Report } from '../../../src/admin/report.ts'
import { appTable, groupTable } from '../../../src/admin/sorted-table.ts'
import { activeMassDisconnects, removedInstances, withoutRemoved } from '../../../src/people/keep-state.ts'
import type { KeepState } from '../../../src/people/keep-state.ts'
import type { Person } from '../../../src/people/person.ts'
import { figuresIn } from '../../helpers/figures.ts'
import { t } from '../../helpers/texts.ts'
import { DAY, HOUR } from './calendar.ts'
import { dayOf, type Changes } from './changes.ts'
import type { Workforce } from './workforce.ts'

const QUARTER = 91 * DAY
/** Working days on which an email about a new app is possible, before it is late. */
const MAX_WAITED = 4
/** Of a large company, figures are compared once a week. */
const LARGE = 1_000

type Day = {
  all: readonly Person[]
  report: Report
  keepState: KeepState
  now: number
  workforce: Workforce
  changes: Changes
  check: (promise: 'optedOut' | 'announced' | 'figures', isKept: boolean, example: () => string) => void
}

export async function checkRecords(day: Day): Promise<void> {
  checkOptOuts(day)
  checkNewApps(day)
  if (day.workforce.employees.length < LARGE || new Date(day.now).getUTCDay() === 0) await checkFigures(day)
}

function checkOptOuts({ all, workforce, check }: Day): void {
  const known = new Map(all.map((person) => [person.email, person]))
  for (const { email, isOptedOut } of workforce.employees)
    if (isOptedOut) check('optedOut', known.get(email)?.optedOutAt !== undefined, () => email)
}

/** Counts the days on which everyone could have been told of an app that they don't know of. */
function checkNewApps({ all, keepState, now, workforce, changes, check }: Day): void {
  const weekday = new Date(now).getUTCDay()
  const { from, to } = workforce.outage
  if (weekday === 0 || weekday === 6 || (now > from && now < to + 30 * HOUR)) return
  // What a run that was killed had begun to send counts as sent.
  const begun = all.filter(({ campaigns }) =>
    campaigns.some((one) => one.emails.some(({ state }) => state === 'sending')),
  )
  const unclear = new Set(begun.map(({ email }) => email))
  const held = new Set(activeMassDisconnects(keepState).map(({ instance }) => instance))
  for (const { email, group, isListed, isKnown, isOptedOut, emails, consents } of workforce.employees) {
    if (!isListed || !isKnown || isOptedOut || unclear.has(email)) continue
    if (changes.isQuiet(now, dayOf(now), group) || now - (emails.at(-1) ?? 0) < 40 * HOUR) continue
    if (emails.filter((at) => now - at < QUARTER).length >= 4) continue
    for (const consent of consents) {
      const { instance, newAt = now, named, isConnected } = consent
      if (isConnected || named > 0 || now - newAt < 12 * HOUR || held.has(instance)) continue
      check('announced', ++consent.waited <= MAX_WAITED, () => `${email} isn't told of ${instance}`)
    }
  }
}

async function checkFigures({ all, report, keepState, now, check }: Day): Promise<void> {
  const removed = removedInstances(keepState)
  const summaries = all.map((person) => summarize(withoutRemoved(person, removed)))
  const view = { query: { page: '1' } }
  const figures = figuresIn([
    overviewPage(report, keepState, t, { now, since: undefined }),
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
