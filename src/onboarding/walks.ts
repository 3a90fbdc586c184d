// Where walks are kept: one sealed record per person (issuer and subject), so a walk goes on from any device. Changes
// are compare-and-set, so two tabs lose nothing of each other; within one process they queue, so that many tabs all get
// their turn. A record that cannot be read stays as it is: the walk is kept beside it.
import { setTimeout as sleep } from 'node:timers/promises'
import { StoreUnavailable, type Records } from '../records/records.ts'
import { createRemembered } from '../session/remembered.ts'
import { nameOf, type Sealer } from '../session/seal.ts'
import { openJson, type Unreadable } from '../session/sealed-json.ts'
import type { User } from '../session/signed-in.ts'
import { startWalk, type Walk } from './walk.ts'
import { readWalk, WALK_VERSION, type CheckReturnTo } from './walk-record.ts'

const LIFE_SECONDS = 90 * 24 * 3600
const MAX_TRIES = 20
const MAX_TOLD = 1_000

export type Walks = {
  /** @throws {StoreUnavailable} */
  load(user: User): Promise<Walk>
  /**
   * Changes the walk; `change` may run again when another process was faster, so it only computes.
   * @param from what was loaded a moment ago: saves reading it again
   * @throws {StoreUnavailable}
   */
  update(user: User, change: (walk: Walk) => Walk, from?: Walk): Promise<Walk>
}

export type WalksParts = {
  records: Pick<Records, 'get' | 'compareAndSet'>
  sealer: Sealer
  /** What return_to is held against: an address that was kept is checked like one that just came. */
  checkReturnTo: CheckReturnTo
  log: { warn(fields: object, message: string): void }
  /** Milliseconds since 1970. */
  now: () => number
}

/** How a walk is kept: under which key, and as what; `isCurrent` false: in an earlier form, to be written anew. */
type Stored = { key: string; text: string | undefined; plain: string | undefined; isCurrent: boolean }

export function createWalks({ records, sealer, checkReturnTo, log, now }: WalksParts): Walks {
  /** What a walk looked like in the store when it was loaded; walks themselves are never changed in place. */
  const stored = new WeakMap<Walk, Stored>()
  const inTurn = createTurns()
  const read = createRemembered<Walk | undefined>()
  const told = new Set<string>()

  function keep(walk: Walk, as: Stored): Walk {
    stored.set(walk, as)
    return walk
  }

  /** A first walk; of a record that cannot be read, `text` is what to replace. */
  function started(key: string, text?: string): Walk {
    const walk = startWalk(now())
    return keep(walk, { key, text, plain: text && JSON.stringify(walk), isCurrent: true })
  }

  function opened(key: string, text: string): Walk | undefined {
    const found = openJson(text, key, { sealer, version: WALK_VERSION, wasPlain: true })
    const walk = found.kind === 'json' ? readWalk(found.json, checkReturnTo) : undefined
    if (found.kind === 'json' && walk !== undefined)
      return keep(walk, { key, text, plain: JSON.stringify(walk), isCurrent: found.isCurrent })
    tellOnce(key, found.kind === 'unreadable' ? found.why : 'damaged')
    return undefined
  }

  /** One line a record, however often it is met. */
  function tellOnce(key: string, why: Unreadable): void {
    if (told.has(key)) return
    if (told.size >= MAX_TOLD) told.clear()
    told.add(key)
    log.warn({ why }, `a walk cannot be read and is left as it is, the person starts afresh: ${WHYS[why]}`)
  }

  async function load(user: User): Promise<Walk> {
    const key = keyOf(user)
    const text = await records.get(key)
    if (text === undefined) return started(key)
    return read.of(key, text, () => opened(key, text)) ?? (await loadBeside(key))
  }

  /** The record of another secret is another installation's; overwriting a newer one would lose what it knows. */
  async function loadBeside(unreadable: string): Promise<Walk> {
    const key = `${unreadable}.${sealer.keyId}`
    const text = await records.get(key)
    if (text === undefined) return started(key)
    return read.of(key, text, () => opened(key, text)) ?? started(key, text)
  }

  /** The walk as it is in the store after this change, where the change needs no writing. */
  function unchanged(after: Walk, before: Walk): Walk | undefined {
    const was = stored.get(before)
    if (was?.isCurrent !== true) return undefined
    if (after === before) return after
    return JSON.stringify(after) === was.plain ? keep(after, was) : undefined
  }

  async function write(user: User, change: (walk: Walk) => Walk, from: Walk): Promise<Walk> {
    let before = from
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const after = change(before)
      const same = unchanged(after, before)
      if (same !== undefined) return same
      const { key, text: expected } = stored.get(before) ?? { key: keyOf(user), text: undefined }
      const plain = JSON.stringify(after)
      const text = sealer.seal(plain, key)
      if (await records.compareAndSet(key, expected, text, LIFE_SECONDS))
        return keep(after, { key, text, plain, isCurrent: true })
      if (tries > 0) await sleep(Math.random() * 4 * tries)
      before = await load(user)
    }
    throw new StoreUnavailable(new Error(`a walk was changed by others ${MAX_TRIES} times in a row`))
  }

  return {
    load,
    async update(user, change, from) {
      const before = from !== undefined && stored.has(from) ? from : await load(user)
      return (
        unchanged(change(before), before) ??
        (await inTurn(keyOf(user), (latest) => write(user, change, latest ?? before)))
      )
    },
  }
}

const keyOf = (user: User) => `walk:${nameOf(`${user.issuer}\n${user.subject}`)}`

const WHYS: Record<Unreadable, string> = {
  otherSecret:
    'it is sealed under another secret: see SESSION_SECRET, and REDIS_PREFIX where two share a Redis',
  damaged: 'it is damaged',
  newer: 'a version more than one ahead wrote it',
}

/** Work on one key happens one after the other; each is given what the one before it came to, if it came to anything. */
function createTurns(): (key: string, work: (latest?: Walk) => Promise<Walk>) => Promise<Walk> {
  const last = new Map<string, Promise<Walk>>()
  return async (key, work) => {
    const before = last.get(key)
    const turn = before === undefined ? work() : before.then(work, () => work())
    last.set(key, turn)
    try {
      return await turn
    } finally {
      if (last.get(key) === turn) last.delete(key)
    }
  }
}
