// Sends the events of people to WEBHOOK_URL, beside the requests and never within one. This process sends what it wrote;
// every five minutes one of all processes looks through everyone for what another one left.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Registry } from 'prom-client'
import type { People } from '../people/people.ts'
import type { Records } from '../records/records.ts'
import { within } from '../within.ts'
import {
  TIME_LIMIT_MS,
  eventBody,
  signatureHeaders,
  type DeliveryOutcome,
  type WebhookSender,
} from './sender.ts'
import { MAX_AGE_MS, type WebhookLog, watchReceiver } from './receiver.ts'
import type { OutboxEvent, Person } from '../people/person.ts'

type Webhooks = {
  /** There are events of this person. Returns at once. @param dropped so many old ones had to go for them */
  enqueue: (email: string, dropped: number) => void
  start(): void
  /** Waits a moment for what is on its way. What is left is in the store. */
  close(): Promise<void>
}

/** Connections to the receiver. */
export const MAX_CONNECTIONS = 8
const SWEEP_SECONDS = 300
const SWEPT = 'webhooks:swept'
/** Behind these it is the store's turn: the next look through everyone finds them. */
const MAX_WAITING = 10_000
const STORE_PAUSE_MS = 30_000
const MAX_CLOSING_MS = 2_000

export function createWebhooks({
  people,
  records,
  post,
  secrets,
  registry,
  log,
  now,
}: {
  people: Pick<People, 'all' | 'change'>
  records: Pick<Records, 'compareAndSet'>
  post: WebhookSender
  /** WEBHOOK_SECRET. */
  secrets: readonly string[]
  registry: Registry
  log: WebhookLog
  /** Milliseconds since 1970. */
  now: () => number
}): Webhooks {
  /** Everyone of whom there is something to send, now or later. */
  const waiting = new Map<string, PendingDelivery>()
  const underWay = new Map<string, Promise<void>>()
  const receiver = watchReceiver(registry, log, () => [...waiting.values()].map(({ since }) => since), now)
  let next: NodeJS.Timeout | undefined
  let sweeping: NodeJS.Timeout | undefined
  let isClosed = false

  function queue(email: string, due: PendingDelivery): void {
    if (isClosed || (!waiting.has(email) && waiting.size >= MAX_WAITING)) return
    waiting.set(email, due)
    beginNext()
  }

  function beginNext(): void {
    clearTimeout(next)
    let earliest = Infinity
    for (const [email, due] of waiting) {
      if (isClosed || underWay.size >= MAX_CONNECTIONS) return
      if (underWay.has(email)) continue
      if (due.dueAt <= now()) underWay.set(email, work(email, due))
      else earliest = Math.min(earliest, due.dueAt)
    }
    if (earliest < Infinity) next = setTimeout(beginNext, earliest - now()).unref()
  }

  async function work(email: string, due: PendingDelivery): Promise<void> {
    const left = await deliver(email).catch(() => ({ ...due, dueAt: now() + STORE_PAUSE_MS }))
    underWay.delete(email)
    // Else there were more events meanwhile.
    if (waiting.get(email) === due) {
      waiting.delete(email)
      if (left !== undefined) waiting.set(email, left)
    }
    beginNext()
  }

  /** @returns what of this person is left to send; undefined: nothing */
  async function deliver(email: string): Promise<PendingDelivery | undefined> {
    const { person, events, dropped } = await claim(people, email, now())
    receiver.dropped(dropped)
    const outcomes = new Map<string, DeliveryOutcome>()
    for (const event of events) {
      const body = eventBody(event, person)
      const outcome = await post.send(signatureHeaders(secrets, event.id, now(), body), body)
      outcomes.set(event.id, outcome)
      // What is cut off at the end is no fault of the receiver.
      if (!isClosed) receiver.answered(outcome)
      if (outcome.kind === 'silent') break
    }
    return pendingDelivery(await settle(people, email, outcomes, now()))
  }

  /** @param isFirst at the start, whenever the last one was: this process may be the one that died */
  async function sweep(isFirst: boolean): Promise<void> {
    if (!(await records.compareAndSet(SWEPT, undefined, '1', SWEEP_SECONDS)) && !isFirst) return
    for await (const person of people.all()) {
      const left = pendingDelivery(person)
      if (left !== undefined && !waiting.has(person.email)) queue(person.email, left)
    }
  }

  function sweepAfter(milliseconds: number, isFirst: boolean): void {
    if (isClosed) return
    sweeping = setTimeout(() => {
      const again = (pause: number, isStillFirst: boolean) =>
        sweepAfter(pause * (1 + Math.random() / 5), isStillFirst)
      sweep(isFirst).then(
        () => again(SWEEP_SECONDS * 1000, false),
        () => again(STORE_PAUSE_MS, isFirst),
      )
    }, milliseconds).unref()
  }

  /** What is sent later belongs to no request: its log lines and spans would be found under another person's. */
  const outsideOfRequests = AsyncLocalStorage.snapshot()

  return {
    enqueue(email, dropped) {
      receiver.dropped(dropped)
      outsideOfRequests(queue, email, { dueAt: now(), since: waiting.get(email)?.since ?? now() })
    },
    start: () => sweepAfter(0, true),
    async close() {
      isClosed = true
      clearTimeout(sweeping)
      clearTimeout(next)
      await within(MAX_CLOSING_MS, Promise.all(underWay.values())).catch(() => {})
      await post.close()
      await Promise.all(underWay.values())
    },
  }
}

const HELD_MS = 60_000
/** So many of a person at once: they go one after the other, and each may take TIME_LIMIT_MS (post.ts) while it is held. */
const MAX_AT_ONCE = Math.floor(HELD_MS / TIME_LIMIT_MS) - 1

/** Between tries; the last one repeats. */
const PAUSES_SECONDS = [5, 30, 120, 600, 1800, 3600, 7200]
const MAX_PAUSE_SECONDS = 7200

/** When it is tried again. Pure. @param tries so far @param wait seconds that the receiver asked for @param random below 1 */
export function pauseMs(tries: number, wait = 0, random = Math.random()): number {
  const usual = PAUSES_SECONDS[Math.max(0, tries - 1)] ?? MAX_PAUSE_SECONDS
  return Math.round(1000 * Math.max(usual * (0.8 + 0.4 * random), Math.min(wait, MAX_PAUSE_SECONDS)))
}

const withOutbox = ({ outbox: _outbox, ...person }: Person, outbox: OutboxEvent[]): Person =>
  outbox.length > 0 ? { ...person, outbox } : person

/**
 * Takes what is due of a person, the oldest first, and drops what is too old. Every process may try: what one has taken, the
 * others leave alone for a minute. If it dies, the event goes out again, with the same id. @throws {StoreUnavailable}
 */
async function claim(people: Pick<People, 'change'>, email: string, now: number) {
  let due: OutboxEvent[] = []
  let dropped = 0
  const person = await people.change(email, (before) => {
    const all = before.outbox ?? []
    const kept = all.filter(({ at }) => now - at < MAX_AGE_MS)
    due = kept.filter(({ dueAt }) => dueAt <= now).slice(0, MAX_AT_ONCE)
    dropped = all.length - kept.length
    if (due.length === 0 && dropped === 0) return before
    const held = (event: OutboxEvent) => ({ ...event, tries: event.tries + 1, dueAt: now + HELD_MS })
    return withOutbox(
      before,
      kept.map((event) => (due.includes(event) ? held(event) : event)),
    )
  })
  return { person, events: due, dropped }
}

/** Removes what was taken, and says when the rest is tried again. @throws {StoreUnavailable} */
async function settle(
  people: Pick<People, 'change'>,
  email: string,
  outcomes: ReadonlyMap<string, DeliveryOutcome>,
  now: number,
): Promise<Person> {
  return await people.change(email, (before) => {
    // Forgotten meanwhile, or nothing was sent.
    if (before.outbox === undefined || outcomes.size === 0) return before
    const left = before.outbox.flatMap((event) => {
      const outcome = outcomes.get(event.id)
      if (outcome === undefined) return event
      const wait = outcome.kind === 'refused' ? outcome.wait : undefined
      return outcome.kind === 'taken' ? [] : { ...event, dueAt: now + pauseMs(event.tries, wait) }
    })
    return withOutbox(before, left)
  })
}

/** When something of a person is due next, and when the oldest of it came to be. */
type PendingDelivery = { dueAt: number; since: number }

/** Undefined: there are no events. */
const pendingDelivery = ({ outbox = [] }: Person): PendingDelivery | undefined =>
  outbox.length === 0
    ? undefined
    : { dueAt: Math.min(...outbox.map(({ dueAt }) => dueAt)), since: Math.min(...outbox.map(({ at }) => at)) }
