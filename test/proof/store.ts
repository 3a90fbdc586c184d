// The store of all simulated processes: the operations of Records on one map. The scheduler decides when each takes
// effect and when it is answered; it may fail before it takes effect, or lose its response.
import { withinDeadline, type Records } from '../../src/records/records.ts'
import type { openStore } from '../../src/records/store.ts'
import { current, Dead, within, type Process } from './machine.ts'

type Store = ReturnType<typeof openStore>

/** `keepsOrder`: as over one connection to one server. `fails` and `isSlow`: how likely an operation is so. */
type StoreFaults = { keepsOrder: boolean; fails: number; isSlow: number }
type Held = { value: string; until: number }
type Promised = { resolve: (value: unknown) => void; reject: (error: Error) => void }
type Pending = { what: string; process: Process; effect: () => unknown; promised: Promised }

const cut = () => Object.assign(new Error('the connection broke'), { code: 'ECONNRESET' })

export class SimulatedStore {
  readonly #held = new Map<string, Held>()
  readonly #faults: StoreFaults
  /** Pending operations of each process, if order is kept. */
  readonly #lines = new Map<Process, Pending[]>()
  isFaulty = true

  constructor(faults: StoreFaults) {
    this.#faults = faults
  }

  read(key: string): string | undefined {
    const held = this.#held.get(key)
    return held !== undefined && held.until > current().now ? held.value : undefined
  }

  write(key: string, value: string, seconds: number): void {
    this.#held.set(key, { value, until: current().now + Math.max(1, Math.ceil(seconds)) * 1000 })
  }

  keys = (prefix: string) =>
    [...this.#held.keys()].filter((key) => key.startsWith(prefix) && this.read(key) !== undefined)

  erase = (key: string) => void this.#held.delete(key)

  perform<T>(what: string, effect: () => T): Promise<T> {
    const process = within.getStore()
    if (process === undefined) throw new Error(`${what} outside of a process`)
    return withinDeadline(
      () =>
        new Promise<T>((resolve, reject) => {
          const promised = { resolve: resolve as Promised['resolve'], reject }
          this.#submit({ what, process, effect, promised })
        }),
    ).catch((error: unknown) => {
      if (error instanceof Error && error.cause instanceof Dead) throw error.cause
      throw error
    })
  }

  #submit(pending: Pending): void {
    // Behind a dead process it would wait for ever, and so would a later seed on the same composition.
    if (!pending.process.isAlive) return pending.promised.reject(new Dead())
    if (!this.#faults.keepsOrder) return this.#schedule(pending)
    const line = this.#lines.get(pending.process) ?? []
    this.#lines.set(pending.process, line)
    line.push(pending)
    if (line.length === 1) this.#schedule(pending)
  }

  #schedule(pending: Pending): void {
    const { what, process, effect, promised } = pending
    const { random, now } = current()
    const isSlow = this.isFaulty && random.chance(this.#faults.isSlow)
    if (isSlow) process.troubledAt = now
    current().add({
      at: now + (isSlow ? 200 + random.below(3_000) : 0),
      process,
      what: `${process.name} store ${what}${isSlow ? ' (slow)' : ''}`,
      run: () => this.#run(pending),
      drop() {
        // An operation that was on its way when the process died may still arrive.
        if (random.chance(0.5)) effect()
        promised.reject(new Dead())
      },
    })
  }

  #run({ what, process, effect, promised }: Pending): void {
    const { random } = current()
    const fate = this.isFaulty ? random.next() / Math.max(this.#faults.fails, 1e-9) : 1
    const fails = fate < 1
    if (fails) {
      process.troubledAt = current().now
      current().note(`${process.name} store ${what} ${fate < 0.5 ? 'fails' : 'loses its answer'}`)
    }
    const result = fate < 0.5 ? undefined : effect()
    const answered = () => {
      this.#next(process)
      if (fails) promised.reject(cut())
      else promised.resolve(result)
    }
    if (random.chance(0.6)) return answered()
    const drop = () => promised.reject(new Dead())
    current().add({
      at: current().now,
      process,
      run: answered,
      drop,
      what: `${process.name} learns of ${what}`,
    })
  }

  #next(process: Process): void {
    if (!this.#faults.keepsOrder) return
    const line = this.#lines.get(process)
    line?.shift()
    if (line?.[0] !== undefined) this.#schedule(line[0])
  }

  /** Rejects what a dead process still had in line, which isn't a step yet. */
  forget(process: Process): void {
    for (const { promised } of this.#lines.get(process)?.splice(0) ?? []) promised.reject(new Dead())
  }
}

export function recordsOn(stored: () => SimulatedStore): Records {
  const about = (operation: string, key: string) => `${operation} ${key.split(':', 1)[0] ?? ''}`
  return {
    get: (key) => stored().perform(about('get', key), () => stored().read(key)),
    getAll(keys) {
      return Promise.all(keys.map((key) => this.get(key)))
    },
    put: (key, value, seconds) =>
      stored().perform(about('put', key), () => stored().write(key, value, seconds)),
    compareAndSet: (key, expected, value, seconds) =>
      stored().perform(about('cas', key), () => {
        const isSame = stored().read(key) === expected
        if (isSame) stored().write(key, value, seconds)
        return isSame
      }),
    async *keys(prefix) {
      yield await stored().perform(`keys ${prefix}`, () => stored().keys(prefix))
    },
    remove: (key) => stored().perform(about('remove', key), () => stored().erase(key)),
    compareAndRemove: (key, expected) =>
      stored().perform(about('car', key), () => {
        if (stored().read(key) === expected) stored().erase(key)
      }),
  }
}

export const storeOn = (stored: () => SimulatedStore): Store => ({
  records: recordsOn(stored),
  isReachable: () => true,
  close: () => Promise.resolve(),
})
