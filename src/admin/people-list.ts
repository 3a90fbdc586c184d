// Some of everybody, in the order of their addresses: those that a filter and a search leave, a page at a time. Holds no
// more than a page of them, however many there are.
import { hadNothing, type Arrival } from '../arrivals/arrival.ts'
import { invitedAt, isUncertainFor, mailStateOf } from './report.ts'

export const FILTERS = [
  'all',
  'absent',
  'waiting',
  'skipped',
  'blocked',
  'finished',
  'nothing',
  'undelivered',
  'uncertain',
  'optedOut',
] as const

type Filter = (typeof FILTERS)[number]

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

/** Queries of a page, untrusted. */
export function wantedOf(query: Record<string, unknown>): Wanted {
  const text = (name: string) => (typeof query[name] === 'string' ? query[name].trim().slice(0, 254) : '')
  const filter = FILTERS.find((known) => known === query['show']) ?? 'all'
  return { filter, search: text('q').toLowerCase(), after: text('after') }
}

/** Everybody whom the filter and the search leave, in the order that they come. */
export async function* fitting(all: AsyncIterable<Arrival>, wanted: Wanted): AsyncGenerator<Arrival> {
  for await (const arrival of all) if (fits(arrival, wanted)) yield arrival
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

function fits(arrival: Arrival, { filter, search }: Wanted): boolean {
  const { email, group, sources } = arrival
  if (search !== '' && !email.includes(search) && group?.toLowerCase().includes(search) !== true) return false
  switch (filter) {
    case 'all':
      return true
    case 'absent':
      return invitedAt(arrival) !== undefined && arrival.signedInAt === undefined
    case 'finished':
      return arrival.finishedAt !== undefined
    case 'nothing':
      return hadNothing(arrival)
    case 'undelivered':
      return ['deferred', 'failed'].includes(mailStateOf(arrival) ?? '')
    case 'uncertain':
      return isUncertainFor(arrival)
    case 'optedOut':
      return arrival.optedOutAt !== undefined
    case 'waiting':
    case 'skipped':
    case 'blocked':
      return sources.some(({ state }) => state === filter)
  }
}

export type Stage = 'finished' | 'nothing' | 'signedIn' | 'opened' | 'invited' | 'known'

/** How far somebody is, and since when. */
export function stageOf(arrival: Arrival): { stage: Stage; at: number | undefined } {
  const { finishedAt, signedInAt, openedAt } = arrival
  if (finishedAt !== undefined) return { stage: 'finished', at: finishedAt }
  if (hadNothing(arrival)) return { stage: 'nothing', at: arrival.asOf }
  if (signedInAt !== undefined) return { stage: 'signedIn', at: signedInAt }
  if (openedAt !== undefined) return { stage: 'opened', at: openedAt }
  const at = invitedAt(arrival)
  return at === undefined ? { stage: 'known', at: undefined } : { stage: 'invited', at }
}
