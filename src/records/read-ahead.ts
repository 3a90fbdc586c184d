// Reads one value ahead, so that the store works on the next one while this one is used.

/** Once its consumer ends, waits for the pending value, so that nothing is read after that. */
export async function* readAhead<T>(source: AsyncGenerator<T>): AsyncGenerator<T> {
  const read = () => {
    const reading = source.next()
    // A consumer that ends doesn't wait for it.
    reading.catch(() => {})
    return reading
  }
  try {
    for (let next = read(); ;) {
      const { done, value } = await next
      if (done === true) return
      next = read()
      yield value
    }
  } finally {
    await source.return(undefined)
  }
}
