// Samples memory and processor time of the processes each second, also of those that have ended meanwhile.
import { loadavg } from 'node:os'
import { processorMs, residentMb } from '../machine.ts'
import { medianOf } from '../report.ts'

/** `at`: milliseconds since 1970. */
type Sample = { at: number; megabytes: number }
type Life = { pid: number; memory: Sample[]; processorMs: number }
export type Memory = {
  figures: { seconds: number; early: number; late: number; most: number }[]
  /** Undefined if no process lived long enough. */
  isLevel: boolean | undefined
}

/** The last fifth of a life over its second fifth: more is not level. */
const MAX_GROWTH = 1.25
/** In a shorter life the compiler and the caches are still at work. */
const MIN_SECONDS = 120

/** The median of a fifth of the samples. @param fifth from 0 */
const inFifth = (samples: readonly Sample[], fifth: number) =>
  medianOf(
    samples
      .slice((samples.length * fifth) / 5, (samples.length * (fifth + 1)) / 5)
      .map(({ megabytes }) => megabytes),
  )

export class Meter {
  readonly #lives: Life[] = []
  readonly #loads: number[] = []
  readonly #sampling: NodeJS.Timeout

  constructor() {
    this.#sample()
    this.#sampling = setInterval(() => this.#sample(), 1_000)
  }

  #sample(): void {
    this.#loads.push(loadavg()[0] ?? 0)
    for (const life of this.#lives) {
      const megabytes = residentMb(life.pid)
      if (Number.isNaN(megabytes)) continue
      life.memory.push({ at: Date.now(), megabytes })
      life.processorMs = processorMs(life.pid)
    }
  }

  watch(pid: number): void {
    this.#lives.push({ pid, memory: [], processorMs: NaN })
  }

  /** Megabytes of each process. @param from milliseconds since 1970: earlier, fewer people were remembered */
  memory(from: number): Memory {
    const figures = this.#lives.flatMap((life) => {
      const memory = life.memory.filter(({ at }) => at >= from)
      const [first, last] = [memory[0], memory.at(-1)]
      if (first === undefined || last === undefined) return []
      const seconds = Math.round((last.at - first.at) / 1000)
      const most = Math.max(...memory.map(({ megabytes }) => megabytes))
      return { seconds, early: inFifth(memory, 1), late: inFifth(memory, 4), most }
    })
    const long = figures.filter(({ seconds }) => seconds >= MIN_SECONDS)
    const isLevel =
      long.length === 0 ? undefined : long.every(({ early, late }) => late <= early * MAX_GROWTH)
    return { figures, isLevel }
  }

  /** Processor time of all processes, from their start. NaN where the system doesn't count it. */
  processorMs = () => this.#lives.reduce((sum, life) => sum + life.processorMs, 0)

  /** The load average of the machine: at first, and at most. */
  load = () => ({ first: this.#loads[0] ?? 0, most: Math.max(...this.#loads) })

  stop(): void {
    clearInterval(this.#sampling)
    this.#sample()
  }
}
