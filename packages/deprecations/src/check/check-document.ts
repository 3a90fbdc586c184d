// Checks the formats that are read whole: HAR and OpenAPI. Lines are looked up only for what was found.
import { resolve } from 'node:path'
import { present } from '../present.ts'
import { noteCall, type NoteParts } from './call-uses.ts'
import { harEntries, largestHar, readHarEntry } from '../input/har.ts'
import { InputFault } from '../command-line/input-fault.ts'
import { parseJson } from '../input/json-file.ts'
import { linesOf } from '../input/json-scan.ts'
import { loadNeighbours, type SpecFile } from '../openapi/files.ts'
import { placeOf } from '../openapi/places.ts'
import { eachDeclared, isOpenApi, largestOpenApi, type Declared } from '../openapi/openapi.ts'
import { wholeText, type Source } from './source.ts'

export type DocumentParts = NoteParts & { source: Source }

/** Reads a HAR or an OpenAPI document into the tally; throws InputFault when it is neither. */
export const readDocument = async (format: 'har' | 'openapi', parts: DocumentParts): Promise<void> => {
  const { source } = parts
  const text = await wholeText(source, format === 'har' ? largestHar : largestOpenApi.json)
  const { name } = source
  const about = name === 'stdin' ? { name } : { name, path: resolve(name) }
  if (!text.trimStart().startsWith('{')) {
    if (text.length > largestOpenApi.yaml)
      throw new InputFault(name, undefined, 'more than 8 MiB of YAML; convert it to JSON first')
    // Loaded when wanted: most checks read no YAML, and the parser is large.
    const { parseYaml, yamlLines } = await import('../input/yaml-file.ts')
    const yaml = parseYaml(text, name)
    if (!isOpenApi(yaml.data))
      throw new InputFault(name, 1, 'not an OpenAPI document: it has no "openapi: 3…"')
    return readOpenApi({ ...about, data: yaml.data, linesAt: yamlLines(yaml) }, parts)
  }
  const data = parseJson(text, name)
  if (isOpenApi(data))
    return readOpenApi({ ...about, data, linesAt: (pointers) => linesOf(text, pointers) }, parts)
  readHar(data, text, parts)
}

const linesIn = (declared: readonly Declared[]) => {
  const files = Map.groupBy(declared, ({ at }) => at.file)
  const lines = [...files].map(
    ([file, ofIt]) => [file, file.linesAt(new Set(ofIt.map(({ at }) => placeOf(at))))] as const,
  )
  const known = new Map(lines)
  return ({ at }: Declared) => known.get(at.file)?.get(placeOf(at))
}

const readOpenApi = async (main: SpecFile, parts: DocumentParts) => {
  const { matcher, tally } = parts
  const declared: Declared[] = []
  const report = (use: Declared) => declared.push(use)
  const operations = eachDeclared(main, await loadNeighbours(main), { matcher, report })
  const lineOf = linesIn(declared)
  const before = tally.requests
  let [operation, ahead] = ['', 0]
  for (const use of declared) {
    // Each operation counts as a request, so that an item is counted once for each.
    if (use.operation !== operation) ahead += 1
    operation = use.operation
    tally.requests = before + ahead
    const line = lineOf(use)
    const where = { file: use.at.file.name, record: use.operation, ...present({ line }) }
    const { entry, confidence, side } = use
    tally.note({ ...where, entry, confidence, side, pointer: placeOf(use.at) })
  }
  tally.requests = before + Math.max(operations, ahead)
  reportLost(declared, lineOf, parts)
}

/** One fault for each reference that could not be followed, with what it may declare. */
const reportLost = (
  declared: readonly Declared[],
  lineOf: (use: Declared) => number | undefined,
  { source, fault }: DocumentParts,
) => {
  const lost = declared.filter(({ why }) => why !== undefined)
  for (const uses of Map.groupBy(lost, ({ at }) => `${at.file.name}#${placeOf(at)}`).values()) {
    const [use] = uses
    if (use === undefined) continue
    const isHere = use.at.file.name === source.name
    const place = `${isHere ? '' : `${use.at.file.name}#`}${placeOf(use.at)}`
    const items = [...new Set(uses.map(({ entry }) => entry.id))].join(', ')
    fault(isHere ? lineOf(use) : undefined, `the reference at ${place} ${use.why}; it may declare ${items}`)
  }
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
    const where = { file: source.name, record, ...present({ line }) }
    noteCall(reading.call, where, parts)
  })
}
