// Checks the formats that are read whole: HAR and OpenAPI. Lines are looked up only for what was found.
import { noteCall, type NoteParts } from './call-uses.ts'
import { harEntries, largestHar, readHarEntry } from './har.ts'
import { InputFault } from './input-fault.ts'
import { parseJson } from './json-file.ts'
import { linesOf } from './json-scan.ts'
import { eachDeclared, isOpenApi, largestOpenApi, type Declared } from './openapi.ts'
import { wholeText, type Source } from './source.ts'

export type DocumentParts = NoteParts & { source: Source }

/** Reads a HAR or an OpenAPI document into the tally; throws InputFault when it is neither. */
export const readDocument = async (format: 'har' | 'openapi', parts: DocumentParts): Promise<void> => {
  const { source } = parts
  const text = await wholeText(source, format === 'har' ? largestHar : largestOpenApi.json)
  if (!text.trimStart().startsWith('{')) return readYaml(text, parts)
  const document = parseJson(text, source.name)
  if (isOpenApi(document)) readOpenApi(document, parts, (pointers) => linesOf(text, pointers))
  else readHar(document, text, parts)
}

// Loaded when wanted: most checks read no YAML, and the parser is large.
const readYaml = async (text: string, parts: DocumentParts) => {
  const { parseYaml } = await import('./yaml-file.ts')
  const { name } = parts.source
  if (text.length > largestOpenApi.yaml)
    throw new InputFault(name, undefined, 'more than 8 MiB of YAML; convert it to JSON first')
  const yaml = parseYaml(text, name)
  if (!isOpenApi(yaml.data)) throw new InputFault(name, 1, 'not an OpenAPI document: it has no "openapi: 3…"')
  readOpenApi(yaml.data, parts, (pointers) => {
    const lines = [...pointers].map((pointer) => [pointer, yaml.lineOf(pointer)] as const)
    return new Map(lines.flatMap(([pointer, line]) => (line === undefined ? [] : [[pointer, line]])))
  })
}

type Lines = (pointers: ReadonlySet<string>) => Map<string, number>

const readOpenApi = (document: unknown, { source, matcher, tally }: DocumentParts, linesAt: Lines) => {
  const declared: Declared[] = []
  const operations = eachDeclared(document, matcher, (use) => declared.push(use))
  const lines = linesAt(new Set(declared.map(({ pointer }) => pointer)))
  const before = tally.requests
  let [operation, ahead] = ['', 0]
  for (const use of declared) {
    // Each operation counts as a request, so that an item is counted once for each.
    if (use.operation !== operation) ahead += 1
    operation = use.operation
    tally.requests = before + ahead
    const line = lines.get(use.pointer)
    const where = { file: source.name, record: use.operation, ...(line === undefined ? {} : { line }) }
    const { entry, confidence, side, pointer } = use
    tally.note({ ...where, entry, confidence, side, pointer })
  }
  tally.requests = before + operations
}

const pointerTo = (index: number) => `/log/entries/${index}`

const readHar = (document: unknown, text: string, parts: DocumentParts) => {
  const { source, matcher } = parts
  const readings = harEntries(document, source.name).map(readHarEntry)
  const ofInterest = readings.flatMap((reading, index) => {
    if (reading === 'nothing') return []
    return 'fault' in reading || matcher.scheduled(reading.call.method, reading.call.url)
      ? [pointerTo(index)]
      : []
  })
  const lines = ofInterest.length === 0 ? new Map<string, number>() : linesOf(text, new Set(ofInterest))
  readings.forEach((reading, index) => {
    if (reading === 'nothing') return
    const record = pointerTo(index)
    const line = lines.get(record)
    if ('fault' in reading) return parts.fault(line, reading.fault)
    const where = { file: source.name, record, ...(line === undefined ? {} : { line }) }
    noteCall(reading.call, where, parts)
  })
}
