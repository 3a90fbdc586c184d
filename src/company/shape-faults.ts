// What zod says of a company file, one sentence for every mistake, each with the way to correct it.
import type { z } from 'zod'
import { nearest } from '@onramp/deprecations/command-line/arguments'
import { companySchema } from './schema.ts'
import { pathInWords, type Path } from './document.ts'

type Issue = z.core.$ZodIssue

export type ShapeFault = {
  path: Path
  /** Whether the mistake is the key's or the value's. */
  at: 'value' | 'key'
  says: string
  /** There is no value. */
  isAbsence?: boolean
  /** The key that an unknown one was probably to be. */
  meant?: string | undefined
}

const EXPECTED: Partial<Record<string, string>> = {
  string: 'must be text',
  boolean: 'must be true or false',
  number: 'must be a whole number, like 1',
  int: 'must be a whole number, like 1',
  array: 'must be a list, like [one, two]',
  object: 'must hold keys with values',
  record: 'must hold keys with values',
}

const valueAt = (data: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    data,
  )

function typeFault(issue: Issue & { expected?: string }, value: unknown): string {
  const isColor = pathBegins(issue.path, 'color')
  if (value === undefined) return 'is missing: add it'
  if (value === null)
    return isColor
      ? `is empty: put the colour in quotes, because # begins a comment in YAML`
      : 'is empty: give it a value or remove the line'
  const must = EXPECTED[issue.expected ?? ''] ?? 'has the wrong kind of value'
  const isPlain = typeof value === 'number' || typeof value === 'boolean'
  return issue.expected === 'string' && isPlain ? `${must}: put it in quotes` : must
}

const pathBegins = (path: Path, key: string) => path[0] === key

type Definition = { shape?: Record<string, Schema>; valueType?: Schema; innerType?: Schema; element?: Schema }
type Schema = { def: Definition }

/** The keys that are known where an unknown one is. */
function keysAt(path: Path): string[] {
  let schema: Schema | undefined = companySchema as unknown as Schema
  const bare = (one: Schema | undefined): Schema | undefined =>
    one?.def.innerType === undefined ? one : bare(one.def.innerType)
  for (const key of path) schema = bare(schema?.def.shape?.[String(key)] ?? schema?.def.valueType)
  return Object.keys(schema?.def.shape ?? {})
}

function unknownKey(path: Path, key: string): ShapeFault {
  const known = keysAt(path)
  const meant = nearest(key, known)
  const hint = meant === undefined ? `known are ${known.join(', ')}` : `did you mean ${meant}?`
  return { path: [...path, key], at: 'key', says: `is not a key of company files: ${hint}`, meant }
}

/** Of a text or a list with or without languages: what is wrong in the form that was chosen. */
function unionFaults(issue: Issue & { code: 'invalid_union' }, data: unknown, path: Path): ShapeFault[] {
  const isOfKind = (issues: readonly Issue[]) =>
    !issues.some((one) => one.code === 'invalid_type' && one.path.length === 0)
  const chosen = issue.errors.find(isOfKind)
  if (chosen !== undefined) return chosen.flatMap((one) => faultsOf(one, data, path))
  const value = valueAt(data, path)
  return [{ path, at: 'value', says: value === null ? typeFault(issue, null) : issue.message }]
}

function faultsOf(issue: Issue, data: unknown, around: Path): ShapeFault[] {
  const path = [...around, ...issue.path]
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownKey(path, key))
    case 'invalid_union':
      return unionFaults(issue, data, path)
    case 'invalid_key':
      return [{ path, at: 'key', says: issue.issues[0]?.message ?? issue.message }]
    case 'invalid_type': {
      const value = valueAt(data, path)
      return [
        {
          path,
          at: 'value',
          says: typeFault(issue, value),
          isAbsence: value === undefined || value === null,
        },
      ]
    }
    default:
      return [{ path, at: 'value', says: issue.message }]
  }
}

/** Every mistake in the shape of the data, in the order in which zod finds them. */
export function shapeFaults(error: z.ZodError, data: unknown): ShapeFault[] {
  const faults = error.issues.flatMap((issue) => faultsOf(issue, data, []))
  const misspelt = faults.flatMap(({ path, meant }) =>
    meant === undefined ? [] : pathInWords([...path.slice(0, -1), meant]),
  )
  // A key that is only misspelt is not missing too.
  const isMissing = (path: Path) => valueAt(data, path) === undefined
  return faults.filter(({ path }) => !(isMissing(path) && misspelt.includes(pathInWords(path))))
}
