// Reads a file or standard input with bounded memory, and parses JSON and YAML with the line of each value. Errors
// never quote the text, because traffic has tokens.
import { readFileSync, statSync } from 'node:fs'
import { parseTree, type Node, type ParseError } from 'jsonc-parser'
import { isNode, LineCounter, parseDocument } from 'yaml'
import { InputFault } from '@onramp/terminal/arguments'
import type { createOperationLookup, Match } from '../matching/matching.ts'

/** @returns an empty record for anything but an object */
export const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
export const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
/** @returns '' for anything but text or a number. String() would throw on an object with its own toString */
export const asText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

/** `lineOf` counts from 1; a missing value has its parent's line. */
type ParsedDocument = { data: unknown; lineOf: (path: readonly PropertyKey[]) => number | undefined }

const parseJson = (text: string, file: string): ParsedDocument => {
  const errors: ParseError[] = []
  const treeOf = (): Node | undefined => {
    try {
      return parseTree(text, errors, { disallowComments: true })
    } catch {
      // The text is nested too deeply for this parser's stack.
      return undefined
    }
  }
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length
  let root: Node | undefined
  const into = (node: Node | undefined, step: PropertyKey) => {
    if (node?.type === 'array') return node.children?.[Number(step)] ?? node
    return node?.children?.find(({ children: [name] = [] }) => name?.value === step)?.children?.[1] ?? node
  }
  try {
    const data: unknown = JSON.parse(text)
    return { data, lineOf: (path) => lineAt(path.reduce(into, (root ??= treeOf()))?.offset ?? 0) }
  } catch {
    treeOf()
    throw new InputFault(file, lineAt(errors[0]?.offset ?? 0), 'not valid JSON from this line on; fix it')
  }
}

const parseYaml = (text: string, file: string): ParsedDocument => {
  const lines = new LineCounter()
  const options = { lineCounter: lines, prettyErrors: false, merge: true, stringKeys: true }
  const document = parseDocument(text, options)
  const [error] = document.errors
  if (error !== undefined)
    throw new InputFault(file, lines.linePos(error.pos[0]).line, 'not valid YAML at this line; fix it')
  const lineOf = (path: readonly PropertyKey[]): number | undefined => {
    const node = document.getIn(path, true)
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line
    return path.length === 0 ? undefined : lineOf(path.slice(0, -1))
  }
  try {
    return { data: document.toJS({ maxAliasCount: 100 }), lineOf }
  } catch (cause) {
    const fault = 'its aliases expand too far or refer to nothing; write them out'
    throw new InputFault(file, undefined, fault, cause)
  }
}

/** Parses JSON if the text begins with { or [, else YAML. @throws {InputFault} */
export const parseDocumentText = (text: string, file: string): ParsedDocument =>
  /^\s*[{[]/.test(text) ? parseJson(text, file) : parseYaml(text, file)

const REASONS: Record<string, string> = {
  ENOENT: 'no such file; check the name',
  EISDIR: 'a folder, not a file; specify a file',
  EACCES: 'not readable; check its permissions',
}

const fileFault = (file: string, error: unknown): InputFault => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  return new InputFault(file, undefined, REASONS[code] ?? `cannot be read (${code})`, error)
}

const MAX_MIB = 8

/** @throws {InputFault} also for a file over MAX_MIB */
export const readDocument = (file: string): ParsedDocument => {
  try {
    if (statSync(file).size <= MAX_MIB * 2 ** 20)
      return parseDocumentText(new TextDecoder().decode(readFileSync(file)), file)
  } catch (error) {
    throw error instanceof InputFault ? error : fileFault(file, error)
  }
  throw new InputFault(file, undefined, `larger than ${MAX_MIB} MiB; split it`)
}

/** `head` is the first chunk, to detect the format; `bytes` includes it. */
type Source = { name: string; head: Uint8Array; bytes: AsyncIterable<Uint8Array> }

/** A line, entry or operation (`record`: its JSON pointer), with its matches or the reason why it can't be read. */
export type InputRecord = { line?: number; record?: string; time?: unknown } & (
  { matches: Iterable<Match> } | { fault: string }
)

/** Reads a source in one format. @throws {InputFault} for a source in another one */
export type FormatReader = (
  source: Source,
  findOperation: ReturnType<typeof createOperationLookup>,
  onRecord: (record: InputRecord) => void,
) => Promise<void>

/** @throws {InputFault}, also later while `bytes` are read */
export const openSource = async (name: string, stream: AsyncIterable<Uint8Array>): Promise<Source> => {
  async function* chunks() {
    try {
      yield* stream
    } catch (error) {
      throw fileFault(name, error)
    }
  }
  const rest = chunks()
  const first = await rest.next()
  const head = first.done === true ? new Uint8Array() : first.value
  async function* bytes() {
    yield head
    yield* rest
  }
  return { name, head, bytes: bytes() }
}

/** @throws {InputFault} for a source larger than `maxMib` MiB */
export const wholeText = async ({ name, bytes }: Source, maxMib: number): Promise<string> => {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of bytes) {
    length += part.length
    const fault = `larger than ${maxMib} MiB, the maximum for this format; split it`
    if (length > maxMib * 2 ** 20) throw new InputFault(name, undefined, fault)
    parts.push(part)
  }
  return new TextDecoder().decode(Buffer.concat(parts))
}
