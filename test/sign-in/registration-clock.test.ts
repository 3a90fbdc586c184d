// What a clock that was set back does to registering: it must not wait for a time that was never right.
import { expect, it } from 'vitest'
import { createSealer } from '../../src/session/seal.ts'
import { createRegistrationHistory } from '../../src/sign-in/registration/history.ts'

const DAY_MS = 24 * 3600 * 1000

it('a registration that was held while a clock ran ahead is free once the clock is right', async () => {
  const kept = new Map<string, string>()
  let time = 400 * DAY_MS
  const history = createRegistrationHistory({
    records: {
      get: (key) => Promise.resolve(kept.get(key)),
      put: (key, value) => Promise.resolve(void kept.set(key, value)),
    },
    sealer: createSealer(['a secret of thirty-two characters']),
    name: 'onramp',
    now: () => time,
  })
  await history.begin()
  await history.end({ kind: 'unusable', why: 'the client has no id' })
  await expect(history.begin()).rejects.toMatchObject({ status: 503 })

  time -= 300 * DAY_MS
  await history.begin()
})
