// Decides what a person's record becomes at a new address, and whether the record that is there is the same person's.
// Pure.
import { omitUndefined } from '../omit-undefined.ts'
import { isVacated } from './address.ts'
import { withSignIn, type EmailRecord, type Person } from './person.ts'

/** `finished`: an interrupted rename wrote the new record, and the former one is gone or another person's. */
type RenameDecision =
  { kind: 'move'; person: Person } | { kind: 'finished' | 'unchanged' | 'unknown' | 'taken' }

type RenameRequest = {
  /** The former and the new address, normalized. */
  from: string
  to: string
  /** Applied to the moved record. */
  change: (person: Person) => Person
  /** If it returns false, nothing changes. */
  isExpected: (person: Person) => boolean
  by: RenameSource | undefined
}

/** Either tells that both addresses are one person's: the list by their id, the sign-in by the account. */
type RenameSource = 'list' | 'sign-in'

/**
 * @param person at the former address @param other at the new one
 * @returns `move` with the record for the new address; `taken`: another person's record is there
 */
export function decideRename(
  { person, other }: { person: Person | undefined; other: Person | undefined },
  { from, to, change, isExpected, by }: RenameRequest,
): RenameDecision {
  const isBegun = other?.renamingFrom === from
  if (isBegun && (person === undefined || !isCopy(other, person))) return { kind: 'finished' }
  if (person === undefined) return { kind: other?.formerEmails?.includes(from) ? 'unchanged' : 'unknown' }
  if (!isExpected(person)) return { kind: 'unknown' }
  const isReturn = !isBegun && by !== 'list' && isNewcomerAfter(person, other)
  const isListedAgain = by === 'sign-in' && isSuccessor(person, other)
  // Someone who never signed in has no other account than the one at the new address.
  const mayHaveSignedIn = (by === 'list' || person.signIns === undefined) && other && isOnlySignedIn(other)
  const isSame = isBegun || isReturn || isListedAgain || mayHaveSignedIn === true
  if (other !== undefined && !isSame) return { kind: 'taken' }
  const renamed = withAddress(other ? withDataOf(person, other) : person, to, other)
  return { kind: 'move', person: isReturn ? withoutMove(renamed, other) : change(renamed) }
}

/** True if an interrupted rename left this record at the former address; false if it is another person's. */
const isCopy = ({ id, listedAt, signIns = [] }: Person, person: Person): boolean =>
  (id !== undefined && id === person.id) ||
  (listedAt === person.listedAt && signIns.every((key) => person.signIns?.includes(key)))

const renamedAt = ({ actions = [] }: Person) => actions.findLast(({ what }) => what === 'renamed')?.at

/** True if the other record began at the address that this person lost to another id, and has been nowhere else. */
const isNewcomerAfter = (person: Person, other: Person | undefined): other is Person =>
  isVacated(person.email) &&
  other?.formerEmails === undefined &&
  (other?.listedAt ?? 0) >= (renamedAt(person) ?? Infinity)

/** True if the other record began when a list without ids had only the new address, and no one has signed in to it. */
const isSuccessor = (person: Person, other: Person | undefined): other is Person =>
  person.leftAt !== undefined &&
  other?.listedAt !== undefined &&
  other.listedAt >= person.leftAt &&
  (other.leftAt ?? other.signIns ?? other.formerEmails) === undefined &&
  (other.id ?? person.id) === (person.id ?? other.id)

/** Undoes a move, because only the person's id was corrected. @param newer the record that began with the other id */
function withoutMove({ leftAt: _leftAt, actions = [], ...person }: Person, newer: Person): Person {
  const at = renamedAt({ ...person, actions })
  return { ...person, ...omitUndefined({ id: newer.id }), actions: actions.filter((one) => one.at !== at) }
}

const MAX_FORMER_EMAILS = 10

/**
 * Moves a person to an address. If their former one was reassigned, they take the list's id, which may be corrected.
 * @param other the record that an interrupted rename has written at the new address
 */
function withAddress(person: Person, email: string, other?: Person): Person {
  const { email: renamingFrom, formerEmails = [], optedOutAt = other?.optedOutAt, id, ...rest } = person
  const former = [...formerEmails, renamingFrom].filter((one) => one !== email).slice(-MAX_FORMER_EMAILS)
  const kept = omitUndefined({ optedOutAt, id: isVacated(renamingFrom) ? undefined : id })
  // The address's new owner may have signed in with it before the list named them.
  if (isVacated(email)) delete rest.signIns
  const campaigns = isVacated(email) ? person.campaigns : person.campaigns.map(withoutRejection)
  return { ...rest, ...kept, email, formerEmails: former, renamingFrom, campaigns }
}

/** An email that was rejected at the former address is tried again at the new one. */
const withoutRejection = ({ name, emails }: Person['campaigns'][number]) => ({
  name,
  emails: emails.map((one, index) =>
    one.state === 'failed' && index === emails.length - 1
      ? { ...one, state: 'deferred' as const, wasRejected: true as const }
      : one,
  ),
})

/** Fields that sign-ins and their pages record. */
const SIGN_IN_FIELDS = [
  'signIns',
  'signedInAt',
  'visitedAt',
  'finishedAt',
  'lastCheck',
  'intents',
  'failures',
  'accessEvents',
  'outbox',
] as const satisfies (keyof Person)[]

const FIELDS_WITHOUT_OWNER: readonly string[] = [
  ...SIGN_IN_FIELDS,
  ...(['email', 'changedAt', 'campaigns', 'openedAt'] satisfies (keyof Person)[]),
]

/** True if the person wasn't listed, has no id and no emails, and didn't opt out. */
export const isOnlySignedIn = (person: Partial<Person>): boolean =>
  person.signIns !== undefined &&
  person.campaigns?.length === 0 &&
  Object.keys(person).every((field) => FIELDS_WITHOUT_OWNER.includes(field))

export function withoutSignIns(person: Person): Person {
  const ownPerson = { ...person }
  for (const field of SIGN_IN_FIELDS) delete ownPerson[field]
  return ownPerson
}

/** Adds emails, and what sign-ins recorded, at the new address. The next check and list repeat the rest. */
function withDataOf({ leftAt, ...rest }: Person, other: Person): Person {
  const person = other.listedAt === undefined ? { ...rest, ...omitUndefined({ leftAt }) } : rest
  const { signIns = [], signedInAt, openedAt, visitedAt = 0, intents: added } = other
  const { intents = added, visitedAt: before = 0 } = person
  const merged = {
    visitedAt: Math.max(before, visitedAt) || undefined,
    intents: added && intents && added.checkedAt > intents.checkedAt ? added : intents,
    failures: union(person.failures, other.failures, ({ at }) => at),
    accessEvents: union(person.accessEvents, other.accessEvents, (event) => JSON.stringify(event)),
    outbox: union(person.outbox, other.outbox, ({ id }) => id),
    actions: union(person.actions, other.actions, (action) => JSON.stringify(action)),
  }
  const withSignIns = signIns.reduce(withSignIn, { ...person, campaigns: campaignsOf(person, other) })
  return { ...omitUndefined({ signedInAt, openedAt }), ...withSignIns, ...omitUndefined(merged) }
}

/** Emails of both records. If two have the same number, the later one gets the next. */
function campaignsOf(person: Person, other: Person): Person['campaigns'] {
  const allCampaigns = [...person.campaigns, ...other.campaigns]
  return [...new Set(allCampaigns.map(({ name }) => name))].map((campaign) => {
    const byTime = (emails: Iterable<EmailRecord>) => [...emails].sort((one, later) => one.at - later.at)
    const emailsOfCampaign = byTime(
      allCampaigns.flatMap(({ name, emails }) => (name === campaign ? emails : [])),
    )
    const newest = new Map(
      emailsOfCampaign.map((email) => [`${email.runId ?? email.at} ${email.reminder}`, email]),
    )
    let next = 0
    const emails = byTime(newest.values()).map((email) => {
      const reminder = Math.max(email.reminder, next)
      next = reminder + 1
      return { ...email, reminder }
    })
    return { name: campaign, emails }
  })
}

function union<T>(first: T[] = [], second: T[] = [], keyFor: (one: T) => unknown): T[] | undefined {
  const byKey = new Map([...first, ...second].map((one) => [keyFor(one), one]))
  return byKey.size === 0 ? undefined : [...byKey.values()]
}
