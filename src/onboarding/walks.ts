// Where walks are kept: one sealed record per person (issuer and subject), so a walk goes on from any device. Changes
// are compare-and-set, so two tabs lose nothing of each other. A record that can't be opened counts as none: the service
// says what is connected.
import { createChanges } from '../records/change.ts'
import type { KeyRing, DataKey } from '../records/data-key.ts'
import type { Records } from '../records/records.ts'
import { personKey, type User } from '../session/signed-in.ts'
import { startWalk, type TrackedApp, type Walk } from './walk.ts'

/** @param returnTo where a return may lead, or undefined */
type CheckReturnTo = (returnTo: unknown) => string | undefined

const LIFE_SECONDS = 90 * 24 * 3600

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

type Needs = {
  records: Pick<Records, 'get' | 'compareAndSet'>
  keyRing: KeyRing
  /** What return_to is held against: an address that was kept is checked like one that just came. */
  checkReturnTo: CheckReturnTo
  /** The company's order of apps, without those that it hides; absent: as they were seen. */
  arrange?: (known: TrackedApp[]) => TrackedApp[]
  /** Milliseconds since 1970. */
  now: () => number
}

/** A walk as the store has it, and what that says: to tell whether a change has to be written. */
type Stored = { text: string | undefined; json: string }

export function createWalks({
  records,
  keyRing,
  checkReturnTo,
  arrange = (known) => known,
  now,
}: Needs): Walks {
  /** What a walk looked like in the store when it was loaded; walks themselves are never changed in place. */
  const stored = new WeakMap<Walk, Stored>()
  const changeRecord = createChanges(records)

  const arranged = (walk: Walk): Walk => {
    const known = arrange(walk.known)
    const isSame = known.length === walk.known.length && known.every((entry, at) => entry === walk.known[at])
    return isSame ? walk : { ...walk, known }
  }

  function opened({ sealer }: DataKey, key: string, text: string | undefined): Walk {
    const json = (text === undefined ? undefined : sealer.open(text, key)) ?? JSON.stringify(startWalk(now()))
    const walk = arranged(withCheckedReturnTo(JSON.parse(json) as Walk))
    stored.set(walk, { text, json })
    return walk
  }

  /** An address that was kept is checked as if it came from a browser: the rules may have changed since. */
  const withCheckedReturnTo = (walk: Walk): Walk =>
    walk.visit.returnTo === undefined
      ? walk
      : { ...walk, visit: { ...walk.visit, returnTo: checkReturnTo(walk.visit.returnTo) } }

  /** Does the store have the walk as it is after a change? */
  function isStored(after: Walk, before: Walk): boolean {
    if (after === before) return true
    const was = stored.get(before)
    const isSame = was !== undefined && JSON.stringify(after) === was.json
    if (isSame) stored.set(after, was)
    return isSame
  }

  async function load(user: User): Promise<Walk> {
    const dataKey = await keyRing.dataKey()
    const key = walkKey(dataKey, personKey(user))
    return opened(dataKey, key, await records.get(key))
  }

  return {
    load,
    async update(user, wanted, from) {
      const change = (walk: Walk) => arranged(wanted(walk))
      const loaded = from !== undefined && stored.has(from) ? from : await load(user)
      let result = change(loaded)
      if (isStored(result, loaded)) return result
      const dataKey = await keyRing.dataKey()
      const key = walkKey(dataKey, personKey(user))
      const guess = stored.get(loaded)
      await changeRecord({
        key,
        guess,
        next(text) {
          const before = text === guess?.text ? loaded : opened(dataKey, key, text)
          result = change(before)
          if (isStored(result, before)) return undefined
          const json = JSON.stringify(result)
          const sealed = dataKey.sealer.seal(json, key)
          stored.set(result, { text: sealed, json })
          return { text: sealed, seconds: LIFE_SECONDS }
        },
      })
      return result
    },
  }
}

/** A shape of `Walk` that an earlier onramp can't read changes the store's format (records/format.ts). */
const walkKey = ({ keyFor }: DataKey, person: string) => `walk:${keyFor('walk 1', person)}`

/** Removes a person's walk. @param person personKey @throws {StoreUnavailable} */
export async function eraseWalk(
  records: Pick<Records, 'remove'>,
  person: string,
  dataKey: DataKey,
): Promise<void> {
  await records.remove(walkKey(dataKey, person))
}
