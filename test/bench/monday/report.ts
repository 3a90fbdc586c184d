// The morning in figures and verdicts.
import { fixed } from '../report.ts'
import type { Fault, Phase, Shares } from './ledger.ts'
import type { Memory, Meter } from './meter.ts'
import { APPS, BURST_RATE, type Rhythm } from './plans.ts'
import type { Loss } from './reconcile.ts'

export type Morning = {
  machine: string
  /** Number of failovers of Redis. One is planned; more aren't onramp's fault. */
  failovers: number
  processors: number
  minutes: number
  compress: number
  rhythm: Rhythm
  seconds: number
  /** One-time paths that were followed twice, by people with one tab and with two. */
  secondUses: { one: number; two: number }
  shares: [Phase, Shares][]
  troubles: [string, number][]
  faults: [Fault, number][]
  meter: Meter
  memory: Memory
  losses: Loss[]
}

const MAX_P99_MS = 50
const MAX_PROCESSOR_MS = 15
/** Among fewer people, the starts of five processes and their cold code weigh too much. */
const MIN_PEOPLE = 50_000
const FAULTS: readonly Phase[] = ['kill -9', 'failover', 'rolling restart']

/** Counted on its own. */
const USED_TWICE = / 410 GET \/auth\/datasource\//

/** `isKept` is undefined where it can't be judged. */
type Verdict = [isKept: boolean | undefined, sentence: string]

function verdictsOf(morning: Morning): Verdict[] {
  const { losses, troubles, shares, meter, rhythm, secondUses } = morning
  const { people, averageRate } = rhythm
  const unexplained = troubles.filter(
    ([what]) => !USED_TWICE.test(what) && !FAULTS.some((fault) => what.startsWith(`${fault}:`)),
  )
  const load = meter.load()
  const p99 = shares.find(([part]) => part === 'average')?.[1].own.p99
  const processorMs = meter.processorMs() / people
  const atRestart = troubles.filter(([what]) => !USED_TWICE.test(what) && what.startsWith('rolling restart:'))
  // Load before the first arrival is due to other programs.
  const isFree = load.first < morning.processors
  return [
    [losses.length === 0, `Nothing is lost: ${people - losses.length} of ${people} people`],
    [
      secondUses.one === 0,
      `No one-time path is followed twice in one tab: ${secondUses.one} were, and ${secondUses.two} in two tabs at the same moment`,
    ],
    [unexplained.length === 0, `Nothing fails but while a fault lasts: ${unexplained.length} kinds`],
    [
      morning.failovers === 1 ? true : undefined,
      `Redis failed over once, when it was killed: ${morning.failovers} in all`,
    ],
    [
      isFree ? atRestart.length === 0 : undefined,
      `A rolling restart fails nothing: ${atRestart.length} kinds`,
    ],
    [
      isFree && p99 !== undefined ? p99 <= MAX_P99_MS : undefined,
      `At ${fixed(averageRate, 1)} people a second, p99 of onramp's own share is at most ${MAX_P99_MS} ms: ${fixed(p99 ?? NaN, 1)} ms`,
    ],
    [
      isFree && people >= MIN_PEOPLE && processorMs > 0 ? processorMs <= MAX_PROCESSOR_MS : undefined,
      `Processor time is at most ${MAX_PROCESSOR_MS} ms a person: ${fixed(processorMs, 1)} ms`,
    ],
    [morning.memory.isLevel, 'Memory is level'],
    [
      undefined,
      `Load of the machine: ${fixed(load.first, 1)} at the start, at most ${fixed(load.most, 1)}, on ${morning.processors} processors`,
    ],
  ]
}

const RESULTS = { true: 'kept', false: 'MISSED', undefined: 'not judged' }

function printFigures(morning: Morning): void {
  const { rhythm, shares, memory, minutes, compress } = morning
  console.log(`A company's Monday: ${rhythm.people} people, ${APPS.length} apps each, in ${minutes} minutes; ${compress} times as fast as that, so in ${fixed(rhythm.seconds)} s
Before, ${fixed(rhythm.averageSeconds)} s at the average rate as it is: ${fixed(rhythm.averageRate, 1)} people a second. Bursts: ${BURST_RATE} people a second.
${morning.machine}
All took ${fixed(morning.seconds)} s.

Milliseconds of a hop as the browser sees it, p50 / p99. Own: without what the service and the authorization server took.`)
  const both = ({ p50, p99 }: Shares['own']) => `${fixed(p50, 1)} / ${fixed(p99, 1)}`
  const rows = shares.map(([part, { hops, own, whole }]) => [
    part,
    { hops, own: both(own), 'whole hop': both(whole) },
  ])
  console.table(Object.fromEntries(rows))
  console.log('Milliseconds until all was as before:', Object.fromEntries(morning.faults))
  console.log('Memory of each process of onramp in MB, in the hour:')
  console.table(memory.figures)
  console.log('Answers that were neither 2xx nor 3xx, by what was going on:', morning.troubles)
  for (const { person, losses } of morning.losses.slice(0, 20))
    console.log(`person ${person}: ${losses.join('; ').slice(0, 500)}`)
}

/** @returns whether everything that could be judged is kept */
export function report(morning: Morning): boolean {
  printFigures(morning)
  const verdicts = verdictsOf(morning)
  for (const [isKept, sentence] of verdicts) console.log(`${sentence}: ${RESULTS[`${isKept}`]}`)
  return verdicts.every(([isKept]) => isKept !== false)
}
