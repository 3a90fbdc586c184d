// Processor time and memory of the processes, looked at each second, also of those that have ended meanwhile.
import { cpus, loadavg } from 'node:os'
import { processorMs, residentMb } from '../machine.ts'

type Life = { name: string; pid: number; processorMs: number; memory: number[] }

/** The last fifth of a life over its second fifth: more is not level. */
const MAX_GROWTH = 1.25
/** In a shorter life the compiler and the caches are still at work. */
const LEAST_SECONDS = 120

const EVERY_MS = 1_000

const medianOf = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

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
      life.memory.push(memory)
    }
  }
  look()
  const looking = setInterval(look, EVERY_MS)
  return {
    watch: (name: string, pid: number) => void lives.push({ name, pid, processorMs: 0, memory: [] }),
    /** All lives of that name, in milliseconds. */
    processorMs: (name: string) =>
      lives.filter((life) => life.name === name).reduce((sum, life) => sum + life.processorMs, 0),
    /** In megabytes, of each life: early, late and the most; and whether the longest of them was level. */
    memory(name: string) {
      const own = lives.filter((life) => life.name === name && life.memory.length > 0)
      const figures = own.map(({ memory }) => {
        const fifth = Math.ceil(memory.length / 5)
        const [early, late] = [medianOf(memory.slice(fifth, 2 * fifth)), medianOf(memory.slice(-fifth))]
        return { seconds: memory.length, early, late, most: Math.max(...memory) }
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
