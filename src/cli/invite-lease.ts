// One run of a campaign at a time.
import { takeLease, type Lease, type LeaseRecords } from '../records/lease.ts'

/** The lease of a run that was killed lasts so long (records/lease.ts). */
const WAIT_MS = 4_500
const PAUSE_MS = 100

/** Undefined: another run of the campaign is under way. @throws {StoreUnavailable} */
export async function leaseOf(records: LeaseRecords, campaign: string): Promise<Lease | undefined> {
  const until = Date.now() + WAIT_MS
  for (;;) {
    const lease = await takeLease(records, `campaign:${campaign}`)
    if (lease !== undefined || Date.now() > until) return lease
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}
