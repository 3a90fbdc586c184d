// Judges what a check found: what counts, what is waived, what only may be in use, and the exit code that follows.
import type { Waiver } from '../schedule/files.ts'
import { isCertain, type CheckResult, type Found } from './check.ts'

/** From where on a finding fails the check: `possible` counts what only may be in use, `use` what is, `never` nothing. */
export type FailOn = 'possible' | 'use' | 'removed' | 'never'

export type Verdict = Omit<CheckResult, 'found'> & {
  /** 2 something is in use, 3 something may be, 1 something could not be read, 0 nothing. */
  exitCode: 0 | 1 | 2 | 3
  inUse: Found[]
  /** What was found by name only, and what bodies may have that were not recorded or could not be read. */
  mayBeInUse: Found[]
  /** Either of these, where it is allowed. */
  waived: (Found & { waiver: Waiver })[]
  /** Waivers that have run out, or whose item was not found, as sentences. */
  remarks: string[]
}

/**
 * Judges a result. What is known outweighs what may be, and that what could not be read.
 * @param within items that are removed later than so many days from now are left out
 */
export const judge = (
  { found, ...result }: CheckResult,
  waivers: readonly Waiver[],
  {
    failOn,
    within = Infinity,
    ignoreBroken = false,
  }: { failOn: FailOn; within?: number | undefined; ignoreBroken?: boolean | undefined },
): Verdict => {
  const { asOf, faults } = result
  const waiverOf = ({ entry }: Found) => waivers.find(({ item, until }) => item === entry.id && asOf <= until)
  const due = found.filter(({ status }) => status.daysLeft <= within)
  const open = due.filter((item) => waiverOf(item) === undefined)
  const inUse = open.filter(isCertain)
  const mayBeInUse = open.filter((item) => !isCertain(item))
  const isFailed =
    failOn !== 'never' && inUse.some(({ status }) => failOn !== 'removed' || status.state === 'removed')
  const exitCode = isFailed
    ? 2
    : failOn === 'possible' && mayBeInUse.length > 0
      ? 3
      : faults > 0 && !ignoreBroken
        ? 1
        : 0
  const waived = due.flatMap((item) => {
    const waiver = waiverOf(item)
    return waiver === undefined ? [] : [{ ...item, waiver }]
  })
  const remarks = waivers.flatMap(({ item, until }) => {
    if (until < asOf) return [`the waiver for ${item} expired on ${until}`]
    const isFound = found.some(({ entry }) => entry.id === item)
    return isFound ? [] : [`the waiver for ${item} is unused: the item was not found`]
  })
  return { ...result, exitCode, inUse, mayBeInUse, waived, remarks }
}
