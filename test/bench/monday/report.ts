// The morning in figures and verdicts, in words. Pure.
import type { Shares, Part, Fault } from './ledger.ts'
import type { createMeter } from './meter.ts'
import { APPS, BURST_RATE, type Rhythm } from './plans.ts'
import type { Loss } from './reconcile.ts'

export type Morning = {
  machine: string
  /** How often Redis failed over: once is what the hour has. What more of it costs is not onramp's to keep. */
  failovers: number
  processors: number
  seed: number
  minutes: number
  compress: number
  rhythm: Rhythm
  /** What the whole of it took here. */
  seconds: number
  mostAtOnce: number
  /** The longest that the load itself was held up, in milliseconds: it counts as onramp's share. */
  generatorP99: number
  generatorMs: number
  signIns: number
  /** One-time paths that were followed twice, by people with one tab and with two. */
  secondUses: { one: number; two: number }
  shares: [Part, Shares][]
  troubles: [string, number][]
  faults: [Fault, number][]
  meter: Pick<ReturnType<typeof createMeter>, 'processorMs' | 'machine'>
  /** From the beginning of the hour. */
  memory: ReturnType<ReturnType<typeof createMeter>['memory']>
  losses: Loss[]
}

const MAX_P99_MS = 50
const FAULTS: readonly Part[] = ['kill -9', 'failover', 'rolling restart']

/** Counted on its own. */
const USED_TWICE = / 410 GET \/auth\/datasource\//

/** Of what was never seen in its time, a dash. */
const fixed = (value: number, digits = 0) => (Number.isNaN(value) ? '–' : value.toFixed(digits))

function shareLines({ shares }: Morning): string[] {
  const both = ({ p50, p99 }: Shares['seen']) => `${fixed(p50, 1)} / ${fixed(p99, 1)}`.padStart(16)
  return [
    `${'part'.padEnd(17)}${'hops'.padStart(8)}${'own, seen'.padStart(16)}${'own, inside'.padStart(16)}${'whole hop'.padStart(16)}`,
    ...shares.map(
      ([part, { hops, seen, inside, whole }]) =>
        `${part.padEnd(17)}${String(hops).padStart(8)}${both(seen)}${both(inside)}${both(whole)}`,
    ),
  ]
}

type Verdict = { words: string; isKept: boolean | undefined }

function verdictsOf(morning: Morning): Verdict[] {
  const { losses, troubles, shares, meter, rhythm, secondUses } = morning
  const { people, averageRate } = rhythm
  const unexplained = troubles.filter(
    ([what]) => !USED_TWICE.test(what) && !FAULTS.some((fault) => what.startsWith(`${fault}:`)),
  )
  const { share, load } = meter.machine()
  const p99 = shares.find(([part]) => part === 'average')?.[1].seen.p99
  const atRestart = troubles.filter(([what]) => !USED_TWICE.test(what) && what.startsWith('rolling restart:'))
  // Before anyone has come, what the machine has to do belongs to others.
  const isFree = load.first < morning.processors
  const verdicts: [boolean | undefined, string][] = [
    [losses.length === 0, `Nothing is lost: ${people - losses.length} of ${people} people`],
    [
      secondUses.one === 0,
      `No one-time path is followed twice in one tab: ${secondUses.one} were, and ${secondUses.two} in two tabs that asked at the same moment`,
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
      `At ${fixed(averageRate, 1)} people a second, p99 of onramp's own share is at most ${MAX_P99_MS} ms: ${fixed(p99 ?? Number.NaN, 1)} ms`,
    ],
    [morning.memory.isLevel, 'Memory is level'],
    [
      undefined,
      `Load of the machine: ${fixed(load.first, 1)} at the start, at most ${fixed(load.most, 1)}, on ${morning.processors} processors, busy for ${fixed(share * 100)} %`,
    ],
  ]
  return verdicts.map(([isKept, words]) => ({ isKept, words }))
}

const MARKS = { true: 'kept', false: 'MISSED', undefined: 'not judged' }

function describe(morning: Morning): string[] {
  const { rhythm, meter, memory, minutes, compress, seconds } = morning
  const { people } = rhythm
  const each = (milliseconds: number) => `${fixed(milliseconds / people, 1)} ms`
  const lives = memory.figures.map(
    ({ early, late, most, seconds: lived }) =>
      `${fixed(early)} → ${fixed(late)} (at most ${fixed(most)}) in ${lived} s`,
  )
  return [
    `A company's Monday: ${people} people, ${APPS.length} apps each, in ${minutes} minutes; ${compress} times as fast as that, so in ${fixed(rhythm.seconds)} s`,
    `Before, ${fixed(rhythm.averageSeconds)} s at the average rate as it is: ${fixed(rhythm.averageRate, 1)} people a second. Bursts: ${BURST_RATE} sign-ins a second. Seed ${morning.seed}.`,
    morning.machine,
    `All took ${fixed(seconds)} s. ${morning.signIns} sign-ins, at most ${morning.mostAtOnce} people at once.`,
    ...morning.faults.map(
      ([fault, milliseconds]) => `${fault}: all as before after ${fixed(milliseconds / 1000, 1)} s`,
    ),
    '',
    'Milliseconds of a hop, p50 / p99. Own: without what the service and the authorization server took. Seen: by the browser,',
    `so with what the load itself is late (p99 ${fixed(morning.generatorP99, 1)} ms); inside: from the request's head to the answer's.`,
    ...shareLines(morning),
    '',
    `CPU per person: onramp ${each(meter.processorMs('onramp'))}, stand-in ${each(meter.processorMs('stand-in'))}, load ${each(morning.generatorMs)}`,
    `Memory of onramp in MB, of each process, early and late in the hour: ${lives.join('; ')}`,
    '',
    'Answers that were neither 2xx nor 3xx, by what was going on:',
    ...(morning.troubles.length === 0
      ? ['none']
      : morning.troubles.map(([what, times]) => `${times} × ${what}`)),
    '',
    ...morning.losses
      .slice(0, 20)
      .map(({ person, losses }) => `person ${person}: ${losses.join('; ').slice(0, 500)}`),
  ]
}

/** @returns the report, and whether all that was judged is kept */
export function reportOf(morning: Morning): { words: string; isKept: boolean } {
  const verdicts = verdictsOf(morning)
  const lines = verdicts.map(({ words, isKept }) => `${words}: ${MARKS[`${isKept}`]}`)
  return {
    words: [...describe(morning), ...lines, ''].join('\n'),
    isKept: verdicts.every(({ isKept }) => isKept !== false),
  }
}
