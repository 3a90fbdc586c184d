// JSON that people hand in. Faults name the file and the line, and never quote the text: traffic holds tokens.
import { readFileSync, statSync } from 'node:fs'
import { parseTree, type Node, type ParseError } from 'jsonc-parser'
import type { ZodType } from 'zod'
import { InputFault } from '../command-line/input-fault.ts'

export type Loose = Record<string, unknown>

export const isRecord = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const recordOf = (value: unknown): Loose => (isRecord(value) ? value : {})
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
/** Of text or a number; empty for anything else: String() fails on an object with a member toString. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

const lineAt = (text: string, offset: number) => text.slice(0, offset).split('\n').length

/** The tree of a JSON text, or of its sound beginning; undefined where it nests too deep for the parser's stack. */
const treeOf = (text: string, errors: ParseError[] = []): Node | undefined => {
  try {
    return parseTree(text, errors, { disallowComments: true })
  } catch {
    return undefined
  }
}

/** Gives the lines (from 1) of the values at paths in a JSON text, or of the nearest ones around. It is parsed when asked. */
export const jsonLines = (text: string) => {
  let root: Node | undefined
  return (path: readonly PropertyKey[]): number | undefined => {
    root ??= treeOf(text)
    let node = root
    for (const step of path) {
      const inside = node?.children?.find(({ children: [name] = [] }) => name?.value === step)?.children?.[1]
      node = (node?.type === 'array' ? node.children?.[Number(step)] : inside) ?? node
    }
    return node && lineAt(text, node.offset)
  }
}

const brokenLineOf = (text: string) => {
  const errors: ParseError[] = []
  treeOf(text, errors)
  return lineAt(text, errors[0]?.offset ?? 0)
}

/** Parses JSON. @throws {InputFault} with the line on which it breaks */
export const parseJson = (text: string, file: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new InputFault(file, brokenLineOf(text), 'not valid JSON from this line on; fix it')
  }
}

const REASONS: Record<string, string> = {
  ENOENT: 'no such file; check the name',
  EISDIR: 'a folder, not a file; specify a file',
  EACCES: 'not readable; check its permissions',
}

/** What the system says about a file that can't be read, as a fault. */
export const fileFault = (file: string, error: unknown): InputFault => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  return new InputFault(file, undefined, REASONS[code] ?? `cannot be read (${code})`, error)
}

const MAX_MIB = 8

/** Reads a file that is read whole, up to 8 MiB. @throws {InputFault} */
export const readText = (file: string): string => {
  try {
    const { size } = statSync(file)
    if (size > MAX_MIB * 2 ** 20)
      throw new InputFault(file, undefined, `larger than ${MAX_MIB} MiB; split it`)
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    throw error instanceof InputFault ? error : fileFault(file, error)
  }
}

/** Reads a JSON file and checks it against a schema. @throws {InputFault} naming the first thing that is wrong */
export const readJsonFile = <T>(file: string, schema: ZodType<T>): T => {
  const text = readText(file)
  const { success, data, error } = schema.safeParse(parseJson(text, file))
  if (success) return data
  const [first, ...others] = error.issues
  const path = first?.path ?? []
  const place = path.length === 0 ? '' : `${path.map(String).join('.')}: `
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`
  throw new InputFault(file, jsonLines(text)(path), `${place}${first?.message}${more}`)
}
