// The query of /admin/people and people.csv: parsed, printed and matched. Pure.
import type { PersonApp } from '../people/person.ts'
import { nextEmailTimes } from './next-email.ts'
import { CRITERIA, type PersonSummary } from './person-summary.ts'
import { zeros } from './report.ts'

/** @param about the same person, perhaps with the requested app alone */
type FilterTest = (
  about: PersonSummary,
  wanted: { app: string; now: number },
  summary: PersonSummary,
) => boolean

const isLapsed = ({ lapsedAt }: PersonApp): boolean => lapsedAt !== undefined

/** Matches people who lost the app, even if another instance has taken its place. */
const lostApp =
  (isMatch: (app: PersonApp) => boolean | undefined): FilterTest =>
  (_about, { app }, { apps }) =>
    apps.some((one) => isMatch(one) && ['', one.lostAs ?? one.instance].includes(app))

/** Counts only people with something to connect, as the funnel does. */
const inFunnel =
  (stage: 'invited' | 'opened' | 'signedIn'): FilterTest =>
  (about) =>
    CRITERIA[stage](about) && CRITERIA.hadToConnect(about)

/** The names in URLs. `waiting`: an unconnected app; `noAddress`: an unstartable one. */
const FILTERS = {
  ...CRITERIA,
  all: () => true,
  finished: (_about, _query, summary) => CRITERIA.finished(summary),
  nothing: (_about, _query, summary) => CRITERIA.nothing(summary),
  invited: inFunnel('invited'),
  opened: inFunnel('opened'),
  signedIn: inFunnel('signedIn'),
  fellBack: (about) => CRITERIA.fellBack(about) && about.apps.some(isLapsed),
  stuck: (about, { app }) =>
    app === '' ? CRITERIA.stuck(about) : CRITERIA.blocked(about) || CRITERIA.unconfirmed(about),
  waiting: ({ apps }) => apps.some(({ state, isUnconfirmed }) => state === 'unconnected' && !isUnconfirmed),
  off: ({ apps }) => apps.some(({ state }) => state === 'off'),
  noAddress: ({ apps }) => apps.some(({ isUnstartable }) => isUnstartable),
  lapsed: lostApp(isLapsed),
  onHold: lostApp(({ massDisconnect }) => massDisconnect === 'paused'),
  removed: (_about, { app }, { delistedInstances }) =>
    delistedInstances.some((id) => app === '' || id === app),
  due: (summary, { now }) => CRITERIA.notStarted(summary) && nextEmailTimes(summary, now).dueAt <= now,
  /** With an app: the limit keeps us from telling them that it was lost, or is new. */
  limited: (summary, { app, now }) =>
    nextEmailTimes(summary, now).limitedUntil !== undefined &&
    (app === '' || summary.awaitedApps.includes(app)),
  absent: (summary) => CRITERIA.invited(summary) && !CRITERIA.signedIn(summary),
  undelivered: (summary) => CRITERIA.deferred(summary) || CRITERIA.failed(summary),
} satisfies Record<string, FilterTest>

export const FILTER_GROUPS = {
  progress: ['all', 'ready', 'finished', 'nothing', 'inProgress', 'notStarted', 'stuck', 'fellBack', 'gone'],
  funnel: ['hadToConnect', 'notInvited', 'invited', 'opened', 'signedIn', 'connecting'],
  apps: [
    'waiting',
    'skipped',
    'blocked',
    'lapsed',
    'onHold',
    'removed',
    'emptied',
    'unconfirmed',
    'noAddress',
    'off',
    'unchecked',
  ],
  emails: ['due', 'limited', 'absent', 'undelivered', 'failed', 'deferred', 'uncertain', 'optedOut'],
} as const satisfies Record<string, readonly (keyof typeof FILTERS)[]>

const FILTER_NAMES = Object.values(FILTER_GROUPS).flat()
export type Filter = (typeof FILTER_NAMES)[number]

type PeopleQuery = ReturnType<typeof parsePeopleQuery>

const MAX_TEXT = 254

/** @param query untrusted @param now milliseconds since 1970 */
export function parsePeopleQuery(query: Record<string, unknown>, now: number) {
  const text = (name: string) =>
    typeof query[name] === 'string' ? query[name].trim().slice(0, MAX_TEXT) : ''
  const filter = FILTER_NAMES.find((name) => name === query['show']) ?? 'all'
  return {
    filter,
    search: text('q').toLowerCase(),
    /** An instance, or empty: only people with this app, and filters look at this app alone. */
    app: text('app'),
    /** The exact name of a department, or empty. */
    group: text('group'),
    page: /^[1-9]\d{0,5}$/.test(text('page')) ? Number(text('page')) : 1,
    now,
  }
}

export function peopleUrl(peopleQuery: Partial<PeopleQuery>, path = '/admin/people'): string {
  const { filter, search, app, group, page = 1 } = peopleQuery
  const query = new URLSearchParams({ show: filter ?? 'all' })
  for (const [name, value] of Object.entries({ q: search, app, group, page: page > 1 ? `${page}` : '' }))
    if (value !== undefined && value !== '') query.set(name, value)
  return `${path}?${query.toString()}`
}

/** @returns the filters that a person matches; undefined if the search, app or department excludes them */
export function matchingFilters(summary: PersonSummary, query: PeopleQuery) {
  const { email, name = '', group = '', formerEmails = [] } = summary.person
  const { search, app } = query
  const isFound = (text: string) => text.toLowerCase().includes(search)
  if (search !== '' && ![email, name, group, ...formerEmails].some(isFound)) return undefined
  if (query.group !== '' && group !== query.group) return undefined
  const apps = summary.apps.filter(({ instance }) => instance === app)
  const isListed = app === '' || apps.length > 0
  const wasListed = () => summary.apps.some(({ lostAs }) => lostAs === app)
  if (!isListed && !wasListed() && !summary.delistedInstances.includes(app)) return undefined
  const about = app === '' ? summary : { ...summary, apps }
  // `gone` excludes every other filter, but a search of everyone finds these people too.
  const isGone = CRITERIA.gone(summary)
  return (filter: Filter) =>
    (isListed || filter === 'removed' || filter === 'lapsed' || filter === 'onHold') &&
    (isGone
      ? filter === 'gone' || (filter === 'all' && search !== '')
      : FILTERS[filter](about, query, summary))
}

const PEOPLE_A_PAGE = 25

/** Reads everyone once. @param summaries in the order of the list @returns the last page if the query's is beyond it */
export async function listPeople(summaries: AsyncIterable<PersonSummary>, query: PeopleQuery) {
  let people: PersonSummary[] = []
  /** The number of people that each filter would match. */
  const counts = zeros(FILTER_NAMES)
  for await (const summary of summaries) {
    const matches = matchingFilters(summary, query)
    if (matches === undefined) continue
    const index = counts[query.filter]
    for (const filter of FILTER_NAMES) if (matches(filter)) counts[filter]++
    if (counts[query.filter] === index || index >= query.page * PEOPLE_A_PAGE) continue
    if (index % PEOPLE_A_PAGE === 0) people = []
    people.push(summary)
  }
  const total = counts[query.filter]
  const pages = Math.max(1, Math.ceil(total / PEOPLE_A_PAGE))
  return { people, page: Math.min(query.page, pages), pages, total, counts }
}
