// Processor time and memory of the processes, looked at each second, also of those that have ended meanwhile.
import { loadavg } from 'node:os'
import { processorMs, residentMb } from '../machine.ts'

type Life = { name: string; pid: number; processorMs: number; memory: Sample[] }
/** Megabytes, at milliseconds since 1970. */
type Sample = { at: number; megabytes: number }

/** The last fifth of a life over its second fifth: more is not level. */
const MAX_GROWTH = 1.25
/** In a shorter life the compiler and the caches are still at work. */
const LEAST_SECONDS = 120

const EVERY_MS = 1_000

const medianOf = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** The median of a fifth of the samples. @param fifth from 0 */
const inFifth = (samples: readonly Sample[], fifth: number) =>
  medianOf(
    samples
      .slice((samples.length * fifth) / 5, (samples.length * (fifth + 1)) / 5)
      .map(({ megabytes }) => megabytes),
  )

export function createMeter() {
  const lives: Life[] = []
  const loads: number[] = []
  const look = () => {
    loads.push(loadavg()[0] ?? 0)
    for (const life of lives) {
      const [taken, memory] = [processorMs(life.pid), residentMb(life.pid)]
      if (taken === undefined || memory === undefined) continue
      life.processorMs = taken
      life.memory.push({ at: Date.now(), megabytes: memory })
    }
  }
  look()
  const looking = setInterval(look, EVERY_MS)
  return {
    watch: (name: string, pid: number) => void lives.push({ name, pid, processorMs: 0, memory: [] }),
    /** All lives of that name, in milliseconds. */
    processorMs: (name: string) =>
      lives.filter((life) => life.name === name).reduce((sum, life) => sum + life.processorMs, 0),
    /**
     * In megabytes, of each life: early, late and the most; and whether those that were long enough were level.
     * @param from milliseconds since 1970: before, fewer people came and were remembered
     */
    memory(name: string, from: number) {
      const figures = lives.flatMap((life) => {
        const memory = life.memory.filter(({ at }) => at >= from)
        const [first, last] = [memory[0], memory.at(-1)]
        if (life.name !== name || first === undefined || last === undefined) return []
        return {
          seconds: Math.round((last.at - first.at) / 1000),
          early: inFifth(memory, 1),
          late: inFifth(memory, 4),
          most: Math.max(...memory.map(({ megabytes }) => megabytes)),
        }
      })
      const judged = figures.filter(({ seconds }) => seconds >= LEAST_SECONDS)
      const isLevel =
        judged.length === 0 ? undefined : judged.every(({ early, late }) => late <= early * MAX_GROWTH)
      return { figures, isLevel }
    },
    load: () => ({ first: loads[0] ?? 0, most: Math.max(...loads) }),
    /** From now on nothing counts. */
    stop() {
      clearInterval(looking)
      look()
    },
  }
}
