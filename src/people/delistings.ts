// Tells pages which apps left many lists, and which of them an operator called removed. They are read in the
// background, so no page waits for them.
import { delistedInstances, isAnsweredRemoved, type KeepState, type KeepStateStore } from './keep-state.ts'

const FRESH_MS = 60_000

/**
 * @param now milliseconds since 1970
 * @returns what counted a minute ago, or when it could last be read
 */
export function createDelistings(store: Pick<KeepStateStore, 'load'>, now: () => number) {
  let state: Pick<KeepState, 'delistedApps'> = {}
  let readAt = -Infinity
  const current = () => {
    if (Math.abs(now() - readAt) < FRESH_MS) return state
    readAt = now()
    void store.load().then(
      (loaded) => (state = loaded),
      () => {},
    )
    return state
  }
  // The first page finds them.
  current()
  return {
    /** True for an instance that was called removed, or is hidden. */
    isRemoved: (instance: string): boolean => isAnsweredRemoved(current(), instance),
    /** Instances in question or removed. */
    instances: (): ReadonlySet<string> => delistedInstances(current()),
  }
}
