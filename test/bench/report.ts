// The figures in words, as a table and as JSON. Pure.
import type { Pins } from './machine.ts'
import type { Measurement, Result, Round } from './rounds.ts'

export type Conditions = Measurement & { machine: string; pins: Pins; people: number; peerCalls: string }

/** Of the floor; less is a failure. */
const ASKED = 0.6

type Spread = { median: number; min: number; max: number }

function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.slice(Math.floor((sorted.length - 1) / 2), Math.floor(sorted.length / 2) + 1)
  const median = middle.reduce((sum, value) => sum + value, 0) / middle.length
  return { median, min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN }
}

const figures = (result: Result, value: (round: Round) => number | undefined) =>
  spreadOf(result.rounds.map((round) => value(round) ?? Number.NaN))

const ratioTo = (result: Result, other: Result | undefined) =>
  spreadOf(
    result.rounds.map(({ requestsPerSecond }, index) => {
      return requestsPerSecond / (other?.rounds[index]?.requestsPerSecond ?? Number.NaN)
    }),
  )

/** Is onramp as fast as it must be? In words. */
export function verdictOf(results: readonly Result[]): { passed: boolean; words: string } {
  const named = (name: string) => results.find((result) => result.name === name)
  const [onramp, peer, floor, against] = ['onramp', 'peer', 'floor', 'against'].map(named)
  if (onramp === undefined) return { passed: false, words: 'onramp was not measured' }
  const { median } = ratioTo(onramp, floor)
  const passed = median >= ASKED
  const reached = passed ? 'fast enough' : 'too slow'
  const beside = [
    `${ratioTo(onramp, peer).median.toFixed(2)} times express-openid-connect`,
    ...(against === undefined ? [] : [`${spread(ratioTo(onramp, against))} times the other checkout`]),
  ]
  const words = `onramp is ${reached}: ${median.toFixed(2)} of the floor, at least ${ASKED.toFixed(2)} is asked for; ${beside.join('; ')}.`
  return { passed, words }
}

const number = (value: number | undefined, digits = 0) =>
  value === undefined || Number.isNaN(value) ? '-' : value.toFixed(digits)
const spread = ({ median, min, max }: Spread) => `${number(median, 2)} (${number(min, 2)}–${number(max, 2)})`

const HEADINGS = [
  'server',
  'req/s',
  'of the floor',
  'p50 ms',
  'p99 ms',
  'CPU/req µs',
  'CPU',
  'RSS MB',
  'page',
]

function row(result: Result): string[] {
  const { atRest, warm, after } = result.memory
  return [
    result.name,
    number(figures(result, (round) => round.requestsPerSecond).median),
    spread(figures(result, (round) => round.ratio)),
    number(figures(result, (round) => round.p50).median, 1),
    number(figures(result, (round) => round.p99).median, 1),
    number(figures(result, (round) => round.processorUs).median),
    `${number(figures(result, (round) => (round.processorShare ?? Number.NaN) * 100).median)} %`,
    [atRest, warm, after].map((megabytes) => number(megabytes)).join(' → '),
    `${(result.pageBytes / 1000).toFixed(1)} kB`,
  ]
}

function describeConditions({ pins, seconds, rounds, connections, people, peerCalls }: Conditions): string {
  const placed =
    pins.server === undefined
      ? 'Nothing is pinned to a processor (that takes Linux, taskset and two processors): mistrust the figures.'
      : `Processor ${pins.server}: the server under test, alone. Processor ${pins.others}: the load, the upstream and Redis.`
  const rhythm = `${rounds} rounds of ${seconds} s each, in turn, after a warm-up; ${connections} connections, ${people} people signed in.`
  const reading =
    'Medians of the rounds (lowest–highest). RSS: at rest → warm → after the last round. CPU below 100 %: that server was not the limit.'
  const peer = `The peer is express-openid-connect on Express with connect-redis and its own defaults; it asks the upstream with ${peerCalls}.`
  return [placed, rhythm, reading, peer].join('\n')
}

export function asTable(results: readonly Result[], conditions: Conditions): string {
  const rows = [HEADINGS, ...results.map(row)]
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
    '',
    conditions.machine,
    describeConditions(conditions),
    '',
  ].join('\n')
}

export const asJson = (results: readonly Result[], conditions: Conditions): string =>
  `${JSON.stringify({ ...verdictOf(results), asked: ASKED, conditions, results }, undefined, 2)}\n`
