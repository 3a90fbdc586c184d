// What operators look up: each code of the runbook, and the words that the runbook begins with, are still there.
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

it('the words that the runbook begins with are on pages', () => {
  const folder = new URL('../languages/en/', import.meta.url)
  const words = readdirSync(folder).flatMap((file) =>
    Object.values(JSON.parse(read(`languages/en/${file}`)) as Record<string, string>),
  )
  const quoted = named(read('docs/runbook.md'), /^- "([^"]+)"/gm)
  expect(quoted.length).toBeGreaterThan(5)
  expect(quoted.filter((text) => !words.includes(text.replace('Slack', '{app}')))).toEqual([])
})
