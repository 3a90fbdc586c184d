// What the simulated processes ask of others: their calls end here instead of in a socket. A call may be slow, be lost on
// its way, or take effect and lose its answer.
import { AsyncLocalStorage } from 'node:async_hooks'
import { Agent, Pool, type Dispatcher } from 'undici'
import { METADATA } from './authorization-server.ts'
import { current, Dead, within, type Process } from './machine.ts'
import type { Reply } from './service.ts'

export type Call = {
  url: URL
  headers: Record<string, string>
  form: URLSearchParams
  process: Process
  /** When it was sent, which may be long before it arrives. */
  sentAt: number
}
/** @param answered what to call when the answer has arrived */
export type AnswerCall = (call: Call, answered: { tell?: () => void }) => Reply
export type NetworkFaults = { fails: number; isSlow: number }

let answerCall: AnswerCall | undefined
let faults: NetworkFaults = { fails: 0, isSlow: 0 }

export function connectNetwork(answer: AnswerCall, given: NetworkFaults): void {
  answerCall = answer
  faults = given
}

const cut = () => Object.assign(new Error('the connection broke'), { code: 'ECONNRESET' })

function dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
  const process = within.getStore()
  if (process === undefined || answerCall === undefined)
    throw new Error('a call from outside of the simulation')
  const answer = answerCall
  let isGivenUp = false
  // As undici does it: what is given up fails.
  const controller = {
    abort(reason: Error) {
      if (isGivenUp) return
      isGivenUp = true
      handler.onResponseError?.(controller, reason)
    },
  } as unknown as Dispatcher.DispatchController
  const call: Call = {
    url: new URL(`${String(options.origin)}${options.path}`),
    headers: options.headers as Record<string, string>,
    form: new URLSearchParams(typeof options.body === 'string' ? options.body : ''),
    process,
    sentAt: current().now,
  }
  const what =
    `${process.name} ${call.url.hostname}${call.url.pathname} ${call.form.get('grant_type') ?? ''}`.trim()
  const end = AsyncLocalStorage.bind((reply: Reply | Error) => {
    if (isGivenUp) return
    if (reply instanceof Error) return handler.onResponseError?.(controller, reply)
    handler.onResponseStart?.(controller, reply.status, { 'content-type': 'application/json' }, '')
    handler.onResponseData?.(controller, Buffer.from(JSON.stringify(reply.body)))
    handler.onResponseEnd?.(controller, {})
  })
  handler.onRequestStart?.(controller, {})

  const { random, now } = current()
  const drop = () => end(new Dead())
  const at = random.chance(faults.isSlow) ? now + random.below(12_000) : now + random.below(20)
  current().add({ at, process, what, run: arrive, drop })

  function arrive(): void {
    const fails = random.chance(faults.fails)
    if (fails) process!.troubledAt = current().now
    const isLostOnItsWay = fails && random.chance(0.5)
    if (isLostOnItsWay) {
      current().note(`${what} is lost`)
      return end(cut())
    }
    const answered: { tell?: () => void } = {}
    const reply = answer(call, answered)
    const run = () => {
      if (!fails && !isGivenUp) answered.tell?.()
      end(fails ? cut() : reply)
    }
    const said = fails ? 'loses its answer' : String(reply.status)
    current().add({ at: current().now + random.below(10), process, what: `${what}: ${said}`, run, drop })
  }
  return true
}

for (const { prototype } of [Pool, Agent]) Object.assign(prototype, { dispatch })

/** Discovery alone uses it, once, before the first seed. */
globalThis.fetch = () => Promise.resolve(Response.json(METADATA))
