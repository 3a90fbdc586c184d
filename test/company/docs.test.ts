// docs/company-file.md: its examples are right, and it leaves no key out.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { companyFolder, svg } from './company-folder.ts'

const root = new URL('../../', import.meta.url).pathname
const read = (file: string) => readFileSync(`${root}${file}`, 'utf8')
const examples = [...read('docs/company-file.md').matchAll(/```yaml\n([^]*?)```/g)].map(
  ([, yaml = '']) => yaml,
)

type Schema = { properties?: Record<string, Schema>; additionalProperties?: Schema | boolean }

/** `datasources.*.logo` for every key that has a name of ours. */
const keysOf = ({ properties = {}, additionalProperties: any }: Schema, path = ''): string[] => [
  ...Object.entries(properties).flatMap(([key, one]) => [`${path}${key}`, ...keysOf(one, `${path}${key}.`)]),
  ...(typeof any === 'object' ? keysOf(any, `${path}*.`) : []),
]

const has = (value: unknown, [key, ...rest]: readonly string[]): boolean => {
  if (key === undefined) return true
  if (typeof value !== 'object' || value === null) return false
  const inside = value as Record<string, unknown>
  return key === '*'
    ? Object.values(inside).some((one) => has(one, rest))
    : key in inside && has(inside[key], rest)
}

describe('docs/company-file.md', () => {
  it('has examples that start-up accepts', () => {
    using folder = companyFolder()
    for (const name of ['logo.svg', 'logo-dark.svg', 'icon.svg', 'slack.svg']) folder.write(name, svg())
    for (const example of examples) expect(folder.read(example).faults, example).toEqual([])
  })

  it('shows every key', () => {
    const shown = examples.map((example) => parse(example) as unknown)
    const keys = keysOf(JSON.parse(read('company.schema.json')) as Schema)
    expect(keys.length).toBeGreaterThan(30)
    expect(keys.filter((key) => !shown.some((one) => has(one, key.split('.'))))).toEqual([])
  })
})
