// What is counted together at the front door: a household, whichever of its addresses a browser has.
import express, { type ErrorRequestHandler } from 'express'
import request from 'supertest'
import { expect, it } from 'vitest'
import type { Problem } from '../../src/problem.ts'
import { createLimits } from '../../src/web/rate-limit.ts'

const PER_MINUTE = 3

it('signing in is counted for the whole /64 of an IPv6 address (RFC 6177), and apart for the next one', async () => {
  const failed: ErrorRequestHandler = (problem: Problem, _req, res, _next) =>
    void res.sendStatus(problem.status)
  const app = express()
    .set('trust proxy', true)
    .get('/', createLimits(PER_MINUTE, () => {}).signingIn, (_req, res) => void res.sendStatus(204))
    .use(failed)
  const statusFrom = async (address: string) =>
    (await request(app).get('/').set('x-forwarded-for', address)).status

  for (let host = 1; host <= PER_MINUTE; host++)
    expect(await statusFrom(`2001:db8:1:2:${host}::${host}`)).toBe(204)
  expect(await statusFrom('2001:db8:1:2:ffff:ffff:ffff:ffff')).toBe(429)
  expect(await statusFrom('2001:db8:1:3::1')).toBe(204)
})
