// Allows one run of invite send or keep at a time.
import { setTimeout as sleep } from 'node:timers/promises'
import { takeLease } from '../../records/lease.ts'
import { createSingleFlight } from '../../single-flight.ts'
import type { Records } from '../../records/records.ts'

/** Outlasts the lease of a run that was killed (records/lease.ts). */
const WAIT_MS = 4_500
const PAUSE_MS = 100
const NAME = 'campaign:onboarding'

async function waitForLease(records: Pick<Records, 'compareAndSet' | 'compareAndRemove'>) {
  const until = Date.now() + WAIT_MS
  for (;;) {
    const lease = await takeLease(records, NAME)
    if (lease !== undefined || Date.now() > until) return lease
    await sleep(PAUSE_MS)
  }
}

/**
 * @param work its `holdsLease` renews a lease that expired in sleep or an outage, unless another run has it
 * @returns undefined while another run has the lease @throws {StoreUnavailable}
 */
export async function withCampaignLease<T>(
  records: Pick<Records, 'compareAndSet' | 'compareAndRemove'>,
  work: (holdsLease: () => Promise<boolean>) => Promise<T>,
): Promise<T | undefined> {
  const once = createSingleFlight<Awaited<ReturnType<typeof waitForLease>>>()
  let lease = await waitForLease(records)
  if (lease === undefined) return undefined
  try {
    return await work(async () => {
      if (lease?.isHeld() !== true) lease = await once(NAME, () => waitForLease(records))
      return lease !== undefined
    })
  } finally {
    await lease?.release()
  }
}
