// Requests that wait for the authorization server: each network's share, which is free again once they end.
import type { Request } from 'express'
import { expect, it } from 'vitest'
import { createLimits } from '../../src/web/rate-limit.ts'

const limits = createLimits({ perNetwork: 1, publicUrl: 'https://onramp.example' }, () => {}, Date.now)

/** Begins requests of one network; every other one fails at the end. @returns those accepted, and a refusal */
async function begin(
  share: 'starting' | 'redeeming' | 'checkingLogoutToken',
  network: number,
  count: number,
) {
  const req = { ip: `10.0.${network >> 8}.${network & 255}`, session: {} } as unknown as Request
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  let accepted = 0
  const work = () => (accepted++ % 2 === 0 ? ended : ended.then(() => Promise.reject(new Error('failed'))))
  const requests = Array.from({ length: count }, () => limits[share](req, work))
  const all = Promise.allSettled(requests)
  const refusal: unknown = accepted < count && (await requests.at(-1)?.catch((error: unknown) => error))
  return { accepted, refusal, end: () => (end(), all) }
}

it.each([
  { share: 'starting', ofNetwork: 100, others: 29, each: 9, own: 10, code: 'too_many' },
  { share: 'redeeming', ofNetwork: 100, others: 29, each: 9, own: 30, code: 'too_many' },
  { share: 'redeeming', ofNetwork: 100, others: 599, each: 2, own: 2, code: 'too_many' },
  { share: 'checkingLogoutToken', ofNetwork: 500, others: 29, each: 9, own: 23, code: 'too_many_requests' },
] as const)('$share: a network has $ofNetwork at once, and $own beside $others others', async (row) => {
  const { share, ofNetwork, each, code } = row
  // More in sum than all networks may have at once.
  for (let network = 0; network < 30; network++) {
    const { accepted, refusal, end } = await begin(share, network, ofNetwork + 1)
    expect([network, accepted, refusal]).toMatchObject([network, ofNetwork, { code, retryAfter: 5 }])
    await end()
  }

  const others = await Promise.all(Array.from({ length: row.others }, (_, n) => begin(share, n, each)))
  const own = await begin(share, 999, ofNetwork)
  expect([...new Set(others.map(({ accepted }) => accepted)), own.accepted]).toEqual([each, row.own])
  await Promise.all([...others, own].map(({ end }) => end()))
})
