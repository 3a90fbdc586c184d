// Where walks are kept: one sealed record per person (issuer and subject), so a walk goes on from any device. Changes
// are compare-and-set, so two tabs lose nothing of each other; within one process they queue, so that many tabs all get
// their turn. A record that cannot be read stays as it is: the walk is kept beside it.
import { createChanges } from '../records/change.ts'
import type { Records } from '../records/records.ts'
import { createRemembered } from '../session/remembered.ts'
import type { Sealer } from '../records/seal.ts'
import { openJson, type Unreadable } from '../records/sealed-json.ts'
import { personKey, type User } from '../session/signed-in.ts'
import { startWalk, type Known, type Walk } from './walk.ts'
import { readWalk, WALK_VERSION, type CheckReturnTo } from './walk-record.ts'

const LIFE_SECONDS = 90 * 24 * 3600
const MAX_TOLD = 1_000

export type Basis = {
  /** What was loaded a moment ago: saves reading it again. */
  from?: Walk
  /** The service was asked, and the change takes in what it said. */
  isAsked?: boolean
}

export type Walks = {
  /** @throws {StoreUnavailable} */
  load(user: User): Promise<Walk>
  /**
   * Changes the walk; `change` may run again when another process was faster, so it only computes.
   * @throws {StoreUnavailable}
   */
  update(user: User, change: (walk: Walk) => Walk, basis?: Basis): Promise<Walk>
}

export type WalksParts = {
  records: Pick<Records, 'get' | 'compareAndSet'>
  sealer: Sealer
  /** What return_to is held against: an address that was kept is checked like one that just came. */
  checkReturnTo: CheckReturnTo
  /** The company's order of apps, without those that it hides; absent: as they were seen. The same list where nothing changes. */
  arrange?: (known: Known[]) => Known[]
  log: { warn(fields: object, message: string): void }
  /** Milliseconds since 1970. */
  now: () => number
}

/** How a walk is kept: under which key, and as what; `isCurrent` false: in an earlier form, to be written anew. */
type Stored = { key: string; text: string | undefined; plain: string; isCurrent: boolean }

export function createWalks({
  records,
  sealer,
  checkReturnTo,
  arrange = (known) => known,
  log,
  now,
}: WalksParts): Walks {
  const arranged = (walk: Walk): Walk => {
    const known = arrange(walk.known)
    // Where all are hidden, it was asked all the same, and need not be written.
    return known === walk.known ? walk : { ...walk, known, isAsked: true }
  }

  /** What a walk looked like in the store when it was loaded; walks themselves are never changed in place. */
  const stored = new WeakMap<Walk, Stored>()
  const storedOf = (loaded: Walk) => stored.get(loaded) as Stored
  const changeRecord = createChanges(records)
  const read = createRemembered<Walk | undefined>()
  const told = new Set<string>()

  function keep(walk: Walk, as: Stored): Walk {
    stored.set(walk, as)
    return walk
  }

  /** A first walk; of a record that cannot be read, `text` is what to replace. */
  function started(key: string, text?: string): Walk {
    const walk = startWalk(now())
    return keep(walk, { key, text, plain: JSON.stringify(walk), isCurrent: true })
  }

  function opened(key: string, text: string): Walk | undefined {
    const found = openJson(text, key, { sealer, version: WALK_VERSION })
    if (found.kind === 'unreadable') return tellOnce(key, found.why)
    const whole = readWalk(found.json, checkReturnTo)
    if (whole === undefined) return tellOnce(key, 'damaged')
    const walk = arranged(whole)
    return keep(walk, { key, text, plain: JSON.stringify(walk), isCurrent: found.isCurrent })
  }

  /** One line a record, however often it is met. */
  function tellOnce(key: string, why: Unreadable): undefined {
    if (told.has(key)) return
    if (told.size >= MAX_TOLD) told.clear()
    told.add(key)
    log.warn({ why }, `a walk cannot be read and is left as it is, the person starts afresh: ${WHYS[why]}`)
  }

  /** Undefined where the record cannot be read. */
  const walkIn = (key: string, text: string | undefined): Walk | undefined =>
    text === undefined ? started(key) : read.of(key, text, () => opened(key, text))

  async function load(user: User): Promise<Walk> {
    const key = keyOf(user)
    return walkIn(key, await records.get(key)) ?? (await loadBeside(key))
  }

  /** The record of another secret is another installation's; overwriting a newer one would lose what it knows. */
  async function loadBeside(unreadable: string): Promise<Walk> {
    const key = `${unreadable}.${sealer.keyId}`
    const text = await records.get(key)
    return walkIn(key, text) ?? started(key, text)
  }

  /** The walk as it is in the store after this change, where the change needs no writing. */
  function unchanged(after: Walk, before: Walk): Walk | undefined {
    const was = storedOf(before)
    if (!was.isCurrent) return undefined
    if (after === before) return after
    return JSON.stringify(after) === was.plain ? keep(after, was) : undefined
  }

  return {
    load,
    async update(user, asked, { from } = {}) {
      const change = (walk: Walk) => arranged(asked(walk))
      const loaded = from !== undefined && stored.has(from) ? from : await load(user)
      const same = unchanged(change(loaded), loaded)
      if (same !== undefined) return same
      const { key, text: guess } = storedOf(loaded)
      let result: Walk | undefined
      await changeRecord({
        key,
        guess: { text: guess },
        next(text) {
          // Of a try that failed nothing counts.
          result = undefined
          const before = text === guess ? loaded : walkIn(key, text)
          if (before === undefined) return undefined
          const after = change(before)
          result = unchanged(after, before)
          if (result !== undefined) return undefined
          const plain = JSON.stringify(after)
          const is = sealer.seal(plain, key)
          result = keep(after, { key, text: is, plain, isCurrent: true })
          return { text: is, seconds: LIFE_SECONDS }
        },
      })
      // Meanwhile another installation's record took its place: it stays, and this walk is kept beside it.
      return result ?? (await this.update(user, asked))
    },
  }
}

const keyOf = (user: User) => walkKey(personKey(user))
const walkKey = (person: string) => `walk:${person}`

/** Removes a person's walk, also one that is kept beside an unreadable one. @param person personKey @throws {StoreUnavailable} */
export async function eraseWalk(
  records: Pick<Records, 'remove'>,
  person: string,
  { keyIds }: Pick<Sealer, 'keyIds'>,
): Promise<void> {
  const key = walkKey(person)
  await Promise.all([key, ...keyIds.map((id) => `${key}.${id}`)].map((one) => records.remove(one)))
}

const WHYS: Record<Unreadable, string> = {
  otherSecret:
    'it is sealed under another secret: see SESSION_SECRET, and REDIS_PREFIX where two share a Redis',
  damaged: 'it is damaged',
  newer: 'a version more than one ahead wrote it',
}
