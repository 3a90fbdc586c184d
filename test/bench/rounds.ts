// The rounds: every server in turn, repeatedly, so that other load on the machine affects all of them alike.
import type { Contestant } from './contestants.ts'
import { repeat, type Load } from './load.ts'
import { processorMs, residentMb } from './machine.ts'

/** With the processor time that the server took, in milliseconds; NaN where the system doesn't count it. */
export type Round = Load & { processorMs: number }
export type Result = { name: string; pageBytes: number; rounds: Round[]; memoryMb: number }
export type Rhythm = { connections: number; seconds: number; rounds: number }

export async function measure(
  contestants: readonly Contestant[],
  { connections, seconds, rounds }: Rhythm,
  work: 'openPage' | 'signIn',
): Promise<Result[]> {
  const results = contestants.map(({ name, pageBytes }): Result => ({
    name,
    pageBytes,
    rounds: [],
    memoryMb: NaN,
  }))
  for (let round = 0; round < rounds; round++)
    for (const [index, contestant] of contestants.entries()) {
      const before = processorMs(contestant.pid)
      const load = await repeat({ connections, seconds }, contestant[work])
      const result = results[index]!
      result.rounds.push({ ...load, processorMs: processorMs(contestant.pid) - before })
      result.memoryMb = residentMb(contestant.pid)
    }
  return results
}
