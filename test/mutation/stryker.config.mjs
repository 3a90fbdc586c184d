// Which sources are changed (MUTATED, from `run` beside this), and how the tests are run against each change.
const [, room] = process.env.MUTATED.split('/')

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate: process.env.MUTATED.split(','),
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
