// The rounds: every server in turn, again and again, so that whatever else the machine does meets all of them alike.
import type { Contestant } from './contestants.ts'
import { applyLoad, type Load } from './load.ts'
import { processorMs, residentMb } from './machine.ts'

export type Round = Load & {
  /** Share of the one processor that it has, and microseconds of it for each request; undefined where nobody tells. */
  processorShare: number | undefined
  processorUs: number | undefined
  /** Requests a second over those of the first contestant in the same round. */
  ratio: number
}

export type Result = {
  name: string
  pageBytes: number
  rounds: Round[]
  /** Megabytes: signed in but at rest, warmed up, after the last round. */
  memory: { atRest: number | undefined; warm: number | undefined; after: number | undefined }
}

export type Measurement = { seconds: number; rounds: number; connections: number }

const WARM_UP_SECONDS = 4

/** @param contestants the first one is what the others are compared with */
export async function measure(
  contestants: readonly Contestant[],
  { seconds, rounds, connections }: Measurement,
): Promise<Result[]> {
  const results = contestants.map((contestant): Result => {
    const memory = { atRest: residentMb(contestant.pid), warm: undefined, after: undefined }
    return { name: contestant.name, pageBytes: contestant.pageBytes, rounds: [], memory }
  })
  for (const [index, contestant] of contestants.entries()) {
    await applyLoad(contestant, connections, WARM_UP_SECONDS)
    results[index]!.memory.warm = residentMb(contestant.pid)
  }
  for (let round = 0; round < rounds; round++) {
    let first: Load | undefined
    for (const [index, contestant] of contestants.entries()) {
      const before = processorMs(contestant.pid)
      const load = await applyLoad(contestant, connections, seconds)
      const taken = before === undefined ? undefined : (processorMs(contestant.pid) ?? 0) - before
      first ??= load
      results[index]!.rounds.push({
        ...load,
        processorShare: taken === undefined ? undefined : taken / (seconds * 1000),
        processorUs: taken === undefined ? undefined : (taken * 1000) / load.requests,
        ratio: load.requestsPerSecond / first.requestsPerSecond,
      })
    }
  }
  for (const [index, contestant] of contestants.entries())
    results[index]!.memory.after = residentMb(contestant.pid)
  return results
}
