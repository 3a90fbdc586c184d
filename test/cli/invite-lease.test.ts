import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { withCampaignLease } from '../../src/cli/invite/lease.ts'
import { StoreUnavailable } from '../../src/records/records.ts'

function memory() {
  const values = new Map<string, string>()
  const self = {
    values,
    /** It still says that a value is another one, as Redis does that is full. */
    takesWrites: true,
    compareAndSet(key: string, expected: string | undefined, value: string) {
      const isSame = values.get(key) === expected
      if (isSame && !self.takesWrites) return Promise.reject(new StoreUnavailable(undefined))
      if (isSame) values.set(key, value)
      return Promise.resolve(isSame)
    },
    compareAndRemove(key: string, expected: string) {
      if (values.get(key) === expected) values.delete(key)
      return Promise.resolve()
    },
  }
  return self
}

const KEY = 'lease:campaign:onboarding'
/** Until the lease notices (records/lease.ts renews every second). */
const NOTICED_MS = 1_300

describe.concurrent('holding a campaign', () => {
  it('is not known while the store takes no writes, and lasts afterwards while no one else has it', async () => {
    const records = memory()
    await withCampaignLease(records, async (isHeld) => {
      records.takesWrites = false
      records.values.delete(KEY)
      await sleep(NOTICED_MS)
      for (const answer of await Promise.allSettled([isHeld(), isHeld()]))
        expect(answer).toMatchObject({ reason: expect.any(StoreUnavailable) as unknown })
      records.takesWrites = true
      expect(await Promise.all([isHeld(), isHeld()])).toEqual([true, true])
      expect(records.values.size).toBe(1)
    })
    expect(records.values.size).toBe(0)
  })

  it('ends when another run took it meanwhile', async () => {
    const records = memory()
    await withCampaignLease(records, async (isHeld) => {
      records.values.set(KEY, 'another run')
      await sleep(NOTICED_MS)
      expect(await isHeld()).toBe(false)
    })
    expect(records.values.get(KEY)).toBe('another run')
  })

  it('is refused while another run has it, after a while in which that one may be gone', async () => {
    const records = memory()
    records.values.set(KEY, 'a run that was killed')
    const waiting = withCampaignLease(records, async (isHeld) => {
      expect(await isHeld()).toBe(true)
      expect(await withCampaignLease(records, () => Promise.resolve('ran'))).toBeUndefined()
      return 'ran'
    })
    await sleep(1_000)
    records.values.delete(KEY)
    expect(await waiting).toBe('ran')
  })
})
