// A lease, on a store that fails at the wrong moment. What it does over processes: test/sign-in/refresh-processes.test.ts.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { takeLease } from '../../src/records/lease.ts'
import { StoreUnavailable } from '../../src/records/records.ts'

it('a lease that is given back while the store is away is not renewed any more, so that it runs out', async () => {
  let renewals = -1
  const records = {
    async compareAndSet() {
      renewals++
      return true
    },
    compareAndRemove: () => Promise.reject(new StoreUnavailable(new Error('away'))),
  }
  const lease = await takeLease(records, 'name')
  await sleep(1_100)
  expect(renewals).toBe(1)
  await lease?.release()
  expect(lease?.isHeld()).toBe(false)
  await sleep(1_100)
  expect(renewals).toBe(1)
})
