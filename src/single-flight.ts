// Shares one run of the same work.

/** Concurrent callers with the same key share one run of `work`, and its failure. */
export function createSingleFlight<T>(): (key: string, work: () => Promise<T>) => Promise<T> {
  const underWay = new Map<string, Promise<T>>()
  return (key, work) => {
    const running = underWay.get(key)
    if (running !== undefined) return running
    const started = work().finally(() => underWay.delete(key))
    underWay.set(key, started)
    return started
  }
}
