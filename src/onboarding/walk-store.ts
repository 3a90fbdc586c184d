// Stores each person's walk in a sealed record (by issuer and subject), so that a walk continues on any device. Changes
// are compare-and-set, so two tabs don't overwrite each other. An unreadable record counts as absent.
import type { Company } from '../company/company.ts'
import { changeRecord } from '../records/change.ts'
import type { createDelistings } from '../people/delistings.ts'
import { PersonUnreadable, type PeopleStore } from '../people/people-store.ts'
import type { Person } from '../people/person.ts'
import type { KeyRing, DataKey } from '../records/data-key.ts'
import type { Records } from '../records/records.ts'
import { sealedJson } from '../records/seal.ts'
import { personKey, verifiedEmail, type User } from '../session/signed-in.ts'
import { Turns } from '../turns.ts'
import { newWalk, type TrackedApp, type Walk } from './walk.ts'

const LIFE_SECONDS = 90 * 24 * 3600
/** As long as an opt-out, which has to follow someone who comes back with another address. */
const ADDRESS_LIFE_SECONDS = 730 * 24 * 3600
const STORE_AGAIN_MS = 30 * 24 * 3_600_000

/** Member names of 0.1.0 in records. A quote inside a JSON string is `\"`, so `"name":` matches member names only. */
const STORED = {
  apps: 'known',
  datasources: 'only',
  checksSinceReturn: 'looks',
  startedAtClick: 'leftIn',
  consentStartedAt: 'leftAt',
}
const inJson = (name: string) => `"${name}":`
/** @returns a function that renames members in JSON, in one pass */
const renamer = (names: readonly (readonly [from: string, to: string])[]) => {
  const newNames = new Map(names.map(([from, to]) => [inJson(from), inJson(to)]))
  const anyName = new RegExp([...newNames.keys()].join('|'), 'g')
  return (json: string) => json.replace(anyName, (name) => newNames.get(name) ?? name)
}
const withStoredNames = renamer(Object.entries(STORED))
const withNames = renamer(Object.entries(STORED).map(([name, stored]) => [stored, name]))

type WalkKeys = { dataKey: DataKey; key: string }

export class WalkStore {
  readonly #deps
  readonly #changes = Turns.forChanges()
  /** The stored text of each loaded or written walk, and its JSON, to skip writes that change nothing. */
  readonly #stored = new WeakMap<Walk, WalkKeys & { text: string | undefined; json: string }>()
  /** The person's record as read for a new walk. */
  readonly #people = new WeakMap<Walk, { person: Person | undefined }>()

  constructor(deps: {
    records: Pick<Records, 'get' | 'put' | 'compareAndSet'>
    keyRing: KeyRing
    /** Checks stored URLs again, because the rules may have changed. */
    checkReturnTo: (returnTo: unknown) => string | undefined
    company: Pick<Company, 'shownApps' | 'activeReplacements'>
    delistings: Pick<ReturnType<typeof createDelistings>, 'isRemoved'>
    people: Pick<PeopleStore, 'get'>
    now: () => number
  }) {
    this.#deps = deps
  }

  /** @throws {StoreUnavailable} */
  async load(user: User): Promise<Walk> {
    const keys = await this.#keysOf(user)
    const text = await this.#deps.records.get(keys.key)
    const walk = this.#open(keys, text)
    if (text !== undefined) return walk
    const [email, person] = await Promise.all([
      this.#addressOf(user, keys),
      this.#personAt(verifiedEmail(user)),
    ])
    const fresh = email === undefined ? walk : this.#asUnstored({ ...walk, email }, keys)
    const former = person === undefined ? await this.#personAt(email) : undefined
    // The address may be another person's now.
    const ownFormer = former?.signIns?.includes(personKey(user)) ? former : undefined
    const continuedWalk = await this.#continueEarlierWalk(user, keys, { fresh, person: person ?? ownFormer })
    this.#people.set(continuedWalk, { person })
    return continuedWalk
  }

  /** Remembers the address for longer than the walk. @returns when it was last stored @throws {StoreUnavailable} */
  async rememberAddress(user: User, walk: Walk, email: string | undefined): Promise<number | undefined> {
    if (email === undefined) return undefined
    const [now, { emailStoredAt = -Infinity }] = [this.#deps.now(), walk]
    if (walk.email === email && Math.abs(now - emailStoredAt) < STORE_AGAIN_MS) return emailStoredAt
    const { dataKey } = await this.#keysOf(user)
    const key = addressKey(dataKey, personKey(user))
    const text = sealedJson(dataKey.sealer).seal({ email }, key)
    await this.#deps.records.put(key, text, ADDRESS_LIFE_SECONDS)
    return now
  }

  /** The record at the verified address, if it was read for this new walk. Saves a read. */
  personReadFor(walk: Walk): { person: Person | undefined } | undefined {
    return this.#people.get(walk)
  }

  /** Treats an unreadable person as absent. */
  async #personAt(email: string | undefined): Promise<Person | undefined> {
    return email === undefined ? undefined : await this.#deps.people.get(email).catch(ignoreUnreadable)
  }

  /**
   * Continues an expired walk from the person's record, which runs keep alive. Else continues the walk of a person who
   * now signs in with another issuer. Never continues a walk of the same issuer. Its other subject is another person,
   * whose address may have been reassigned.
   */
  async #continueEarlierWalk(
    user: User,
    { dataKey, key }: WalkKeys,
    { fresh, person }: { fresh: Walk; person: Person | undefined },
  ): Promise<Walk> {
    if (person?.signIns?.includes(personKey(user)))
      return this.#asUnstored({ ...fresh, apps: appsOnRecord(person) }, { dataKey, key })
    const walks: Walk[] = []
    for (const signIn of person?.signIns ?? []) {
      const from = walkKey(dataKey, signIn)
      walks.push(this.#open({ dataKey, key: from }, await this.#deps.records.get(from)))
    }
    const addressesOfPerson = [person?.email, ...(person?.formerEmails ?? [])]
    const newest = walks.findLast(
      ({ issuer, email: of }) => issuer !== undefined && addressesOfPerson.includes(of),
    )
    if (newest === undefined || walks.some(({ issuer }) => issuer === user.issuer)) return fresh
    const { apps, clicks, startedAt } = newest
    return this.#asUnstored({ ...fresh, apps, clicks, startedAt }, { dataKey, key })
  }

  /** Remembers the walk as unstored, so that its first update writes it. */
  #asUnstored(walk: Walk, keys: WalkKeys): Walk {
    this.#stored.set(walk, { ...keys, text: undefined, json: '' })
    return walk
  }

  /**
   * Changes the walk, and writes it only if it differs from the stored one.
   * @param change runs again if another process was faster, so it must be pure
   * @param loaded the walk as just loaded, which saves a read
   * @throws {StoreUnavailable}
   */
  async update(user: User, change: (walk: Walk) => Walk, loaded?: Walk): Promise<Walk> {
    if (loaded !== undefined) return await this.#update(user, change, loaded)
    return await this.#changes.run(personKey(user), async () =>
      this.#update(user, change, await this.load(user)),
    )
  }

  async #update(user: User, change: (walk: Walk) => Walk, walk: Walk): Promise<Walk> {
    const storedRecord = this.#stored.get(walk)
    const { dataKey, key } = storedRecord ?? (await this.#keysOf(user))
    let result = walk
    await changeRecord(this.#deps.records, {
      key,
      loaded: storedRecord,
      next: (text) => {
        const before = text === storedRecord?.text ? walk : this.#open({ dataKey, key }, text)
        // The change may be the first check that lists a replacement.
        result = this.#visibleInOrder(change(this.#visibleInOrder(before)))
        const json = JSON.stringify(result)
        const isSame = json === this.#stored.get(before)?.json
        const sealedText = isSame ? undefined : dataKey.sealer.seal(withStoredNames(json), key)
        const nextRecord = sealedText === undefined ? undefined : { text: sealedText, seconds: LIFE_SECONDS }
        this.#stored.set(result, { dataKey, key, text: nextRecord?.text ?? text, json })
        return nextRecord
      },
    })
    const readPerson = this.#people.get(walk)
    if (readPerson !== undefined) this.#people.set(result, readPerson)
    return result
  }

  /** @returns the verified address at this person's last check, also once the walk has expired */
  async #addressOf(user: User, { dataKey }: WalkKeys): Promise<string | undefined> {
    const key = addressKey(dataKey, personKey(user))
    return sealedJson<{ email: string }>(dataKey.sealer).open(await this.#deps.records.get(key), key)?.email
  }

  async #keysOf(user: User): Promise<WalkKeys> {
    const dataKey = await this.#deps.keyRing.dataKey()
    return { dataKey, key: walkKey(dataKey, personKey(user)) }
  }

  #open({ dataKey, key }: WalkKeys, text: string | undefined): Walk {
    const { checkReturnTo, now } = this.#deps
    const openedText = text === undefined ? undefined : dataKey.sealer.open(text, key)
    const json = openedText === undefined ? JSON.stringify(newWalk(now())) : withNames(openedText)
    const storedWalk: Walk = JSON.parse(json)
    for (const visit of [storedWalk.visit, storedWalk.visitAtStart])
      if (visit?.returnTo !== undefined) visit.returnTo = checkReturnTo(visit.returnTo)
    const walk = this.#visibleInOrder(storedWalk)
    this.#stored.set(walk, { dataKey, key, text, json })
    return walk
  }

  /** Sorts apps in the company's order, without hidden and removed ones. A replacement continues an unconnected app. */
  #visibleInOrder({ visit, visitAtStart, ...walk }: Walk): Walk {
    const { delistings, company } = this.#deps
    const { activeReplacements, shownApps } = company
    const apps = shownApps(
      walk.apps.filter(
        ({ instance, status }) =>
          status !== 'connected' || !(activeReplacements.has(instance) || delistings.isRemoved(instance)),
      ),
    )
    const visitOfReplacements = (one: Walk['visit']) => {
      const datasources = one.datasources.map((instance) => activeReplacements.get(instance) ?? instance)
      return { ...one, datasources }
    }
    return {
      ...walk,
      visit: visitOfReplacements(visit),
      ...(visitAtStart && { visitAtStart: visitOfReplacements(visitAtStart) }),
      apps,
    }
  }

  /** The record as stored. */
  static async read(records: Pick<Records, 'get'>, signIn: string, dataKey: DataKey) {
    const key = walkKey(dataKey, signIn)
    return sealedJson<object>(dataKey.sealer).open(await records.get(key), key)
  }

  static async erase(records: Pick<Records, 'remove'>, signIn: string, dataKey: DataKey): Promise<void> {
    await records.remove(walkKey(dataKey, signIn))
    await records.remove(addressKey(dataKey, signIn))
  }
}

const appsOnRecord = ({ lastCheck, intents }: Person): TrackedApp[] =>
  (lastCheck?.apps ?? []).map(({ instance, name, status, since }) => {
    const intent = intents?.apps.find((candidate) => candidate.instance === instance)
    return {
      instance,
      name,
      status,
      firstSeen: since,
      ...(status === 'connected' && { connectedAt: since }),
      ...(intent && { [`${intent.kind}At`]: intent.since ?? intents?.checkedAt }),
    }
  })

function ignoreUnreadable(error: unknown): undefined {
  if (!(error instanceof PersonUnreadable)) throw error
}

/** Raise FORMAT (records/data-key.ts) if an earlier onramp can't read a new shape of `Walk`. */
const walkKey = ({ keyFor }: DataKey, signIn: string) => `walk:${keyFor('walk 1', signIn)}`

const addressKey = ({ keyFor }: DataKey, signIn: string) =>
  `sign-in-address:${keyFor('sign-in address', signIn)}`
