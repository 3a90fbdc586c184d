// How often an address, a sign-in and a person may ask: by a clock that stands still until it is moved.
import express, { type ErrorRequestHandler } from 'express'
import request from 'supertest'
import { expect, it } from 'vitest'
import type { Problem } from '../../src/problem.ts'
import { createLimits } from '../../src/web/rate-limit.ts'
import { collected, heldBytes } from '../helpers/heap.ts'

const PER_MINUTE = 30

function setUpLimit() {
  const clock = { now: 1_700_000_000_000 }
  const noted: object[] = []
  const limits = createLimits(
    PER_MINUTE,
    (event) => void noted.push(event),
    () => clock.now,
  )
  const notified: ErrorRequestHandler = (error: unknown, _req, res, _next) => {
    const { status, retryAfter } = error as Problem
    res.status(status).json({ retryAfter })
  }
  const app = express().set('trust proxy', true)
  app.get('/sign-in', limits.signingIn, (_req, res) => void res.end())
  app.get('/callback', (req, res) => {
    limits.comingBack(req, req.query['id'] as string | undefined)
    res.end()
  })
  app.use(notified)
  const ask = (path: string, address = '192.0.2.7') => request(app).get(path).set('x-forwarded-for', address)
  /** How many of so many sign-ins are refused. */
  const refused = async (count: number, path = '/sign-in', address?: string) => {
    let all = 0
    for (let one = 0; one < count; one++) if ((await ask(path, address)).status === 429) all++
    return all
  }
  return { clock, noted, ask, refused }
}

it.each([
  { seconds: 0, again: 0 },
  { seconds: 1.9, again: 0 },
  { seconds: 2, again: 1 },
  { seconds: 6, again: 3 },
  { seconds: 59, again: 29 },
  { seconds: 60, again: 30 },
  { seconds: 3_600, again: 30 },
  // A clock that is set back keeps no one out.
  { seconds: -3_600, again: 0 },
])(
  'an address that used up its minute begins $again sign-ins $seconds s later',
  async ({ seconds, again }) => {
    const { clock, refused } = setUpLimit()
    expect(await refused(PER_MINUTE)).toBe(0)
    clock.now += seconds * 1000
    expect(await refused(PER_MINUTE + 1)).toBe(PER_MINUTE + 1 - again)
    clock.now += 60_000
    expect(await refused(PER_MINUTE)).toBe(0)
  },
)

it('one sign-in comes back thirty times a minute at most, and no other pays for that', async () => {
  const { refused } = setUpLimit()
  expect(await refused(31, '/callback?id=ada')).toBe(1)
  expect(await refused(1, '/callback?id=grace')).toBe(0)
  expect(await refused(1)).toBe(0)
})

it('a refused request gets Retry-After for when a tenth is free again, and is noted in one place', async () => {
  const { ask, refused, noted } = setUpLimit()
  await refused(PER_MINUTE)
  expect((await ask('/sign-in')).body).toEqual({ retryAfter: 6 })
  expect(noted).toEqual([{ event: 'limited', what: 'address', user: undefined }])
})

it('of more networks than are remembered, the least recently used is forgotten', () => {
  const limits = createLimits(
    1,
    () => {},
    () => 0,
  )
  const isRefused = (network: number) => {
    try {
      limits.signingIn({ ip: `2001:db8:0:${network.toString(16)}::1` } as never, {} as never, () => {})
      return false
    } catch {
      return true
    }
  }
  for (let network = 0; network < 19_999; network++) isRefused(network)
  expect([0, 19_999, 20_000, 0, 1].map(isRefused)).toEqual([true, false, false, true, false])
})

it('a hundred thousand networks leave no more in memory than twenty thousand', async () => {
  const limits = createLimits(PER_MINUTE, () => {}, Date.now)
  const askFrom = (from: number, to: number) => {
    for (let network = from; network < to; network++) {
      const ip = `2001:db8:${(network >> 16).toString(16)}:${(network & 0xffff).toString(16)}::1`
      void limits.signingIn({ ip } as never, {} as never, () => {})
    }
  }
  askFrom(0, 20_000)
  await collected()
  const before = heldBytes()
  askFrom(20_000, 100_000)
  await collected()
  expect(heldBytes() - before).toBeLessThan(1_000_000)
})
