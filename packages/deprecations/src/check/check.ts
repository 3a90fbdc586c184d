// Checks files against the schedule, in memory that does not grow with the traffic: some places of each item, then numbers.
// A file or line that can't be read is reported and the rest is read; what was found stays found.
import { InputFault } from '@onramp/terminal/input-fault'
import { textOf } from '../input/document.ts'
import { exchangeReaders } from '../input/exchanges.ts'
import type { FormatReader, InputRecord, Source } from '../input/source.ts'
import { createMatcher, type Confidence, type Match } from '../matching/matching.ts'
import { readOpenApi } from '../openapi/openapi.ts'
import { statusOn, type Entry, type Schedule } from '../schedule/schedule.ts'

export type Format = 'har' | 'ndjson' | 'openapi' | 'log'

const readers: Record<Format, FormatReader> = { ...exchangeReaders, openapi: readOpenApi }

/** A place of an item, as first met; `count` is how often it was met, indices of arrays aside. */
export type Location = Pick<Match, 'side' | 'pointer' | 'confidence'> & {
  file: string
  line: number | undefined
  record: string | undefined
  count: number
}

/** An item as it is used, or as it only may be where no use is known; `count` is in how many requests or operations. */
export type Finding = {
  entry: Entry
  status: ReturnType<typeof statusOn>
  confidence: Confidence
  count: number
  places: Map<string, Location>
  /** How often it was found in places beyond those listed. */
  elsewhere: number
  /** ISO 8601. */
  firstSeen?: string
  lastSeen?: string
  /** The last request that was counted. */
  request: number
}

/** `faults` counts lines, entries, bodies and files that could not be read. */
type CheckResult = { asOf: string; files: string[]; requests: number; faults: number; found: Finding[] }

/** Whether a finding is a use; all others only may be one. */
export const isCertain = ({ confidence }: { confidence: Confidence }): boolean => confidence === 'exact'

/** Places listed for each item, and faults reported for each file; beyond them they are only counted. */
const MAX_PLACES = 50
const MAX_FAULTS = 20

const CERTAINTY: readonly Confidence[] = ['endpoint', 'unread', 'name', 'sent', 'exact']

/** The format of a file by its first bytes and its name. @throws {InputFault} where these can't be any of them */
const detectFormat = ({ head, name }: Source): Format => {
  if (head.length === 0) throw new InputFault(name, undefined, 'empty file, so nothing was checked')
  if (head.subarray(0, 1024).includes(0) || (head[0] === 0x1f && head[1] === 0x8b))
    throw new InputFault(name, undefined, 'not text in UTF-8; unpack it (gunzip -c FILE), or convert it')
  const text = Buffer.from(head).toString('utf8').trimStart()
  if (/\.(?:nd|l)json$|\.jsonl$/i.test(name)) return 'ndjson'
  if (/^["']?openapi["']?\s*:/m.test(text) || /^\{[^]*"openapi"\s*:/.test(text)) return 'openapi'
  if (!/^(?:\{|\[\s*[[{"\]])/.test(text)) return /\.ya?ml$/i.test(name) ? 'openapi' : 'log'
  return /\.har$/i.test(name) || /^\{\s*"log"\s*:/.test(text) ? 'har' : 'ndjson'
}

/** A moment as recorded, ISO 8601 or seconds or milliseconds since 1970, in the first; undefined for anything else. */
const momentFrom = (value: unknown): string | undefined => {
  const date = new Date(typeof value === 'number' ? value * (value < 1e11 ? 1000 : 1) : textOf(value))
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

/** Adds a finding to its item. @param file what is read; an OpenAPI document may have it in another one */
const addUse = (item: Finding, use: Match, { line, record, time }: InputRecord, file: string) => {
  const { side, pointer, confidence } = use
  if (CERTAINTY.indexOf(confidence) > CERTAINTY.indexOf(item.confidence)) item.confidence = confidence
  const moment = momentFrom(time)
  if (moment !== undefined) {
    if (item.firstSeen === undefined || moment < item.firstSeen) item.firstSeen = moment
    if (item.lastSeen === undefined || moment > item.lastSeen) item.lastSeen = moment
  }
  // Indices don't make another place of a body.
  const shape = use.line === undefined ? pointer?.replaceAll(/\/\d+/g, '/*') : pointer
  const key = [use.file ?? file, side, confidence, shape].join('\n')
  const known = item.places.get(key)
  if (known !== undefined) known.count += 1
  else if (item.places.size >= MAX_PLACES) item.elsewhere += 1
  else {
    const where = { file: use.file ?? file, line: use.line ? use.line() : line, record }
    item.places.set(key, { ...where, side, pointer, confidence, count: 1 })
  }
}

/**
 * Checks files one after the other. Never throws for what is in them.
 * @param format overrides the detected one
 * @param report called with each thing that could not be read, as one line
 * @returns what was found, soonest removal first, then by id
 */
export const checkFiles = async (
  files: readonly { name: string; open: () => Promise<Source> }[],
  { schedule, asOf, format }: { schedule: Schedule; asOf: string; format?: Format | undefined },
  report: (fault: string) => void,
): Promise<CheckResult> => {
  const matcher = createMatcher(schedule)
  const items = new Map<string, Finding>()
  const read: string[] = []
  let [requests, faults] = [0, 0]

  /** What only may be in use is forgotten once a use is known, and not counted from then on. */
  const note = (use: Match, reading: InputRecord, file: string) => {
    const { entry, confidence } = use
    const status = statusOn(entry, asOf)
    if (status.state === 'unannounced') return
    let item = items.get(entry.id)
    if (item !== undefined && isCertain(item) && !isCertain(use)) return
    if (item === undefined || isCertain(item) !== isCertain(use))
      item = { entry, status, confidence, count: 0, places: new Map(), elsewhere: 0, request: 0 }
    items.set(entry.id, item)
    if (item.request !== requests) item.count += 1
    item.request = requests
    addUse(item, use, reading, file)
  }

  for (const { name: file, open } of files) {
    const [before, faultsBefore] = [requests, faults]
    const fault = (what: string, line?: number, where = file) => {
      faults += 1
      if (faults - faultsBefore <= MAX_FAULTS) report(new InputFault(where, line, what).message)
    }
    const take = (reading: InputRecord) => {
      const { line, record } = reading
      const at = record === undefined ? '' : `${record} `
      if ('fault' in reading) return fault(at + reading.fault, line)
      requests += 1
      // A body or reference that could not be read is one fault, whatever it may have.
      const unread = new Map<string, { use: Match; names: Set<string> }>()
      for (const use of reading.uses) {
        note(use, reading, file)
        if (use.unread === undefined) continue
        const known = unread.get(use.unread) ?? { use, names: new Set() }
        unread.set(use.unread, known)
        known.names.add(use.entry.kind === 'field' ? use.entry.field : use.entry.id)
      }
      for (const [what, { use, names }] of unread)
        fault(
          `${use.line ? '' : at}${what}; it may have ${[...names].join(', ')}`,
          use.line?.() ?? line,
          use.file,
        )
    }
    try {
      const source = await open()
      read.push(file)
      await readers[format ?? detectFormat(source)](source, matcher, take)
      if (requests === before && faults === faultsBefore) fault('no requests found, so nothing was checked')
    } catch (error) {
      if (!(error instanceof InputFault)) throw error
      faults += 1
      report(error.message)
    }
    const more = faults - faultsBefore - MAX_FAULTS
    if (more > 0) report(new InputFault(file, undefined, `${more} more that couldn't be read`).message)
  }
  const found = [...items.values()].sort(
    (a, b) => a.status.daysLeft - b.status.daysLeft || (a.entry.id < b.entry.id ? -1 : 1),
  )
  return { asOf, files: read, requests, faults, found }
}
