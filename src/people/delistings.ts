// Tells pages what runs know: which apps left many lists or were called removed, and whether runs check everyone.
import { delistedInstances, isAnsweredRemoved, type KeepState, type KeepStateStore } from './keep-state.ts'

const FRESH_MS = 60_000
/** Twice the time between two checks of everyone. */
const SWEPT_MS = 12 * 3_600_000

/**
 * Reads the state at most once a minute. While it can't be read, the last one counts.
 * @param now milliseconds since 1970
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
  // Reads it early, for the first page.
  void refresh()
  return {
    /** True for an instance that was called removed, or is hidden. No page waits for this. */
    isRemoved: (instance: string): boolean => {
      void refresh()
      return isAnsweredRemoved(state, instance)
    },
    /** Instances in question or removed. Waits for them, because a loss that is wrongly recorded stays. */
    instances: async (): Promise<ReadonlySet<string>> => {
      await refresh()
      return delistedInstances(state)
    },
    /** True if a run began to check everyone lately. The next run will, too. */
    isEveryoneChecked: async (): Promise<boolean> => {
      await refresh()
      return Math.abs(now() - (state.sweep?.beganAt ?? 0)) < SWEPT_MS
    },
  }
}
