// Sends outbox of people to WEBHOOK_URL, beside the requests and never within one. This process sends what it noticed; now
// and then one of all processes looks through everyone, for what another one left.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Registry } from 'prom-client'
import type { People } from '../people/people.ts'
import type { OutboxEvent } from '../people/person.ts'
import type { Records } from '../records/records.ts'
import type { Settings } from '../settings/settings.ts'
import { claim, settle, waitingOf, type Waiting } from './claims.ts'
import { createFigures } from './figures.ts'
import { createPost, type Outcome, type Post } from './post.ts'
import { bodyOf, signatureHeaders } from './signature.ts'
import { createTelling, type TellingLog } from './telling.ts'

export type Webhooks = {
  /** There is outbox of this person. Returns at once. */
  notice: (email: string, dropped: number) => void
  start(): void
  /** Waits a moment for what is on its way. What is left is in the store. */
  close(): Promise<void>
}

export type WebhooksParts = {
  people: Pick<People, 'all' | 'change'>
  records: Pick<Records, 'compareAndSet'>
  post: Post
  /** WEBHOOK_SECRET. */
  secrets: readonly string[]
  registry: Registry
  log: TellingLog
  /** Milliseconds since 1970. */
  now: () => number
}

/** Undefined where WEBHOOK_URL is not set. */
export function webhooksFor(
  { WEBHOOK_URL: url, WEBHOOK_SECRET: secrets = [] }: Pick<Settings, 'WEBHOOK_URL' | 'WEBHOOK_SECRET'>,
  parts: Omit<WebhooksParts, 'post' | 'secrets'>,
): Webhooks | undefined {
  return url === undefined ? undefined : createWebhooks({ ...parts, secrets, post: createPost(url, AT_ONCE) })
}

const AT_ONCE = 8
const SWEEP_SECONDS = 300
const SWEPT = 'webhooks:swept'
/** Behind these it is the store's turn: the next look through everyone finds them. */
const MAX_WAITING = 10_000
const STORE_PAUSE_MS = 30_000
const MAX_CLOSING_MS = 2_000

export function createWebhooks(parts: WebhooksParts): Webhooks {
  const { people, records, post, secrets, registry, log, now } = parts
  const { sent, waiting } = createFigures(registry, now)
  const ready = new Set<string>()
  const timers = new Map<string, NodeJS.Timeout>()
  const underWay = new Map<string, Promise<void>>()
  const telling = createTelling(log, now)
  let sweeping: NodeJS.Timeout | undefined
  let isClosed = false

  function drop(count: number): void {
    if (count > 0) sent.inc({ result: 'dropped' }, count)
    telling.dropped(count)
  }

  /** @param since when the oldest of it came to be; milliseconds since 1970, as `dueAt` is */
  function queue(email: string, { dueAt, since = waiting.get(email) ?? now() }: Partial<Waiting> = {}): void {
    if (isClosed || (!waiting.has(email) && waiting.size >= MAX_WAITING)) return
    waiting.set(email, since)
    clearTimeout(timers.get(email))
    timers.delete(email)
    const delay = dueAt === undefined ? 0 : dueAt - now()
    if (delay > 0) timers.set(email, setTimeout(() => queue(email), delay).unref())
    else ready.add(email)
    beginNext()
  }

  function beginNext(): void {
    for (const email of ready) {
      if (underWay.size >= AT_ONCE) return
      if (underWay.has(email)) continue
      ready.delete(email)
      underWay.set(email, work(email))
    }
  }

  async function work(email: string): Promise<void> {
    const left = await deliver(email).catch(() => ({ dueAt: now() + STORE_PAUSE_MS }))
    underWay.delete(email)
    if (left === undefined && !ready.has(email)) waiting.delete(email)
    if (left !== undefined && !ready.has(email)) queue(email, left)
    beginNext()
  }

  async function send(body: string, { id }: OutboxEvent): Promise<Outcome> {
    const outcome = await post.send(signatureHeaders(secrets, id, now(), body), body)
    sent.inc({ result: outcome.kind === 'taken' ? 'delivered' : 'failed' })
    // What is cut off at the end is no fault of the receiver.
    if (!isClosed) telling.answered(outcome)
    return outcome
  }

  /** @returns what of this person is left to send; undefined: nothing */
  async function deliver(email: string): Promise<Waiting | undefined> {
    const { arrival, outbox, dropped } = await claim(people, email, now())
    drop(dropped)
    const outcomes = new Map<string, Outcome>()
    for (const piece of outbox) {
      const outcome = await send(bodyOf(piece, arrival), piece)
      outcomes.set(piece.id, outcome)
      if (outcome.kind === 'silent') break
    }
    return waitingOf(await settle(people, email, outcomes, now()))
  }

  /** @param isFirst at the start, whenever the last one was: this process may be the one that died */
  async function sweep(isFirst: boolean): Promise<void> {
    if (!(await records.compareAndSet(SWEPT, undefined, '1', SWEEP_SECONDS)) && !isFirst) return
    for await (const arrival of people.all()) {
      const left = waitingOf(arrival)
      if (left !== undefined && !underWay.has(arrival.email)) queue(arrival.email, left)
      if (isClosed) return
    }
  }

  function sweepAfter(milliseconds: number, isFirst: boolean): void {
    if (!isClosed) sweeping = setTimeout(() => void sweepOnce(isFirst), milliseconds).unref()
  }

  async function sweepOnce(isFirst: boolean): Promise<void> {
    const isDone = await sweep(isFirst).then(
      () => true,
      () => false,
    )
    const pause = isDone ? SWEEP_SECONDS * 1000 : STORE_PAUSE_MS
    sweepAfter(pause * (1 + Math.random() / 5), isFirst && !isDone)
  }

  /** What is sent later belongs to no request: its log lines and spans would be found under another person's. */
  const outsideOfRequests = AsyncLocalStorage.snapshot()

  return {
    notice(email, dropped) {
      drop(dropped)
      outsideOfRequests(queue, email)
    },
    start: () => sweepAfter(0, true),
    async close() {
      isClosed = true
      clearTimeout(sweeping)
      for (const timer of timers.values()) clearTimeout(timer)
      ready.clear()
      timers.clear()
      const late = new Promise((resolve) => setTimeout(resolve, MAX_CLOSING_MS).unref())
      await Promise.race([Promise.all(underWay.values()), late])
      await post.close()
      await Promise.all(underWay.values())
    },
  }
}
