// Stores each person in a sealed record, named by an HMAC of the address, so that a dump shows no address. Changes are
// compare-and-set. An unreadable record never counts as absent, because it may contain an opt-out.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { changeRecord } from '../records/change.ts'
import type { KeyRing, DataKey } from '../records/data-key.ts'
import { StoreUnavailable, type Records } from '../records/records.ts'
import { omitUndefined } from '../omit-undefined.ts'
import { Problem } from '../problem.ts'
import type { Company } from '../company/company.ts'
import { withoutSpans } from '../trace/spans.ts'
import { withAccessEvents } from './access-events.ts'
import { normalizedAddress } from './address.ts'
import { createFormerAddresses } from './former-addresses.ts'
import { withEvents } from './outbox.ts'
import { newPerson, type Person } from './person.ts'
import { decideRename } from './rename.ts'
import { withSuccessors } from './successors.ts'

/** Opt-outs are kept at least this long, even if the retention is shorter. */
const OPT_OUT_DAYS = 730
const DAY_MS = 86_400_000
const DAY_SECONDS = 86_400

const PREFIX = 'person:'
const MAX_TRIES = 10

/** Records per read. In a slow store, the reads of sign-ins wait for this one. Opening the records takes about 2 ms. */
const BATCH_SIZE = 100
const SLICE_MS = 10

/** The record stays unchanged, and `onramp doctor` names it. */
export class PersonUnreadable extends Problem {
  constructor(key: string) {
    super(503, 'store_unavailable', { detail: `the record ${key} can't be read: see onramp doctor` })
    this.name = 'PersonUnreadable'
  }
}

type PeopleDeps = {
  records: Omit<Records, 'put'>
  keyRing: KeyRing
  /** INVITE_RETENTION_DAYS, counted from the last change. */
  retentionDays: number
  /** Reads leave out apps that the company file hides (`isVisible`), and rename replaced ones. Writes keep all. */
  company?:
    Pick<Company, 'isVisible' | 'activeReplacements' | 'activateReplacements' | 'shownApps'> | undefined
  /** Called after events were added. Absent: none are added. @param dropped the number of old events removed */
  onEvents?: ((email: string, dropped: number) => void) | undefined
  now: () => number
}

/** Every method throws {StoreUnavailable}. */
export class PeopleStore {
  readonly #deps: PeopleDeps
  readonly #formerAddresses: ReturnType<typeof createFormerAddresses>
  /** The text of each record that was read, which saves a read before its change. */
  readonly #texts = new WeakMap<Person, string>()
  #loadedReplacements: Promise<void> | undefined

  constructor(deps: PeopleDeps) {
    this.#deps = deps
    this.#formerAddresses = createFormerAddresses(deps.records, deps.keyRing)
  }

  /** @throws {PersonUnreadable} */
  async get(email: string): Promise<Person | undefined> {
    return await this.getByKey(await this.keyFor(email))
  }

  /** A keyed hash of the address, for URLs of pages, which may be logged. */
  async keyFor(email: string): Promise<string> {
    return (await this.#locate(email)).key.slice(PREFIX.length)
  }

  /** @param hash of `keyFor` @throws {PersonUnreadable} */
  async getByKey(hash: string): Promise<Person | undefined> {
    const key = PREFIX + hash
    const text = await this.#deps.records.get(key)
    const stored = this.#openRecord(await this.#deps.keyRing.dataKey(), key, text)
    const person = stored && this.#withoutHidden(stored)
    if (person !== undefined && text !== undefined) this.#texts.set(person, text)
    return person
  }

  /**
   * @param change may run more than once, so it must be pure. If it returns the same object, nothing is written.
   * `isKnown` is false without a record. @param loaded as just loaded, which saves a read @throws {PersonUnreadable}
   */
  async change(
    email: string,
    change: (person: Person, isKnown: boolean) => Person,
    loaded?: { person: Person | undefined },
  ): Promise<Person> {
    const { records, onEvents, now } = this.#deps
    const { dataKey, key } = await this.#locate(email)
    let result = newPerson(normalizedAddress(email), now())
    let events = { added: 0, dropped: 0 }
    let isWritten = false
    await changeRecord(records, {
      key,
      loaded: loaded && { text: loaded.person && this.#texts.get(loaded.person) },
      next: (text) => {
        const stored = this.#openRecord(dataKey, key, text)
        const whole = stored ?? newPerson(normalizedAddress(email), now())
        const before = this.#withoutHidden(whole)
        const after = change(before, stored !== undefined)
        events = { added: 0, dropped: 0 }
        result = after
        isWritten = after !== before
        if (!isWritten) return undefined
        result = { ...withAccessEvents(before, after), changedAt: now() }
        if (onEvents !== undefined) ({ person: result, ...events } = withEvents(before, result, now()))
        const plain = JSON.stringify(this.#withHiddenOf(whole, result))
        return { text: dataKey.sealer.seal(plain, key), seconds: this.#lifeSeconds(result) }
      },
    })
    if (events.added > 0) onEvents?.(normalizedAddress(email), events.dropped)
    // The former addresses expire with the person's record.
    for (const former of isWritten ? (result.formerEmails ?? []) : [])
      await this.#formerAddresses.change(former, this.#lifeSeconds(result), (moves) => moves)
    return result
  }

  /** A list under the names of records. Call it in a change: the record may show that a replacement is in use. */
  shownApps<T extends { instance: string }>(apps: T[]): T[] {
    return this.#deps.company?.shownApps(apps) ?? apps
  }

  /** The current address of the person who had this address at `at` (milliseconds since 1970). */
  addressAt(email: string, at: number): Promise<string> {
    return this.#formerAddresses.follow(email, at)
  }

  /** The address itself if it has a record, else the current address of its former owner. */
  async currentAddress(email: string): Promise<string> {
    const { key } = await this.#locate(email)
    const isKnown = (await this.#deps.records.get(key)) !== undefined
    return isKnown ? normalizedAddress(email) : await this.addressAt(email, 0)
  }

  /**
   * Gives a person a new address. The new record is written first, and marked until the former one is removed, so the
   * same call finishes an interrupted rename.
   * @param options.change also applied to the record
   * @param options.isExpected if it returns false, nothing changes: `unknown`
   * @param options.by says that both addresses are one person's; an operator if absent
   * @returns `unchanged`: the person already has the address, or both are one; `unknown`: the former address has no
   * record; `taken`: the new address has another person's record
   * @throws {PersonUnreadable}
   */
  async rename(
    from: string,
    to: string,
    options: {
      change?: (person: Person) => Person
      isExpected?: (person: Person) => boolean
      by?: 'list' | 'sign-in' | undefined
    } = {},
  ): Promise<'renamed' | 'unchanged' | 'unknown' | 'taken'> {
    const { records, now } = this.#deps
    const { change = (person) => person, isExpected = () => true, by } = options
    const { dataKey, key: source } = await this.#locate(from)
    const { key: target } = await this.#locate(to)
    const [former, email] = [normalizedAddress(from), normalizedAddress(to)]
    const request = { from: former, to: email, change, isExpected, by }
    if (source === target) return 'unchanged'
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const [sourceText, targetText] = await Promise.all([records.get(source), records.get(target)])
      const person = this.#openRecord(dataKey, source, sourceText)
      const other = this.#openRecord(dataKey, target, targetText)
      const decision = decideRename({ person, other }, request)
      if (decision.kind === 'finished') {
        await this.change(email, ({ renamingFrom: _renamingFrom, ...rest }) => rest)
        return 'renamed'
      }
      if (decision.kind !== 'move') return decision.kind
      const moved = { ...decision.person, changedAt: now() }
      const seconds = this.#lifeSeconds(moved)
      const text = dataKey.sealer.seal(JSON.stringify(moved), target)
      if (!(await records.compareAndSet(target, targetText, text, seconds))) continue
      const move = { email, until: now() }
      const isOther = (rename: { email: string }) => rename.email !== email
      await this.#formerAddresses.change(former, seconds, (moves) => [...moves.filter(isOther), move])
      // If the former record changed meanwhile, it stays, and the next round reads it again.
      if (sourceText !== undefined) await records.compareAndRemove(source, sourceText)
    }
    throw new StoreUnavailable(new Error('a record changed concurrently at each attempt to rename it'))
  }

  /** Removes a record, readable or not, and the person's former addresses. @returns true if there was a record */
  async forget(email: string): Promise<boolean> {
    const { records } = this.#deps
    const { dataKey, key } = await this.#locate(email)
    const text = await records.get(key)
    const plain = text === undefined ? undefined : dataKey.sealer.open(text, key)
    const { formerEmails = [] } = plain === undefined ? {} : (JSON.parse(plain) as Person)
    const theirs = [...formerEmails, normalizedAddress(email)]
    // Another owner of the address keeps their links, and their next change extends the record's life again.
    const seconds = DAY_SECONDS * Math.max(OPT_OUT_DAYS, this.#deps.retentionDays)
    for (const former of formerEmails)
      await this.#formerAddresses.change(former, seconds, (moves) =>
        moves.filter((move) => !theirs.includes(move.email)),
      )
    await records.remove(key)
    return text !== undefined
  }

  /** Everyone, unordered, in slices, between which requests get a turn. @param onUnreadable gets a record's key */
  async *all(onUnreadable: (key: string) => void = () => {}): AsyncGenerator<Person> {
    await this.loadReplacements()
    let until = performance.now() + SLICE_MS
    for await (const batch of this.#batches(onUnreadable))
      for (const person of batch) {
        if (performance.now() > until) {
          await yieldToEventLoop()
          until = performance.now() + SLICE_MS
        }
        yield this.#withoutHidden(person)
      }
  }

  /** Reads everyone's lists once for each process, because they show which apps are replaced. No page waits for it. */
  loadReplacements(): Promise<void> {
    return (this.#loadedReplacements ??= this.#loadReplacements().catch((error: unknown) => {
      this.#loadedReplacements = undefined
      throw error
    }))
  }

  async #loadReplacements(): Promise<void> {
    const { company } = this.#deps
    if (company?.activateReplacements([]) !== false) return
    for await (const batch of this.#batches()) {
      if (batch.some(({ lastCheck }) => company.activateReplacements(lastCheck?.apps ?? []))) return
      await yieldToEventLoop()
    }
  }

  /** Batches, because a step of an async generator takes almost as long as opening a record. */
  async *#batches(onUnreadable: (key: string) => void = () => {}): AsyncGenerator<Person[]> {
    const { records, keyRing } = this.#deps
    const { sealer } = await keyRing.dataKey()
    const open = ([key, text]: readonly [string, string | undefined]) => {
      const plain = text === undefined ? undefined : sealer.open(text, key)
      if (text !== undefined && plain === undefined) onUnreadable(key)
      return (plain && this.#unexpired(plain)) || []
    }
    for await (const batch of readAhead(readBatches(records))) yield batch.flatMap(open)
  }

  async #locate(email: string) {
    const dataKey = await this.#deps.keyRing.dataKey()
    return { dataKey, key: PREFIX + dataKey.keyFor('person', normalizedAddress(email)) }
  }

  #openRecord({ sealer }: DataKey, key: string, text: string | undefined): Person | undefined {
    if (text === undefined) return undefined
    const plain = sealer.open(text, key)
    if (plain === undefined) throw new PersonUnreadable(key)
    return this.#unexpired(plain)
  }

  /** After the retention, keeps the opt-out, its owner, and whether the person is on the list. */
  #unexpired(plain: string): Person | undefined {
    const { retentionDays, now } = this.#deps
    const person = JSON.parse(plain) as Person
    const { email, changedAt, optedOutAt, listedAt, leftAt, unknownAt, id, name, signIns } = person
    if (now() - changedAt < retentionDays * DAY_MS) return person
    if (optedOutAt === undefined || now() - optedOutAt >= OPT_OUT_DAYS * DAY_MS) return undefined
    return {
      email,
      changedAt,
      optedOutAt,
      campaigns: [],
      ...omitUndefined({ listedAt, leftAt, unknownAt, id, name, signIns }),
    }
  }

  #lifeSeconds({ optedOutAt }: Person): number {
    const { retentionDays } = this.#deps
    return DAY_SECONDS * (optedOutAt === undefined ? retentionDays : Math.max(OPT_OUT_DAYS, retentionDays))
  }

  /** @returns the same object if no app is hidden or replaced */
  #withoutHidden(stored: Person): Person {
    const { company } = this.#deps
    if (company === undefined) return stored
    company.activateReplacements(stored.lastCheck?.apps ?? [])
    const person = withSuccessors(stored, company.activeReplacements)
    const { lastCheck } = person
    if (lastCheck === undefined) return person
    const apps = lastCheck.apps.filter(company.isVisible)
    const isWhole = apps.length === lastCheck.apps.length
    return isWhole ? person : { ...person, lastCheck: { ...lastCheck, apps } }
  }

  #withHiddenOf(whole: Person, person: Person): Person {
    const storedApps = whole.lastCheck?.apps ?? []
    const hidden = storedApps.filter((app) => this.#deps.company?.isVisible(app) === false)
    if (person.lastCheck === undefined || hidden.length === 0) return person
    return { ...person, lastCheck: { ...person.lastCheck, apps: [...person.lastCheck.apps, ...hidden] } }
  }
}

/** Reads one batch ahead, so that the store works on it while this one is used. */
async function* readAhead<T>(source: AsyncGenerator<T>): AsyncGenerator<T> {
  let next = source.next()
  try {
    for (;;) {
      const { done, value } = await next
      if (done === true) return
      next = source.next()
      // A consumer that ends doesn't wait for it.
      next.catch(() => {})
      yield value
    }
  } finally {
    await source.return(undefined)
  }
}

async function* readBatches(records: Pick<Records, 'getAll' | 'keys'>) {
  for await (const keys of records.keys(PREFIX))
    for (let first = 0; first < keys.length; first += BATCH_SIZE) {
      const batch = keys.slice(first, first + BATCH_SIZE)
      const texts = await withoutSpans(() => records.getAll(batch))
      yield batch.map((key, index) => [key, texts[index]] as const)
    }
}
