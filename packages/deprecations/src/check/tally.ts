// Counts what is found, item by item, in memory that does not grow with the traffic: so many places an item, then numbers.
// Keeps names and places only; a member that does not look like a field's name (an address as a key, say) is masked.
import type { Confidence, Use } from '../matching/deprecated-use.ts'
import { statusOn, type Day, type Entry, type Side, type Status } from '../schedule/schedule.ts'
import { timeFrom } from '../input/ndjson.ts'
import { pointerOf, type Path } from '../input/json-scan.ts'

/** Where in the input something was read: the line, and the entry or operation as a JSON pointer into the document. */
export type Where = {
  file: string
  line?: number
  record?: string
}

/** A place of an item, as first met; `count` is how often it was met, indices of arrays aside. */
export type PlaceSeen = Where & {
  confidence: Confidence
  side?: Side
  /** JSON pointer within the body; for OpenAPI within the document. */
  pointer?: string
  count: number
}

export type Found = {
  entry: Entry
  status: Status
  /** The best that any place has. */
  confidence: Confidence
  /** In how many requests (for OpenAPI: operations) the item was found. */
  count: number
  /** Milliseconds since 1970. */
  firstSeen?: number
  lastSeen?: number
  places: PlaceSeen[]
  /** How often it was found in places beyond those listed. */
  elsewhere: number
}

/** One finding on its way into the tally. */
export type Sighting = Where & {
  entry: Entry
  confidence: Confidence
  side?: Side | undefined
  path?: Path | undefined
  /** A ready pointer, where the path is not of a body. */
  pointer?: string | undefined
  time?: number | undefined
}

type Counted = Found & {
  known: Map<string, PlaceSeen>
  lastRequest: number
}

/** Places listed for each item; beyond them they are only counted. */
const mostPlaces = 50

/** Whether a finding is a use; all others only may be one. */
export const isCertain = ({ confidence }: { confidence: Confidence }): boolean => confidence === 'exact'

const certainty: Record<Confidence, number> = { endpoint: 0, unread: 1, name: 2, exact: 3 }
const fieldName = /^[A-Za-z_$][\w$-]{0,63}$/
const maskName = (step: string | number) => (typeof step === 'number' || fieldName.test(step) ? step : '*')
const maskIndex = (step: string | number) => (typeof step === 'number' ? '*' : step)

export class Tally {
  requests = 0
  private readonly items = new Map<string, Counted>()
  private readonly asOf: Day

  constructor(asOf: Day) {
    this.asOf = asOf
  }

  /** Notes a finding in the current request (`requests` counts them). What is not yet announced is no finding. */
  note(sighting: Sighting) {
    // What may be in use is counted apart, so that the count of what is in use stays true.
    const key = `${isCertain(sighting) ? 'certain' : 'possible'} ${sighting.entry.id}`
    const item = this.items.get(key) ?? this.started(key, sighting.entry)
    if (item.status.state === 'unannounced') return
    if (item.lastRequest !== this.requests) {
      item.lastRequest = this.requests
      item.count += 1
    }
    if (certainty[sighting.confidence] > certainty[item.confidence]) item.confidence = sighting.confidence
    noteTime(item, sighting.time)
    notePlace(item, sighting)
  }

  /** Everything found (an entry twice where it is in use here and may be in use there), soonest removal first, then by id. */
  found(): Found[] {
    return [...this.items.values()]
      .filter(({ count }) => count > 0)
      .map(withoutWorkings)
      .sort((a, b) => a.status.daysLeft - b.status.daysLeft || (a.entry.id < b.entry.id ? -1 : 1))
  }

  private started(key: string, entry: Entry): Counted {
    const item: Counted = {
      entry,
      status: statusOn(entry, this.asOf),
      confidence: 'endpoint',
      count: 0,
      places: [],
      elsewhere: 0,
      known: new Map(),
      lastRequest: -1,
    }
    this.items.set(key, item)
    return item
  }
}

const withoutWorkings = ({ known: _known, lastRequest: _lastRequest, ...found }: Counted): Found => found

/** A use as the matcher reports it, made ready for the tally. */
export const sightingOf = (use: Use, where: Where, time: unknown): Sighting => ({
  ...where,
  entry: use.entry,
  confidence: use.confidence,
  side: use.side,
  path: use.path,
  time: timeFrom(time),
})

const noteTime = (item: Counted, time: number | undefined) => {
  if (time === undefined) return
  item.firstSeen = Math.min(time, item.firstSeen ?? time)
  item.lastSeen = Math.max(time, item.lastSeen ?? time)
}

const notePlace = (item: Counted, { path, pointer, ...at }: Sighting) => {
  const masked = path?.map(maskName)
  const shape = masked === undefined ? (pointer ?? '') : pointerOf(masked.map(maskIndex))
  const key = `${at.file}\n${at.side ?? ''}\n${at.confidence}\n${shape}`
  const known = item.known.get(key)
  if (known !== undefined) known.count += 1
  else if (item.places.length >= mostPlaces) item.elsewhere += 1
  else {
    const place: PlaceSeen = { file: at.file, confidence: at.confidence, count: 1 }
    if (at.line !== undefined) place.line = at.line
    if (at.record !== undefined) place.record = at.record
    if (at.side !== undefined) place.side = at.side
    if (masked !== undefined) place.pointer = pointerOf(masked)
    else if (pointer !== undefined) place.pointer = pointer
    item.known.set(key, place)
    item.places.push(place)
  }
}
