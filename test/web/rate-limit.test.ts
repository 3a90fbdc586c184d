// Rate limits of an address, a sign-in and a person, by a stopped clock.
import { expect, it } from 'vitest'
import type { Problem } from '../../src/problem.ts'
import { createLimits } from '../../src/web/rate-limit.ts'
import { collected, heldBytes } from '../helpers/heap.ts'

const PER_MINUTE = 30
const ONRAMP = 'https://onramp.example'
const INTRANET = 'https://intranet.example'

function setUpLimit(perMinute = PER_MINUTE) {
  const clock = { now: 1_700_000_000_000 }
  const noted: object[] = []
  const limits = createLimits(
    { perAddress: perMinute, publicUrl: ONRAMP },
    (event) => void noted.push(event),
    () => clock.now,
  )
  const ip = '192.0.2.7'
  return {
    clock,
    noted,
    limits,
    /** The refusal, or undefined. */
    signIn: (from = ip) => refusalOf(() => limits.signingIn({ ip: from } as never, {} as never, () => {})),
    /** A page that a signed-in person opens. */
    open: (headers: Record<string, string>, subject = 'ada', of: 'byPerson' | 'adminPages' = 'byPerson') => {
      const session = { user: { issuer: 'https://as.example', subject } }
      const get = (name: string) => headers[name]
      return refusalOf(() =>
        limits[of]({ session, get, originalUrl: '/onboarding' } as never, {} as never, () => {}),
      )
    },
    comeBack: (id: string) => refusalOf(() => limits.callback({ ip } as never, id)),
  }
}

function refusalOf(ask: () => unknown): Problem | undefined {
  try {
    ask()
  } catch (error) {
    return error as Problem
  }
}

/** Number of refusals among so many requests. */
const refused = (count: number, ask: () => Problem | undefined) =>
  Array.from({ length: count }, ask).filter((refusal) => refusal?.status === 429).length

it.each([
  { seconds: 0, again: 0 },
  { seconds: 1.9, again: 0 },
  { seconds: 2, again: 1 },
  { seconds: 6, again: 3 },
  { seconds: 59, again: 29 },
  { seconds: 60, again: 30 },
  { seconds: 3_600, again: 30 },
  // A clock that is set back blocks no one.
  { seconds: -3_600, again: 0 },
])('an address at its limit can start $again sign-ins $seconds s later', ({ seconds, again }) => {
  const { clock, signIn } = setUpLimit()
  expect(refused(PER_MINUTE, () => signIn())).toBe(0)
  clock.now += seconds * 1000
  expect(refused(PER_MINUTE + 1, () => signIn())).toBe(PER_MINUTE + 1 - again)
  clock.now += 60_000
  expect(refused(PER_MINUTE, () => signIn())).toBe(0)
})

it('a counted address keeps none of the header from which the proxy’s client was read', async () => {
  const { signIn } = setUpLimit()
  const addresses = 2_000
  const headerBytes = 8_000
  await collected()
  const before = heldBytes()
  for (let number = 0; number < addresses; number++) {
    const header = `${'x'.repeat(headerBytes)}, 198.151.${100 + (number >> 8)}.${100 + (number & 0xff)}`
    signIn(
      Buffer.from(header)
        .toString('latin1')
        .slice(headerBytes + 2),
    )
  }
  await collected()
  expect(heldBytes() - before).toBeLessThan((addresses * headerBytes) / 10)
})

it('one sign-in may return thirty times a minute, without slowing others', () => {
  const { signIn, comeBack } = setUpLimit()
  expect(refused(31, () => comeBack('ada'))).toBe(1)
  expect(comeBack('grace')).toBeUndefined()
  expect(signIn()).toBeUndefined()
})

it.each([
  { opened: 'by another site', headers: { 'sec-fetch-site': 'cross-site' }, isOwn: false },
  { opened: 'by a sibling domain', headers: { 'sec-fetch-site': 'same-site' }, isOwn: false },
  { opened: 'by another site, in an old browser', headers: { referer: `${INTRANET}/` }, isOwn: false },
  { opened: 'from the address bar', headers: { 'sec-fetch-site': 'none' }, isOwn: true },
  { opened: 'by our page, in an old browser', headers: { referer: `${ONRAMP}/onboarding` }, isOwn: true },
  { opened: 'by a program', headers: {}, isOwn: true },
])('pages opened $opened count toward the limit of our own pages: $isOwn', ({ headers, isOwn }) => {
  const { open } = setUpLimit()
  expect(refused(201, () => open(headers))).toBe(1)
  expect(refused(1, () => open({ 'sec-fetch-site': 'same-origin' }))).toBe(isOwn ? 1 : 0)
  expect(refused(1, () => open(headers, 'grace'))).toBe(0)
})

it('another site’s four admin pages take none of the admin’s own', () => {
  const { open } = setUpLimit()
  const openFrom = (site: string) => open({ 'sec-fetch-site': site }, 'ada', 'adminPages')
  expect(refused(5, () => openFrom('cross-site'))).toBe(1)
  expect(refused(200, () => openFrom('same-origin'))).toBe(0)
  expect(refused(1, () => open({ 'sec-fetch-site': 'same-origin' }))).toBe(1)
  expect(refused(200, () => open({ 'sec-fetch-site': 'cross-site' }))).toBe(0)
})

it('a rejected request gets Retry-After until a tenth is free, and is logged once', () => {
  const { signIn, noted } = setUpLimit()
  refused(PER_MINUTE, () => signIn())
  expect(signIn()).toMatchObject({ status: 429, retryAfter: 6 })
  expect(noted).toEqual([{ event: 'limited', what: 'address', user: undefined }])
})

it('beyond the maximum number of networks, the least recently used is forgotten', () => {
  const { signIn } = setUpLimit(2)
  const isRefused = (network: number) => signIn(`2001:db8:0:${network.toString(16)}::1`) !== undefined
  for (let network = 0; network < 19_999; network++) isRefused(network)
  const [known, forgotten] = [0, 1]
  const asks = [known, known, 19_999, 20_000, known, forgotten, forgotten]
  expect(asks.map(isRefused)).toEqual([false, true, false, false, true, false, false])
})

it.each([
  { strangers: 0, each: 0, held: 99, max: 100 },
  { strangers: 5, each: 100, held: 99, max: 100 },
  // (1,200 - 59 × 9 - 9) / 60
  { strangers: 59, each: 9, held: 9, max: 10 },
  { strangers: 599, each: 2, held: 1, max: 2 },
])('beside $strangers networks with $each codes, one redeems $max at once', async (row) => {
  const { strangers, each, held, max } = row
  const { limits } = setUpLimit()
  const released = Promise.withResolvers<void>()
  const redeem = (ip: string) => limits.redeeming({ ip } as never, () => released.promise)
  const others = Array.from({ length: strangers }, (_, network) =>
    Array.from({ length: each }, () => redeem(`10.0.${network >> 8}.${network % 256}`)),
  ).flat()
  const own = Array.from({ length: held }, () => redeem('192.0.2.7'))

  const last = redeem('192.0.2.7')
  await expect(redeem('192.0.2.7'), String(max)).rejects.toMatchObject({ status: 429, code: 'too_many' })

  released.resolve()
  const outcomes = await Promise.allSettled([...others, ...own, last])
  expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([])
  await redeem('192.0.2.7')
})
