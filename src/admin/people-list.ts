// Part of everyone, in the order of their addresses: whom a filter and a search leave, a page at a time. However many
// people there are, it holds no more than a page of them.
import { hadNothing, type Arrival } from '../arrivals/arrival.ts'
import { FACTS, invitedAt, isIn } from './facts.ts'

const FILTERS = {
  all: () => true,
  absent: (arrival) => FACTS.invited(arrival) && !FACTS.signedIn(arrival),
  waiting: (arrival) => isIn(arrival, 'waiting'),
  skipped: FACTS.skipped,
  blocked: FACTS.blocked,
  finished: FACTS.finished,
  nothing: FACTS.nothing,
  undelivered: (arrival) => FACTS.deferred(arrival) || FACTS.failed(arrival),
  uncertain: FACTS.uncertain,
  optedOut: FACTS.optedOut,
} satisfies Record<string, (arrival: Arrival) => boolean>

export type Filter = keyof typeof FILTERS

/** In the order of the page. */
export const FILTER_NAMES = Object.keys(FILTERS) as Filter[]

export type Wanted = {
  filter: Filter
  /** Part of an address, or of a group. */
  search: string
  /** Only addresses behind this one. */
  after: string
}

export type PeopleList = {
  people: Arrival[]
  /** There are more behind the last one. */
  hasMore: boolean
  /** How many the filter and the search leave. */
  total: number
}

export const PEOPLE_A_PAGE = 50

/** The query of a page, untrusted. */
export function wantedOf(query: Record<string, unknown>): Wanted {
  const text = (name: string) => (typeof query[name] === 'string' ? query[name].trim().slice(0, 254) : '')
  const filter = FILTER_NAMES.find((known) => known === query['show']) ?? 'all'
  return { filter, search: text('q').toLowerCase(), after: text('after') }
}

/** Everyone whom the filter and the search leave, in the order that they come. */
export async function* fitting(
  all: AsyncIterable<Arrival>,
  { filter, search }: Wanted,
): AsyncGenerator<Arrival> {
  for await (const arrival of all) {
    const { email, group = '' } = arrival
    const isFound = search === '' || email.includes(search) || group.toLowerCase().includes(search)
    if (isFound && FILTERS[filter](arrival)) yield arrival
  }
}

export async function listPeople(all: AsyncIterable<Arrival>, wanted: Wanted): Promise<PeopleList> {
  const first: Arrival[] = []
  let total = 0
  for await (const arrival of fitting(all, wanted)) {
    total++
    if (arrival.email > wanted.after) insert(first, arrival)
  }
  return { people: first.slice(0, PEOPLE_A_PAGE), hasMore: first.length > PEOPLE_A_PAGE, total }
}

/** Keeps the first ones in order, and one more than a page. */
function insert(first: Arrival[], arrival: Arrival): void {
  const last = first.at(-1)
  if (first.length > PEOPLE_A_PAGE && last !== undefined && arrival.email > last.email) return
  const place = first.findIndex(({ email }) => email > arrival.email)
  first.splice(place < 0 ? first.length : place, 0, arrival)
  if (first.length > PEOPLE_A_PAGE + 1) first.pop()
}

export type Stage = 'finished' | 'nothing' | 'signedIn' | 'opened' | 'invited' | 'known'

/** How far a person is, and since when. */
export function stageOf(arrival: Arrival): { stage: Stage; at: number | undefined } {
  const { finishedAt, signedInAt, openedAt } = arrival
  const stages: [Stage, number | undefined][] = [
    ['finished', finishedAt],
    ['nothing', hadNothing(arrival) ? arrival.asOf : undefined],
    ['signedIn', signedInAt],
    ['opened', openedAt],
    ['invited', invitedAt(arrival)],
  ]
  const [stage, at] = stages.find(([, since]) => since !== undefined) ?? ['known' as const, undefined]
  return { stage, at }
}
