// Checks the formats that are read whole: HAR and OpenAPI. Lines are looked up only for what was found.
import { resolve } from 'node:path'
import type { Matcher } from '../matching/deprecated-use.ts'
import { hidesMembers } from '../matching/hidden-text.ts'
import { harEntries, MAX_HAR, readHarEntry } from '../input/har.ts'
import { InputFault } from '../command-line/input-fault.ts'
import { linesOf } from '../input/json-scan.ts'
import { loadNeighbours, parseSpec, type SpecFile } from '../openapi/files.ts'
import { placeOf } from '../openapi/places.ts'
import { eachDeclared, isOpenApi, MAX_OPENAPI, type Declared } from '../openapi/openapi.ts'
import { wholeText, type Source } from './source.ts'
import type { ReportFault, Tally } from './tally.ts'

export type DocumentParts = {
  source: Source
  matcher: Matcher
  tally: Tally
  fault: ReportFault
}

/** Reads a HAR or an OpenAPI document into the tally; throws InputFault when it is neither. */
export const readDocument = async (format: 'har' | 'openapi', parts: DocumentParts): Promise<void> => {
  const { name } = parts.source
  const text = await wholeText(parts.source, format === 'har' ? MAX_HAR : MAX_OPENAPI)
  const spec = await parseSpec(text, name)
  if (/^\s*\{/.test(text) && hidesMembers(text, spec.data))
    parts.fault(undefined, 'has duplicate members, so some were not read; write each only once')
  if (isOpenApi(spec.data))
    return readOpenApi({ ...spec, path: name === 'stdin' ? undefined : resolve(name) }, parts)
  if (!text.trimStart().startsWith('{'))
    throw new InputFault(name, 1, 'not an OpenAPI document: it has no "openapi: 3…"')
  readHar(spec.data, text, parts)
}

const linesIn = (declared: readonly Declared[]) => {
  const lines = new Map<SpecFile, Map<string, number>>()
  for (const [file, ofIt] of Map.groupBy(declared, ({ at }) => at.file))
    lines.set(file, file.linesAt(new Set(ofIt.map(({ at }) => placeOf(at)))))
  return ({ at }: Declared) => lines.get(at.file)?.get(placeOf(at))
}

const readOpenApi = async (main: SpecFile, parts: DocumentParts) => {
  const { matcher, tally } = parts
  const declared: Declared[] = []
  const report = (use: Declared) => declared.push(use)
  const operations = eachDeclared(main, { matcher, find: await loadNeighbours(main), report })
  const lineOf = linesIn(declared)
  const before = tally.requests
  let last = ''
  for (const use of declared) {
    const { entry, confidence, side, operation, at } = use
    // Each operation counts as a request, so that an item is counted once for each.
    if (operation !== last) tally.requests += 1
    last = operation
    const where = { file: at.file.name, record: operation, line: lineOf(use) }
    tally.note({ ...where, entry, confidence, side, pointer: placeOf(at) })
  }
  tally.requests = Math.max(tally.requests, before + operations)
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
    const [use] = uses as [Declared, ...Declared[]]
    const isHere = use.at.file.name === source.name
    const place = `${isHere ? '' : `${use.at.file.name}#`}${placeOf(use.at)}`
    const items = [...new Set(uses.map(({ entry }) => entry.id))].join(', ')
    fault(isHere ? lineOf(use) : undefined, `the reference at ${place} ${use.why}; it may declare ${items}`)
  }
}

const readHar = (document: unknown, text: string, parts: DocumentParts) => {
  const { source, matcher, tally, fault } = parts
  const readings = harEntries(document, source.name).map((entry, index) => ({
    record: `/log/entries/${index}`,
    reading: readHarEntry(entry),
  }))
  const ofInterest = readings.filter(
    ({ reading }) =>
      'fault' in reading || matcher.isRoute(reading.call) || matcher.operationsOf(reading.call).size > 0,
  )
  const lines = linesOf(text, new Set(ofInterest.map(({ record }) => record)))
  for (const { record, reading } of readings) {
    const line = lines.get(record)
    if ('fault' in reading) fault(line, reading.fault)
    else tally.noteCall(reading.call, { file: source.name, record, line }, parts)
  }
}
