// The rounds: every server in turn, again and again, so that whatever else the machine does meets all of them alike.
import { leaveForAnApp, type Contestant } from './contestants.ts'
import { applyLoad, type Load } from './load.ts'
import { processorMs, residentMb } from './machine.ts'

/** With the processor time that the server took, in milliseconds; undefined where nobody tells. */
type Measured = Load & { processorMs: number | undefined }

/** With its requests a second over those of the first contestant in the same round. */
export type Round = Measured & { ratio: number }

export type Result = {
  name: string
  pageBytes: number
  /** Everyone's first page, which is also the warm-up. */
  first: Measured
  rounds: Round[]
  /** Megabytes: signed in but at rest, warmed up, after the last round. */
  memory: { atRest: number | undefined; warm: number | undefined; after: number | undefined }
}

export type Measurement = { seconds: number; rounds: number; connections: number }

/** What was done, with the processor time that the server took. */
export async function measured<Done extends object>({ pid }: Contestant, load: () => Promise<Done>) {
  const before = processorMs(pid)
  const result = await load()
  const after = processorMs(pid)
  return { ...result, processorMs: before === undefined || after === undefined ? undefined : after - before }
}

/** @param contestants the first one is what the others are compared with */
export async function measure(
  contestants: readonly Contestant[],
  { seconds, rounds, connections }: Measurement,
): Promise<Result[]> {
  const results: Result[] = []
  for (const contestant of contestants) {
    const atRest = residentMb(contestant.pid)
    const everyone = contestant.cookies.length
    const first = await measured(contestant, () => applyLoad(contestant, connections, Infinity, everyone))
    if (contestant.name === 'onramp') await leaveForAnApp(contestant)
    const memory = { atRest, warm: residentMb(contestant.pid), after: undefined }
    results.push({ name: contestant.name, pageBytes: contestant.pageBytes, first, rounds: [], memory })
  }
  for (let round = 0; round < rounds; round++) {
    let first: Load | undefined
    for (const [index, contestant] of contestants.entries()) {
      const load = await measured(contestant, () => applyLoad(contestant, connections, seconds))
      first ??= load
      results[index]!.rounds.push({ ...load, ratio: load.requestsPerSecond / first.requestsPerSecond })
    }
  }
  for (const [index, contestant] of contestants.entries())
    results[index]!.memory.after = residentMb(contestant.pid)
  return results
}
