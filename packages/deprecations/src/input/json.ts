// JSON that people hand in. Faults name the file and the line, and never quote the text: traffic holds tokens.
import { readFile, stat } from 'node:fs/promises'
import { parseTree, type Node, type ParseError } from 'jsonc-parser'
import type { ZodType } from 'zod'
import { InputFault } from '../command-line/input-fault.ts'

export type Loose = Record<string, unknown>
export type Path = readonly (string | number)[]

export const isRecord = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const recordOf = (value: unknown): Loose => (isRecord(value) ? value : {})
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
/** Of text or a number; empty for anything else: String() fails on an object with a member toString. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

/** A JSON pointer (RFC 6901). */
export const pointerOf = (path: Path): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

const lineAt = (text: string, offset: number) => text.slice(0, offset).split('\n').length

const childOf = (node: Node, step: PropertyKey): Node | undefined => {
  if (node.type === 'array') return node.children?.[Number(step)]
  return node.children?.find(({ children: [name] = [] }) => name?.value === step)?.children?.[1]
}

/** Gives the lines (from 1) of the values at paths in a JSON text, or of the nearest ones around. It is parsed when asked. */
export const jsonLines = (text: string) => {
  let root: Node | undefined
  return (path: readonly PropertyKey[]): number | undefined => {
    root ??= parseTree(text)
    let node = root
    for (const step of path) node = (node && childOf(node, step)) ?? node
    return node && lineAt(text, node.offset)
  }
}

const brokenLineOf = (text: string) => {
  const errors: ParseError[] = []
  try {
    parseTree(text, errors, { disallowComments: true })
  } catch {
    // Nested too deep for the parser's stack.
  }
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
export const readText = async (file: string): Promise<string> => {
  try {
    const { size } = await stat(file)
    if (size > MAX_MIB * 2 ** 20)
      throw new InputFault(file, undefined, `larger than ${MAX_MIB} MiB; split it`)
    return (await readFile(file, 'utf8')).replace(/^\uFEFF/, '')
  } catch (error) {
    throw error instanceof InputFault ? error : fileFault(file, error)
  }
}

/** Reads a JSON file and checks it against a schema. @throws {InputFault} naming the first thing that is wrong */
export const readJsonFile = async <T>(file: string, schema: ZodType<T>): Promise<T> => {
  const text = await readText(file)
  const { success, data, error } = schema.safeParse(parseJson(text, file))
  if (success) return data
  const [first, ...others] = error.issues
  const path = (first?.path ?? []) as Path
  const place = path.length === 0 ? '' : `${path.join('.')}: `
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`
  throw new InputFault(file, jsonLines(text)(path), `${place}${first?.message}${more}`)
}
