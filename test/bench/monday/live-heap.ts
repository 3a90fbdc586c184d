// Loaded into onramp before it starts: writes into the file that LIVE_HEAP_FILE names how much of the heap is in use after
// each collection of old objects. What a process holds beside that is garbage which Node lets lie, and its own.
import { appendFileSync } from 'node:fs'
import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks'
import { getHeapSpaceStatistics } from 'node:v8'

const file = process.env['LIVE_HEAP_FILE'] ?? ''

/** Megabytes of what has outlived the youngest objects: among those is whatever was made since the collection. */
const inUse = () =>
  getHeapSpaceStatistics()
    .filter(({ space_name: name }) => !name.startsWith('new_'))
    .reduce((sum, { space_used_size: used }) => sum + used / 2 ** 20, 0)

new PerformanceObserver((list) => {
  const entries = list.getEntries() as (PerformanceEntry & { detail?: { kind?: number } })[]
  const isMajor = entries.some(({ detail }) => detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR)
  if (isMajor) appendFileSync(file, `${process.pid} ${Date.now()} ${inUse().toFixed(1)}\n`)
}).observe({ entryTypes: ['gc'] })
