// A snapshot of everyone. All pages and exports share a snapshot for ten seconds, because any web page may send an
// admin's browser here at any rate. Then the snapshot's people leave the memory. For ten more seconds, its report is
// shown while the next snapshot is read in slices.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { calendarOf, nextWorkday } from '../campaigns/working-time.ts'
import type { Company } from '../company/company.ts'
import type { KeepStateStore } from '../people/keep-state.ts'
import type { PeopleStore } from '../people/people-store.ts'
import type { PersonApp } from '../people/person.ts'
import { summarize, type PersonSummary } from './person-summary.ts'
import { ReportCounter, type Report } from './report.ts'

const FRESH_MS = 10_000
/** Filtering 500 people takes a few milliseconds. */
const SLICE = 500

type Order = (one: PersonSummary, other: PersonSummary) => number

const names = new Intl.Collator('en', { numeric: true })
const sortName = ({ person }: PersonSummary) => person.name ?? person.email

const byEmail: Order = ({ person: one }, { person: other }) =>
  one.email === other.email ? 0 : one.email < other.email ? -1 : 1
const byName: Order = (one, other) => names.compare(sortName(one), sortName(other)) || byEmail(one, other)

/** Downloads sort by address, because a name may change meanwhile. `otherSite`: a page that another site opens. */
const ORDERS = { page: byName, otherSite: byName, download: byEmail }

type Purpose = keyof typeof ORDERS

/** `people`: undefined after ten seconds. `sorted` is filled by the first use of an order. */
type Snapshot = {
  people: { all: readonly PersonSummary[]; sorted: Map<Order, Promise<PersonSummary[]>> } | undefined
  report: Report
}

/** A refresh of the snapshot continues after the request that began it. */
const NEVER_ABORTED = new AbortController().signal

/** A merge sort in slices, because sorting 50,000 names would block the event loop for a quarter of a second. */
async function sortInSlices(all: readonly PersonSummary[], order: Order): Promise<PersonSummary[]> {
  await yieldToEventLoop()
  if (all.length <= SLICE) return all.toSorted(order)
  const middle = Math.ceil(all.length / 2)
  const one = await sortInSlices(all.slice(0, middle), order)
  const other = await sortInSlices(all.slice(middle), order)
  const merged: PersonSummary[] = []
  for (let [left, right] = [0, 0]; merged.length < all.length;) {
    if (merged.length % SLICE === 0) await yieldToEventLoop()
    const isLeft = right >= other.length || (left < one.length && order(one[left]!, other[right]!) <= 0)
    merged.push(isLeft ? one[left++]! : other[right++]!)
  }
  return merged
}

function sliceAfter(last: PersonSummary | undefined, all: PersonSummary[], order: Order): PersonSummary[] {
  let [first, end] = [0, last === undefined ? 0 : all.length]
  while (first < end) {
    const middle = Math.floor((first + end) / 2)
    if (order(all[middle]!, last!) <= 0) first = middle + 1
    else end = middle
  }
  return all.slice(first, first + SLICE)
}

/** Each method throws the signal's reason once the browser has disconnected. */
export class PeopleSnapshot {
  readonly #deps
  readonly now: () => number
  #latest: Snapshot | undefined
  #reading: Promise<void> | undefined
  readonly #readers = new Set<AbortSignal>()
  /** One queue of slices for each purpose, so that no number of views blocks the event loop or an admin's own page. */
  readonly #sliceQueues = {
    page: Promise.resolve(),
    otherSite: Promise.resolve(),
    download: Promise.resolve(),
  }

  constructor(deps: {
    people: Pick<PeopleStore, 'all'>
    keepStateStore: Pick<KeepStateStore, 'load'>
    company: Pick<Company, 'timezone' | 'quietDays'>
    now: () => number
  }) {
    this.#deps = deps
    this.now = deps.now
  }

  /** Everyone, in the order of the purpose. A slow reader continues in a newer snapshot. */
  async *summaries(signal: AbortSignal, use: Purpose): AsyncGenerator<PersonSummary> {
    for (let last: PersonSummary | undefined; ;) {
      const slice = await this.#sliceAfter(last, signal, use)
      yield* slice
      if (slice.length < SLICE) return
      last = slice.at(-1)
    }
  }

  /** The next slice. Separate from the generator, which would keep an old snapshot while its reader is slow. */
  async #sliceAfter(last: PersonSummary | undefined, signal: AbortSignal, use: Purpose) {
    const { all, sorted } = await this.#newest(signal)
    const order = ORDERS[use]
    const sortedPeople = sorted.get(order) ?? sortInSlices(all, order)
    sorted.set(order, sortedPeople)
    const people = await sortedPeople
    await (this.#sliceQueues[use] = this.#sliceQueues[use].then(() => yieldToEventLoop()))
    return sliceAfter(last, people, order)
  }

  async report(signal: AbortSignal): Promise<Report> {
    signal.throwIfAborted()
    if (this.#latest === undefined) await this.#newest(signal)
    else if (this.#latest.people === undefined) {
      this.#readers.add(NEVER_ABORTED)
      this.#readOnce().catch(() => {})
    }
    return this.#latest?.report ?? this.report(signal)
  }

  async #newest(signal: AbortSignal) {
    for (;;) {
      signal.throwIfAborted()
      if (this.#latest?.people !== undefined) return this.#latest.people
      this.#readers.add(signal)
      signal.addEventListener('abort', () => this.#readers.delete(signal))
      await this.#readOnce()
    }
  }

  #readOnce(): Promise<void> {
    return (this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
      this.#readers.clear()
    }))
  }

  async #read(): Promise<void> {
    const { people, keepStateStore, company } = this.#deps
    const state = await keepStateStore.load()
    const summaries: PersonSummary[] = []
    let unreadable = 0
    const appPool = createAppPool()
    const workdayFrom = (at: number, person: PersonSummary['person']) =>
      nextWorkday(at, calendarOf(company, person, state))
    const counter = new ReportCounter(this.now(), { state, workdayFrom })
    for await (const person of people.all(() => unreadable++)) {
      if (this.#readers.size === 0) return
      const summary = summarize(person, state, appPool)
      summaries.push(summary)
      counter.add(summary)
    }
    this.#publish({ people: { all: summaries, sorted: new Map() }, report: counter.report(unreadable) })
  }

  /** Keeps it for a while. Separate from #read, whose variables a timer's closure would all keep in memory. */
  #publish(latest: Snapshot): void {
    this.#latest = latest
    setTimeout(() => (latest.people = undefined), FRESH_MS).unref()
    setTimeout(() => {
      if (this.#latest === latest) this.#latest = undefined
    }, 2 * FRESH_MS).unref()
  }
}

/** A service that names an app differently for each person would fill the memory. */
const MAX_VARIANTS = 32

/** One shared object for each app and state, which saves memory. Times differ from person to person. */
function createAppPool(): (app: PersonApp) => PersonApp {
  const apps = new Map<string, PersonApp[]>()
  return (app) => {
    const { instance, lapsedAt, newAt, blockedAt } = app
    if ((lapsedAt ?? newAt ?? blockedAt) !== undefined) return app
    const variants = apps.get(instance) ?? []
    const equalApp = variants.find((one) => isSameApp(one, app))
    if (equalApp !== undefined || variants.length === MAX_VARIANTS) return equalApp ?? app
    apps.set(instance, [...variants, app])
    return app
  }
}

const isSameApp = (one: PersonApp, other: PersonApp): boolean =>
  one.state === other.state &&
  one.name === other.name &&
  one.isUnconfirmed === other.isUnconfirmed &&
  one.isUnstartable === other.isUnstartable &&
  one.movedFrom === other.movedFrom
