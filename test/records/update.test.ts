import { describe, expect, it } from 'vitest'
import { StoreUnavailable } from '../../src/records/records.ts'
import { updateJson } from '../../src/records/update.ts'

describe('a record of JSON', () => {
  it('that others keep changing is an outage to come back after, not a mistake of ours', async () => {
    const contested = { get: async () => '[]', compareAndSet: async () => false }
    const record = { key: 'sign-ins:x', seconds: 60, read: () => [] as number[] }
    const update = updateJson(contested, record, (all) => [...all, 1])
    await expect(update).rejects.toBeInstanceOf(StoreUnavailable)
    await expect(update).rejects.toMatchObject({ status: 503, code: 'store_unavailable', retryAfter: 5 })
  })
})
