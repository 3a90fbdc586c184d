// What two installations wrote of one person, as one. Pure.
import { isOut, MOMENTS, type Person, type Campaign, type Mailing } from './person.ts'

/**
 * Two records of one person as one: an installation wrote the second while it could not read the first. What the person
 * asked for, and that an email left, is kept from both.
 */
export function united(one: Person, other: Person): Person {
  const [older, newer] = one.changedAt <= other.changedAt ? [one, other] : [other, one]
  const { asOf, finishedAt, sources } = newer.asOf === undefined ? older : newer
  const both: Person = { ...older, ...newer, sources, campaigns: unitedCampaigns(older, newer) }
  for (const moment of MOMENTS) {
    const times = [one[moment], other[moment]].filter((time) => time !== undefined)
    if (times.length > 0) both[moment] = Math.min(...times)
  }
  const outbox = new Map([...(older.outbox ?? []), ...(newer.outbox ?? [])].map((piece) => [piece.id, piece]))
  if (outbox.size > 0) both.outbox = [...outbox.values()]
  const people = new Set([...(older.people ?? []), ...(newer.people ?? [])])
  if (people.size > 0) both.people = [...people]
  delete both.asOf
  delete both.finishedAt
  return { ...both, ...(asOf !== undefined && { asOf }), ...(finishedAt !== undefined && { finishedAt }) }
}

/** One email a reminder, in order of time. One that left, or may have, outweighs one that did not. */
function unitedCampaigns(older: Person, newer: Person): Campaign[] {
  const byName = Map.groupBy([...older.campaigns, ...newer.campaigns], ({ name }) => name)
  return [...byName].map(([name, same]) => {
    const byReminder = new Map<number, Mailing>()
    for (const mailing of same.flatMap(({ mailings }) => mailings)) {
      const known = byReminder.get(mailing.reminder)
      if (known === undefined || isOut(mailing) || !isOut(known)) byReminder.set(mailing.reminder, mailing)
    }
    return { name, mailings: [...byReminder.values()].sort((earlier, later) => earlier.at - later.at) }
  })
}
