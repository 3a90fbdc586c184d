// Checks files against the schedule. Reports unreadable parts, and still checks the rest.
import { InputFault } from '@onramp/terminal/arguments'
import { exchangeReaders } from '../input/exchanges.ts'
import { asText, type InputRecord, type openSource } from '../input/source.ts'
import { createOperationLookup, type Match } from '../matching/matching.ts'
import { readOpenApi } from '../openapi/openapi.ts'
import { statusOn, type Entry, type Schedule } from '../schedule/schedule.ts'

const readers = { ...exchangeReaders, openapi: readOpenApi }
type Source = Awaited<ReturnType<typeof openSource>>
type Confidence = Match['confidence']
type Format = keyof typeof readers

/** A place where a finding was seen, with its count. */
type Place = Pick<Match, 'side' | 'pointer' | 'confidence'> & {
  file: string
  line: number | undefined
  record: string | undefined
  count: number
}

type Finding = {
  entry: Entry
  status: ReturnType<typeof statusOn>
  confidence: Confidence
  /** The number of requests or operations. */
  count: number
  places: Map<string, Place>
  /** Occurrences beyond MAX_PLACES. */
  elsewhere: number
  /** An ISO 8601 time. */
  firstSeen?: string
  lastSeen?: string
  /** The last counted request, so that each counts once. */
  lastRequest: number
}

/** True for a certain use, false for a possible one. */
const isCertain = ({ confidence }: { confidence: Confidence }): boolean => confidence === 'exact'

/** The limit for each finding and for each file. Further places are only counted. */
const MAX_PLACES = 50
const MAX_FAULTS = 20

/** Words for people, from the least certain to the most certain. */
export const CONFIDENCES: Readonly<Record<Confidence, string>> = {
  endpoint: 'body not recorded, or in another file',
  unread: 'body unreadable',
  name: 'name match',
  sent: 'sent by the service, used or not',
  exact: 'exact match',
}
const CERTAINTY = Object.keys(CONFIDENCES)

/** Detects the format by the first bytes and the name. @throws {InputFault} */
const detectFormat = ({ head, name }: Source): Format => {
  if (head.length === 0) throw new InputFault(name, undefined, 'empty file, so nothing was checked')
  if (head.subarray(0, 1024).includes(0) || (head[0] === 0x1f && head[1] === 0x8b))
    throw new InputFault(name, undefined, 'not text in UTF-8; unpack it (gunzip -c FILE), or convert it')
  const text = Buffer.from(head).toString('utf8').trimStart()
  if (/\.(?:nd|l)json$|\.jsonl$/i.test(name)) return 'ndjson'
  if (/^["']?openapi["']?\s*:/m.test(text) || /^\{[^]*"openapi"\s*:/.test(text)) return 'openapi'
  if (!/^(?:\{|\[\s*[[{"\]])/.test(text)) return /\.ya?ml$/i.test(name) ? 'openapi' : 'log'
  return /\.har$/i.test(name) || /^\{\s*"log"\s*:\s*\{/.test(text) ? 'har' : 'ndjson'
}

/** Reads ISO 8601, or seconds or milliseconds since 1970. */
const toIsoTime = (value: unknown): string | undefined => {
  const text = asText(value)
  const number = /^\d{9,13}(?:\.\d+)?$/.test(text) ? Number(text) : undefined
  const date = new Date(number === undefined ? text : number * (number < 1e11 ? 1000 : 1))
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

const addTime = (finding: Finding, time: unknown) => {
  const moment = toIsoTime(time)
  if (moment === undefined) return
  if (finding.firstSeen === undefined || moment < finding.firstSeen) finding.firstSeen = moment
  if (finding.lastSeen === undefined || moment > finding.lastSeen) finding.lastSeen = moment
}

/** @param file the file being read, although an OpenAPI document may refer to another one */
const addPlace = (finding: Finding, match: Match, { line, record }: InputRecord, file: string) => {
  const { side, pointer, confidence } = match
  // All items of an array are one place.
  const shape = match.line === undefined ? pointer?.replaceAll(/\/\d+/g, '/*') : pointer
  const key = [match.file ?? file, side, confidence, shape].join('\n')
  const knownPlace = finding.places.get(key)
  if (knownPlace !== undefined) knownPlace.count += 1
  else if (finding.places.size >= MAX_PLACES) finding.elsewhere += 1
  else {
    const where = { file: match.file ?? file, line: match.line ? match.line() : line, record }
    finding.places.set(key, { ...where, side, pointer, confidence, count: 1 })
  }
}

/** Unreadable bodies and references of one request. Each is one fault, which lists all fields that it may have. */
const unreadParts = (matches: readonly Match[]) =>
  [...Map.groupBy(matches, ({ unread }) => unread)].flatMap(([unread, [first, ...others]]) => {
    if (unread === undefined || first === undefined) return []
    const names = [first, ...others].map(({ entry }) => (entry.kind === 'field' ? entry.field : entry.id))
    return [{ match: first, fault: `${unread}; it may have ${[...new Set(names)].join(', ')}` }]
  })

/**
 * Checks files one after the other.
 * @param format overrides the detected one
 * @param report gets each fault as one line
 * @returns `faults` counts unreadable files, lines, entries and bodies; `found`: by removal date, then by id
 */
export const checkFiles = async (
  files: readonly { name: string; open: () => Promise<Source> }[],
  { schedule, asOf, format }: { schedule: Schedule; asOf: string; format?: Format | undefined },
  report: (fault: string) => void,
) => {
  const findOperation = createOperationLookup(schedule)
  // The size of this map depends on the schedule, not on the traffic.
  const findings = new Map<string, Finding>()
  const readFiles: string[] = []
  let [requests, faults] = [0, 0]

  for (const { name: file, open } of files) {
    const [requestsBefore, faultsBefore] = [requests, faults]
    const addFault = (fault: string, line?: number, where = file) => {
      faults += 1
      if (faults - faultsBefore <= MAX_FAULTS) report(new InputFault(where, line, fault).message)
    }
    /** A certain use replaces all possible uses, which are no longer counted. */
    const addMatch = (match: Match, record: InputRecord) => {
      const { entry, confidence } = match
      const status = statusOn(entry, asOf)
      const knownFinding = findings.get(entry.id)
      if (status.state === 'unannounced' || (knownFinding && isCertain(knownFinding) && !isCertain(match)))
        return
      const fresh = { entry, status, confidence, count: 0, places: new Map(), elsewhere: 0, lastRequest: 0 }
      const finding: Finding =
        knownFinding && isCertain(knownFinding) === isCertain(match) ? knownFinding : fresh
      findings.set(entry.id, finding)
      if (finding.lastRequest !== requests) finding.count += 1
      finding.lastRequest = requests
      if (CERTAINTY.indexOf(confidence) > CERTAINTY.indexOf(finding.confidence))
        finding.confidence = confidence
      addTime(finding, record.time)
      addPlace(finding, match, record, file)
    }
    const onRecord = (record: InputRecord) => {
      const at = record.record === undefined ? '' : `${record.record} `
      if ('fault' in record) return addFault(at + record.fault, record.line)
      requests += 1
      const matches = [...record.matches]
      for (const match of matches) addMatch(match, record)
      for (const { match, fault } of unreadParts(matches))
        addFault(match.line ? fault : at + fault, match.line?.() ?? record.line, match.file)
    }
    try {
      const source = await open()
      readFiles.push(file)
      await readers[format ?? detectFormat(source)](source, findOperation, onRecord)
      if (requests === requestsBefore && faults === faultsBefore)
        addFault('no requests found, so nothing was checked')
    } catch (error) {
      if (!(error instanceof InputFault)) throw error
      faults += 1
      report(error.message)
    }
    const moreFaults = faults - faultsBefore - MAX_FAULTS
    if (moreFaults > 0)
      report(new InputFault(file, undefined, `${moreFaults} more that couldn't be read`).message)
  }
  const order = (a: Finding, b: Finding) =>
    a.status.daysLeft - b.status.daysLeft || (a.entry.id < b.entry.id ? -1 : 1)
  return { asOf, files: readFiles, requests, faults, found: [...findings.values()].sort(order) }
}
