// The figures in words, as tables and as JSON.
import type { Pins } from './machine.ts'
import type { Measurement, Result, Round } from './rounds.ts'
import type { SignInResult } from './sign-ins.ts'

export type Conditions = Measurement & { machine: string; pins: Pins; people: number }

/** Times the processor time of the plain server; more is a failure. */
const MAX_OF_PLAIN = 1.1

/** Of the peer's sign-ins a second; less is a failure. */
const MIN_OF_PEER = 1

type Spread = { median: number; min: number; max: number }

function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.slice(Math.floor((sorted.length - 1) / 2), Math.floor(sorted.length / 2) + 1)
  const median = middle.reduce((sum, value) => sum + value, 0) / middle.length
  return { median, min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN }
}

const figures = (result: Result, value: (round: Round) => number | undefined) =>
  spreadOf(result.rounds.map((round) => value(round) ?? Number.NaN))

type Rounds = { name: string; rounds: readonly object[] }

/** Each round over the other's in the same round. */
const ratios = <R extends Rounds>(
  result: R,
  other: R | undefined,
  value: (round: R['rounds'][number]) => number,
) =>
  spreadOf(
    result.rounds.map((round, index) => {
      const beside = other?.rounds[index]
      return beside === undefined ? Number.NaN : value(round) / value(beside)
    }),
  )

/** Is onramp as light as it must be? In words. */
export function verdictOf(results: readonly Result[]): { passed: boolean; words: string } {
  const named = (name: string) => results.find((result) => result.name === name)
  const [onramp, plain, peer, floor] = ['onramp', 'plain', 'peer', 'floor'].map(named)
  const others = results.filter((result) => ![onramp, plain, peer, floor].includes(result))
  if (onramp === undefined || plain === undefined) return { passed: false, words: 'onramp was not measured' }
  const times = (other: Result) => processorUs(onramp) / processorUs(other)
  const passed = times(plain) <= MAX_OF_PLAIN
  const beside = [
    `${ratios(onramp, peer, ({ requestsPerSecond }: Round) => requestsPerSecond).median.toFixed(2)} times express-openid-connect's requests a second`,
    ...others.map((other) => `${times(other).toFixed(2)} times the processor time of ${other.name}`),
  ]
  const words = `onramp is ${passed ? 'light enough' : 'too heavy'}: ${times(plain).toFixed(2)} times the processor time of the plain server, at most ${MAX_OF_PLAIN.toFixed(2)} is asked for; ${beside.join('; ')}.`
  return { passed, words }
}

const number = (value: number | undefined, digits = 0) =>
  value === undefined || Number.isNaN(value) ? '-' : value.toFixed(digits)
const spread = ({ median, min, max }: Spread) => `${number(median, 2)} (${number(min, 2)}–${number(max, 2)})`

/** Processor time of one request over all rounds, in microseconds. */
function processorUs({ rounds }: Pick<Result, 'rounds'>): number {
  return (total(rounds, ({ processorMs }) => processorMs) * 1000) / total(rounds, ({ requests }) => requests)
}

const total = (rounds: readonly Round[], value: (round: Round) => number | undefined) =>
  rounds.reduce((sum, round) => sum + (value(round) ?? Number.NaN), 0)

function row(result: Result, floor: Result, seconds: number) {
  const { atRest, warm, after } = result.memory
  const share = total(result.rounds, ({ processorMs }) => processorMs) / (result.rounds.length * seconds * 10)
  return {
    'req/s': number(figures(result, (round) => round.requestsPerSecond).median),
    'of the floor': spread(figures(result, (round) => round.ratio)),
    'p50 ms': number(figures(result, (round) => round.p50).median, 1),
    'p99 ms': number(figures(result, (round) => round.p99).median, 1),
    'CPU µs/req': number(processorUs(result)),
    'CPU of the floor': number(processorUs(result) / processorUs(floor), 2),
    'first page': number(processorUs({ rounds: [{ ...result.first, ratio: 1 }] })),
    CPU: `${number(share)} %`,
    'RSS MB': [atRest, warm, after].map((megabytes) => number(megabytes)).join(' → '),
    page: `${(result.pageBytes / 1000).toFixed(1)} kB`,
  }
}

function describeConditions({ pins, seconds, rounds, connections, people }: Conditions): string {
  const placed =
    pins.server === undefined
      ? 'Nothing is pinned to a processor (that takes Linux, taskset and two processors): mistrust the figures.'
      : `Processor ${pins.server}: the server under test, alone. Processor ${pins.others}: the load, the upstream and Redis.`
  const rhythm = `${rounds} rounds of ${seconds} s each, in turn, after everyone's first page; one in ten at onramp and at the plain server has left for an app; ${connections} connections, ${people} people signed in.`
  const reading =
    'Medians of the rounds (lowest–highest), each round over the floor in the same round; processor time over all rounds. CPU below 100 %: that server was not the limit. RSS: at rest → warm → after the last round.'
  return [placed, rhythm, reading].join('\n')
}

export function printOverview(results: readonly Result[], conditions: Conditions): void {
  const [floor] = results
  if (floor === undefined) return
  console.log('GET /onboarding, signed in: session from Redis, one call of the service, a page')
  console.table(
    Object.fromEntries(results.map((result) => [result.name, row(result, floor, conditions.seconds)])),
  )
  console.log(`${verdictOf(results).words}\n${conditions.machine}\n${describeConditions(conditions)}`)
}

export const asJson = (results: readonly Result[], conditions: Conditions, signIns: object): string =>
  `${JSON.stringify({ ...verdictOf(results), asked: MAX_OF_PLAIN, conditions, results, signIns }, undefined, 2)}\n`

const ofThePeer = (result: SignInResult, peer: SignInResult | undefined) =>
  ratios(result, peer, ({ perSecond }: SignInResult['rounds'][number]) => perSecond)

const named = (results: readonly SignInResult[], name: string) => results.find((one) => one.name === name)

/** Does signing in cost no more than at the peer? In words. */
export function signInVerdictOf(results: readonly SignInResult[]): { passed: boolean; words: string } {
  const onramp = named(results, 'onramp') ?? { name: 'onramp', rounds: [] }
  const { median } = ofThePeer(onramp, named(results, 'peer'))
  const passed = median >= MIN_OF_PEER
  const words = `signing in is ${passed ? 'cheap enough' : 'too dear'}: ${median.toFixed(2)} times express-openid-connect's sign-ins a second, at least ${MIN_OF_PEER.toFixed(2)} is asked for.`
  return { passed, words }
}

function signInRow({ name, rounds }: SignInResult, peer: SignInResult | undefined) {
  const median = (value: (round: SignInResult['rounds'][number]) => number) =>
    spreadOf(rounds.map(value)).median
  const taken = rounds.reduce((sum, { processorMs }) => sum + (processorMs ?? Number.NaN), 0)
  const signIns = rounds.reduce((sum, round) => sum + round.signIns, 0)
  return {
    'sign-ins/s': number(median((round) => round.perSecond)),
    'of the peer': spread(ofThePeer({ name, rounds }, peer)),
    'p50 ms': number(median((round) => round.p50)),
    'p99 ms': number(median((round) => round.p99)),
    'CPU ms': number(taken / signIns, 2),
  }
}

export function printSignIns(results: readonly SignInResult[]): void {
  console.log('Signing in, as a newcomer: from the link through the authorization server to the first page')
  const peer = named(results, 'peer')
  console.table(Object.fromEntries(results.map((result) => [result.name, signInRow(result, peer)])))
  console.log(`${signInVerdictOf(results).words}\n`)
}
