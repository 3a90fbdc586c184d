// Where people are kept: one sealed record each, named by an HMAC of the address, so that a dump of the store shows no
// address. Every change is compare-and-set; a record that can't be read is never taken for none, because it may say that
// the person wants no emails.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { changeRecord } from '../records/change.ts'
import type { KeyRing, DataKey } from '../records/data-key.ts'
import type { Records } from '../records/records.ts'
import { omitUndefined } from '../omit-undefined.ts'
import { Problem } from '../problem.ts'
import { withoutSpans } from '../trace/spans.ts'
import { normalizedAddress } from './address.ts'
import { withEvents } from './outbox.ts'
import { newPerson, type AppRecord, type Person } from './person.ts'

/** That someone wants no emails is remembered for longer than the rest: they asked for it. */
export const OPT_OUT_DAYS = 730
const DAY_MS = 86_400_000
const DAY_SECONDS = 86_400

export const PEOPLE_PREFIX = 'person:'

/** So many are read at once, and requests wait for about so long. */
const AT_ONCE = 500
const SLICE_MS = 10

/** The record of one person can't be read. It is left as it is, and `onramp doctor` names it. */
export class PersonUnreadable extends Problem {
  constructor(key: string) {
    super(503, 'store_unavailable', { detail: `the record ${key} can't be read: see onramp doctor` })
    this.name = 'PersonUnreadable'
  }
}

export type People = {
  /** @throws {StoreUnavailable} @throws {PersonUnreadable} */
  get(email: string): Promise<Person | undefined>
  /**
   * Changes what is known of a person. `change` may run more than once, so it only computes; if it returns the same
   * object, nothing is written.
   * @param change `isKnown` false: nothing was written down about this person, or it was forgotten
   * @throws {StoreUnavailable} @throws {PersonUnreadable}
   */
  change(email: string, change: (person: Person, isKnown: boolean) => Person): Promise<Person>
  /** Removes what is known of a person, readable or not. @returns whether there was anything @throws {StoreUnavailable} */
  forget(email: string): Promise<boolean>
  /**
   * Everyone, in no order and a few at a time, with other work in between.
   * @param onUnreadable gets the name of a record that can't be read
   */
  all(onUnreadable?: (key: string) => void): AsyncGenerator<Person>
}

type Keeping = {
  records: Pick<Records, 'get' | 'compareAndSet' | 'remove' | 'keys'>
  keyRing: KeyRing
  /** INVITE_RETENTION_DAYS: how long a person is remembered after the last change. */
  retentionDays: number
  /** Without the apps that the company hides: they are left out when reading, and kept as they were when writing. */
  arrange?: (apps: AppRecord[]) => AppRecord[]
  /** There are events of this person to send, and so many old ones had to go for them. Absent: none are written. */
  onEvents?: ((email: string, dropped: number) => void) | undefined
  /** Milliseconds since 1970. */
  now: () => number
}

export function createPeople(keeping: Keeping): People {
  const { records, keyRing, retentionDays, arrange = (apps) => apps, onEvents, now } = keeping

  const keyOf = ({ keyFor }: DataKey, email: string) => PEOPLE_PREFIX + keyFor('person', email)

  /** @throws {PersonUnreadable} */
  function knownIn({ sealer }: DataKey, key: string, text: string | undefined): Person | undefined {
    if (text === undefined) return undefined
    const plain = sealer.open(text, key)
    if (plain === undefined) throw new PersonUnreadable(key)
    return remembered(plain)
  }

  /** What may still be known of a person. */
  function remembered(plain: string): Person | undefined {
    const person = JSON.parse(plain) as Person
    const { email, changedAt, optedOutAt, leftAt, unknownAt } = person
    if (now() - changedAt < retentionDays * DAY_MS) return person
    if (optedOutAt === undefined || now() - optedOutAt >= OPT_OUT_DAYS * DAY_MS) return undefined
    return { email, changedAt, optedOutAt, campaigns: [], ...omitUndefined({ leftAt, unknownAt }) }
  }

  const lifeOf = ({ optedOutAt }: Person) =>
    DAY_SECONDS * (optedOutAt === undefined ? retentionDays : Math.max(OPT_OUT_DAYS, retentionDays))

  /** Without hidden apps. The same object where none is hidden. */
  function shown(person: Person): Person {
    if (person.lastCheck === undefined) return person
    const apps = arrange(person.lastCheck.apps)
    return apps.length === person.lastCheck.apps.length
      ? person
      : { ...person, lastCheck: { ...person.lastCheck, apps } }
  }

  /** With the hidden apps of `whole`, as they were. */
  function withHidden(person: Person, whole: Person): Person {
    const all = whole.lastCheck?.apps ?? []
    const visible = new Set(arrange(all))
    const hidden = all.filter((app) => !visible.has(app))
    if (person.lastCheck === undefined || hidden.length === 0) return person
    return { ...person, lastCheck: { ...person.lastCheck, apps: [...person.lastCheck.apps, ...hidden] } }
  }

  async function get(address: string): Promise<Person | undefined> {
    const open = await keyRing.dataKey()
    const key = keyOf(open, normalizedAddress(address))
    const person = knownIn(open, key, await records.get(key))
    return person && shown(person)
  }

  return {
    get,
    async change(address, change) {
      const email = normalizedAddress(address)
      const open = await keyRing.dataKey()
      const key = keyOf(open, email)
      let result = newPerson(email, now())
      let events = { added: 0, dropped: 0 }
      await changeRecord(records, {
        key,
        next(text) {
          const known = knownIn(open, key, text)
          const whole = known ?? newPerson(email, now())
          const before = shown(whole)
          const after = change(before, known !== undefined)
          events = { added: 0, dropped: 0 }
          result = after
          if (after === before) return undefined
          result = { ...after, changedAt: now() }
          if (onEvents !== undefined) ({ person: result, ...events } = withEvents(before, result, now()))
          const plain = JSON.stringify(withHidden(result, whole))
          return { text: open.sealer.seal(plain, key), seconds: lifeOf(result) }
        },
      })
      if (events.added > 0) onEvents?.(email, events.dropped)
      return result
    },
    async forget(address) {
      const key = keyOf(await keyRing.dataKey(), normalizedAddress(address))
      const isKnown = (await records.get(key)) !== undefined
      await records.remove(key)
      return isKnown
    },
    async *all(onUnreadable = () => {}) {
      const open = await keyRing.dataKey()
      let until = performance.now() + SLICE_MS
      for await (const keys of records.keys(PEOPLE_PREFIX))
        for (let first = 0; first < keys.length; first += AT_ONCE) {
          const some = keys.slice(first, first + AT_ONCE)
          const texts = await withoutSpans(() => Promise.all(some.map((key) => records.get(key))))
          for (const [index, text] of texts.entries()) {
            const key = some[index] ?? ''
            if (performance.now() > until) {
              await nextTurn()
              until = performance.now() + SLICE_MS
            }
            if (text === undefined) continue
            const plain = open.sealer.open(text, key)
            if (plain === undefined) onUnreadable(key)
            const person = plain === undefined ? undefined : remembered(plain)
            if (person !== undefined) yield shown(person)
          }
        }
    },
  }
}
