// Tells pages which apps an operator called removed. They are read in the background, so no page waits for them.
import { isAnsweredRemoved, type KeepState, type KeepStateStore } from './keep-state.ts'

const FRESH_MS = 60_000

/**
 * @param now milliseconds since 1970
 * @returns true for an instance that counted as removed (or hidden) a minute ago, or when it could last be read
 */
export function createRemovedApps(store: Pick<KeepStateStore, 'load'>, now: () => number) {
  let state: Pick<KeepState, 'delistedApps'> = {}
  let readAt = -Infinity
  const refresh = () => {
    readAt = now()
    void store.load().then(
      (loaded) => (state = loaded),
      () => {},
    )
  }
  return (instance: string): boolean => {
    if (Math.abs(now() - readAt) >= FRESH_MS) refresh()
    return isAnsweredRemoved(state, instance)
  }
}
