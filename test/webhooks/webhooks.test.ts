// Delivery of events: at least once, with a limit of time.
import { Registry } from 'prom-client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { withMilestone, type Person } from '../../src/people/person.ts'
import { StoreUnavailable } from '../../src/records/records.ts'
import { Webhooks } from '../../src/webhooks/webhooks.ts'
import { WebhookSender, type WebhookOutcome } from '../../src/webhooks/sender.ts'
import { memoryRecords } from '../helpers/memory-records.ts'
import { withAppStates, testPeople } from '../helpers/people.ts'

const NOW = Date.UTC(2026, 10, 2)
const email = 'ada@acme.example'
const MINUTE = 60_000
const running: Webhooks[] = []

/** Processes that share a store, and a scripted receiver. */
function setUpWebhooks() {
  const { records } = memoryRecords()
  const now = () => Date.now()
  const sent: { id: string; type: string; at: number }[] = []
  const receiver: { answer: () => Promise<WebhookOutcome> } = {
    answer: () => Promise.resolve({ kind: 'delivered' }),
  }
  /** A command that runs beside the server. */
  const command = testPeople({ records, now, onEvents: () => {} })
  function startProcess() {
    const registry = new Registry()
    const closed = Promise.withResolvers<WebhookOutcome>()
    const people = testPeople({ records, now, onEvents: (...one) => webhooks.enqueue(...one) })
    const webhooks: Webhooks = new Webhooks({
      people,
      records,
      sender: {
        send: async (id, body, at) => {
          const { type } = JSON.parse(body) as { type: string }
          sent.push({ id, type, at })
          return await Promise.race([receiver.answer(), closed.promise])
        },
        close: async () => closed.resolve({ kind: 'unreachable', why: 'cut-off' }),
      },
      registry,
      log: { info() {}, warn() {} },
      now,
    })
    running.push(webhooks)
    return { webhooks, registry, people }
  }
  return { records, command, sent, receiver, startProcess }
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: NOW }))
afterEach(async () => {
  const closing = running.splice(0).map((webhooks) => webhooks.close())
  await vi.advanceTimersByTimeAsync(5_000)
  await Promise.all(closing)
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Advances the clock, and lets what is due finish. */
const advance = async (milliseconds = 0) => {
  await vi.advanceTimersByTimeAsync(milliseconds)
  for (let turn = 0; turn < 400; turn++) await new Promise((resolve) => setImmediate(resolve))
}

const here = (before: Person) => withMilestone(before, 'signedInAt', Date.now())
const blocked = (before: Person) => withAppStates(here(before), { slack_1: 'blocked' }, NOW)
const refused: WebhookOutcome = { kind: 'rejected', why: 'status 500', wait: undefined }
const silent: WebhookOutcome = { kind: 'unreachable', why: 'too-slow' }

it('events are delivered once, and then removed', async () => {
  const { startProcess, sent } = setUpWebhooks()
  const { people, registry } = startProcess()
  await people.change(email, here)
  await advance()
  expect(sent.map(({ type }) => type)).toEqual(['person.signed_in'])
  expect(await people.get(email)).not.toHaveProperty('outbox')
  await advance(24 * 60 * MINUTE)
  expect(sent).toHaveLength(1)
  expect(await registry.metrics()).toMatch(/^onramp_webhooks_total\{result="delivered"\} 1$/m)
})

it('events are sent in their order', async () => {
  const { startProcess, sent } = setUpWebhooks()
  const { people } = startProcess()
  await people.change(email, here)
  await people.change(email, (before) => withAppStates(before, { slack_1: 'unconnected' }, NOW))
  await people.change(email, (before) => withAppStates(before, { slack_1: 'connected' }, NOW))
  await advance()
  expect(sent.map(({ type }) => type)).toEqual(['person.signed_in', 'app.connected', 'person.finished'])
})

it('further events of a person aren’t sent to an unreachable receiver', async () => {
  const { startProcess, receiver, sent } = setUpWebhooks()
  receiver.answer = () => Promise.resolve(silent)
  const { people } = startProcess()
  await people.change(email, blocked)
  await advance()
  expect(sent.map(({ type }) => type)).toEqual(['person.signed_in'])
})

it('a slow receiver doesn’t delay the change that made an event', async () => {
  const { startProcess, receiver, sent } = setUpWebhooks()
  receiver.answer = () => new Promise(() => {})
  const { people } = startProcess()
  for (let index = 0; index < 20; index++) await people.change(`p${index}@acme.example`, here)
  await advance()
  expect(sent).toHaveLength(8)
})

it('three events of a person are claimed at a time', async () => {
  const { startProcess, receiver } = setUpWebhooks()
  receiver.answer = () => new Promise(() => {})
  const { people } = startProcess()
  const apps = Object.fromEntries(['a', 'b', 'c', 'd'].map((app) => [`${app}_1`, 'blocked' as const]))
  await people.change(email, (before) => withAppStates(before, apps, NOW))
  await advance()
  expect((await people.get(email))?.outbox?.map(({ tries }) => tries)).toEqual([1, 1, 1, 0])
})

it('an event is retried with the same id and a new signature', async () => {
  const { startProcess, receiver, sent } = setUpWebhooks()
  receiver.answer = () => Promise.resolve(refused)
  const { people, registry } = startProcess()
  await people.change(email, here)

  await advance()
  expect(sent).toHaveLength(1)
  await advance(7_000)
  expect(sent).toHaveLength(2)

  receiver.answer = () => Promise.resolve({ kind: 'delivered' })
  await advance(40_000)
  await advance(MINUTE)
  expect(sent).toHaveLength(3)
  expect(new Set(sent.map(({ id }) => id)).size).toBe(1)
  expect(new Set(sent.map((one) => one.at)).size).toBe(3)
  expect(await registry.metrics()).toMatch(/^onramp_webhooks_total\{result="failed"\} 2$/m)
})

it.each([
  ['after seconds, then hours', undefined, [5, 30, 120, 600, 1800, 3600, 7200, 7200, 7200]],
  ['after Retry-After', 3_600, [3600, 3600, 3600, 3600, 3600, 3600, 7200]],
  ['after two hours, if Retry-After is longer', 1e9, [7200, 7200]],
])('an event is retried %s, and not before', async (_title, wait, pauses) => {
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  const { startProcess, receiver, sent } = setUpWebhooks()
  receiver.answer = () => Promise.resolve({ ...refused, wait })
  await startProcess().people.change(email, here)
  await advance()
  for (const [tries, seconds] of pauses.entries()) {
    await advance(seconds * 1000 - 1)
    expect(sent).toHaveLength(tries + 1)
    await advance(1)
    expect(sent).toHaveLength(tries + 2)
  }
})

it('the metrics have the number of waiting events and the age of the oldest', async () => {
  const { startProcess, receiver } = setUpWebhooks()
  receiver.answer = () => Promise.resolve(refused)
  const figures = async ({ registry }: ReturnType<typeof startProcess>) =>
    [...(await registry.metrics()).matchAll(/^onramp_webhooks_(?:waiting|oldest_seconds) (\d+)/gm)].map(
      ([, count]) => Number(count),
    )
  const first = startProcess()

  expect(await figures(first)).toEqual([0, 0])
  await first.people.change(email, here)
  await advance(5 * MINUTE)
  await first.people.change('bob@acme.example', here)
  await advance(5 * MINUTE)
  const next = startProcess()
  next.webhooks.start()
  await advance()
  for (const one of [first, next]) expect(await figures(one)).toEqual([2, 600])

  receiver.answer = () => Promise.resolve({ kind: 'delivered' })
  await advance(60 * MINUTE)
  for (const one of [first, next]) expect(await figures(one)).toEqual([0, 0])
})

it('an event that is created while the previous one is settled follows at once', async () => {
  const { records, startProcess, sent } = setUpWebhooks()
  const { people } = startProcess()
  const { compareAndSet } = records
  let writes = 0
  // The data key, then the writes that create, claim and settle the first event.
  records.compareAndSet = async (...given) => {
    const isDone = await compareAndSet(...given)
    if (++writes === 4) await people.change(email, blocked)
    return isDone
  }
  await people.change(email, here)
  await advance(1_000)
  expect(sent.map(({ type }) => type)).toEqual(['person.signed_in', 'app.waiting_for_admin'])
})

it('a person’s rejected events don’t delay those of others', async () => {
  const { startProcess, receiver, sent } = setUpWebhooks()
  const { people } = startProcess()
  receiver.answer = () =>
    Promise.resolve(sent.at(-1)?.type === 'person.signed_in' ? refused : { kind: 'delivered' })
  await people.change(email, blocked)
  await advance()
  expect(sent.map(({ type }) => type)).toEqual(['person.signed_in', 'app.waiting_for_admin'])
})

const THREE_DAYS = 72 * 60 * MINUTE
it.each([
  ['is still tried just before three days', THREE_DAYS - 1, 1, 0],
  ['is dropped after three days, and a metric counts it', THREE_DAYS, 0, 1],
])('an event without a receiver %s', async (_title, age, tries, dropped) => {
  const { startProcess, receiver, command, sent } = setUpWebhooks()
  receiver.answer = () => Promise.resolve(refused)
  await command.change(email, here)
  vi.setSystemTime(NOW + age)
  const { webhooks, registry } = startProcess()
  webhooks.start()
  await advance()
  expect(sent).toHaveLength(tries)
  expect((await command.get(email))?.outbox ?? []).toHaveLength(tries)
  expect(await registry.metrics()).toContain(`onramp_webhooks_total{result="dropped"} ${dropped}\n`)
})

it('events of a process that died are sent by another one', async () => {
  const { startProcess, receiver, sent } = setUpWebhooks()
  receiver.answer = () => new Promise(() => {})
  const died = startProcess()
  died.webhooks.start()
  await advance()
  await died.people.change(email, here)
  await advance()
  receiver.answer = () => Promise.resolve({ kind: 'delivered' })
  startProcess().webhooks.start()

  await advance(10)
  // The process may still be sending it.
  expect(sent).toHaveLength(1)

  await advance(MINUTE)
  expect(sent).toHaveLength(2)
  expect(new Set(sent.map(({ id }) => id)).size).toBe(1)
})

it('events are sent by one process, however slowly the receiver answers', async () => {
  const { startProcess, receiver, sent } = setUpWebhooks()
  const answered = { kind: 'delivered' } as const
  receiver.answer = () => new Promise((resolve) => setTimeout(resolve, WebhookSender.timeLimitMs, answered))
  const { people } = startProcess()
  const apps = { a_1: 'blocked', b_1: 'blocked' } as const
  await people.change(email, (before) => withAppStates(here(before), apps, NOW))
  await advance()
  startProcess().webhooks.start()

  for (let count = 1; count <= 3; count++) {
    expect(sent).toHaveLength(count)
    await advance(WebhookSender.timeLimitMs)
  }
  await advance(MINUTE)
  expect([sent.length, new Set(sent.map(({ id }) => id)).size]).toEqual([3, 3])
})

it('events from a command are sent by one of several servers', async () => {
  const { startProcess, command, sent } = setUpWebhooks()
  const processes = [startProcess(), startProcess(), startProcess()]
  for (let index = 0; index < 20; index++) await command.change(`p${index}@acme.example`, here)
  for (const { webhooks } of processes) webhooks.start()
  await advance(10)
  expect(sent).toHaveLength(20)
  expect(new Set(sent.map(({ id }) => id)).size).toBe(20)
})

it('a server whose first search for events failed searches again within a minute', async () => {
  const { records, startProcess, command, sent } = setUpWebhooks()
  await command.change(email, here)
  const { keys } = records
  records.keys = () => {
    throw new StoreUnavailable(new Error('gone'))
  }
  startProcess().webhooks.start()
  await advance(10)
  records.keys = keys
  expect(sent).toEqual([])

  await advance(MINUTE)
  expect(sent).toHaveLength(1)
})

it('forgetting a person drops their events, also while one is being sent', async () => {
  const { startProcess, receiver, command } = setUpWebhooks()
  let answer: (outcome: WebhookOutcome) => void = () => {}
  receiver.answer = () => new Promise((resolve) => (answer = resolve))
  await startProcess().people.change(email, here)
  await advance()
  await command.forget(email)
  answer(refused)
  await advance()
  expect(await command.get(email)).toBeUndefined()
})
