// Where walks are kept: one record per person (issuer and subject), so a walk goes on from any device. Changes are
// compare-and-set, so two tabs lose nothing of each other; within one process they queue, so that many tabs all get
// their turn.
import { setTimeout as sleep } from 'node:timers/promises'
import { StoreUnavailable, type Records } from '../records/records.ts'
import { nameOf } from '../session/seal.ts'
import type { User } from '../session/session.ts'
import { startWalk, type Walk } from './walk.ts'
import { readWalk } from './walk-record.ts'

const LIFE_SECONDS = 90 * 24 * 3600
const MOST_TRIES = 20

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

export function createWalks(records: Pick<Records, 'get' | 'compareAndSet'>, now: () => number): Walks {
  /** What a walk looked like in the store when it was loaded; walks themselves are never changed in place. */
  const stored = new WeakMap<Walk, string | undefined>()
  const inTurn = createTurns()

  async function load(user: User): Promise<Walk> {
    const text = await records.get(keyOf(user))
    const walk = readWalk(text) ?? startWalk(now())
    stored.set(walk, text)
    return walk
  }

  async function write(user: User, change: (walk: Walk) => Walk, from: Walk): Promise<Walk> {
    let before = from
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const after = change(before)
      const [was, is] = [stored.get(before), JSON.stringify(after)]
      if (was === is || (await records.compareAndSet(keyOf(user), was, is, LIFE_SECONDS))) {
        stored.set(after, is)
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
      if (JSON.stringify(after) !== stored.get(before))
        return await inTurn(keyOf(user), (latest) => write(user, change, latest ?? before))
      stored.set(after, stored.get(before))
      return after
    },
  }
}

const keyOf = (user: User) => `walk:${nameOf(`${user.issuer}\n${user.subject}`)}`

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
