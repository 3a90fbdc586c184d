// The second scenario: people who were never here sign in, each in a browser of their own, up to their first page. So
// many at a time; as soon as one has the page the next one comes.
import type { Contestant } from './contestants.ts'
import { processorMs } from './machine.ts'
import { signInOnce } from './people.ts'

export type SignInRound = {
  signIns: number
  perSecond: number
  /** Milliseconds, of whole sign-ins. */
  p50: number
  p99: number
  /** Processor time that the server took, in milliseconds; undefined where nothing tells. */
  processorMs: number | undefined
}

export type SignInResult = { name: string; rounds: SignInRound[] }

async function applySignIns(contestant: Contestant, connections: number, seconds: number) {
  const taken: number[] = []
  const until = performance.now() + seconds * 1000
  const before = processorMs(contestant.pid)
  const started = performance.now()
  const run = async () => {
    while (performance.now() < until) {
      const from = performance.now()
      await signInOnce(contestant)
      taken.push(performance.now() - from)
    }
  }
  await Promise.all(Array.from({ length: connections }, run))
  const after = processorMs(contestant.pid)
  const sorted = taken.toSorted((one, other) => one - other)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return {
    signIns: taken.length,
    perSecond: (taken.length * 1000) / (performance.now() - started),
    p50: at(0.5),
    p99: at(0.99),
    processorMs: before === undefined || after === undefined ? undefined : after - before,
  } satisfies SignInRound
}

const WARM_UP = { signIns: 1_500, leastSeconds: 2, mostSeconds: 10 }

async function warmUp(contestant: Contestant, connections: number): Promise<void> {
  let signIns = 0
  for (let second = 0; second < WARM_UP.mostSeconds; second++) {
    if (second >= WARM_UP.leastSeconds && signIns >= WARM_UP.signIns) return
    signIns += (await applySignIns(contestant, connections, 1)).signIns
  }
}

/** Every server in turn, again and again, so that whatever else the machine does meets all of them alike. */
export async function measureSignIns(
  contestants: readonly Contestant[],
  { seconds, rounds, connections }: { seconds: number; rounds: number; connections: number },
): Promise<SignInResult[]> {
  const results = contestants.map(({ name }): SignInResult => ({ name, rounds: [] }))
  for (const contestant of contestants) await warmUp(contestant, connections)
  for (let round = 0; round < rounds; round++)
    for (const [index, contestant] of contestants.entries())
      results[index]!.rounds.push(await applySignIns(contestant, connections, seconds))
  return results
}
