// Which sources are changed (MUTATED, from `run` beside this), and how the tests are run against each change.
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'

const [, room] = process.env.MUTATED.split('/')
const patterns = process.env.MUTATED.split(',')

/** `--sample`: of each file every so many windows of eight lines. Its name says which is the first, so the same come again. */
const every = Number(process.env.SAMPLE ?? 1)
const WINDOW = 8

function sampleOf(file) {
  const windows = Math.ceil(readFileSync(file, 'utf8').split('\n').length / WINDOW)
  const first = createHash('sha256').update(file).digest().readUInt32BE() % Math.min(every, windows)
  return Array.from({ length: Math.ceil((windows - first) / every) }, (_, nth) => {
    const start = (first + nth * every) * WINDOW
    return `${file}:${start + 1}-${start + WINDOW}`
  })
}

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate: every > 1 ? globSync(patterns).toSorted().flatMap(sampleOf) : patterns,
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  // Nothing compiles the sources, so no tsconfig has to be rewritten for the copy: Stryker cannot read TypeScript 7's.
  tsconfigFile: 'none',
  concurrency: Number(process.env.CONCURRENCY ?? 1),
  timeoutMS: 20_000,
  tempDirName: 'node_modules/.cache/mutation/copy',
  ignorePatterns: ['/coverage', '/data', '/dist'],
  thresholds: { high: 90, low: 90, break: 90 },
  reporters: ['clear-text', 'json', 'html'],
  clearTextReporter: { allowColor: false, allowEmojis: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: `node_modules/.cache/mutation/${room}.json` },
  htmlReporter: { fileName: `node_modules/.cache/mutation/${room}.html` },
}
