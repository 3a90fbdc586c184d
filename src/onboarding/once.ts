// A double click and a reload ask for the same thing twice at the same time: they get one answer. A second check would
// void the one-time path that the first one brought.

/** Runs `work` unless the same key is under way; then it waits for that one's result. */
export function createOnce<T>(): (key: string, work: () => Promise<T>) => Promise<T> {
  const underWay = new Map<string, Promise<T>>()
  return (key, work) => {
    const found = underWay.get(key)
    if (found !== undefined) return found
    const started = work().finally(() => underWay.delete(key))
    underWay.set(key, started)
    return started
  }
}
