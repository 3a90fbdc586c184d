// Where walks are kept: one record per person (issuer and subject), so a walk goes on from any device. Changes are
// compare-and-set, so two tabs lose nothing of each other.
import type { Records } from '../records/records.ts'
import { nameOf } from '../session/seal.ts'
import type { User } from '../session/session.ts'
import { startWalk, type Walk } from './walk.ts'

const LIFE_SECONDS = 90 * 24 * 3600
const MOST_TRIES = 8

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

  async function load(user: User): Promise<Walk> {
    const text = await records.get(keyOf(user))
    const walk = parse(text) ?? startWalk(now())
    stored.set(walk, text)
    return walk
  }

  return {
    load,
    async update(user, change, from) {
      let before = from !== undefined && stored.has(from) ? from : await load(user)
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        const after = change(before)
        const [was, is] = [stored.get(before), JSON.stringify(after)]
        if (was === is || (await records.compareAndSet(keyOf(user), was, is, LIFE_SECONDS))) {
          stored.set(after, is)
          return after
        }
        before = await load(user)
      }
      throw new Error(`a walk was changed by others ${MOST_TRIES} times in a row`)
    },
  }
}

const keyOf = (user: User) => `walk:${nameOf(`${user.issuer}\n${user.subject}`)}`

/** A record of another version, or a damaged one, is no reason to keep somebody out: the service knows what is true. */
function parse(text: string | undefined): Walk | undefined {
  if (text === undefined) return undefined
  try {
    const walk = JSON.parse(text) as Partial<Walk> | null
    const whole = walk?.version === 1 && Array.isArray(walk.known) && Array.isArray(walk.attempts)
    return whole ? (walk as Walk) : undefined
  } catch {
    return undefined
  }
}
