// One run of a campaign at a time.
import { setTimeout as sleep } from 'node:timers/promises'
import { takeLease, type Lease, type LeaseRecords } from '../../records/lease.ts'
import { StoreUnavailable } from '../../records/records.ts'
import type { Output } from '@onramp/deprecations/command-line/parts'

/** Longer than the lease of a run that was killed lasts (records/lease.ts). */
const WAIT_MS = 4_500
const PAUSE_MS = 100
const HINT_MS = 700

export type Hold = {
  /** Is the campaign still this run's? After the machine slept it is taken again, unless another run has it. */
  isHeld(): Promise<boolean>
  release(): Promise<void>
}

async function wait(records: LeaseRecords, name: string): Promise<Lease | undefined> {
  const until = Date.now() + WAIT_MS
  for (;;) {
    const lease = await takeLease(records, name)
    if (lease !== undefined || Date.now() > until) return lease
    await sleep(PAUSE_MS)
  }
}

/** Undefined: another run of the campaign is under way. @throws {StoreUnavailable} */
export async function holdCampaign(
  records: LeaseRecords,
  campaign: string,
  stderr: Output,
): Promise<Hold | undefined> {
  const name = `campaign:${campaign}`
  const hint = setTimeout(() => stderr.write('Waiting: this campaign may already be running…\n'), HINT_MS)
  let lease = await wait(records, name).finally(() => clearTimeout(hint))
  if (lease === undefined) return undefined
  let again: Promise<Lease | undefined> | undefined

  return {
    async isHeld() {
      if (lease?.isHeld() === true) return true
      again ??= wait(records, name).catch((error: unknown) => {
        // The next question tries again. The ledger protects the emails, and it is in the same store.
        if (error instanceof StoreUnavailable) return undefined
        throw error
      })
      lease = await again
      again = undefined
      return lease !== undefined
    },
    release: async () => await lease?.release(),
  }
}
