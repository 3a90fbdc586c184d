// An OpenAPI document with the files beside it that its references lead to. Nothing is fetched, and only files below the
// document's folder are read: a document may come from anyone. The library reads and resolves; it is not asked to
// dereference, which fails on thousands of schemas that lead to each other, and forgets where a value was written.
import { realpath } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { $RefParser } from '@apidevtools/json-schema-ref-parser'
import { isMap, isNode, isSeq, LineCounter, parseDocument } from 'yaml'
import { InputFault } from '../command-line/input-fault.ts'
import { isRecord, jsonLines, parseJson, readText } from '../input/json.ts'

type Parsed = { data: unknown; lineOf: (path: readonly string[]) => number | undefined }

const parseYaml = (text: string, file: string): Parsed => {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true })
  const [error] = document.errors
  if (error !== undefined)
    throw new InputFault(file, lines.linePos(error.pos[0]).line, 'not valid YAML at this line; fix it')
  const into = (node: unknown, step: string): unknown => {
    if (isSeq(node)) return node.items[Number(step)]
    return isMap(node) ? node.items.find(({ key }) => String(key) === step)?.value : undefined
  }
  const lineOf = (path: readonly string[]) => {
    const node = path.reduce<unknown>((at, step) => into(at, step), document.contents)
    return isNode(node) && node.range ? lines.linePos(node.range[0]).line : undefined
  }
  try {
    // Aliases can unfold without end; the library stops at a hundred.
    return { data: document.toJS({ maxAliasCount: 100 }), lineOf }
  } catch (cause) {
    throw new InputFault(
      file,
      undefined,
      'its aliases expand too far or refer to nothing; write them out',
      cause,
    )
  }
}

const parse = (text: string, file: string): Parsed =>
  /^\s*[{[]/.test(text) ? { data: parseJson(text, file), lineOf: jsonLines(text) } : parseYaml(text, file)

type Place = { file: string; pointer: string; line: () => number | undefined }

export type OpenApiDocument = {
  root: unknown
  /** Where a reference leads, undefined where it can't be followed; a value that is no reference is itself. */
  follow: (value: unknown) => unknown
  /** Where a member of an object is written, or the object that has none of that name. */
  placeOf: (holder: object, name: string) => Place | undefined
}

/** References are resolved as URLs, under an origin that can't be reached and isn't asked for. */
const ORIGIN = 'http://document.invalid'
const urlOf = (path: string) => ORIGIN + pathToFileURL(path).pathname
const pathOf = (url: string) => fileURLToPath(`file://${new URL(url).pathname}`)

const MAX_FILES = 500

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')
const unescaped = (step: string) => step.replaceAll('~1', '/').replaceAll('~0', '~')

/**
 * Parses a document, JSON or YAML, and reads what its references lead to.
 * @param name the file's name; `stdin` has no files beside it
 * @throws {InputFault} when the document itself can't be parsed
 */
export const loadDocument = async (text: string, name: string): Promise<OpenApiDocument> => {
  const path = resolve(name)
  const folder = dirname(path)
  const files = new Map<string, Parsed & { name: string }>()
  const written = new Map<object, { url: string; pointer: string }>()
  const add = (url: string, shown: string, content: string) => {
    const file = { name: shown, ...parse(content, shown) }
    files.set(url, file)
    const waiting: [unknown, string][] = [[file.data, '']]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [value, pointer] = next
      if (typeof value !== 'object' || value === null || written.has(value)) continue
      written.set(value, { url, pointer })
      for (const [member, inner] of Object.entries(value))
        waiting.push([inner, `${pointer}/${escaped(member)}`])
    }
    return file.data
  }
  const isBelow = async (file: string) => (await realpath(file)).startsWith((await realpath(folder)) + sep)
  const beside = {
    order: 1,
    canRead: true,
    canParse: true,
    read: async ({ url }: { url: string }) => {
      const file = url.startsWith(`${ORIGIN}/`) && name !== 'stdin' ? pathOf(url) : undefined
      if (file === undefined || files.size >= MAX_FILES || !(await isBelow(file)))
        throw new Error('not beside')
      return await readText(file)
    },
    parse: ({ url, data }: { url: string; data: unknown }) =>
      add(url, join(dirname(name), relative(folder, pathOf(url))), String(data)),
  }
  const off = { file: false, http: false, json: false, yaml: false, text: false, binary: false }

  const root = add(urlOf(path), name, text)
  const parser = new $RefParser()
  // What can't be read is reported where something that matters leads there.
  const options = { continueOnError: true, resolve: { ...off, beside }, parse: { ...off, beside } }
  if (isRecord(root)) await parser.resolve(urlOf(path), root, options).catch(() => undefined)

  const follow = (value: unknown): unknown => {
    if (!isRecord(value) || typeof value.$ref !== 'string') return value
    try {
      const base = written.get(value)?.url ?? urlOf(path)
      const target: unknown = parser.$refs.get(new URL(value.$ref, base).href)
      return isRecord(target) && typeof target.$ref === 'string' ? undefined : target
    } catch {
      return undefined
    }
  }
  const placeOf = (holder: object, member: string): Place | undefined => {
    const place = written.get(holder)
    const file = files.get(place?.url ?? '')
    if (place === undefined || file === undefined) return undefined
    const pointer = Object.hasOwn(holder, member) ? `${place.pointer}/${escaped(member)}` : place.pointer
    const line = () => file.lineOf(pointer.split('/').slice(1).map(unescaped))
    return { file: file.name, pointer, line }
  }
  return { root, follow, placeOf }
}
