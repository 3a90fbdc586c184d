// Tells pages what runs know: which apps left many lists or were called removed, and whether runs check everyone.
import { delistedInstances, isAnsweredRemoved, type KeepState, type KeepStateStore } from './keep-state.ts'

const FRESH_MS = 60_000
/** Twice the time between two checks of everyone. */
const SWEPT_MS = 12 * 3_600_000

/**
 * @param now milliseconds since 1970
 * @returns what counts, or counted a minute ago, or when it could last be read
 */
export function createDelistings(store: Pick<KeepStateStore, 'load'>, now: () => number) {
  let state: Pick<KeepState, 'delistedApps' | 'sweep'> = {}
  let readAt = -Infinity
  let reading = Promise.resolve()
  const refresh = (): Promise<void> => {
    if (Math.abs(now() - readAt) < FRESH_MS) return reading
    readAt = now()
    reading = store.load().then(
      (loaded) => void (state = loaded),
      () => {},
    )
    return reading
  }
  // The first page finds them.
  void refresh()
  return {
    /** True for an instance that was called removed, or is hidden. No page waits for this. */
    isRemoved: (instance: string): boolean => {
      void refresh()
      return isAnsweredRemoved(state, instance)
    },
    /** Instances in question or removed. Waits, because a loss that is recorded after an outage stays. */
    instances: async (): Promise<ReadonlySet<string>> => {
      await refresh()
      return delistedInstances(state)
    },
    /** True if a run began to check everyone lately, so the next one will. */
    isEveryoneChecked: async (): Promise<boolean> => {
      await refresh()
      return Math.abs(now() - (state.sweep?.beganAt ?? 0)) < SWEPT_MS
    },
  }
}
