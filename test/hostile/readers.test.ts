// Every parser with hostile input: only documented errors, less than a second of work, no leaked memory.
// HOSTILE_RUNS draws more for each (`npm run proof:hostile`); HOSTILE_SEED repeats the seed of a failure.
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { collectGarbage, heldBytes } from '../helpers/heap.ts'
import { files } from './files.ts'
import { numRuns, seed } from './inputs.ts'
import { recordings } from './recordings.ts'
import { tokens } from './tokens.ts'
import { wire } from './wire.ts'

const MAX_CPU_MICROSECONDS = 1_000_000
/** Limit for one input, the largest of which have some megabytes. */
const MAX_HELD = 128 * 2 ** 20
/** Includes the memory of the test runner. */
const MAX_STAYING = 16 * 2 ** 20

/** Few inputs leave too little to notice, and to collect garbage takes a tenth of a second. */
const measuresLeaks = numRuns >= 300

/** At the end of the former test. */
let before: number | undefined

it.each([...tokens, ...wire, ...files, ...recordings])(
  `reading $name succeeds or fails with its documented error within a second (seed ${seed})`,
  async ({ input, read }) => {
    if (measuresLeaks && before === undefined) await collectGarbage()
    const atStart = (before ??= heldBytes())

    await fc.assert(
      fc.asyncProperty(input, async (text) => {
        const began = process.cpuUsage()
        const held = heldBytes()
        await read(text)
        expect(heldBytes() - held, 'bytes that it took').toBeLessThan(MAX_HELD)
        const { user, system } = process.cpuUsage(began)
        expect(user + system, 'processor time, in microseconds').toBeLessThan(MAX_CPU_MICROSECONDS)
      }),
      { numRuns, seed, endOnFailure: numRuns > 1_000 },
    )

    if (!measuresLeaks) return
    await collectGarbage()
    before = heldBytes()
    expect(before - atStart, 'bytes that stay').toBeLessThan(MAX_STAYING)
  },
  120_000 + numRuns * 20,
)
