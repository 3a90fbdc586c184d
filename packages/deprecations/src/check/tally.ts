// Counts what is found by item, in memory that does not grow with the traffic: some places of each item, then numbers.
// Keeps names and places only; a member that does not look like a field's name (an address as a key, say) is masked.
import type { Confidence, Matcher, Use } from '../matching/deprecated-use.ts'
import { operationOf, statusOn, type Day, type Entry, type Side, type Status } from '../schedule/schedule.ts'
import { timeFrom, type TimedCall } from '../input/ndjson.ts'
import { pointerOf, type Path } from '../input/json-scan.ts'

/** Where in the input something was read: the line, and the entry or operation as a JSON pointer into the document. */
type Where = { file: string; line?: number | undefined; record?: string | undefined }

/** A place of an item, as first met; `count` is how often it was met, indices of arrays aside. */
export type PlaceSeen = Where & {
  confidence: Confidence
  side?: Side | undefined
  /** JSON pointer within the body; for OpenAPI within the document. */
  pointer?: string | undefined
  count: number
}

export type Found = {
  entry: Entry
  status: Status
  /** The best that any place has. */
  confidence: Confidence
  /** In how many requests (for OpenAPI: operations) the item was found. */
  count: number
  places: PlaceSeen[]
  /** How often it was found in places beyond those listed. */
  elsewhere: number
  /** Milliseconds since 1970. */
  firstSeen?: number
  lastSeen?: number
}

/** One finding on its way into the tally. `pointer` is given where the path is not of a body. */
type Sighting = Omit<PlaceSeen, 'count'> & {
  entry: Entry
  path?: Path | undefined
  time?: number | undefined
}

type Counted = { found: Found; known: Map<string, PlaceSeen>; lastRequest: number }

/** Reports a part of the input that could not be read. */
export type ReportFault = (line: number | undefined, what: string) => void

/** Places listed for each item; beyond them they are only counted. */
const MAX_PLACES = 50

/** Whether a finding is a use; all others only may be one. */
export const isCertain = ({ confidence }: { confidence: Confidence }): boolean => confidence === 'exact'

const certainty: Record<Confidence, number> = { endpoint: 0, unread: 1, name: 2, exact: 3 }
const FIELD_NAME = /^[A-Za-z_$][\w$-]{0,63}$/
const maskName = (step: string | number) => (typeof step === 'number' || FIELD_NAME.test(step) ? step : '*')
const maskIndex = (step: string | number) => (typeof step === 'number' ? '*' : step)

export class Tally {
  requests = 0
  private readonly items = new Map<string, Counted>()
  private readonly asOf: Day

  constructor(asOf: Day) {
    this.asOf = asOf
  }

  /** Counts a call as a request and notes its uses. A body that could not be read is one fault, whatever it may bear. */
  noteCall(call: TimedCall, where: Where, { matcher, fault }: { matcher: Matcher; fault: ReportFault }) {
    this.requests += 1
    if (matcher.isRoute(call))
      fault(
        where.line,
        'its url is a route, which may be any operation; record the address that was asked for',
      )
    const unread: Use[] = []
    matcher.eachUse(call, (use) => {
      const { entry, confidence, side, path } = use
      this.note({ ...where, entry, confidence, side, path, time: timeFrom(call.time) })
      if (confidence === 'unread') unread.push(use)
    })
    for (const [side, uses] of Map.groupBy(unread, (use) => use.side)) {
      const [{ entry, why }] = uses as [Use, ...Use[]]
      const fields = uses.map((use) => (use.entry.kind === 'field' ? use.entry.field : ''))
      const may = `it may bear ${[...new Set(fields)].join(', ')}`
      fault(where.line, `the ${side} of ${operationOf(entry)} ${why}; ${may}`)
    }
  }

  /** Notes a finding in the current request (`requests` counts them). What is not yet announced is no finding. */
  note(sighting: Sighting) {
    const { entry, confidence, time } = sighting
    // What may be in use is counted apart, so that the count of what is in use stays true.
    const key = `${isCertain(sighting) ? 'certain' : 'possible'} ${entry.id}`
    let item = this.items.get(key)
    if (item === undefined) {
      const status = statusOn(entry, this.asOf)
      const found: Found = { entry, status, confidence: 'endpoint', count: 0, places: [], elsewhere: 0 }
      item = { found, known: new Map(), lastRequest: -1 }
      this.items.set(key, item)
    }
    const { found } = item
    if (found.status.state === 'unannounced') return
    if (item.lastRequest !== this.requests) {
      item.lastRequest = this.requests
      found.count += 1
    }
    if (certainty[confidence] > certainty[found.confidence]) found.confidence = confidence
    if (time !== undefined) {
      found.firstSeen = Math.min(time, found.firstSeen ?? time)
      found.lastSeen = Math.max(time, found.lastSeen ?? time)
    }
    notePlace(item, sighting)
  }

  /** Everything found (an entry twice where it is in use here and may be in use there), soonest removal first, then by id. */
  found(): Found[] {
    return [...this.items.values()]
      .map(({ found }) => found)
      .filter(({ count }) => count > 0)
      .sort((a, b) => a.status.daysLeft - b.status.daysLeft || (a.entry.id < b.entry.id ? -1 : 1))
  }
}

const notePlace = ({ found, known }: Counted, { path, ...at }: Sighting) => {
  const { file, line, record, side, confidence } = at
  const masked = path?.map(maskName)
  const shape = masked === undefined ? at.pointer : pointerOf(masked.map(maskIndex))
  const key = `${file}\n${side}\n${confidence}\n${shape}`
  const place = known.get(key)
  if (place !== undefined) place.count += 1
  else if (found.places.length >= MAX_PLACES) found.elsewhere += 1
  else {
    // A pointer leads to a place that is there, so it ends before the first name that is masked.
    const hidden = masked?.indexOf('*') ?? -1
    const pointer =
      masked === undefined ? at.pointer : pointerOf(hidden < 0 ? masked : masked.slice(0, hidden))
    const place: PlaceSeen = { file, confidence, count: 1, line, record, side, pointer }
    known.set(key, place)
    found.places.push(place)
  }
}
