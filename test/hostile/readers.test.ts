// Every reader, with input that no one means well with: no other error than it documents, no second of work, no memory that
// stays. HOSTILE_RUNS draws more for each (`npm run proof:hostile`); a failure prints its seed, and HOSTILE_SEED draws it again.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { files } from './files.ts'
import { kept } from './kept.ts'
import { recordings } from './recordings.ts'
import { numRuns, seed } from './runs.ts'
import { tokens } from './tokens.ts'
import { wire } from './wire.ts'

const MAX_CPU_MICROSECONDS = 1_000_000
const MAX_GROWTH = 200 * 2 ** 20

describe(`hostile input, seed ${seed}`, () => {
  it.each([...kept, ...tokens, ...wire, ...files, ...recordings])(
    '$name: is read or refused, soon, and nothing else happens',
    async ({ input, read }) => {
      const before = process.memoryUsage().rss
      await fc.assert(
        fc.asyncProperty(input, async (text) => {
          const began = process.cpuUsage()
          await read(text)
          const { user, system } = process.cpuUsage(began)
          expect(user + system, 'processor time, in microseconds').toBeLessThan(MAX_CPU_MICROSECONDS)
        }),
        { numRuns, seed, endOnFailure: numRuns > 1_000 },
      )
      expect(process.memoryUsage().rss - before, 'bytes that stay').toBeLessThan(MAX_GROWTH)
    },
    120_000 + numRuns * 20,
  )
})
