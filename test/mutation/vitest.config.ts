// What Stryker runs: those tests of the project `fast` that are about the room which is changed.
import { defineConfig } from 'vitest/config'
import everything from '../vitest.config.ts'

/** Rooms whose tests say more of a room than its own, which start servers. */
const ALSO: Record<string, string[]> = { session: ['people'] }

const [, room = ''] = (process.env['MUTATED'] ?? '').split('/')
const named = (process.env['TESTS'] ?? '').split(' ').filter((name) => name !== '')
const starts = named.length > 0 ? named : [room, ...(ALSO[room] ?? [])].map((name) => `test/${name}/`)

const fast = everything.test?.projects?.flatMap((project) =>
  typeof project === 'object' && 'test' in project && project.test?.name === 'fast'
    ? (project.test.include ?? [])
    : [],
)

export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    include: fast?.filter((file) => starts.some((start) => file.startsWith(start))) ?? [],
    testTimeout: 20_000,
  },
})
