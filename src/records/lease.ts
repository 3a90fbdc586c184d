// One at a time. Within this process, calls share the work that is under way. Over all processes, a lease is renewed while
// the work lasts and runs out when its holder is gone, or has a fixed length; the holder reads again what it protects.
import { randomUUID } from 'node:crypto'
import type { Records } from './records.ts'

const LIFE_SECONDS = 3
const RENEW_EVERY_MS = 1_000

export type Lease = {
  /** False once it was lost: another process may be at work. */
  isHeld(): boolean
  /** Gives it back at once, so that the next one need not wait for it to run out. */
  release(): Promise<void>
}

export type LeaseRecords = Pick<Records, 'compareAndSet' | 'compareAndRemove'>

/**
 * Takes the lease, or undefined while another process holds it.
 * @param seconds it lasts so long and isn't renewed: a holder that is frozen doesn't lose it earlier
 * @throws {StoreUnavailable}
 */
export async function takeLease(
  records: LeaseRecords,
  name: string,
  seconds?: number,
): Promise<Lease | undefined> {
  const [key, owner] = [`lease:${name}`, randomUUID()]
  const remove = () => records.compareAndRemove(key, owner).catch(() => {})
  // Only for a moment: if the store's answer is lost or late, no one knows that it is held.
  if (!(await records.compareAndSet(key, undefined, owner, LIFE_SECONDS))) return undefined
  if (seconds !== undefined) {
    const extended = records.compareAndSet(key, owner, owner, seconds)
    // Later than the removal, it finds no lease to extend.
    extended.catch(remove)
    if (!(await extended)) return undefined
  }
  let held = true
  const renewal = setInterval(() => {
    if (seconds !== undefined) return clearInterval(renewal)
    records.compareAndSet(key, owner, owner, LIFE_SECONDS).then(
      (still) => {
        held &&= still
        if (!still) clearInterval(renewal)
      },
      () => {},
    )
  }, RENEW_EVERY_MS)
  renewal.unref()
  return {
    isHeld: () => held,
    async release() {
      clearInterval(renewal)
      held = false
      await remove()
    },
  }
}

/** Within this process: callers with the same key share one run of `work`, and its failure. Nothing is kept afterwards. */
export function createSingleFlight<T>(): (key: string, work: () => Promise<T>) => Promise<T> {
  const underWay = new Map<string, Promise<T>>()
  return (key, work) => {
    const found = underWay.get(key)
    if (found !== undefined) return found
    const started = work().finally(() => underWay.delete(key))
    underWay.set(key, started)
    return started
  }
}
