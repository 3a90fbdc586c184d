// Walks a JSON text without building it, to say on which line a member stands or where the text stops being JSON.
// JSON.parse does the reading; this runs only when a line number is wanted. On 72 MB the visitor of jsonc-parser takes
// under 1 s and 70 MB beside the text; its tree took 1.8 s and 190 MB, parsers that keep locations 7 to 40 s.
import { visit, type JSONPath, type JSONVisitor } from 'jsonc-parser'

export type Path = readonly (string | number)[]

/** A JSON pointer (RFC 6901). */
export const pointerOf = (path: Path): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** Thrown out of the visitor, which would go on behind a fault and has no other way to stop. */
class SyntaxStop extends Error {
  readonly at: number
  constructor(at: number) {
    super('not JSON')
    this.at = at
  }
}

/** The parser calls itself for what is inside, so that the stack ends somewhere. */
const MAX_DEPTH = 2_000

/**
 * @param each told of every value: how deep it is, where it starts, and how to learn its path
 * @throws {SyntaxStop} where the text stops being JSON (RFC 8259), or is nested too deep
 */
function scan(text: string, each: (depth: number, at: number, path: () => JSONPath) => void) {
  let depth = 0
  const begin = (at: number, path: () => JSONPath) => {
    each(depth, at, path)
    depth += 1
    if (depth > MAX_DEPTH) throw new SyntaxStop(at)
  }
  const end = () => void (depth -= 1)
  const visitor: JSONVisitor = {
    onObjectBegin: (at, _length, _line, _column, path) => begin(at, path),
    onArrayBegin: (at, _length, _line, _column, path) => begin(at, path),
    onObjectEnd: end,
    onArrayEnd: end,
    onLiteralValue: (_value, at, _length, _line, _column, path) => each(depth, at, path),
    onError(_code, at) {
      throw new SyntaxStop(at)
    },
  }
  visit(text, visitor, { disallowComments: true })
}

const lineAt = (text: string, offset: number) => {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1
  return line
}

/** The line (from 1) on which a text stops being JSON; undefined for a text that is JSON. */
export const brokenLineOf = (text: string): number | undefined => {
  try {
    scan(text, () => undefined)
    return undefined
  } catch (error) {
    if (error instanceof SyntaxStop) return lineAt(text, error.at)
    throw error
  }
}

/** The lines (from 1) on which the values at these JSON pointers start; pointers that lead nowhere are left out. */
export const linesOf = (text: string, pointers: ReadonlySet<string>): Map<string, number> => {
  const lines = new Map<string, number>()
  const depths = new Set([...pointers].map((pointer) => pointer.split('/').length - 1))
  let [line, counted] = [1, 0]
  scan(text, (depth, at, path) => {
    if (!depths.has(depth)) return
    const pointer = pointerOf(path())
    if (!pointers.has(pointer)) return
    line += lineAt(text.slice(counted, at), at - counted) - 1
    counted = at
    lines.set(pointer, line)
  })
  return lines
}
