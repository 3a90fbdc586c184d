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
const MOST_TRIES = 20
const MOST_TOLD = 1_000

export type Walks = {
  /** @throws {StoreUnavailable} */
  load(user: User): Promise<Walk>
  /**
   * Changes the walk; `change` may run again when somebody else was faster, so it only computes.
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
  const tell = createTeller(log)

  function keep(walk: Walk, as: Omit<Stored, 'plain'>): Walk {
    stored.set(walk, { ...as, plain: as.text === undefined ? undefined : JSON.stringify(walk) })
    return walk
  }

  function opened(key: string, text: string): Walk | undefined {
    const found = openJson(text, key, { sealer, version: WALK_VERSION, wasPlain: true })
    const walk = found.kind === 'json' ? readWalk(found.json, checkReturnTo) : undefined
    if (walk === undefined) tell(key, found.kind === 'unreadable' ? found.why : 'damaged')
    return walk === undefined
      ? undefined
      : keep(walk, { key, text, isCurrent: found.kind === 'json' && found.isCurrent })
  }

  async function load(user: User): Promise<Walk> {
    const key = keyOf(user)
    const text = await records.get(key)
    if (text === undefined) return keep(startWalk(now()), { key, text, isCurrent: true })
    return read.of(key, text, () => opened(key, text)) ?? (await loadBeside(key))
  }

  /** The record of another secret is another installation's; overwriting a newer one would lose what it knows. */
  async function loadBeside(unreadable: string): Promise<Walk> {
    const key = `${unreadable}.${sealer.keyId}`
    const text = await records.get(key)
    const walk = text === undefined ? undefined : read.of(key, text, () => opened(key, text))
    return walk ?? keep(startWalk(now()), { key, text, isCurrent: true })
  }

  async function write(user: User, change: (walk: Walk) => Walk, from: Walk): Promise<Walk> {
    let before = from
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const after = change(before)
      const was = stored.get(before) ?? {
        key: keyOf(user),
        text: undefined,
        plain: undefined,
        isCurrent: true,
      }
      const plain = JSON.stringify(after)
      if (was.isCurrent && was.plain === plain) {
        stored.set(after, was)
        return after
      }
      const text = sealer.seal(plain, was.key)
      if (await records.compareAndSet(was.key, was.text, text, LIFE_SECONDS)) {
        stored.set(after, { key: was.key, text, plain, isCurrent: true })
        return after
      }
      if (tries > 0) await sleep(Math.random() * 4 * tries)
      before = await load(user)
    }
    throw new StoreUnavailable(new Error(`a walk was changed by others ${MOST_TRIES} times in a row`))
  }

  return {
    load,
    async update(user, change, from) {
      const before = from !== undefined && stored.has(from) ? from : await load(user)
      const after = change(before)
      const was = stored.get(before)
      if (was?.isCurrent && (after === before || JSON.stringify(after) === was.plain)) {
        stored.set(after, was)
        return after
      }
      return await inTurn(keyOf(user), (latest) => write(user, change, latest ?? before))
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

/** One line a record, however often it is met. */
function createTeller(log: WalksParts['log']): (key: string, why: Unreadable) => void {
  const told = new Set<string>()
  return (key, why) => {
    if (told.has(key)) return
    if (told.size >= MOST_TOLD) told.clear()
    told.add(key)
    log.warn({ why }, `a walk cannot be read and is left as it is, the person starts afresh: ${WHYS[why]}`)
  }
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
