// What Stryker runs: those tests of the project `fast` that are about the room which is changed.
import { defineConfig } from 'vitest/config'
import everything from '../vitest.config.ts'

/** Tests that say more of a room than its own fast ones: a neighbour's, or a journey's on real servers. */
const ALSO: Record<string, string[]> = {
  session: ['test/people/'],
  records: ['test/records/redis.journey.test.ts'],
  'sign-in': ['test/sign-in/server-requests.journey.test.ts'],
}

const [, room = ''] = (process.env['MUTATED'] ?? '').split('/')
const named = (process.env['TESTS'] ?? '').split(' ').filter((name) => name !== '')
const also = ALSO[room] ?? []
const starts = named.length > 0 ? named : [`test/${room}/`, ...also]

const tests = everything.test?.projects?.flatMap((project) =>
  typeof project === 'object' && 'test' in project
    ? (project.test?.include ?? []).filter((file) => project.test?.name === 'fast' || also.includes(file))
    : [],
)

export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    include: tests?.filter((file) => starts.some((start) => file.startsWith(start))) ?? [],
    testTimeout: 20_000,
  },
})
