// How the reports put things: days left, places, colours. Whatever comes from a file is made printable first.
import { fixBy, insteadOf, type Entry, type Status } from './schedule.ts'
import { printable } from '../command-line/printable.ts'
import type { Found, PlaceSeen } from '../check/tally.ts'

/** `1 request`, `12,000 requests` */
export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`

/** `removed 37 days ago`, `55 days left` */
export const daysIn = ({ state, daysLeft }: Status): string => {
  if (state !== 'removed') return `${counted(daysLeft, 'day')} left`
  return daysLeft === 0 ? 'removed today' : `removed ${counted(-daysLeft, 'day')} ago`
}

/** When and what to do: `removed on 2026-10-15, 37 days ago; use text` */
export const fateOf = (entry: Entry, status: Status): string => {
  if (status.state !== 'removed')
    return `removal on ${entry.removal}, ${daysIn(status)}, fix by ${fixBy(entry)}; ${insteadOf(entry)}`
  const ago = status.daysLeft === 0 ? 'today' : `${counted(-status.daysLeft, 'day')} ago`
  return `removed on ${entry.removal}, ${ago}; ${insteadOf(entry)}`
}

const certainty = {
  exact: 'exact place',
  name: 'by name',
  unread: 'body not read',
  endpoint: 'body not recorded',
}

/** `traffic.ndjson:12 response /messages/0/citations (by name)` */
export const placeText = (place: PlaceSeen): string => {
  const at = place.line === undefined ? place.file : `${place.file}:${place.line}`
  const inside = [place.record, place.side, place.pointer].filter((part) => part !== undefined)
  const times = place.count > 1 ? `, ${counted(place.count, 'time')}` : ''
  return printable(`${[at, ...new Set(inside)].join(' ')} (${certainty[place.confidence]}${times})`)
}

/** `seen in 3 requests, first 2026-11-01T10:00:00.000Z, last …` */
export const seenText = ({ count, firstSeen, lastSeen }: Found): string => {
  const when = [firstSeen, lastSeen].flatMap((time) =>
    time === undefined ? [] : [new Date(time).toISOString()],
  )
  const [first, last] = when
  const seen = `in ${counted(count, 'request')}`
  return first === undefined ? seen : `${seen}, first ${first}, last ${last}`
}

/** Colours for a terminal, or none: whoever shows the text says which. */
export type Painter = Record<'red' | 'yellow' | 'dim' | 'bold', (text: string) => string>
