// The figures as tables, and whether onramp is as light as it must be.
import type { Contestant } from './contestants.ts'
import type { Result, Round } from './rounds.ts'

/** Times the processor time of the plain server. */
const MAX_OF_PLAIN = 1.6
/** Times the peer's sign-ins a second. */
const MIN_OF_PEER = 0.9

export const fixed = (value: number, digits = 0) => (Number.isNaN(value) ? '–' : value.toFixed(digits))

export const medianOf = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN

const sumOf = (rounds: readonly Round[], value: (round: Round) => number) =>
  rounds.reduce((sum, round) => sum + value(round), 0)

/** Processor time of one request over all rounds, in microseconds. */
const processorUs = ({ rounds }: Result) =>
  (sumOf(rounds, ({ processorMs }) => processorMs) * 1000) / sumOf(rounds, ({ times }) => times)

const rateRatio = (result: Result, other: Result) =>
  medianOf(result.rounds.map(({ perSecond }, index) => perSecond / (other.rounds[index]?.perSecond ?? NaN)))

export const resultOf = (results: readonly Result[], name: Contestant['name']): Result => {
  const found = results.find((result) => result.name === name)
  if (found === undefined) throw new RangeError(`${name} was not measured`)
  return found
}

/** @param base whose requests a second the others are compared with */
export function printTable(title: string, results: readonly Result[], base: Result): void {
  const rows = results.map((result) => {
    const median = (value: (round: Round) => number, digits = 0) =>
      fixed(medianOf(result.rounds.map(value)), digits)
    const row = {
      'per second': median(({ perSecond }) => perSecond),
      [`of ${base.name}`]: fixed(rateRatio(result, base), 2),
      'p50 ms': median(({ p50 }) => p50, 1),
      'p99 ms': median(({ p99 }) => p99, 1),
      'CPU µs': fixed(processorUs(result)),
      'RSS MB': fixed(result.memoryMb),
      'page kB': fixed(result.pageBytes / 1000, 1),
    }
    return [result.name, row] as const
  })
  console.log(title)
  console.table(Object.fromEntries(rows))
}

/** @returns whether both limits are kept */
export function printVerdicts(overview: readonly Result[], signIns: readonly Result[]): boolean {
  const onramp = resultOf(overview, 'onramp')
  const weight = processorUs(onramp) / processorUs(resultOf(overview, 'plain'))
  const isLight = weight <= MAX_OF_PLAIN
  const ofPeer = rateRatio(onramp, resultOf(overview, 'peer'))
  const rate = rateRatio(resultOf(signIns, 'onramp'), resultOf(signIns, 'peer'))
  const isFast = rate >= MIN_OF_PEER
  console.log(
    `onramp is ${isLight ? 'light enough' : 'too heavy'}: ${fixed(weight, 2)} times the processor time of the plain server, at most ${MAX_OF_PLAIN.toFixed(2)} is allowed; ${fixed(ofPeer, 2)} times express-openid-connect's requests a second.`,
  )
  console.log(
    `signing in is ${isFast ? 'cheap enough' : 'too dear'}: ${fixed(rate, 2)} times the rate of express-openid-connect, at least ${MIN_OF_PEER.toFixed(2)} is required.`,
  )
  return isLight && isFast
}
