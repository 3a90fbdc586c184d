// Judges what a check found: what counts, what is waived, what only may be in use, and the exit code that follows.
import type { CheckResult } from './check.ts'
import { isCertain, type Found } from './tally.ts'
import type { Waiver } from '../schedule/files.ts'

export const failures = ['possible', 'use', 'removed', 'never'] as const

/** From where on a finding fails the check: `possible` counts what only may be in use, `use` what is, `never` nothing. */
export type FailOn = (typeof failures)[number]

export type Verdict = Omit<CheckResult, 'found'> & {
  inUse: Found[]
  waived: (Found & { waiver: Waiver })[]
  /** What was found by name only, and what bodies may have that were not recorded or could not be read. */
  mayBeInUse: Found[]
  /** Waivers that have run out, and those whose item was not found. */
  expiredWaivers: Waiver[]
  idleWaivers: Waiver[]
}

/** Sorts what was found. `within`: items that are removed later than so many days from now are left out. */
export const judge = (
  { found, ...result }: CheckResult,
  { waivers, within = Infinity }: { waivers: readonly Waiver[]; within: number | undefined },
): Verdict => {
  const isInForce = ({ until }: Waiver) => result.asOf <= until
  const waivedBy = new Map(waivers.filter(isInForce).map((waiver) => [waiver.item, waiver]))
  const due = found.filter(({ status }) => status.daysLeft <= within)
  const certain = due.filter(isCertain)
  const ids = new Set(found.map(({ entry }) => entry.id))
  const certainIds = new Set(found.filter(isCertain).map(({ entry }) => entry.id))
  return {
    ...result,
    inUse: certain.filter(({ entry }) => !waivedBy.has(entry.id)),
    waived: certain.flatMap((item) => {
      const waiver = waivedBy.get(item.entry.id)
      return waiver === undefined ? [] : [{ ...item, waiver }]
    }),
    mayBeInUse: due.filter(({ entry }) => !certainIds.has(entry.id) && !waivedBy.has(entry.id)),
    expiredWaivers: waivers.filter((waiver) => !isInForce(waiver)),
    idleWaivers: [...waivedBy.values()].filter(({ item }) => !ids.has(item)),
  }
}

/** Whether an item fails a check that is this strict. */
const fails = (item: Found, failOn: FailOn): boolean => {
  if (failOn === 'never' || (failOn !== 'possible' && !isCertain(item))) return false
  return failOn !== 'removed' || item.status.state === 'removed'
}

/**
 * The exit code of a check: 2 something is in use, 3 something may be, 1 something could not be read, 0 nothing. What is
 * known outweighs what may be, and that what could not be read.
 */
export const exitCodeOf = (verdict: Verdict, failOn: FailOn, ignoreBroken: boolean): 0 | 1 | 2 | 3 => {
  if (verdict.inUse.some((item) => fails(item, failOn))) return 2
  if (verdict.mayBeInUse.some((item) => fails(item, failOn))) return 3
  return verdict.faults > 0 && !ignoreBroken ? 1 : 0
}
