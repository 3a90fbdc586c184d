// Merges the record that a sign-in made at a person's new address, before the list had that address. Pure.
import { omitUndefined } from '../omit-undefined.ts'
import { withCheck, withIntents, withMilestone, withSignIn, type Person } from './person.ts'

/** What a sign-in and its pages record. */
const OF_SIGN_INS =
  /^(email|changedAt|campaigns|signIns|(signedIn|visited|opened|finished)At|lastCheck|intents|failures|outbox)$/

/** True if only sign-ins made the record: the person wasn't listed, has no id and no emails, and didn't opt out. */
export const isOnlySignedIn = (person: Person): boolean =>
  person.signIns !== undefined &&
  person.campaigns.length === 0 &&
  Object.keys(person).every((field) => OF_SIGN_INS.test(field))

/** Adds sign-ins and progress. A repeated merge changes nothing. */
export function withProgressOf(person: Person, other: Person, now: number): Person {
  const { signIns = [], signedInAt, openedAt, visitedAt = 0, lastCheck, intents } = other
  let merged = signIns.reduce(withSignIn, person)
  if (signedInAt !== undefined) merged = withMilestone(merged, 'signedInAt', signedInAt)
  if (openedAt !== undefined) merged = withMilestone(merged, 'openedAt', openedAt)
  if (lastCheck !== undefined) {
    const { checkedAt, apps } = lastCheck
    const connected = apps.flatMap(({ status, ...app }) =>
      status === 'connected' ? { ...app, leftAt: app.delistedAt === undefined ? app.since : undefined } : [],
    )
    const unconnected = apps.flatMap(({ status, ...app }) =>
      status === 'connected' ? [] : { ...app, status },
    )
    merged = withCheck(merged, { checkedAt, unconnected, connected }, now)
  }
  if (intents !== undefined) merged = withIntents(merged, intents.checkedAt, intents.apps, now)
  const failures = union(merged.failures, other.failures, ({ at }) => at)
  const outbox = union(merged.outbox, other.outbox, ({ id }) => id)
  const newest = Math.max(merged.visitedAt ?? 0, visitedAt) || undefined
  return { ...merged, ...omitUndefined({ visitedAt: newest, failures, outbox }) }
}

function union<T>(first: T[] = [], second: T[] = [], keyFor: (one: T) => unknown): T[] | undefined {
  const all = new Map([...first, ...second].map((one) => [keyFor(one), one]))
  return all.size === 0 ? undefined : [...all.values()]
}
