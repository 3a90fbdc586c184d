// How far everybody is: counted over all arrivals, as of when, by datasource, and day by day. Pure but for reading the
// arrivals one after the other, so that it takes no more memory for many people.
import { noneUnread, type Unread } from '../arrivals/unread.ts'
import {
  hadNothing,
  isOut,
  isReady,
  type Arrival,
  type Mailing,
  type Source,
  type SourceState,
} from '../arrivals/arrival.ts'
import { createGroups, type Group } from './groups.ts'

type Count = Record<SourceState, number>

type Datasource = { instance: string; name: string; counts: Count }

/** New ones on a day; `day` is YYYY-MM-DD in UTC. */
export type Day = { day: string; invited: number; signedIn: number; finished: number }

export type Report = {
  /** When it was made, and the oldest answer of the service in it; ISO dates. */
  madeAt: string
  asOf: string | undefined
  /** Everybody of whom something is written down, invited or not. */
  people: number
  /** Of these: everything is connected, or there was nothing to connect. */
  ready: number
  /** Records that could not be read, and so are counted nowhere else. */
  unread: Unread
  invited: number
  reminded: number
  uncertain: number
  /** The mail server put their newest mail off, or refused it. */
  deferred: number
  failed: number
  opened: number
  signedIn: number
  /** Everything is connected. */
  finished: number
  /** The service was asked, and there is nothing that they could connect. */
  nothing: number
  /** Of those who were invited, as every share of them has to be counted. */
  ofInvited: { opened: number; signedIn: number; finished: number; nothing: number; ready: number }
  /** At least one datasource is put off, or waits for an administrator. */
  skipped: number
  blocked: number
  optedOut: number
  datasources: Datasource[]
  groups: Group[]
  days: Day[]
}

const STEPS = ['opened', 'signedIn', 'finished'] as const

const noCount = (): Count => ({ waiting: 0, connected: 0, skipped: 0, blocked: 0, off: 0 })

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)

export const mailsOf = ({ campaigns }: Arrival): Mailing[] => campaigns.flatMap(({ mailings }) => mailings)

const isUncertain = ({ state }: Mailing) => state === 'unknown' || state === 'sending'

/** When the first mail went out, if one did. */
export const invitedAt = (arrival: Arrival): number | undefined =>
  mailsOf(arrival)
    .filter(isOut)
    .reduce<number | undefined>((first, { at }) => Math.min(first ?? at, at), undefined)

export const isUncertainFor = (arrival: Arrival): boolean => mailsOf(arrival).some(isUncertain)

export type MailState = 'sent' | 'deferred' | 'failed' | 'uncertain'

/** What became of the newest mail to somebody, if there is one. */
export function mailStateOf(arrival: Arrival): MailState | undefined {
  const newest = mailsOf(arrival).reduce<Mailing | undefined>(
    (found, mailing) => (found === undefined || mailing.at >= found.at ? mailing : found),
    undefined,
  )
  if (newest === undefined) return undefined
  return newest.state === 'sending' || newest.state === 'unknown' ? 'uncertain' : newest.state
}

/**
 * @param now milliseconds since 1970
 * @param unread what could not be read while `all` was, counted by the time that it ends
 */
export async function makeReport(
  all: AsyncIterable<Arrival>,
  now: number,
  unread: Unread = noneUnread(),
): Promise<Report> {
  const counted = { people: 0, invited: 0, reminded: 0, uncertain: 0, deferred: 0, failed: 0 }
  const reached = { opened: 0, signedIn: 0, finished: 0 }
  const ofInvited = { ...reached, nothing: 0, ready: 0 }
  const states = { nothing: 0, ready: 0, skipped: 0, blocked: 0, optedOut: 0 }
  const datasources = new Map<string, Datasource>()
  const groups = createGroups()
  const days = new Map<string, Day>()
  let asOf: number | undefined
  const on = (at: number | undefined, what: 'invited' | 'signedIn' | 'finished') => {
    if (at === undefined) return
    const day = days.get(dayOf(at)) ?? { day: dayOf(at), invited: 0, signedIn: 0, finished: 0 }
    day[what]++
    days.set(day.day, day)
  }
  for await (const arrival of all) {
    const invited = invitedAt(arrival)
    const has = (state: SourceState) => Number(arrival.sources.some((source) => source.state === state))
    counted.people++
    counted.invited += Number(invited !== undefined)
    counted.reminded += Number(mailsOf(arrival).some((mailing) => mailing.wave > 0 && isOut(mailing)))
    counted.uncertain += Number(isUncertainFor(arrival))
    const mail = mailStateOf(arrival)
    counted.deferred += Number(mail === 'deferred')
    counted.failed += Number(mail === 'failed')
    for (const what of STEPS) {
      const has = Number(arrival[`${what}At`] !== undefined)
      reached[what] += has
      if (invited !== undefined) ofInvited[what] += has
    }
    for (const [what, has] of [
      ['nothing', hadNothing(arrival)],
      ['ready', isReady(arrival)],
    ] as const) {
      states[what] += Number(has)
      if (invited !== undefined) ofInvited[what] += Number(has)
    }
    states.skipped += has('skipped')
    states.blocked += has('blocked')
    states.optedOut += Number(arrival.optedOutAt !== undefined)
    on(invited, 'invited')
    on(arrival.signedInAt, 'signedIn')
    on(arrival.finishedAt, 'finished')
    if (arrival.asOf !== undefined) asOf = Math.min(asOf ?? arrival.asOf, arrival.asOf)
    for (const source of arrival.sources) add(datasources, source)
    groups.count(arrival)
  }
  return {
    madeAt: new Date(now).toISOString(),
    asOf: asOf === undefined ? undefined : new Date(asOf).toISOString(),
    unread: { ...unread },
    ...counted,
    ...reached,
    ...states,
    ofInvited,
    datasources: [...datasources.values()].sort(byWaiting),
    groups: groups.shown(),
    days: [...days.values()].sort((one, other) => one.day.localeCompare(other.day)),
  }
}

/** Where most people wait comes first. */
const byWaiting = (one: Datasource, other: Datasource) =>
  other.counts.waiting - one.counts.waiting || one.name.localeCompare(other.name, 'en')

const MOST_DATASOURCES = 500

function add(datasources: Map<string, Datasource>, { instance, name, state }: Source): void {
  const found = datasources.get(instance)
  if (found === undefined && datasources.size >= MOST_DATASOURCES) return
  const datasource = found ?? { instance, name, counts: noCount() }
  datasource.counts[state]++
  datasources.set(instance, datasource)
}
