// Judges what a check found: what counts, what is waived, what only may be in use, and the exit code that follows.
import { statusOn } from '../schedule/schedule.ts'
import type { CheckResult } from './check.ts'
import { isCertain, type Found } from './tally.ts'
import { sortWaivers, type Waiver } from './waivers.ts'

export const failures = ['possible', 'deprecated', 'removed', 'never'] as const

/** From where on a finding fails the check: `possible` counts what only may be in use, `never` nothing. */
export type FailOn = (typeof failures)[number]

export type Verdict = Omit<CheckResult, 'found'> & {
  inUse: Found[]
  waived: (Found & { waiver: Waiver })[]
  /** What was found by name only, and what bodies may bear that were not recorded or could not be read. */
  mayBeInUse: Found[]
  /** Waivers that have run out, and those whose item was not found. */
  expiredWaivers: Waiver[]
  idleWaivers: Waiver[]
}

/** Sorts what was found. `within`: items that are removed later than so many days from now are left out. */
export const judge = (
  { found, ...result }: CheckResult,
  { waivers, within }: { waivers: readonly Waiver[]; within: number | undefined },
): Verdict => {
  const { inForce, expired } = sortWaivers(waivers, result.asOf)
  const due = found.filter(({ entry }) => statusOn(entry, result.asOf).daysLeft <= (within ?? Infinity))
  const certain = due.filter(isCertain)
  const ids = new Set(found.filter(isCertain).map(({ entry }) => entry.id))
  return {
    ...result,
    inUse: certain.filter(({ entry }) => !inForce.has(entry.id)),
    waived: certain.flatMap((item) => {
      const waiver = inForce.get(item.entry.id)
      return waiver === undefined ? [] : [{ ...item, waiver }]
    }),
    mayBeInUse: due.filter(
      (item) => !isCertain(item) && !ids.has(item.entry.id) && !inForce.has(item.entry.id),
    ),
    expiredWaivers: expired,
    idleWaivers: [...inForce.values()].filter(({ item }) => !found.some(({ entry }) => entry.id === item)),
  }
}

/**
 * The exit code of a check: 3 something removed is in use, 2 something deprecated, 1 something could not be read, 0 nothing.
 * What is known to be in use outweighs what could not be read.
 */
export const exitCodeOf = (
  verdict: Verdict,
  failOn: FailOn = 'deprecated',
  ignoreBroken = false,
): 0 | 1 | 2 | 3 => {
  const counted = failOn === 'possible' ? [...verdict.inUse, ...verdict.mayBeInUse] : verdict.inUse
  const isRemoved = ({ status }: Found) => status.state === 'removed'
  if (failOn !== 'never' && counted.some(isRemoved)) return 3
  if (failOn !== 'never' && failOn !== 'removed' && counted.length > 0) return 2
  return verdict.faults > 0 && !ignoreBroken ? 1 : 0
}
