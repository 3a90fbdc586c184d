// The query of /admin/people and people.csv: parsed, printed and matched. Pure.
import type { PersonApp } from '../people/person.ts'
import { CRITERIA, isStuckApp, isToConnect, type PersonSummary } from './person-summary.ts'
import { dueAt } from './report.ts'

/** @param apps the requested app, or all */
type FilterTest = (summary: PersonSummary, apps: readonly PersonApp[], wanted: PeopleQuery) => boolean

const inState =
  (state: PersonApp['state']): FilterTest =>
  (_summary, apps) =>
    apps.some((app) => app.state === state)

/** Counted among people who have something to connect, as the funnel does. */
const inFunnel =
  (stage: 'invited' | 'opened' | 'signedIn'): FilterTest =>
  (summary, apps) =>
    CRITERIA[stage](summary) && apps.some(isToConnect)

const FILTERS = {
  ...CRITERIA,
  all: () => true,
  toConnect: (_summary, apps) => apps.some(isToConnect),
  invited: inFunnel('invited'),
  opened: inFunnel('opened'),
  signedIn: inFunnel('signedIn'),
  connecting: inState('connected'),
  fellBack: (summary, apps) =>
    CRITERIA.fellBack(summary) && apps.some(({ lapsedAt }) => lapsedAt !== undefined),
  stuck: (summary, apps, { app }) => (app !== '' ? apps.some(isStuckApp) : CRITERIA.stuck(summary)),
  waiting: inState('waiting'),
  skipped: inState('skipped'),
  blocked: inState('blocked'),
  off: inState('off'),
  noAddress: (_summary, apps) => apps.some(({ hasNoAddress }) => hasNoAddress),
  lapsed: (_summary, apps) => apps.some(({ lapsedAt }) => lapsedAt !== undefined),
  unconfirmed: (_summary, apps) => apps.some(({ isUnconfirmed }) => isUnconfirmed),
  due: (summary, _apps, { now }) => CRITERIA.notStarted(summary) && dueAt(summary) <= now,
  absent: (summary) => CRITERIA.invited(summary) && !CRITERIA.signedIn(summary),
  undelivered: (summary) => CRITERIA.deferred(summary) || CRITERIA.failed(summary),
} satisfies Record<string, FilterTest>

export const FILTER_GROUPS = {
  progress: ['all', 'ready', 'finished', 'nothing', 'inProgress', 'notStarted', 'stuck', 'fellBack', 'gone'],
  funnel: ['toConnect', 'invited', 'opened', 'signedIn', 'connecting'],
  apps: ['waiting', 'skipped', 'blocked', 'lapsed', 'unconfirmed', 'noAddress', 'off', 'unchecked'],
  emails: ['notInvited', 'due', 'absent', 'undelivered', 'failed', 'deferred', 'uncertain', 'optedOut'],
} as const satisfies Record<string, readonly (keyof typeof FILTERS)[]>

export const FILTER_NAMES = Object.values(FILTER_GROUPS).flat()
export type Filter = (typeof FILTER_NAMES)[number]

export type PeopleQuery = {
  filter: Filter
  search: string
  /** Only people with this app; filters about apps are then about this one. An instance, or empty. */
  app: string
  /** Only this department, by its whole name; or empty. */
  group: string
  /** From 1. */
  page: number
  /** Milliseconds since 1970. */
  now: number
}

const MAX_TEXT = 254

/** @param query untrusted @param now milliseconds since 1970 */
export function parsePeopleQuery(query: Record<string, unknown>, now: number): PeopleQuery {
  const text = (name: string) =>
    typeof query[name] === 'string' ? query[name].trim().slice(0, MAX_TEXT) : ''
  const filter = FILTER_NAMES.find((known) => known === query['show']) ?? 'all'
  return {
    filter,
    search: text('q').toLowerCase(),
    app: text('app'),
    group: text('group'),
    page: /^[1-9]\d{0,5}$/.test(text('page')) ? Number(text('page')) : 1,
    now,
  }
}

export function toQueryString({ filter, search, app, group, page = 1 }: Partial<PeopleQuery>): string {
  const query = new URLSearchParams({ show: filter ?? 'all' })
  for (const [name, value] of Object.entries({ q: search, app, group, page: page > 1 ? `${page}` : '' }))
    if (value !== undefined && value !== '') query.set(name, value)
  return query.toString()
}

export const peopleUrl = (query: Partial<PeopleQuery>): string => `/admin/people?${toQueryString(query)}`

/** Which filters a person matches; undefined if search, app or department exclude them. */
export function matchingFilters(
  summary: PersonSummary,
  wanted: PeopleQuery,
): ((filter: Filter) => boolean) | undefined {
  const { email, name = '', group = '' } = summary.person
  const { search, app } = wanted
  const isFound = (text: string) => text.toLowerCase().includes(search)
  if (search !== '' && ![email, name, group].some(isFound)) return undefined
  if (wanted.group !== '' && group !== wanted.group) return undefined
  const own = app === '' ? summary.apps : summary.apps.filter(({ instance }) => instance === app)
  if (app !== '' && own.length === 0) return undefined
  // People who are gone count in no other filter.
  if (CRITERIA.gone(summary)) return (filter) => filter === 'gone'
  return (filter) => FILTERS[filter](summary, own, wanted)
}
