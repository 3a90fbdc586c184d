// Delivers the outbox events of people to WEBHOOK_URL, outside of requests. Each process sends its own events; every
// five minutes, one process searches everyone's records for events left by another.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { PeopleStore } from '../people/people-store.ts'
import type { OutboxEvent, Person } from '../people/person.ts'
import type { Records } from '../records/records.ts'
import { withTimeout } from '../with-timeout.ts'
import { ReceiverMonitor } from './receiver-monitor.ts'
import { eventBody, WebhookSender, type WebhookOutcome } from './sender.ts'

const FIND_EVERY_SECONDS = 300
const LAST_FOUND_KEY = 'webhooks:swept'
/** Further people are found the next time. */
const MAX_PENDING = 10_000
const STORE_PAUSE_MS = 30_000
const MAX_CLOSING_MS = 2_000
const MAX_DELIVERIES = 8

export class Webhooks {
  readonly #deps
  readonly #receiver: ReceiverMonitor
  /** People with events, by email. */
  readonly #pending = new Map<string, PendingDelivery>()
  readonly #underWay = new Map<string, Promise<void>>()
  /** Keeps later deliveries out of the log lines and spans of the request that queued them. */
  readonly #outsideOfRequests = AsyncLocalStorage.snapshot()
  #next: NodeJS.Timeout | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(
    deps: ConstructorParameters<typeof ReceiverMonitor>[0] & {
      people: Pick<PeopleStore, 'all' | 'change'>
      records: Pick<Records, 'compareAndSet'>
      sender: Pick<WebhookSender, 'send' | 'close'>
    },
  ) {
    this.#deps = deps
    this.#receiver = new ReceiverMonitor(deps, () => [...this.#pending.values()].map(({ since }) => since))
  }

  start(): void {
    this.#findLeftEventsAfter(0, true)
  }

  /** Queues the person's events, and returns at once. @param dropped the number of old events removed */
  enqueue(email: string, dropped: number): void {
    this.#receiver.recordDropped(dropped)
    const since = this.#pending.get(email)?.since ?? this.#deps.now()
    this.#outsideOfRequests(() => this.#queue(email, { dueAt: this.#deps.now(), since }))
  }

  /** Waits two seconds for deliveries in progress. The rest stays in the store. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    clearTimeout(this.#next)
    await withTimeout(MAX_CLOSING_MS, Promise.all(this.#underWay.values())).catch(() => {})
    await this.#deps.sender.close()
    await Promise.all(this.#underWay.values())
  }

  #queue(email: string, due: PendingDelivery): void {
    if (this.#isClosed || (!this.#pending.has(email) && this.#pending.size >= MAX_PENDING)) return
    this.#pending.set(email, due)
    this.#beginNext()
  }

  #beginNext(): void {
    clearTimeout(this.#next)
    let earliest = Infinity
    for (const [email, due] of this.#pending) {
      if (this.#isClosed || this.#underWay.size >= MAX_DELIVERIES) return
      if (this.#underWay.has(email)) continue
      if (due.dueAt <= this.#deps.now()) this.#underWay.set(email, this.#work(email, due))
      else earliest = Math.min(earliest, due.dueAt)
    }
    if (earliest < Infinity)
      this.#next = setTimeout(() => this.#beginNext(), earliest - this.#deps.now()).unref()
  }

  async #work(email: string, due: PendingDelivery): Promise<void> {
    const { now } = this.#deps
    const dueDelivery = await this.#deliver(email).catch(() => ({ ...due, dueAt: now() + STORE_PAUSE_MS }))
    this.#underWay.delete(email)
    // Otherwise, more events came meanwhile.
    if (this.#pending.get(email) === due) {
      this.#pending.delete(email)
      if (dueDelivery !== undefined) this.#pending.set(email, dueDelivery)
    }
    this.#beginNext()
  }

  async #deliver(email: string): Promise<PendingDelivery | undefined> {
    const { people, sender } = this.#deps
    const { person, events, dropped } = await claim(people, email, this.#deps.now())
    this.#receiver.recordDropped(dropped)
    const outcomes = new Map<string, WebhookOutcome>()
    for (const event of events) {
      const outcome = await sender.send(event.id, eventBody(event, person), this.#deps.now())
      outcomes.set(event.id, outcome)
      // A call that `close` aborted isn't a failure of the receiver.
      if (!this.#isClosed) this.#receiver.recordOutcome(outcome)
      if (outcome.kind === 'unreachable') break
    }
    return pendingDelivery(
      await people.change(email, (before) => withOutcomes(before, outcomes, this.#deps.now())),
    )
  }

  /** @param isFirst even if it was done recently, because this process may have died and left events */
  async #findLeftEvents(isFirst: boolean): Promise<void> {
    const { people, records } = this.#deps
    if (!(await records.compareAndSet(LAST_FOUND_KEY, undefined, '1', FIND_EVERY_SECONDS)) && !isFirst) return
    for await (const person of people.all()) {
      const nextDelivery = pendingDelivery(person)
      if (nextDelivery !== undefined && !this.#pending.has(person.email))
        this.#queue(person.email, nextDelivery)
    }
  }

  #findLeftEventsAfter(milliseconds: number, isFirst: boolean): void {
    if (this.#isClosed) return
    const again = (pause: number, isStillFirst: boolean) =>
      this.#findLeftEventsAfter(pause * (1 + Math.random() / 5), isStillFirst)
    this.#timer = setTimeout(() => {
      this.#findLeftEvents(isFirst).then(
        () => again(FIND_EVERY_SECONDS * 1000, false),
        () => again(STORE_PAUSE_MS, isFirst),
      )
    }, milliseconds).unref()
  }
}

/** Events of a person per claim. They are sent one after another. */
const MAX_AT_ONCE = 3
/**
 * If this process dies, its events are sent again after this time, with the same ids. Longer than the sender may take,
 * so that no other process sends them meanwhile.
 */
const CLAIM_MS = (MAX_AT_ONCE + 1) * WebhookSender.timeLimitMs

const PAUSES_SECONDS = [5, 30, 120, 600, 1800, 3600]
const MAX_PAUSE_SECONDS = 7200

/** The pause before the next try. @param wait seconds that the receiver requested */
function pauseMs(tries: number, wait = 0): number {
  const scheduledPause = PAUSES_SECONDS[tries - 1] ?? MAX_PAUSE_SECONDS
  return Math.round(
    1000 * Math.max(scheduledPause * (0.8 + 0.4 * Math.random()), Math.min(wait, MAX_PAUSE_SECONDS)),
  )
}

const withOutbox = ({ outbox: _outbox, ...person }: Person, outbox: OutboxEvent[]): Person =>
  outbox.length > 0 ? { ...person, outbox } : person

/** Claims a person's due events for a minute, oldest first, and drops those that are too old. */
async function claim(people: Pick<PeopleStore, 'change'>, email: string, now: number) {
  let due: OutboxEvent[] = []
  let dropped = 0
  const person = await people.change(email, (before) => {
    const events = before.outbox ?? []
    const kept = events.filter(({ at }) => now - at < ReceiverMonitor.maxAgeMs)
    due = kept.filter(({ dueAt }) => dueAt <= now).slice(0, MAX_AT_ONCE)
    dropped = events.length - kept.length
    if (due.length === 0 && dropped === 0) return before
    const withClaim = (event: OutboxEvent) => ({ ...event, tries: event.tries + 1, dueAt: now + CLAIM_MS })
    const outbox = kept.map((event) => (due.includes(event) ? withClaim(event) : event))
    return withOutbox(before, outbox)
  })
  return { person, events: due, dropped }
}

/** Removes delivered events and schedules the rest. */
function withOutcomes(person: Person, outcomes: ReadonlyMap<string, WebhookOutcome>, now: number): Person {
  if (person.outbox === undefined || outcomes.size === 0) return person
  const remainingEvents = person.outbox.flatMap((event) => {
    const outcome = outcomes.get(event.id)
    if (outcome === undefined) return event
    const wait = outcome.kind === 'rejected' ? outcome.wait : undefined
    return outcome.kind === 'delivered' ? [] : { ...event, dueAt: now + pauseMs(event.tries, wait) }
  })
  return withOutbox(person, remainingEvents)
}

type PendingDelivery = { dueAt: number; since: number }

const pendingDelivery = ({ outbox = [] }: Person): PendingDelivery | undefined =>
  outbox.length === 0
    ? undefined
    : { dueAt: Math.min(...outbox.map(({ dueAt }) => dueAt)), since: Math.min(...outbox.map(({ at }) => at)) }
