// The figures of the second scenario in words. Pure.
import { spreadOf, type Spread } from './spread.ts'
import type { SignInResult, SignInRound, SignInTalk } from './sign-ins.ts'

/** Of the peer's sign-ins a second; less is a failure. */
const ASKED = 1
const MAX_ROUND_TRIPS = 4
const MAX_COMMANDS = 6

export type SignInFigures = { results: readonly SignInResult[]; talks: Record<string, SignInTalk> }

const named = ({ results }: SignInFigures, name: string) => results.find((result) => result.name === name)

function ratioOf(figures: SignInFigures, name: string): Spread {
  const [mine, peers] = [named(figures, name)?.rounds ?? [], named(figures, 'peer')?.rounds ?? []]
  return spreadOf(mine.map(({ perSecond }, index) => perSecond / (peers[index]?.perSecond ?? Number.NaN)))
}

/** Does signing in cost no more than at the peer? In words. */
export function signInVerdictOf(figures: SignInFigures): { passed: boolean; words: string } {
  const { median } = ratioOf(figures, 'onramp')
  const { roundTrips, commands } = figures.talks['onramp']?.['signed in'] ?? {
    roundTrips: NaN,
    commands: NaN,
  }
  const passed = median >= ASKED && roundTrips <= MAX_ROUND_TRIPS && commands <= MAX_COMMANDS
  const words = `signing in is ${passed ? 'cheap enough' : 'too dear'}: ${median.toFixed(2)} times express-openid-connect's sign-ins a second, at least ${ASKED.toFixed(2)} is asked for; ${commands} store commands in ${roundTrips} round trips, at most ${MAX_COMMANDS} in ${MAX_ROUND_TRIPS} are.`
  return { passed, words }
}

const total = (rounds: readonly SignInRound[], value: (round: SignInRound) => number | undefined) =>
  rounds.reduce((sum, round) => sum + (value(round) ?? Number.NaN), 0)

function row(figures: SignInFigures, { name, rounds }: SignInResult): string[] {
  const median = (value: (round: SignInRound) => number) => spreadOf(rounds.map(value)).median
  const ratio = ratioOf(figures, name)
  const talk = figures.talks[name]
  const milliseconds = total(rounds, (round) => round.processorMs) / total(rounds, (round) => round.signIns)
  return [
    name,
    median((round) => round.perSecond).toFixed(0),
    `${ratio.median.toFixed(2)} (${ratio.min.toFixed(2)}–${ratio.max.toFixed(2)})`,
    median((round) => round.p50).toFixed(0),
    median((round) => round.p99).toFixed(0),
    milliseconds.toFixed(2),
    `${talk?.['signed in'].commands ?? '-'} (${talk?.['first page'].commands ?? '-'})`,
    `${talk?.['signed in'].roundTrips ?? '-'} (${talk?.['first page'].roundTrips ?? '-'})`,
  ]
}

// prettier-ignore
const HEADINGS = ['server', 'sign-ins/s', 'of the peer', 'p50 ms', 'p99 ms', 'CPU ms', 'store commands', 'round trips']

export function signInTable(figures: SignInFigures): string {
  const rows = [HEADINGS, ...figures.results.map((result) => row(figures, result))]
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)))
  const lines = rows.map((cells) =>
    cells.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  '),
  )
  return [
    'Signing in: people who were never here, from the link by way of the authorization server to the first page',
    '',
    ...lines,
    '',
    signInVerdictOf(figures).words,
    'Store commands and round trips: of one sign-in alone (with the first page).',
    '',
    '',
  ].join('\n')
}
