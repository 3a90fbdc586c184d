// The rounds: every server in turn, again and again, so that whatever else the machine does meets all of them alike.
import type { Contestant } from './contestants.ts'
import { applyLoad, type Load } from './load.ts'
import { processorMs, residentMb } from './machine.ts'

export type Round = Load & {
  /** Requests a second over those of the first contestant in the same round. */
  ratio: number
  /** Processor time that the server took, in milliseconds; undefined where nobody tells. */
  processorMs: number | undefined
}

export type Result = {
  name: string
  pageBytes: number
  rounds: Round[]
  /** Megabytes: signed in but at rest, warmed up, after the last round. */
  memory: { atRest: number | undefined; warm: number | undefined; after: number | undefined }
}

export type Measurement = { seconds: number; rounds: number; connections: number }

/** Until the compiler has seen enough, even where other jobs leave little of the processor. */
const WARM_UP = { requests: 15_000, leastSeconds: 3, mostSeconds: 20 }

async function warmUp(contestant: Contestant, connections: number): Promise<void> {
  let requests = 0
  for (let second = 0; second < WARM_UP.mostSeconds; second++) {
    if (second >= WARM_UP.leastSeconds && requests >= WARM_UP.requests) return
    requests += (await applyLoad(contestant, connections, 1)).requests
  }
}

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
    await warmUp(contestant, connections)
    results[index]!.memory.warm = residentMb(contestant.pid)
  }
  for (let round = 0; round < rounds; round++) {
    let first: Load | undefined
    for (const [index, contestant] of contestants.entries()) {
      const before = processorMs(contestant.pid)
      const load = await applyLoad(contestant, connections, seconds)
      const after = processorMs(contestant.pid)
      first ??= load
      results[index]!.rounds.push({
        ...load,
        ratio: load.requestsPerSecond / first.requestsPerSecond,
        processorMs: before === undefined || after === undefined ? undefined : after - before,
      })
    }
  }
  for (const [index, contestant] of contestants.entries())
    results[index]!.memory.after = residentMb(contestant.pid)
  return results
}
