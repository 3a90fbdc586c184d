// The machine that the simulated processes run on: its clock, and the one place where what is pending waits until the seed
// chooses it. Its timers and its chance are in instruments.ts.
import { AsyncLocalStorage } from 'node:async_hooks'
import { createRandom, type Random } from './random.ts'

/** One that was killed never goes on: its steps are dropped, and what it asks for from then on is refused. */
export type Process = {
  name: string
  isAlive: boolean
  /** Of the last fault that was made for it. */ troubledAt: number
}

export class Dead extends Error {
  override name = 'Dead'
}

export type Step = {
  /** Not before; milliseconds since 1970. */
  at: number
  run(): void
  /** For the journal; without it the step is not worth a line. */
  what?: string
  process?: Process | undefined
  /** The process died before it ran. */
  drop?: () => void
  /** The end need not wait for it. */
  isIdle?: boolean
}

export const within = new AsyncLocalStorage<Process>()

const realImmediate = setImmediate
/** Real work outside of JavaScript that is under way: checking signatures. */
const outside = { working: 0, last: Promise.resolve() }

/** Ends in the order in which it began, whichever processor was faster: two keys may be checked at once. */
export async function awaited<T>(work: () => Promise<T>): Promise<T> {
  outside.working++
  const begun = outside.last.then(work)
  outside.last = begun.then(
    () => {},
    () => {},
  )
  try {
    return await begun
  } finally {
    outside.working--
  }
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
   * Runs one pending step after the other, in an order that the seed chooses, until no one waits for any.
   * @param isOwed is there someone whom only an idle step, such as a time limit, may still answer?
   */
  async run(maxSteps: number, isOwed: () => boolean = () => false): Promise<void> {
    for (let count = 0; this.#isAwaited() || (isOwed() && this.#steps.size > 0); count++) {
      if (count >= maxSteps) throw new Error(`no end after ${maxSteps} steps`)
      const step = this.#next()
      this.#steps.delete(step)
      if (step.what !== undefined) this.note(step.what)
      step.run()
      await settled()
    }
  }

  /** No one does anything for so many milliseconds; what runs by itself, such as the end of a limit, runs in its order. */
  async pass(milliseconds: number): Promise<void> {
    const until = this.now + milliseconds
    const due = [...this.#steps].filter(({ at }) => at <= until)
    for (const step of due.toSorted((one, other) => one.at - other.at)) {
      if (!this.#steps.delete(step)) continue
      step.run()
      await settled()
    }
    this.now = until
  }

  /** Whatever is left now never runs. */
  async end(processes: readonly Process[]): Promise<void> {
    for (const process of processes) process.isAlive = false
    for (const step of this.#steps) step.drop?.()
    this.#steps.clear()
    await settled()
  }

  #isAwaited(): boolean {
    for (const step of this.#steps) if (step.isIdle !== true) return true
    return false
  }

  /** Any that may run now; when none may, the clock goes on to the first that may. */
  #next(): Step {
    this.now += this.random.below(3)
    let earliest = Infinity
    for (const { at } of this.#steps) earliest = Math.min(earliest, at)
    this.now = Math.max(this.now, earliest)
    return this.random.pick([...this.#steps].filter(({ at }) => at <= this.now))
  }
}

let machine: Machine | undefined

/** From now on this is the machine. */
export const begin = (seed: number, startedAt: number): Machine => (machine = new Machine(seed, startedAt))

export function current(): Machine {
  if (machine === undefined) throw new Error('no machine is running')
  return machine
}

/** Until everything that a step made possible has happened. */
async function settled(): Promise<void> {
  do await new Promise((resolve) => realImmediate(resolve))
  while (outside.working > 0)
}
