// How long the service, the store and the mail server took in a run, in a file for Prometheus' node exporter (textfile
// collector): a command ends before anyone could ask it.
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { UsageError } from '@onramp/deprecations/command-line/arguments'
import { Registry } from 'prom-client'
import { callTimings, type CallTimings } from '../../web/metrics/metrics.ts'

const WRITE_EVERY_MS = 15_000

/**
 * The last time it's written, a fault is ignored: the run is over, and its outcome counts.
 * @param file absent: nothing is written
 * @throws {UsageError} when it cannot be written at first
 */
export async function withMetricsFile<T>(
  file: string | undefined,
  work: (timings: CallTimings) => Promise<T>,
): Promise<T> {
  const registry = new Registry()
  const timings = callTimings(registry)
  if (file === undefined) return await work(timings)

  /** At once: a file that is read half written would be refused as a whole. */
  async function write(): Promise<void> {
    const page = await registry.metrics()
    const part = `${file}.${process.pid}`
    try {
      writeFileSync(part, page)
      renameSync(part, file as string)
    } finally {
      rmSync(part, { force: true })
    }
  }

  await write().catch((error: unknown) => {
    const reason = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw new UsageError(`--metrics can't be written to ${file}${reason}`)
  })
  const timer = setInterval(() => void write().catch(() => {}), WRITE_EVERY_MS).unref()
  return await work(timings).finally(async () => {
    clearInterval(timer)
    await write().catch(() => {})
  })
}
