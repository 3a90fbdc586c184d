// The store of all simulated processes: the operations of Records on one map. Each takes effect, and is answered, when the
// scheduler says so; it may fail before it takes effect, or take effect and lose its answer, as a network does.
import { withinDeadline, type Records } from '../../src/records/records.ts'
import type { openStore } from '../../src/records/store.ts'
import { current, Dead, within, type Process } from './machine.ts'

type Store = ReturnType<typeof openStore>

export type StoreFaults = {
  /** What is asked for first is written first, as over one connection to one server. */
  keepsOrder: boolean
  /** How likely an operation fails, or is slow. */
  fails: number
  isSlow: number
}

type Held = { value: string; until: number }
type Pending = { what: string; process: Process; effect: () => unknown; answer: Answer }
type Answer = { resolve: (value: unknown) => void; reject: (error: Error) => void }

const cut = () => Object.assign(new Error('the connection broke'), { code: 'ECONNRESET' })

export class SimulatedStore {
  readonly #held = new Map<string, Held>()
  readonly #faults: StoreFaults
  /** What a process asked for and is not over, where order is kept. */
  readonly #lines = new Map<Process, Pending[]>()
  isFaulty = true

  constructor(faults: StoreFaults) {
    this.#faults = faults
  }

  get keepsOrder(): boolean {
    return this.#faults.keepsOrder
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

  ask<T>(what: string, effect: () => T): Promise<T> {
    const process = within.getStore()
    if (process === undefined) throw new Error(`${what} was asked for outside of a process`)
    return withinDeadline(
      () =>
        new Promise<T>((resolve, reject) => {
          const answer = { resolve: resolve as Answer['resolve'], reject }
          this.#submit({ what, process, effect, answer })
        }),
    ).catch((error: unknown) => {
      if (error instanceof Error && error.cause instanceof Dead) throw error.cause
      throw error
    })
  }

  #submit(pending: Pending): void {
    // No one is in line behind a process that has died, or it would wait for ever, and a later seed on its app with it.
    if (!pending.process.isAlive) return pending.answer.reject(new Dead())
    if (!this.keepsOrder) return this.#schedule(pending)
    const line = this.#lines.get(pending.process) ?? []
    this.#lines.set(pending.process, line)
    line.push(pending)
    if (line.length === 1) this.#schedule(pending)
  }

  #schedule(pending: Pending): void {
    const { what, process, effect, answer } = pending
    const { random, now } = current()
    const isSlow = this.isFaulty && random.chance(this.#faults.isSlow)
    if (isSlow) process.troubledAt = now
    current().add({
      at: now + (isSlow ? 200 + random.below(3_000) : 0),
      process,
      what: `${process.name} store ${what}${isSlow ? ' (slow)' : ''}`,
      run: () => this.#run(pending),
      drop() {
        // What was on its way when the process died may still arrive.
        if (random.chance(0.5)) effect()
        answer.reject(new Dead())
      },
    })
  }

  #run({ what, process, effect, answer }: Pending): void {
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
      if (fails) answer.reject(cut())
      else answer.resolve(result)
    }
    if (random.chance(0.6)) return answered()
    const drop = () => answer.reject(new Dead())
    current().add({
      at: current().now,
      process,
      run: answered,
      drop,
      what: `${process.name} hears of ${what}`,
    })
  }

  #next(process: Process): void {
    if (!this.keepsOrder) return
    const line = this.#lines.get(process)
    line?.shift()
    if (line?.[0] !== undefined) this.#schedule(line[0])
  }

  /** When a process dies, those behind the first in line are not steps yet. */
  forget(process: Process): void {
    for (const { answer } of this.#lines.get(process)?.splice(0) ?? []) answer.reject(new Dead())
  }
}

/** The product's side of it. @param stored the store of the seed that runs */
export function recordsOn(stored: () => SimulatedStore): Records {
  const about = (operation: string, key: string) => `${operation} ${key.split(':', 1)[0] ?? ''}`
  return {
    get: (key) => stored().ask(about('get', key), () => stored().read(key)),
    put: (key, value, seconds) => stored().ask(about('put', key), () => stored().write(key, value, seconds)),
    compareAndSet: (key, expected, value, seconds) =>
      stored().ask(about('cas', key), () => {
        const isSame = stored().read(key) === expected
        if (isSame) stored().write(key, value, seconds)
        return isSame
      }),
    async *keys(prefix) {
      yield await stored().ask(`keys ${prefix}`, () => stored().keys(prefix))
    },
    remove: (key) => stored().ask(about('remove', key), () => stored().erase(key)),
    compareAndRemove: (key, expected) =>
      stored().ask(about('car', key), () => {
        if (stored().read(key) === expected) stored().erase(key)
      }),
  }
}

export const storeOn = (stored: () => SimulatedStore): Store => ({
  records: recordsOn(stored),
  isReachable: () => true,
  close: () => Promise.resolve(),
})
