// How much memory is in use within this process.
import { setImmediate as turn } from 'node:timers/promises'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Bytes, with what is garbage already. Costs microseconds. */
export function heldBytes(): number {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics()
  return heap + external
}

/** Whatever nothing holds is gone: a second time for what the first has let go of. */
export async function collected(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (const _time of [1, 2]) {
    await turn()
    collect()
  }
}
