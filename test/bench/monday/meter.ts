// Processor time and memory of the processes, looked at each second, also of those that have ended meanwhile.
import { cpus, loadavg } from 'node:os'
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

const FIFTHS = { second: 1, last: 4 } as const

/** The median of what was seen in a fifth of the time from the first moment to the last. */
function inFifth(
  samples: readonly Sample[],
  fifth: keyof typeof FIFTHS,
  { from, to }: { from: number; to: number },
) {
  const start = from + ((to - from) * FIFTHS[fifth]) / 5
  const own = samples.filter(({ at }) => at >= start && at <= start + (to - from) / 5)
  return medianOf(own.map(({ megabytes }) => megabytes))
}

function machineMs(): { busy: number; all: number } {
  let [busy, all] = [0, 0]
  for (const { times } of cpus()) {
    const sum = Object.values(times).reduce((total, value) => total + value, 0)
    all += sum
    busy += sum - times.idle
  }
  return { busy, all }
}

export function createMeter() {
  const lives: Life[] = []
  const started = machineMs()
  const loads: number[] = []
  let ended: ReturnType<typeof machineMs> | undefined
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
        const time = { from: first.at, to: last.at }
        return {
          seconds: Math.round((last.at - first.at) / 1000),
          early: inFifth(memory, 'second', time),
          late: inFifth(memory, 'last', time),
          most: Math.max(...memory.map(({ megabytes }) => megabytes)),
        }
      })
      const judged = figures.filter(({ seconds }) => seconds >= LEAST_SECONDS)
      const isLevel =
        judged.length === 0 ? undefined : judged.every(({ early, late }) => late <= early * MAX_GROWTH)
      return { figures, isLevel }
    },
    machine() {
      const { busy, all } = ended ?? machineMs()
      const share = (busy - started.busy) / (all - started.all)
      return { share, load: { first: loads[0] ?? 0, most: Math.max(...loads) } }
    },
    /** From now on nothing counts. */
    stop() {
      clearInterval(looking)
      look()
      ended ??= machineMs()
    },
  }
}
