// docs/runbook.md has an entry for each code that the log, the metrics and programs are told.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')

const named = (text: string, pattern: RegExp) =>
  [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))].toSorted()

it('the runbook says what to do about each problem, and about none that there is not', () => {
  const codes = named(read('src/problem.ts'), /^ {2}\| '(\w+)'$/gm)
  expect(codes.length).toBeGreaterThan(20)
  expect(named(read('docs/runbook.md'), /^\| `(\w+)` /gm)).toEqual(codes)
  expect(named(read('languages/en/problems.json'), /"problem\.(\w+)\.title"/g)).toEqual(codes)
})
