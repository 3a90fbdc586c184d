// The figures in words, as a table and as JSON. Pure.
import type { Pins } from './machine.ts'
import type { Measurement, Result, Round } from './rounds.ts'
import { spreadOf, type Spread } from './spread.ts'

export type Conditions = Measurement & { machine: string; pins: Pins; people: number; peerCalls: string }

/** Times the processor time of the plain server; more is a failure. */
const MAX_OF_PLAIN = 1.1

const figures = (result: Result, value: (round: Round) => number | undefined) =>
  spreadOf(result.rounds.map((round) => value(round) ?? Number.NaN))

const ratioTo = (result: Result, other: Result | undefined) =>
  spreadOf(
    result.rounds.map(({ requestsPerSecond }, index) => {
      return requestsPerSecond / (other?.rounds[index]?.requestsPerSecond ?? Number.NaN)
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
    `${ratioTo(onramp, peer).median.toFixed(2)} times express-openid-connect's requests a second`,
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
  const [taken, requests] = [
    total(rounds, ({ processorMs }) => processorMs),
    total(rounds, (round) => round.requests),
  ]
  return (taken * 1000) / requests
}

const total = (rounds: readonly Round[], value: (round: Round) => number | undefined) =>
  rounds.reduce((sum, round) => sum + (value(round) ?? Number.NaN), 0)

// prettier-ignore
const HEADINGS = ['server', 'req/s', 'of the floor', 'p50 ms', 'p99 ms', 'CPU µs/req', 'of the floor', 'first page', 'CPU', 'RSS MB', 'page']

function row(result: Result, floor: Result, seconds: number): string[] {
  const { atRest, warm, after } = result.memory
  const share = total(result.rounds, ({ processorMs }) => processorMs) / (result.rounds.length * seconds * 10)
  return [
    result.name,
    number(figures(result, (round) => round.requestsPerSecond).median),
    spread(figures(result, (round) => round.ratio)),
    number(figures(result, (round) => round.p50).median, 1),
    number(figures(result, (round) => round.p99).median, 1),
    number(processorUs(result)),
    number(processorUs(result) / processorUs(floor), 2),
    number(processorUs({ rounds: [{ ...result.first, ratio: 1 }] })),
    `${number(share)} %`,
    [atRest, warm, after].map((megabytes) => number(megabytes)).join(' → '),
    `${(result.pageBytes / 1000).toFixed(1)} kB`,
  ]
}

/** Rounds of the floor that differ by more than this say that something else ran meanwhile. */
const CALM = 1.5

function describeCalm(floor: Result): string[] {
  const { min, max } = figures(floor, (round) => round.requestsPerSecond)
  const times = (max / min).toFixed(1)
  return max / min <= CALM
    ? []
    : [
        `The machine was busy with other things: the floor's own rounds differ by a factor of ${times}. Trust the processor time more than the requests a second.`,
      ]
}

function describeConditions({ pins, seconds, rounds, connections, people, peerCalls }: Conditions): string {
  const placed =
    pins.server === undefined
      ? 'Nothing is pinned to a processor (that takes Linux, taskset and two processors): mistrust the figures.'
      : `Processor ${pins.server}: the server under test, alone. Processor ${pins.others}: the load, the upstream and Redis.`
  const rhythm = `${rounds} rounds of ${seconds} s each, in turn, after everyone's first page; one in ten at onramp and at the plain server has left for an app; ${connections} connections, ${people} people signed in.`
  const reading =
    'Medians of the rounds (lowest–highest), each round over the floor in the same round; processor time over all rounds. CPU below 100 %: that server was not the limit. RSS: at rest → warm → after the last round.'
  const peer = `The peer is express-openid-connect on Express with connect-redis and its own defaults; it asks the upstream with ${peerCalls}.`
  return [placed, rhythm, reading, peer].join('\n')
}

export function asTable(results: readonly Result[], conditions: Conditions): string {
  const [floor] = results
  if (floor === undefined) return ''
  const rows = [HEADINGS, ...results.map((result) => row(result, floor, conditions.seconds))]
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)))
  const aligned = rows.map((cells) =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  '),
  )
  return [
    'GET /onboarding, signed in: session from Redis, one call of the service, a page',
    '',
    ...aligned,
    '',
    verdictOf(results).words,
    ...describeCalm(floor),
    '',
    conditions.machine,
    describeConditions(conditions),
    '',
  ].join('\n')
}

export const asJson = (results: readonly Result[], conditions: Conditions, signIns: object): string =>
  `${JSON.stringify({ ...verdictOf(results), asked: MAX_OF_PLAIN, conditions, results, signIns }, undefined, 2)}\n`
