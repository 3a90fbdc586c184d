// A YAML text as data, and where in the text each part of it is. The parser goes on after a mistake, so that all of them
// come out at once.
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type Node,
  type Pair,
} from 'yaml'

export type Path = readonly PropertyKey[]
export type Place = { line: number; column: number }

/** A mistake in the company file. `path` is where it is in the data, for people. */
export type Fault = Place & { path: string; says: string }

export type ReadDocument = {
  data: unknown
  faults: Fault[]
  /** From here on the data may not be what was meant; undefined: all of it is. */
  brokenAt: number | undefined
  /** Of a value, or of its key; of the nearest part around it where there is none. */
  placeOf: (path: Path, of?: 'value' | 'key') => Place
}

const MAX_KEY_CHARACTERS = 60

/** `datasources.slack.order`; keys are the file's own and may be anything, so they are kept short. */
export const pathInWords = (path: Path): string =>
  path.map((key) => String(key).slice(0, MAX_KEY_CHARACTERS)).join('.')

const keyOf = (pair: Pair): string => String(isScalar(pair.key) ? pair.key.value : pair.key)

/** The last of several with one key is the one whose value counts. */
const pairOf = (node: unknown, key: PropertyKey): Pair | undefined =>
  isMap(node) ? node.items.findLast((pair) => keyOf(pair) === String(key)) : undefined

function offsetOf(document: Document, path: Path, of: 'value' | 'key'): number {
  let node: unknown = document.contents
  let offset = 0
  for (const [index, key] of path.entries()) {
    const inside = isAlias(node) ? node.resolve(document) : node
    const pair = pairOf(inside, key)
    node = isSeq(inside) ? inside.items[Number(key)] : pair?.value
    const atKey = (pair?.key as Node | undefined)?.range?.[0]
    const atValue = (node as Node | undefined)?.range?.[0]
    const isWanted = of === 'key' && index === path.length - 1
    offset = (isWanted ? atKey : atValue) ?? atKey ?? offset
    if (node === undefined) break
  }
  return offset
}

const SYNTAX: Partial<Record<string, string>> = {
  DUPLICATE_KEY: 'is there twice: keep one of them',
  TAB_AS_INDENT: 'is indented with a tab: use spaces',
  MULTIPLE_DOCS: 'begins a second document (---): a company file has one',
}

/** What data can't hold is told and taken out, a value with its key: the rest is read without it. */
function withoutOddities(document: Document, tell: (offset: number, says: string) => void): void {
  const checkAlias = (node: unknown) => {
    if (!isAlias(node) || node.resolve(document) !== undefined) return undefined
    tell(node.range?.[0] ?? 0, `*${node.source} refers to nothing: put &${node.source} before a value above`)
    return visit.REMOVE
  }
  const checkKey = (key: unknown) => {
    if (isScalar(key)) return undefined
    tell((key as Node | null)?.range?.[0] ?? 0, 'has a key that is no plain text: write it like name: Acme')
    return visit.REMOVE
  }
  visit(document, {
    Pair: (_key, pair) => checkKey(pair.key) ?? checkAlias(pair.value),
    Alias: (_key, alias) => checkAlias(alias),
  })
}

function dataOf(document: Document): { data: unknown } | { fault: string } {
  try {
    return { data: document.toJS({ maxAliasCount: 50 }) ?? {} }
  } catch {
    return { fault: 'uses its aliases (*name) too often: write the values out' }
  }
}

export function readDocument(text: string): ReadDocument {
  const lines = new LineCounter()
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    // Tags make other things than text of a value (!!binary, !!set); none of our keys takes one.
    resolveKnownTags: false,
  })
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const faults: Fault[] = []
  const tell = (offset: number, says: string, path = '') => faults.push({ ...at(offset), path, says })
  const troubles = [...document.errors, ...document.warnings]
  // What the parser says next of one place follows from what it said first.
  const first = new Map(troubles.toReversed().map((trouble) => [trouble.pos[0], trouble]))
  for (const { code, pos, message } of first.values()) {
    const name = code === 'DUPLICATE_KEY' ? (/^[^:\s]+/.exec(text.slice(pos[0]))?.[0] ?? '') : ''
    tell(
      pos[0],
      SYNTAX[code] ?? `is not YAML (${message.split('\n')[0]}): correct what is here or above`,
      name,
    )
  }
  const broken = document.errors.filter(({ code }) => code !== 'DUPLICATE_KEY').map(({ pos }) => pos[0])
  withoutOddities(document, tell)
  const read = dataOf(document)
  if ('fault' in read) tell(0, read.fault)
  return {
    data: 'data' in read ? read.data : {},
    faults,
    brokenAt: broken.length > 0 ? at(Math.min(...broken)).line : undefined,
    placeOf: (path, of = 'value') => at(offsetOf(document, path, of)),
  }
}
