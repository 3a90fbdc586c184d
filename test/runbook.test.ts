// The runbook covers every problem code, and quotes pages correctly.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')

const named = (text: string, pattern: RegExp) =>
  [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))].toSorted()

it('the runbook covers each problem, and no others', () => {
  const codes = named(read('src/problem.ts'), /^ {2}\| '(\w+)'$/gm)
  expect(codes.length).toBeGreaterThan(20)
  expect(named(read('docs/runbook.md'), /^\| `([a-z]\w+)` /gm)).toEqual(codes)
  expect(named(read('languages/en/problems.json'), /"problem\.(\w+)\.title"/g)).toEqual(codes)
})

it('every text that the runbook quotes is on a page', () => {
  const folder = new URL('../languages/en/', import.meta.url)
  const words = readdirSync(folder).flatMap((file) =>
    Object.values(JSON.parse(read(`languages/en/${file}`)) as Record<string, string>),
  )
  const quoted = named(read('docs/runbook.md'), /^- "([^"]+)"/gm)
  expect(quoted.length).toBeGreaterThan(5)
  expect(quoted.filter((text) => !words.includes(text.replace('Slack', '{app}')))).toEqual([])
})
