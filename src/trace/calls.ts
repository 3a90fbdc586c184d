// What onramp asks of others, for the metrics: which question, how it ended, how long it took.

/** Told of every call; `status` undefined: there was no usable answer. Must not throw. */
export type OnCall = (call: { operation: string; status: number | undefined; seconds: number }) => void

/** @param tell `answer` undefined: there was none */
export async function timed<T>(
  work: () => Promise<T>,
  tell: (answer: T | undefined, seconds: number) => void,
): Promise<T> {
  const began = performance.now()
  let answer: T | undefined
  try {
    answer = await work()
    return answer
  } finally {
    tell(answer, (performance.now() - began) / 1000)
  }
}
