// Stryker runs these tests: the project `fast` for the mutated folder.
import { defineConfig } from 'vitest/config'
import everything from '../vitest.config.ts'

/** Tests of another folder, or journeys, that cover more of a folder than its own fast tests. */
const ALSO: Record<string, string[]> = {
  session: ['test/people/'],
  records: ['test/records/redis.journey.test.ts'],
}

const [, folder = ''] = (process.env['MUTATED'] ?? '').split('/')
const named = (process.env['TESTS'] ?? '').split(' ').filter((name) => name !== '')
const also = ALSO[folder] ?? []
const starts = named.length > 0 ? named : [`test/${folder}/`, ...also]

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
