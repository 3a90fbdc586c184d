// The memory of this process.
import { setImmediate as turn } from 'node:timers/promises'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Bytes, including garbage. Costs microseconds. */
export function heldBytes(): number {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics()
  return heap + external
}

/** Collects garbage twice, because finalizers may release more. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (const _time of [1, 2]) {
    await turn()
    collect()
  }
}
