// Copies the result of a check, and the person's choices, to the person's record, which the report reads. A failure
// isn't retried, because the person's next page or the next run of a campaign repairs it.
import { hash } from 'node:crypto'
import { omitUndefined } from '../omit-undefined.ts'
import { isVacated, normalizedAddress } from '../people/address.ts'
import type { createDelistings } from '../people/delistings.ts'
import type { PeopleStore } from '../people/people-store.ts'
import {
  appsOf,
  isGone,
  withAction,
  withMilestone,
  withCheck,
  withFailure,
  withIntents,
  withSignIn,
  type AppIntent,
  type Person,
} from '../people/person.ts'
import { withoutSignIns } from '../people/rename.ts'
import { personKey, verifiedEmail, type User } from '../session/signed-in.ts'
import { Turns } from '../turns.ts'
import type { Log } from '../web/log.ts'
import { trackedAppState } from './next-step.ts'
import type { TrackedApp, Walk } from './walk.ts'

/** The same progress is recorded again after this time, because a campaign may have recorded a newer check. */
const AGAIN_MS = 600_000
/** The number of people remembered, at about 200 bytes each. */
const MAX_REMEMBERED = 100_000

/**
 * `lapses`: when access to apps ended, by instance; milliseconds since 1970. `endedChoices`: instances that the person
 * has had since a choice that the walk still has.
 */
type Recorded = { lapses: ReadonlyMap<string, number>; endedChoices: readonly string[] }

type Failure = Parameters<typeof withFailure>[1]

type ReadRecord = { person: Person | undefined }

type RecordedPeople = Pick<PeopleStore, 'get' | 'change' | 'rename' | 'addressAt' | 'shownApps'>

type Delistings = Pick<ReturnType<typeof createDelistings>, 'instances' | 'isEveryoneChecked'>

export class ProgressRecorder {
  readonly #people: RecordedPeople
  readonly #delistings: Delistings
  readonly #log: Pick<Log, 'warn'>
  readonly #now: () => number
  readonly #changes = Turns.forChanges()
  readonly #failures = Turns.forChanges()
  /** The last progress that this process recorded, by person. */
  readonly #last = new Map<string, Recorded & { hash: string; at: number }>()

  constructor(people: RecordedPeople, delistings: Delistings, log: Pick<Log, 'warn'>, now: () => number) {
    this.#people = people
    this.#delistings = delistings
    this.#log = log
    this.#now = now
  }

  /**
   * Ignores addresses that aren't verified. Never rejects, because it must not fail a person's page.
   * @param checkedAt the start of the check; milliseconds since 1970
   * @param read the record at the verified address as just read, which saves a read
   * @returns what the person's record says; undefined without one
   */
  async recordProgress(
    user: User,
    walk: Walk,
    checkedAt: number,
    read?: ReadRecord,
  ): Promise<Recorded | undefined> {
    try {
      return await this.#record(user, walk, checkedAt, read)
    } catch (error) {
      this.#log.warn({ err: error }, 'progress not recorded')
      // A store that failed over may have lost anyone's newest records.
      this.#last.clear()
      return undefined
    }
  }

  /** Records the person's choices without a check. @param choice the last one, if their page lists it */
  async recordIntents(user: User, walk: Walk, choice?: Failure): Promise<void> {
    const { intents } = progressIn(walk, this.#now())
    const change = (person: Person) => {
      const changedPerson = withIntents(person, this.#now(), intents, this.#now())
      return choice === undefined ? changedPerson : withFailure(changedPerson, choice)
    }
    await this.#changeRecord(this.#changes, user, change, 'progress not recorded')
  }

  /** Failures have their own turns. A hanging service fails hundreds of pages at once, and choices must not wait. */
  async recordFailure(user: User, failure: Failure): Promise<void> {
    const change = (person: Person) => withFailure(person, failure)
    await this.#changeRecord(this.#failures, user, change, 'step_failed not recorded')
  }

  /** Only for people on record. Never rejects, because it must not fail a person's page. */
  async #changeRecord(turns: Turns, user: User, change: (person: Person) => Person, failed: string) {
    const email = verifiedEmail(user)
    if (email === undefined) return
    const key = personKey(user)
    const changeKnown = (person: Person, isKnown: boolean) => (isKnown ? change(person) : person)
    try {
      await turns.run(key, async () => {
        const target = await this.#locateRecord(email, key)
        if (target !== undefined) await this.#people.change(target.address, changeKnown, target)
      })
    } catch (error) {
      this.#log.warn({ err: error }, failed)
    }
  }

  /**
   * Renames the person's record if the authorization server verified a new address for the same issuer and subject.
   * Never rejects.
   * @param recorded the address at the last check
   * @returns the address to remember; `isMoved` is false if the new address is another person's
   */
  async followAddress(user: User, recorded?: string): Promise<{ email?: string; isMoved?: boolean }> {
    const email = normalizedAddress(verifiedEmail(user) ?? recorded ?? '')
    if (email === '' || recorded === undefined || recorded === email)
      return omitUndefined({ email: email || undefined })
    const key = personKey(user)
    const action = { at: this.#now(), what: 'renamed', by: 'sign-in' } as const
    try {
      const current = await this.#leaveAddress(normalizedAddress(recorded), { email, key })
      const outcome = await this.#people.rename(current, email, {
        change: (person) => ({ ...withAction(person, action), hasUnlistedAddress: true }),
        isExpected: (person) => person.signIns?.includes(key) === true && !isListedInstead(person, email),
        by: 'sign-in',
      })
      if (outcome === 'taken')
        this.#log.warn(
          {},
          'someone signed in with a new verified address that has data of its own, so nothing was moved: see the audit line "renamed" with the result "refused". If these are two people, the authorization server sends one sub for both',
        )
      if (outcome === 'taken') await this.#carryOptOut(current, email)
      const isMoved = outcome === 'renamed' || (outcome === 'taken' ? false : undefined)
      return omitUndefined({ email, isMoved })
    } catch (error) {
      this.#log.warn({ err: error }, 'renamed address not recorded')
      return { email: recorded }
    }
  }

  /** Copies an opt-out to an address without an account of its own: emails to it reach this account. */
  async #carryOptOut(former: string, email: string): Promise<void> {
    const { optedOutAt } = (await this.#people.get(former)) ?? {}
    if (optedOutAt === undefined) return
    await this.#people.change(email, (person) =>
      person.signIns === undefined ? withMilestone(person, 'optedOutAt', optedOutAt) : person,
    )
  }

  /**
   * The list may have renamed the person since, and given the address to someone else.
   * @returns the address of the account's record, as far as is known
   */
  async #leaveAddress(former: string, { email, key }: { email: string; key: string }): Promise<string> {
    const current = await this.#people.addressAt(former, 0)
    const firstOwner = current === former ? undefined : await this.#people.get(current)
    if (firstOwner === undefined) return former
    // A process died during that rename.
    if (firstOwner.renamingFrom === former) await this.#people.rename(former, current)
    else if (firstOwner.signIns?.includes(key) !== true) {
      // The first owner has another account, or the list says that the owners are two people.
      if (firstOwner.signIns !== undefined || wasVacated(firstOwner)) return former
      // This account may be either owner's. A sign-in with the first owner's new address shows whose it is.
      if (email === current) await this.#people.change(former, (person) => withoutSignIn(person, key))
    }
    return current
  }

  /** The last lapses that this process knows. */
  lapsesOf(user: User): Recorded['lapses'] | undefined {
    return this.#last.get(personKey(user))?.lapses
  }

  async #record(user: User, walk: Walk, checkedAt: number, read?: ReadRecord): Promise<Recorded | undefined> {
    const email = verifiedEmail(user)
    if (email === undefined) return undefined
    const key = personKey(user)
    const { unconnected, connected, intents } = progressIn(walk, this.#now())
    // The text has no times, so it stays equal until something changes for the report.
    const text = JSON.stringify([email, unconnected, connected.map(({ instance }) => instance), intents])
    const recordedText = { hash: hash('sha256', text, 'base64').slice(0, 16), at: checkedAt }
    const before = this.#last.get(key)
    if (before?.hash === recordedText.hash && Math.abs(checkedAt - before.at) < AGAIN_MS) return before
    const target = await this.#locateRecord(email, key, read)
    if (target === undefined) return undefined
    const delisted = await this.#delistings.instances()
    const isEveryoneChecked = await this.#delistings.isEveryoneChecked()
    let wasRenamed = false
    const change = (person: Person, isKnown: boolean) => {
      // The list has renamed them, or an operator has erased them, since the record was read.
      wasRenamed = target.person !== undefined && !isKnown
      if (wasRenamed) return person
      const signedInPerson = withSignIn(withMilestone(person, 'signedInAt', checkedAt), key)
      const visitor = { ...signedInPerson, visitedAt: checkedAt }
      const [left, had] = [this.#people.shownApps(unconnected), this.#people.shownApps(connected)]
      const check = { checkedAt, unconnected: left, connected: had, delisted }
      const next = withCheck(visitor, check, this.#now())
      // The service may be failing. A run decides, because it sees whether other lists are empty, too.
      if (isEveryoneChecked && isOnList(person) && left.length === 0 && lostSeveral(next, checkedAt))
        return visitor
      return withIntents(next, checkedAt, intents, this.#now())
    }
    const latest = await this.#people.change(target.address, change, target)
    if (wasRenamed) return await this.#record(user, walk, checkedAt)
    const endings =
      latest.intents?.checkedAt === checkedAt ? intents.filter((one) => !isChosen(latest, one)) : []
    const known = { lapses: lapsesIn(latest), endedChoices: endings.map(({ instance }) => instance) }
    if (this.#last.size >= MAX_REMEMBERED) this.#last.clear()
    this.#last.set(key, { ...recordedText, ...known })
    return known
  }

  /**
   * Finds the record. The list may have renamed the person before the authorization server uses the new address.
   * @returns undefined if the record at the new address may belong to another account. A record at the former address
   * would count someone twice, or become its next owner's. The list or the authorization server will show whose it is.
   */
  async #locateRecord(
    email: string,
    key: string,
    read?: ReadRecord,
  ): Promise<(ReadRecord & { address: string }) | undefined> {
    const { person } = read ?? { person: await this.#people.get(email) }
    const ownRecord = { address: email, person }
    const address = person?.signIns?.includes(key) ? email : await this.#people.addressAt(email, 0)
    if (normalizedAddress(address) === normalizedAddress(email)) return ownRecord
    const movedPerson = await this.#people.get(address)
    if (movedPerson?.signIns?.includes(key)) return { address, person: movedPerson }
    const isVacant = movedPerson !== undefined && !wasVacated(movedPerson)
    return person === undefined && isVacant ? undefined : ownRecord
  }
}

/** True if the list gave an address of theirs to someone else. */
const wasVacated = ({ email, formerEmails = [] }: Person) => [email, ...formerEmails].some(isVacated)

/** True if the list has the person at their present address, and this is a former one. The list is newer. */
const isListedInstead = (
  { listedAt, leftAt, hasUnlistedAddress, formerEmails = [] }: Person,
  email: string,
) => listedAt !== undefined && (leftAt ?? hasUnlistedAddress) === undefined && formerEmails.includes(email)

/** True for people whom runs check. */
const isOnList = (person: Person) => person.listedAt !== undefined && !isGone(person)

/** True if two or more apps left the list with this check, though the person hadn't left for their consents. */
const lostSeveral = ({ lastCheck }: Person, checkedAt: number): boolean =>
  (lastCheck?.apps ?? []).filter(({ delistedAt }) => delistedAt === checkedAt).length > 1

/** Removes what an account recorded with a former address, before it was clear that the new owner has another one. */
function withoutSignIn(person: Person, key: string): Person {
  const { signIns = [] } = person
  if (!signIns.includes(key)) return person
  const otherSignIns = signIns.filter((one) => one !== key)
  return otherSignIns.length > 0 ? { ...person, signIns: otherSignIns } : withoutSignIns(person)
}

const isChosen = ({ intents }: Person, { instance }: AppIntent): boolean =>
  intents?.apps.some((one) => one.instance === instance) === true

/** Most people have no lapses, so they share this map. */
const NOTHING_LOST: Recorded['lapses'] = new Map()

function lapsesIn(person: Person): Recorded['lapses'] {
  const lapseTimes = appsOf(person).flatMap(({ instance, lapsedAt }) =>
    lapsedAt === undefined ? [] : [[instance, lapsedAt] as const],
  )
  return lapseTimes.length === 0 ? NOTHING_LOST : new Map(lapseTimes)
}

const progressIn = ({ apps }: Walk, now: number) => ({
  unconnected: apps.flatMap(({ instance, name, status }) =>
    status === 'connected' ? [] : [{ instance, name, status }],
  ),
  connected: apps.flatMap(({ instance, name, status, firstSeen, connectedAt: since = firstSeen, attempt }) =>
    status === 'connected' ? [{ instance, name, since, consentStartedAt: attempt?.consentStartedAt }] : [],
  ),
  intents: apps.flatMap((tracked) => (tracked.status === 'connected' ? [] : intentOf(tracked, now))),
})

/** The person's choice about an app, which stays while the app is off. */
function intentOf(tracked: TrackedApp, now: number): AppIntent[] {
  const state = trackedAppState({ ...tracked, status: 'awaiting' }, now)
  const { kind } = state
  // A person who declined needs no admin.
  if (kind === 'unconfirmed' && tracked.attempt?.isDeclined) return []
  return kind === 'blocked' || kind === 'skipped' || kind === 'unconfirmed'
    ? [{ instance: tracked.instance, kind, since: state.since }]
    : []
}
