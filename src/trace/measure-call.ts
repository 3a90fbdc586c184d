// Measures outbound calls for the metrics: operation, status and duration.

/** Must not throw. `status` is undefined without a usable response. */
export type OnCall = (call: { operation: string; status: number | undefined; seconds: number }) => void

/** @param onEnd `result` is undefined after a failure */
export async function measureCall<T>(
  work: () => Promise<T>,
  onEnd: (result: T | undefined, seconds: number) => void,
): Promise<T> {
  const startedAt = performance.now()
  let result: T | undefined
  try {
    return (result = await work())
  } finally {
    onEnd(result, (performance.now() - startedAt) / 1000)
  }
}
