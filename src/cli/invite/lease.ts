// One run at a time, of invite send or keep.
import { setTimeout as sleep } from 'node:timers/promises'
import { createSingleFlight, takeLease, type Lease } from '../../records/lease.ts'
import type { Records } from '../../records/records.ts'
import type { Output } from '@onramp/terminal/command-context'

/** Longer than the lease of a run that was killed lasts (records/lease.ts). */
const WAIT_MS = 4_500
const PAUSE_MS = 100
const NAME = 'campaign:onboarding'
const HINT_MS = 700

async function wait(
  records: Pick<Records, 'compareAndSet' | 'compareAndRemove'>,
): Promise<Lease | undefined> {
  const until = Date.now() + WAIT_MS
  for (;;) {
    const lease = await takeLease(records, NAME)
    if (lease !== undefined || Date.now() > until) return lease
    await sleep(PAUSE_MS)
  }
}

/**
 * @param work may ask whether the lease is still this run's. After the machine slept, or the store took no writes for a
 * while, it is taken again, unless another run has it; while the store is away, that is a {StoreUnavailable}.
 * @returns undefined where another run is under way
 * @throws {StoreUnavailable}
 */
export async function withCampaignLease<T>(
  records: Pick<Records, 'compareAndSet' | 'compareAndRemove'>,
  stderr: Output,
  work: (isHeld: () => Promise<boolean>) => Promise<T>,
): Promise<T | undefined> {
  const once = createSingleFlight<Lease | undefined>()
  const hint = setTimeout(() => stderr.write('Waiting: another run may be at work…\n'), HINT_MS)
  let lease = await wait(records).finally(() => clearTimeout(hint))
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
