// Which people an administrator asks for: what the query of a page means, and who fits it. Pure.
import type { PersonApp, PersonAppState } from '../people/person.ts'
import { FACTS, isHeldUp, type Fact, type Profile } from './profile.ts'

/** @param apps the one that is asked for, or all @param isOneApp whether one is asked for */
type Test = (profile: Profile, apps: readonly PersonApp[], isOneApp: boolean) => boolean

const inState =
  (state: PersonAppState): Test =>
  (_profile, apps) =>
    apps.some((app) => app.state === state)

const fact =
  (name: Fact): Test =>
  (profile) =>
    FACTS[name](profile)

const FILTERS = {
  all: () => true,
  ready: fact('ready'),
  inProgress: fact('inProgress'),
  notStarted: fact('notStarted'),
  fellBack: (profile, apps) => FACTS.fellBack(profile) && apps.some(({ lapsedAt }) => lapsedAt !== undefined),
  gone: fact('gone'),
  stuck: (profile, apps, isOneApp) => (isOneApp ? apps.some(isHeldUp) : FACTS.stuck(profile)),
  waiting: inState('waiting'),
  skipped: inState('skipped'),
  blocked: inState('blocked'),
  lapsed: (_profile, apps) => apps.some(({ lapsedAt }) => lapsedAt !== undefined),
  unconfirmed: (_profile, apps) => apps.some(({ isUnconfirmed }) => isUnconfirmed),
  finished: fact('finished'),
  nothing: fact('nothing'),
  absent: (profile) => FACTS.invited(profile) && !FACTS.signedIn(profile),
  undelivered: (profile) => FACTS.deferred(profile) || FACTS.failed(profile),
  failed: fact('failed'),
  deferred: fact('deferred'),
  uncertain: fact('uncertain'),
  optedOut: fact('optedOut'),
} satisfies Record<string, Test>

export type Filter = keyof typeof FILTERS

/** As the page offers them. */
export const FILTERS_BY_KIND = {
  progress: ['all', 'ready', 'inProgress', 'notStarted', 'stuck', 'fellBack', 'gone'],
  apps: ['waiting', 'skipped', 'blocked', 'lapsed', 'unconfirmed', 'finished', 'nothing'],
  emails: ['absent', 'undelivered', 'failed', 'deferred', 'uncertain', 'optedOut'],
} as const satisfies Record<string, readonly Filter[]>

export const FILTER_NAMES = Object.keys(FILTERS) as Filter[]

export type Wanted = {
  filter: Filter
  /** Part of an address, or of a department. */
  search: string
  /** Only people with this app; filters about apps are then about this one. An instance, or empty. */
  app: string
  /** Only this department, by its whole name; or empty. */
  group: string
  /** Only addresses behind this one. */
  after: string
}

const MAX_TEXT = 254

/** The query of a page, untrusted. */
export function wantedOf(query: Record<string, unknown>): Wanted {
  const text = (name: string) =>
    typeof query[name] === 'string' ? query[name].trim().slice(0, MAX_TEXT) : ''
  const filter = FILTER_NAMES.find((known) => known === query['show']) ?? 'all'
  return {
    filter,
    search: text('q').toLowerCase(),
    app: text('app'),
    group: text('group'),
    after: text('after'),
  }
}

/** The query that asks for these people. */
export function queryOf({ filter, search, app, group, after }: Partial<Wanted>): string {
  const query = new URLSearchParams({ show: filter ?? 'all' })
  for (const [name, value] of Object.entries({ q: search, app, group, after }))
    if (value !== undefined && value !== '') query.set(name, value)
  return query.toString()
}

export const isNarrowed = ({ filter, search, app, group }: Wanted): boolean =>
  filter !== 'all' || [search, app, group].some((text) => text !== '')

/** The filters that a person fits; undefined: the search, the app or the department leaves them out. */
export function filtersOf(profile: Profile, wanted: Wanted): ((filter: Filter) => boolean) | undefined {
  const { email, group = '' } = profile.person
  const { search, app } = wanted
  if (search !== '' && !email.includes(search) && !group.toLowerCase().includes(search)) return undefined
  if (wanted.group !== '' && group !== wanted.group) return undefined
  const own = app === '' ? profile.apps : profile.apps.filter(({ instance }) => instance === app)
  if (app !== '' && own.length === 0) return undefined
  // As everywhere, they are counted apart.
  if (FACTS.gone(profile)) return (filter) => filter === 'gone'
  return (filter) => FILTERS[filter](profile, own, app !== '')
}

/** Everyone who fits, in the order that they come. */
export async function* fitting(all: AsyncIterable<Profile>, wanted: Wanted): AsyncGenerator<Profile> {
  for await (const profile of all) if (filtersOf(profile, wanted)?.(wanted.filter) === true) yield profile
}
