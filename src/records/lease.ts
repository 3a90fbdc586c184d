// Runs work one at a time: by single flight in this process, by a lease across processes. A lease is renewed until its
// release, or has a fixed length; it expires if its process dies. Its owner has to read the protected record again.
import { randomUUID } from 'node:crypto'
import type { Records } from './records.ts'

const LIFE_SECONDS = 3
const RENEW_EVERY_MS = 1_000
const REMOVE_EVERY_MS = 250

/** `isHeld` is false once the lease was lost, because another process may work. */
type Lease = { isHeld(): boolean; release(): Promise<void> }

/** @param seconds a fixed length, even if the process freezes @returns undefined while another process has the lease */
export async function takeLease(
  records: Pick<Records, 'compareAndSet' | 'compareAndRemove'>,
  name: string,
  seconds?: number,
): Promise<Lease | undefined> {
  const key = `lease:${name}`
  const owner = randomUUID()
  /** Tries again in the background, as long as the lease lasts: after a late reply, the store fails for a while. */
  const remove = (tries = ((seconds ?? LIFE_SECONDS) * 1000) / REMOVE_EVERY_MS): Promise<void> =>
    records.compareAndRemove(key, owner).catch(() => {
      if (tries > 1) setTimeout(() => void remove(tries - 1), REMOVE_EVERY_MS).unref()
    })
  // The lease is short at first: if the reply is lost, no process would release it.
  if (!(await records.compareAndSet(key, undefined, owner, LIFE_SECONDS))) return undefined
  if (seconds !== undefined) {
    const extended = records.compareAndSet(key, owner, owner, seconds)
    extended.catch(() => remove())
    if (!(await extended)) return undefined
  }
  let isStillHeld = true
  async function renew(): Promise<void> {
    const isRenewed = await records.compareAndSet(key, owner, owner, LIFE_SECONDS)
    isStillHeld &&= isRenewed
    if (!isRenewed) clearInterval(renewal)
  }
  const renewal = setInterval(() => void renew().catch(() => {}), RENEW_EVERY_MS).unref()
  if (seconds !== undefined) clearInterval(renewal)
  return {
    isHeld: () => isStillHeld,
    async release() {
      clearInterval(renewal)
      isStillHeld = false
      await remove()
    },
  }
}
