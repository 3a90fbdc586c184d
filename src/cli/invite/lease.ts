// Lets one run of invite send or keep work at a time.
import { setTimeout as sleep } from 'node:timers/promises'
import { createSingleFlight, takeLease } from '../../records/lease.ts'
import type { Records } from '../../records/records.ts'

/** Outlasts the lease of a run that was killed (records/lease.ts). */
const WAIT_MS = 4_500
const PAUSE_MS = 100
const NAME = 'campaign:onboarding'

async function wait(records: Pick<Records, 'compareAndSet' | 'compareAndRemove'>) {
  const until = Date.now() + WAIT_MS
  for (;;) {
    const lease = await takeLease(records, NAME)
    if (lease !== undefined || Date.now() > until) return lease
    await sleep(PAUSE_MS)
  }
}

/**
 * @param work its `holdsLease` takes the lease again after the machine slept or the store was away, unless another run has it
 * @returns undefined if another run is under way @throws {StoreUnavailable}
 */
export async function withCampaignLease<T>(
  records: Pick<Records, 'compareAndSet' | 'compareAndRemove'>,
  work: (holdsLease: () => Promise<boolean>) => Promise<T>,
): Promise<T | undefined> {
  const once = createSingleFlight<Awaited<ReturnType<typeof wait>>>()
  let lease = await wait(records)
  if (lease === undefined) return undefined
  try {
    return await work(async () => {
      if (lease?.isHeld() !== true) lease = await once(NAME, () => wait(records))
      return lease !== undefined
    })
  } finally {
    await lease?.release()
  }
}
