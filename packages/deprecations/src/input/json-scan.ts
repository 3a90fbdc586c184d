// Walks a JSON text without building it, to say on which line a member stands or where the text stops being JSON.
// JSON.parse does the reading; this runs only when a line number is wanted (grammar: RFC 8259).

export type Path = readonly (string | number)[]

/** A JSON pointer (RFC 6901). */
export const pointerOf = (path: Path): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

class SyntaxStop extends Error {
  readonly at: number
  constructor(at: number) {
    super('not JSON')
    this.at = at
  }
}

const space = /[ \t\n\r]*/y
// eslint-disable-next-line no-control-regex -- RFC 8259 7: control characters must be escaped in a string
const ofInterest = /["\\\u0000-\u001f]/g
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const deepest = 2_000

class Scan {
  at = 0
  readonly path: (string | number)[] = []
  readonly text: string
  readonly visit: (path: Path, at: number) => void

  constructor(text: string, visit: (path: Path, at: number) => void) {
    this.text = text
    this.visit = visit
  }

  take(pattern: RegExp): string {
    pattern.lastIndex = this.at
    const match = pattern.exec(this.text)
    if (match === null) throw new SyntaxStop(this.at)
    this.at = pattern.lastIndex
    return match[0]
  }

  /** Whether the next sign is this one; if so it is passed. */
  passes(sign: string): boolean {
    this.take(space)
    if (this.text[this.at] !== sign) return false
    this.at += 1
    return true
  }

  expect(sign: string) {
    if (!this.passes(sign)) throw new SyntaxStop(this.at)
  }

  value() {
    this.take(space)
    this.visit(this.path, this.at)
    if (this.path.length > deepest) throw new SyntaxStop(this.at)
    if (this.passes('{')) this.members('}', () => this.name())
    else if (this.passes('[')) this.members(']', (index) => index)
    else if (this.text[this.at] === '"') this.string()
    else this.take(scalar)
  }

  // Not one regular expression: on a string of megabytes that would exhaust its stack.
  string(): string {
    const start = this.at
    if (this.text[start] !== '"') throw new SyntaxStop(start)
    this.at += 1
    for (;;) {
      ofInterest.lastIndex = this.at
      const found = ofInterest.exec(this.text)
      this.at = found === null ? this.text.length : found.index
      if (found?.[0] === '\\') this.take(escape)
      else if (found?.[0] !== '"') throw new SyntaxStop(this.at)
      else {
        this.at += 1
        return this.text.slice(start, this.at)
      }
    }
  }

  name(): string {
    this.take(space)
    const name = JSON.parse(this.string()) as string
    this.expect(':')
    return name
  }

  members(end: string, step: (index: number) => string | number) {
    if (this.passes(end)) return
    let index = 0
    do {
      this.path.push(step(index))
      this.value()
      this.path.pop()
      index += 1
    } while (this.passes(','))
    this.expect(end)
  }
}

const lineAt = (text: string, offset: number) => {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1
  return line
}

/** The line (from 1) on which a text stops being JSON; undefined for a text that is JSON. */
export const brokenLineOf = (text: string): number | undefined => {
  const scan = new Scan(text, () => undefined)
  try {
    scan.value()
    scan.take(space)
    return scan.at === text.length ? undefined : lineAt(text, scan.at)
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
  const visit = (path: Path, at: number) => {
    if (!depths.has(path.length)) return
    const pointer = pointerOf(path)
    if (!pointers.has(pointer)) return
    line += lineAt(text.slice(counted, at), at - counted) - 1
    counted = at
    lines.set(pointer, line)
  }
  new Scan(text, visit).value()
  return lines
}
