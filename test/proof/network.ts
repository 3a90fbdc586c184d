// Calls of the simulated processes to the service and the authorization server end here instead of in a socket. A call
// may be slow, be lost on its way, or take effect and lose its response.
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
/** `onArrival` is called when the response has reached the process. */
export type Delivery = { onArrival?: () => void }
type Handle = (call: Call, delivery: Delivery) => Reply
/** Probabilities of a failed and of a slow call. */
type Faults = { fails: number; isSlow: number }

let handle: Handle | undefined
let faults: Faults = { fails: 0, isSlow: 0 }

export function connectNetwork(to: Handle, failing: Faults): void {
  handle = to
  faults = failing
}

const cut = () => Object.assign(new Error('the connection broke'), { code: 'ECONNRESET' })

function dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
  const process = within.getStore()
  if (process === undefined || handle === undefined) throw new Error('a call from outside of the simulation')
  const handleCall = handle
  let isGivenUp = false
  // As undici does it: a call that is given up fails.
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
  const { hostname, pathname } = call.url
  const what = `${process.name} ${hostname}${pathname} ${call.form.get('grant_type') ?? ''}`.trim()
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
    if (fails && random.chance(0.5)) {
      current().note(`${what} is lost`)
      return end(cut())
    }
    const delivery: Delivery = {}
    const reply = handleCall(call, delivery)
    const run = () => {
      if (!fails && !isGivenUp) delivery.onArrival?.()
      end(fails ? cut() : reply)
    }
    const result = fails ? 'loses its answer' : String(reply.status)
    current().add({ at: current().now + random.below(10), process, what: `${what}: ${result}`, run, drop })
  }
  return true
}

for (const { prototype } of [Pool, Agent]) Object.assign(prototype, { dispatch })

/** Discovery alone uses it, once, before the first seed. */
globalThis.fetch = () => Promise.resolve(Response.json(METADATA))
