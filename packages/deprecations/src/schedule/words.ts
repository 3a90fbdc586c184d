// How the schedule and the reports put things: counts, days left, what to do.
import { fixBy, insteadOf, type Entry, type Status } from './schedule.ts'

/** `1 request`, `12,000 requests` */
export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`

const ago = ({ daysLeft }: Status) => (daysLeft === 0 ? 'today' : `${counted(-daysLeft, 'day')} ago`)

/** `removed 37 days ago`, `55 days left` */
export const daysIn = (status: Status): string =>
  status.state === 'removed' ? `removed ${ago(status)}` : `${counted(status.daysLeft, 'day')} left`

/** When and what to do: `removed on 2026-10-15, 37 days ago; use text` */
export const fateOf = (entry: Entry, status: Status): string => {
  const when =
    status.state === 'removed'
      ? `removed on ${entry.removal}, ${ago(status)}`
      : `removal on ${entry.removal}, ${daysIn(status)}, fix by ${fixBy(entry)}`
  return `${when}; ${insteadOf(entry)}`
}
