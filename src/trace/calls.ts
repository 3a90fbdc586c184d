// What onramp asks of others, for the metrics: which question, how it ended, how long it took.

/** Called for every call; `status` undefined: there was no usable answer. Must not throw. */
export type OnCall = (call: { operation: string; status: number | undefined; seconds: number }) => void

/** @param onEnd `answer` undefined: there was none */
export async function timed<T>(
  work: () => Promise<T>,
  onEnd: (answer: T | undefined, seconds: number) => void,
): Promise<T> {
  const began = performance.now()
  let answer: T | undefined
  try {
    answer = await work()
    return answer
  } finally {
    onEnd(answer, (performance.now() - began) / 1000)
  }
}
