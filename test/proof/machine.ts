// The machine that the simulated processes run on: its clock, and all pending steps, from which the seed chooses the
// next one.
import { AsyncLocalStorage } from 'node:async_hooks'
import { createRandom, type Random } from './random.ts'

/**
 * After its death its steps are dropped and its calls refused. `troubledAt`: of the last fault that was made for it.
 */
export type Process = { name: string; isAlive: boolean; troubledAt: number }

export class Dead extends Error {
  override name = 'Dead'
}

export type Step = {
  /** The earliest time; milliseconds since 1970. */
  at: number
  run(): void
  /** The line in the journal, if any. */
  what?: string
  process?: Process | undefined
  /** Called instead of `run` if the process dies first. */
  drop?: () => void
  /** The end doesn't wait for it. */
  isIdle?: boolean
}

export const within = new AsyncLocalStorage<Process>()

const realImmediate = setImmediate
/** Work of other threads: checking signatures. */
const outside = { working: 0, last: Promise.resolve() }

/** Runs such work one after the other, so that the faster thread doesn't decide the order. */
export async function runOutside<T>(work: () => Promise<T>): Promise<T> {
  outside.working++
  const begun = outside.last.then(work)
  const end = () => {}
  outside.last = begun.then(end, end)
  return await begun.finally(() => outside.working--)
}

export class Machine {
  now: number
  readonly startedAt: number
  readonly journal: string[] = []
  readonly random: Random
  readonly noise: Random
  readonly #steps = new Set<Step>()

  constructor(seed: number, startedAt: number) {
    this.startedAt = this.now = startedAt
    this.random = createRandom(seed)
    this.noise = createRandom(seed, 1)
  }

  add(step: Step): Step {
    if (step.process?.isAlive === false) step.drop?.()
    else this.#steps.add(step)
    return step
  }

  cancel(step: Step): void {
    this.#steps.delete(step)
  }

  note(what: string): void {
    this.journal.push(`${String(this.now - this.startedAt).padStart(7)} ms  ${what}`)
  }

  kill(process: Process): void {
    this.note(`${process.name} dies`)
    process.isAlive = false
    for (const step of this.#steps)
      if (step.process === process) {
        this.#steps.delete(step)
        step.drop?.()
      }
  }

  /**
   * Runs the pending steps in an order that the seed chooses, until only idle ones are left.
   * @param isOwed true while an idle step, such as a time limit, may still have to answer a request
   */
  async run(maxSteps: number, isOwed: () => boolean = () => false): Promise<void> {
    for (let count = 0; this.#isAwaited() || (isOwed() && this.#steps.size > 0); count++) {
      if (count >= maxSteps) throw new Error(`no end after ${maxSteps} steps`)
      const step = this.#next()
      this.#steps.delete(step)
      if (step.what !== undefined) this.note(step.what)
      step.run()
      await untilSettled()
    }
  }

  /** Advances the clock while people do nothing; due steps run in the order of their times. */
  async pass(milliseconds: number): Promise<void> {
    const until = this.now + milliseconds
    const due = [...this.#steps].filter(({ at }) => at <= until)
    for (const step of due.toSorted((one, other) => one.at - other.at)) {
      if (!this.#steps.delete(step)) continue
      step.run()
      await untilSettled()
    }
    this.now = until
  }

  async end(processes: readonly Process[]): Promise<void> {
    for (const process of processes) process.isAlive = false
    for (const step of this.#steps) step.drop?.()
    this.#steps.clear()
    await untilSettled()
  }

  #isAwaited(): boolean {
    for (const step of this.#steps) if (step.isIdle !== true) return true
    return false
  }

  /** Any step that is due; if none is, the clock goes on to the first one. */
  #next(): Step {
    this.now += this.random.below(3)
    let earliest = Infinity
    for (const { at } of this.#steps) earliest = Math.min(earliest, at)
    this.now = Math.max(this.now, earliest)
    return this.random.pick([...this.#steps].filter(({ at }) => at <= this.now))
  }
}

let machine: Machine | undefined

export const begin = (seed: number, startedAt: number): Machine => (machine = new Machine(seed, startedAt))

export function current(): Machine {
  if (machine === undefined) throw new Error('no machine is running')
  return machine
}

/** Resolves when everything that a step made possible has happened. */
async function untilSettled(): Promise<void> {
  do await new Promise((resolve) => realImmediate(resolve))
  while (outside.working > 0)
}
