// Counts what is found by item, in memory that does not grow with the traffic: some places of each item, then numbers.
// Keeps names and places only; a member that does not look like a field's name (an address as a key, say) is masked.
import { InputFault } from '../command-line/input-fault.ts'
import type { Reading } from '../input/exchanges.ts'
import { pointerOf, textOf, type Path } from '../input/json.ts'
import { createMatcher, usesIn, type Confidence, type Use } from '../matching/matcher.ts'
import {
  operationOf,
  statusOn,
  type Day,
  type Entry,
  type Schedule,
  type Side,
  type Status,
} from '../schedule/schedule.ts'

/** Where something was read: the line, and the entry or operation as a JSON pointer into the document. */
type Where = { line?: number | (() => number | undefined) | undefined; record?: string | undefined }

/** A place of an item, as first met; `count` is how often it was met, indices of arrays aside. */
export type PlaceSeen = {
  file: string
  line: number | undefined
  record?: string | undefined
  side: Side | undefined
  /** JSON pointer within the body; for OpenAPI within the document. */
  pointer: string | undefined
  confidence: Confidence
  count: number
}

/** An item as it is used, or as it may be; `count` is in how many requests (for OpenAPI: operations). */
export type Found = {
  entry: Entry
  status: Status
  confidence: Confidence
  count: number
  places: PlaceSeen[]
  /** How often it was found in places beyond those listed. */
  elsewhere: number
  /** Milliseconds since 1970. */
  firstSeen?: number
  lastSeen?: number
}

/** Whether a finding is a use; all others only may be one. */
export const isCertain = ({ confidence }: { confidence: Confidence }): boolean => confidence === 'exact'

/** Places listed for each item, and faults reported for each file; beyond them they are only counted. */
const MAX_PLACES = 50
const MAX_FAULTS = 20
/** What a Date can hold, in milliseconds. */
const MAX_TIME = 8.64e15

const CERTAINTY: readonly Confidence[] = ['endpoint', 'unread', 'name', 'exact']
const FIELD_NAME = /^[A-Za-z_$][\w$-]{0,63}$/

/** A pointer to a place that is there: it ends before the first name that is masked. */
const shownPointer = (path: Path) => {
  const end = path.findIndex((step) => typeof step === 'string' && !FIELD_NAME.test(step))
  return pointerOf(end < 0 ? path : path.slice(0, end))
}

/** A moment as recorded, ISO 8601 or seconds or milliseconds since 1970, in the last; undefined for anything else. */
const timeFrom = (value: unknown): number | undefined => {
  const time = typeof value === 'number' ? value * (value < 1e11 ? 1000 : 1) : Date.parse(textOf(value))
  return Math.abs(time) <= MAX_TIME ? Math.round(time) : undefined
}

export type Tally = ReturnType<typeof createTally>

/** Starts counting. @param report called with each thing that could not be read, as one line */
export const createTally = (schedule: Schedule, asOf: Day, report: (fault: string) => void) => {
  const matcher = createMatcher(schedule)
  const items = new Map<string, Found & { known: Map<string, PlaceSeen>; request: number }>()
  let [requests, faults, file, faultsInFile] = [0, 0, '', 0]

  const fault = (what: string, line?: number) => {
    faults += 1
    faultsInFile += 1
    if (faultsInFile <= MAX_FAULTS) report(new InputFault(file, line, what).message)
  }

  /** Reads one file. Never throws for what is in it. */
  const inFile = async (name: string, read: () => Promise<void>) => {
    const before = requests
    ;[file, faultsInFile] = [name, 0]
    try {
      await read()
      if (requests === before && faultsInFile === 0) fault('no requests found, so nothing was checked')
    } catch (error) {
      if (!(error instanceof InputFault)) throw error
      faults += 1
      report(error.message)
    }
    const more = `${faultsInFile - MAX_FAULTS} more that couldn't be read`
    if (faultsInFile > MAX_FAULTS) report(new InputFault(name, undefined, more).message)
  }

  /** Notes a finding in the current request. What is not yet announced is no finding. */
  const note = (use: Use, where: Where & { file?: string; pointer?: string | undefined }, time?: number) => {
    const { entry, confidence, side, path } = use
    const status = statusOn(entry, asOf)
    if (status.state === 'unannounced') return
    // What may be in use is counted apart, so that the count of what is in use stays true.
    const key = `${isCertain(use)} ${entry.id}`
    const fresh: Found = { entry, status, confidence, count: 0, places: [], elsewhere: 0 }
    const item = items.get(key) ?? { ...fresh, known: new Map<string, PlaceSeen>(), request: -1 }
    items.set(key, item)
    if (item.request !== requests) item.count += 1
    item.request = requests
    if (CERTAINTY.indexOf(confidence) > CERTAINTY.indexOf(item.confidence)) item.confidence = confidence
    if (time !== undefined) {
      item.firstSeen = Math.min(time, item.firstSeen ?? time)
      item.lastSeen = Math.max(time, item.lastSeen ?? time)
    }
    // Indices don't make another place.
    const shape = path?.map((step) => (typeof step === 'number' ? '*' : step)).join('/') ?? where.pointer
    const sameAs = [where.file, file, side, confidence, shape].join('\n')
    const known = item.known.get(sameAs)
    if (known !== undefined) known.count += 1
    else if (item.places.length >= MAX_PLACES) item.elsewhere += 1
    else {
      const line = typeof where.line === 'function' ? where.line() : where.line
      const pointer = path ? shownPointer(path) : where.pointer
      const place = { file, ...where, line, side, pointer, confidence, count: 1 }
      item.known.set(sameAs, place)
      item.places.push(place)
    }
  }

  /** Counts a call as a request and notes its uses. A body that could not be read is one fault, whatever it may have. */
  const take = (reading: Reading, { line, record }: { line?: number; record?: string }) => {
    if (reading === undefined) return
    const faultHere = (what: string) => fault(record === undefined ? what : `${record} ${what}`, line)
    if ('fault' in reading) return faultHere(reading.fault)
    requests += 1
    const scheduled = matcher(reading.call.method, reading.call.url)
    const unread = new Map<string, Set<string>>()
    for (const use of scheduled === undefined ? [] : usesIn(scheduled, reading.call)) {
      const { entry, side, why } = use
      note(use, { line, record }, timeFrom(reading.time))
      if (why === undefined || entry.kind !== 'field') continue
      const what = `the ${side} of ${operationOf(entry)} ${why}`
      unread.set(what, (unread.get(what) ?? new Set()).add(entry.field))
    }
    for (const [what, fields] of unread) faultHere(`${what}; it may have ${[...fields].join(', ')}`)
  }

  /** The items (one twice where it is in use here and may be in use there), soonest removal first, then by id. */
  const result = () => {
    const found = [...items.values()]
      .map(({ known: _known, request: _request, ...one }): Found => one)
      .sort((a, b) => a.status.daysLeft - b.status.daysLeft || (a.entry.id < b.entry.id ? -1 : 1))
    return { requests, faults, found }
  }

  return { matcher, inFile, fault, note, take, result, countRequest: () => void (requests += 1) }
}
