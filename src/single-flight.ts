// Shares one run of the same work.

/** Concurrent callers with the same key share one run of `work`, and its failure. */
export function createSingleFlight<T>(): (key: string, work: () => Promise<T>) => Promise<T> {
  const underWay = new Map<string, Promise<T>>()
  return (key, work) => {
    const currentRun = underWay.get(key)
    if (currentRun !== undefined) return currentRun
    const newRun = work().finally(() => underWay.delete(key))
    underWay.set(key, newRun)
    return newRun
  }
}
