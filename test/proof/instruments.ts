// Timers, clocks and chance as the simulated processes see them. Imported before the product, because libraries take
// setImmediate and its kind when they are loaded. What surprises: only code that runs within a simulated process sees
// these; everything else sees the real ones.
import { AsyncLocalStorage } from 'node:async_hooks'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import promises from 'node:timers/promises'
import { awaited, current, Dead, within, type Process, type Step } from './machine.ts'

type Callback = (...given: unknown[]) => void

function later(milliseconds: number, process: Process, step: Pick<Step, 'run' | 'drop'>): Step {
  const now = current().now
  return current().add({ ...step, process, at: now + Math.max(1, milliseconds) })
}

function timer(callback: Callback, milliseconds: number, process: Process, again: boolean) {
  const bound = AsyncLocalStorage.bind(callback)
  const start = (): Step =>
    later(milliseconds, process, {
      run() {
        if (again) step = Object.assign(start(), { isIdle: step.isIdle })
        bound()
      },
    })
  let step = start()
  const handle = {
    clear: () => current().cancel(step),
    unref() {
      step.isIdle = true
      return handle
    },
    ref: () => handle,
    hasRef: () => step.isIdle !== true,
  }
  return handle
}

const real = {
  setTimeout,
  setInterval,
  setImmediate,
  clearTimeout,
  clearInterval,
  promised: promises.setTimeout,
}

const timed =
  (otherwise: (callback: Callback, ms?: number) => unknown, again: boolean) =>
  (callback: Callback, milliseconds = 0, ...given: unknown[]) => {
    const process = within.getStore()
    if (process === undefined) return otherwise(callback, milliseconds)
    return timer(() => callback(...given), milliseconds, process, again)
  }

const clearing = (otherwise: (handle: never) => void) => (handle: unknown) => {
  if (typeof handle === 'object' && handle !== null && 'clear' in handle) (handle.clear as () => void)()
  else otherwise(handle as never)
}

Object.assign(globalThis, {
  setTimeout: timed(real.setTimeout as never, false),
  setInterval: timed(real.setInterval as never, true),
  clearTimeout: clearing(clearTimeout as never),
  clearInterval: clearing(clearInterval as never),
  setImmediate(callback: Callback, ...given: unknown[]) {
    const process = within.getStore()
    if (process === undefined) return real.setImmediate(callback, ...given)
    return timer(() => callback(...given), 0, process, false)
  },
})

Object.assign(promises, {
  setTimeout(milliseconds: number, value?: unknown, options?: { ref?: boolean }) {
    const process = within.getStore()
    if (process === undefined) return real.promised(milliseconds, value, options)
    return new Promise((resolve, reject) => {
      const step = later(milliseconds, process, { run: () => resolve(value), drop: () => reject(new Dead()) })
      if (options?.ref === false) step.isIdle = true
    })
  },
})

const realTimeout = AbortSignal.timeout.bind(AbortSignal)
AbortSignal.timeout = (milliseconds) => {
  const process = within.getStore()
  if (process === undefined) return realTimeout(milliseconds)
  const controller = new AbortController()
  const late = () =>
    controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
  later(milliseconds, process, { run: late }).isIdle = true
  return controller.signal
}

const realNow = Date.now
Date.now = () => (within.getStore() === undefined ? realNow() : current().now)
const realPerformance = performance.now.bind(performance)
performance.now = () => (within.getStore() === undefined ? realPerformance() : current().now)
const realRandom = Math.random
Math.random = () => (within.getStore() === undefined ? realRandom() : current().noise.next())

// What is random decides when a token is renewed ahead of time (by the session id), so it belongs to the seed.
const realBytes = crypto.randomBytes
Object.assign(crypto, {
  randomBytes(size: number) {
    if (within.getStore() === undefined) return realBytes(size)
    return Buffer.from(Array.from({ length: size }, () => current().noise.below(256)))
  },
})
syncBuiltinESMExports()

const { subtle } = globalThis.crypto
for (const name of ['digest', 'importKey', 'sign', 'verify'] as const) {
  const work = subtle[name].bind(subtle) as (...given: unknown[]) => Promise<unknown>
  Object.assign(subtle, {
    [name]: (...given: unknown[]) => awaited(() => work(...given)),
  })
}
