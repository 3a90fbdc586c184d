// Counts what is found by item, in memory that does not grow with the traffic: some places of each item, then numbers.
// Keeps names and places only; a member that does not look like a field's name (an address as a key, say) is masked.
import { InputFault } from '../command-line/input-fault.ts'
import type { Reading } from '../input/exchanges.ts'
import { pointerOf, type Path } from '../input/json.ts'
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
type Where = { line?: number | undefined; record?: string | undefined }

/** A place of an item, as first met; `count` is how often it was met, indices of arrays aside. */
export type PlaceSeen = Where & {
  file: string
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
  const time = typeof value === 'number' ? value * (value < 1e11 ? 1000 : 1) : Date.parse(String(value))
  return Math.abs(time) <= MAX_TIME ? Math.round(time) : undefined
}

export class Tally {
  readonly matcher
  requests = 0
  faults = 0
  private file = { name: '', faults: 0 }
  private readonly items = new Map<string, Found & { known: Map<string, PlaceSeen>; request: number }>()
  private readonly asOf: Day
  private readonly report: (fault: string) => void

  /** @param report called with each thing that could not be read, as one line */
  constructor(schedule: Schedule, asOf: Day, report: (fault: string) => void) {
    this.matcher = createMatcher(schedule)
    this.asOf = asOf
    this.report = report
  }

  /** Reads one file. Never throws for what is in it. */
  async inFile(name: string, read: () => Promise<void>): Promise<void> {
    this.file = { name, faults: 0 }
    const before = this.requests
    try {
      await read()
      if (this.requests === before && this.file.faults === 0)
        this.fault('no requests found, so nothing was checked')
    } catch (error) {
      if (!(error instanceof InputFault)) throw error
      this.faults += 1
      this.report(error.message)
    }
    const more = this.file.faults - MAX_FAULTS
    if (more > 0) this.report(new InputFault(name, undefined, `${more} more that couldn't be read`).message)
  }

  fault(what: string, line?: number): void {
    this.faults += 1
    this.file.faults += 1
    if (this.file.faults <= MAX_FAULTS) this.report(new InputFault(this.file.name, line, what).message)
  }

  /** Counts a call as a request and notes its uses. A body that could not be read is one fault, whatever it may have. */
  take(reading: Reading, where: Where): void {
    if (reading === undefined) return
    const fault = (what: string) => this.fault([where.record, what].join(' ').trim(), where.line)
    if ('fault' in reading) return fault(reading.fault)
    this.requests += 1
    const scheduled = this.matcher(reading.call.method, reading.call.url)
    if (scheduled === undefined) return
    const unread = new Map<string, Set<string>>()
    for (const use of usesIn(scheduled, reading.call)) {
      const { entry, side, why } = use
      this.note(use, where, timeFrom(reading.time))
      if (why === undefined || entry.kind !== 'field') continue
      const what = `the ${side} of ${operationOf(entry)} ${why}`
      unread.set(what, (unread.get(what) ?? new Set()).add(entry.field))
    }
    for (const [what, fields] of unread) fault(`${what}; it may have ${[...fields].join(', ')}`)
  }

  /** Notes a finding in the current request (`requests` counts them). What is not yet announced is no finding. */
  note(use: Use, where: Where & { file?: string; pointer?: string | undefined }, time?: number): void {
    const { entry, confidence, side, path } = use
    const status = statusOn(entry, this.asOf)
    if (status.state === 'unannounced') return
    // What may be in use is counted apart, so that the count of what is in use stays true.
    const key = `${isCertain(use)} ${entry.id}`
    const fresh: Found = { entry, status, confidence, count: 0, places: [], elsewhere: 0 }
    const item = this.items.get(key) ?? { ...fresh, known: new Map<string, PlaceSeen>(), request: -1 }
    this.items.set(key, item)
    if (item.request !== this.requests) item.count += 1
    item.request = this.requests
    if (CERTAINTY.indexOf(confidence) > CERTAINTY.indexOf(item.confidence)) item.confidence = confidence
    if (time !== undefined) {
      item.firstSeen = Math.min(time, item.firstSeen ?? time)
      item.lastSeen = Math.max(time, item.lastSeen ?? time)
    }
    const file = where.file ?? this.file.name
    // Indices don't make another place.
    const shape = path?.map((step) => (typeof step === 'number' ? '*' : step)).join('/') ?? where.pointer
    const sameAs = [file, side, confidence, shape].join('\n')
    const known = item.known.get(sameAs)
    if (known !== undefined) known.count += 1
    else if (item.places.length >= MAX_PLACES) item.elsewhere += 1
    else {
      const pointer = path ? shownPointer(path) : where.pointer
      const place = { ...where, file, side, pointer, confidence, count: 1 }
      item.known.set(sameAs, place)
      item.places.push(place)
    }
  }

  /** Everything found (an entry twice where it is in use here and may be in use there), soonest removal first, then by id. */
  found(): Found[] {
    return [...this.items.values()]
      .map(({ known: _known, request: _request, ...found }) => found)
      .sort((a, b) => a.status.daysLeft - b.status.daysLeft || (a.entry.id < b.entry.id ? -1 : 1))
  }
}
