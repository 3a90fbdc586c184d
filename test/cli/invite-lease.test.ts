// The lease of a campaign: only one run at a time, also while the store fails.
import { beforeEach, expect, it, vi } from 'vitest'
import { withCampaignLease } from '../../src/cli/invite/lease.ts'
import { StoreUnavailable } from '../../src/records/records.ts'

function memory() {
  const values = new Map<string, string>()
  const self = {
    values,
    /** False: like a full Redis, it rejects writes but still reports a different value. */
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
/** The lease renews every second (records/lease.ts). */
const NOTICED_MS = 1_300
/** Longer than a run waits for another one. */
const WAITED_MS = 6_000

beforeEach(() => void vi.useFakeTimers({ fakeNodeBuiltins: true }))

it('the lease of a campaign is unknown while the store rejects writes, and renewed afterwards', async () => {
  const records = memory()
  await withCampaignLease(records, async (holdsLease) => {
    records.takesWrites = false
    records.values.delete(KEY)
    await vi.advanceTimersByTimeAsync(NOTICED_MS)
    for (const answer of await Promise.allSettled([holdsLease(), holdsLease()]))
      expect(answer).toMatchObject({ reason: expect.any(StoreUnavailable) as unknown })
    records.takesWrites = true
    expect(await Promise.all([holdsLease(), holdsLease()])).toEqual([true, true])
    expect(records.values.size).toBe(1)
  })
  expect(records.values.size).toBe(0)
})

it('the lease of a campaign is lost once another run has taken it', async () => {
  const records = memory()
  await withCampaignLease(records, async (holdsLease) => {
    records.values.set(KEY, 'another run')
    await vi.advanceTimersByTimeAsync(NOTICED_MS)
    const held = holdsLease()
    await vi.advanceTimersByTimeAsync(WAITED_MS)
    expect(await held).toBe(false)
  })
  expect(records.values.get(KEY)).toBe('another run')
})

it('the lease of a campaign is refused while another run holds it, after a wait', async () => {
  const records = memory()
  records.values.set(KEY, 'a run that was killed')
  const waiting = withCampaignLease(records, async (holdsLease) => {
    expect(await holdsLease()).toBe(true)
    const another = withCampaignLease(records, () => Promise.resolve('ran'))
    await vi.advanceTimersByTimeAsync(WAITED_MS)
    expect(await another).toBeUndefined()
    return 'ran'
  })
  await vi.advanceTimersByTimeAsync(1_000)
  records.values.delete(KEY)
  await vi.advanceTimersByTimeAsync(2 * WAITED_MS)
  expect(await waiting).toBe('ran')
})
