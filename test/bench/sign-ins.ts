// The second scenario: people who were never here sign in, each in a browser of their own, up to their first page. So
// many at a time; as soon as one has the page the next one comes.
import type { Contestant } from './contestants.ts'
import { percentilesOf } from './load.ts'
import { follow } from './people.ts'
import { measured, type Measurement } from './rounds.ts'

export type SignInResult = { name: string; rounds: Awaited<ReturnType<typeof measuredSignIns>>[] }

const measuredSignIns = (contestant: Contestant, connections: number, seconds: number) =>
  measured(contestant, () => applySignIns(contestant, connections, seconds))

async function applySignIns(contestant: Contestant, connections: number, seconds: number) {
  const taken: number[] = []
  const until = performance.now() + seconds * 1000
  const started = performance.now()
  const run = async () => {
    while (performance.now() < until) {
      const from = performance.now()
      await follow(contestant.name, contestant.signInUrl)
      taken.push(performance.now() - from)
    }
  }
  await Promise.all(Array.from({ length: connections }, run))
  const perSecond = (taken.length * 1000) / (performance.now() - started)
  return { signIns: taken.length, perSecond, ...percentilesOf(taken) }
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
  { seconds, rounds, connections }: Measurement,
): Promise<SignInResult[]> {
  const results = contestants.map(({ name }): SignInResult => ({ name, rounds: [] }))
  for (const contestant of contestants) await warmUp(contestant, connections)
  for (let round = 0; round < rounds; round++)
    for (const [index, contestant] of contestants.entries())
      results[index]!.rounds.push(await measuredSignIns(contestant, connections, seconds))
  return results
}
