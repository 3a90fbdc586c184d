// Timers, clocks and chance of the simulated processes; all other code keeps the real ones. Imported before the
// product, because libraries take setImmediate and its kind when they are loaded.
import { AsyncLocalStorage } from 'node:async_hooks'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import promises from 'node:timers/promises'
import { runOutside, current, Dead, within, type Process, type Step } from './machine.ts'

type Callback = (...args: unknown[]) => void

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
  sleep: promises.setTimeout,
  timeout: AbortSignal.timeout.bind(AbortSignal),
  date: Date.now,
  performance: performance.now.bind(performance),
  random: Math.random,
  randomBytes: crypto.randomBytes,
}

const fakeTimer =
  (otherwise: (callback: Callback, ms?: number) => unknown, again: boolean) =>
  (callback: Callback, milliseconds = 0, ...args: unknown[]) => {
    const process = within.getStore()
    if (process === undefined) return otherwise(callback, milliseconds)
    return timer(() => callback(...args), milliseconds, process, again)
  }

const clearing = (otherwise: (handle: never) => void) => (handle: unknown) => {
  if (typeof handle === 'object' && handle !== null && 'clear' in handle) (handle.clear as () => void)()
  else otherwise(handle as never)
}

Object.assign(globalThis, {
  setTimeout: fakeTimer(real.setTimeout as never, false),
  setInterval: fakeTimer(real.setInterval as never, true),
  clearTimeout: clearing(clearTimeout as never),
  clearInterval: clearing(clearInterval as never),
  setImmediate(callback: Callback, ...args: unknown[]) {
    const process = within.getStore()
    if (process === undefined) return real.setImmediate(callback, ...args)
    return timer(() => callback(...args), 0, process, false)
  },
})

Object.assign(promises, {
  setTimeout(milliseconds: number, value?: unknown, options?: { ref?: boolean }) {
    const process = within.getStore()
    if (process === undefined) return real.sleep(milliseconds, value, options)
    return new Promise((resolve, reject) => {
      const step = later(milliseconds, process, { run: () => resolve(value), drop: () => reject(new Dead()) })
      if (options?.ref === false) step.isIdle = true
    })
  },
})

AbortSignal.timeout = (milliseconds) => {
  const process = within.getStore()
  if (process === undefined) return real.timeout(milliseconds)
  const controller = new AbortController()
  const late = () =>
    controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
  later(milliseconds, process, { run: late }).isIdle = true
  return controller.signal
}

const isSimulated = () => within.getStore() !== undefined
Date.now = () => (isSimulated() ? current().now : real.date())
performance.now = () => (isSimulated() ? current().now : real.performance())
Math.random = () => (isSimulated() ? current().noise.next() : real.random())

// The session id decides when a token is renewed ahead of time, so random bytes belong to the seed.
Object.assign(crypto, {
  randomBytes(size: number) {
    if (!isSimulated()) return real.randomBytes(size)
    return Buffer.from(Array.from({ length: size }, () => current().noise.below(256)))
  },
})
syncBuiltinESMExports()

const { subtle } = globalThis.crypto
for (const name of ['digest', 'importKey', 'sign', 'verify'] as const) {
  const work = subtle[name].bind(subtle) as (...args: unknown[]) => Promise<unknown>
  Object.assign(subtle, { [name]: (...args: unknown[]) => runOutside(() => work(...args)) })
}
