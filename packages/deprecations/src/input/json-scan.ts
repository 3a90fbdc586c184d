// Walks a JSON text without building it, to learn on which line a member is or where the text stops being JSON.
// JSON.parse does the reading; this runs only when a line number is wanted. On 72 MB the visitor of jsonc-parser takes
// under 1 s and 70 MB beside the text; its tree took 1.8 s and 190 MB, parsers that keep locations 7 to 40 s.
import { visit, type JSONPath } from 'jsonc-parser'

export type Loose = Record<string, unknown>

export const isRecord = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export type Path = readonly (string | number)[]

/** A JSON pointer (RFC 6901). */
export const pointerOf = (path: readonly PropertyKey[]): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** The parser calls itself for what is inside, and the stack is finite. */
const MAX_DEPTH = 2_000

/** Thrown out of the visitor, which has no other way to stop. */
const STOP = new Error('not JSON')

/**
 * @param each called for every value: how deep it is, where it starts, and how to learn its path
 * @returns where the text stops being JSON (RFC 8259), or is nested too deep; undefined when all of it was walked
 */
function scan(text: string, each: (depth: number, at: number, path: () => JSONPath) => void) {
  let depth = 0
  let stoppedAt: number | undefined
  const stop = (at: number) => {
    stoppedAt = at
    throw STOP
  }
  const begin = (at: number, _length: number, _line: number, _column: number, path: () => JSONPath) => {
    each(depth, at, path)
    depth += 1
    if (depth > MAX_DEPTH) stop(at)
  }
  const end = () => void (depth -= 1)
  const visitor = {
    onObjectBegin: begin,
    onArrayBegin: begin,
    onObjectEnd: end,
    onArrayEnd: end,
    onLiteralValue: (_value: unknown, at: number, _1: number, _2: number, _3: number, path: () => JSONPath) =>
      each(depth, at, path),
    onError: (_code: unknown, at: number) => stop(at),
  }
  try {
    visit(text, visitor, { disallowComments: true })
  } catch (error) {
    if (error !== STOP) throw error
  }
  return stoppedAt
}

/** The line (from 1) that an offset is on, in the part of a text from `start`. */
const lineAt = (text: string, offset: number, start = 0) => {
  let line = 1
  for (let at = text.indexOf('\n', start); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1
  return line
}

/** The line (from 1) on which a text stops being JSON; undefined for a text that is JSON. */
export const brokenLineOf = (text: string): number | undefined => {
  const at = scan(text, () => undefined)
  return at === undefined ? undefined : lineAt(text, at)
}

/** The lines (from 1) on which the values at these JSON pointers start; pointers that lead nowhere are left out. */
export const linesOf = (text: string, pointers: ReadonlySet<string>): Map<string, number> => {
  const lines = new Map<string, number>()
  if (pointers.size === 0) return lines
  const depths = new Set([...pointers].map((pointer) => pointer.split('/').length - 1))
  let [line, counted] = [1, 0]
  scan(text, (depth, at, path) => {
    if (!depths.has(depth)) return
    const pointer = pointerOf(path())
    if (!pointers.has(pointer)) return
    line += lineAt(text, at, counted) - 1
    counted = at
    lines.set(pointer, line)
  })
  return lines
}
