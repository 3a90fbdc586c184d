// The status for the intranet is independent between sessions.
import express, { type ErrorRequestHandler } from 'express'
import request from 'supertest'
import { expect, it } from 'vitest'
import { createStatusRoute } from '../../src/onboarding/status.ts'
import { applyCheck, skip, newWalk } from '../../src/onboarding/walk.ts'
import { languages } from '../helpers/texts.ts'

const apps = ['a_1', 'b_1', 'c_1'].map((instance) => ({
  instance,
  name: instance,
  status: 'awaiting' as const,
}))
const connected = applyCheck(applyCheck(newWalk(1), apps, 1, 90), apps.slice(1), 2, 90)
const walk = skip(connected, 'b_1', 3)

/** The status route for requests with their session in a header. @returns a request for a session's status */
function statusAppWith(
  checkWalk: (session: string | undefined) => Promise<typeof walk>,
  now = () => Date.UTC(2026, 10, 24),
) {
  const walkChecker = { checkForWidget: (req: express.Request) => checkWalk(req.get('session')) }
  const failed: ErrorRequestHandler = (_error, _req, res, _next) => void res.status(503).end()
  const app = express()
    .use((req, _res, next) => {
      const user = { issuer: 'https://as.example', subject: 'ada' }
      Object.assign(req, { session: { id: req.get('session'), user } })
      next()
    })
    .use(createStatusRoute(walkChecker, { load: async () => walk }, languages, now), failed)
  return (session: string) => request(app).get('/api/status').set({ session })
}

it('a session with a rejected token doesn’t affect the person’s other sessions', async () => {
  const { promise: refused, resolve: refuse } = Promise.withResolvers<void>()
  const statusFor = statusAppWith(async (session) => {
    if (session === 'good') return walk
    await refused
    throw new Error('refused')
  })

  const bad = statusFor('bad').then(({ status }) => status)
  setTimeout(refuse, 100)
  const { body } = await statusFor('good').expect(200)

  expect(await bad).toBe(503)
  // Skipped apps aren't connected.
  expect(body).toMatchObject({ connected: 1, pending: 1, skipped: 1 })
  expect(body.texts).toMatchObject({ left: '2 apps left to connect', progress: '1 of 3 connected' })
})

it.each([
  ['checks again after a failure', 'failed', 0, 2],
  ['uses the last check', 'succeeded', 0, 1],
  ['uses the last check for three seconds', 'succeeded', 2_999, 1],
  ['checks again after three seconds', 'succeeded', 3_000, 2],
])('another request for the status %s', async (_what, outcome, age, count) => {
  let [time, checks] = [0, 0]
  const checkWalk = async () => {
    if (++checks === 1 && outcome === 'failed') throw new Error('the service is away')
    return walk
  }
  const statusFor = statusAppWith(checkWalk, () => time)
  await statusFor('a').expect(outcome === 'failed' ? 503 : 200)
  time += age
  await statusFor('a').expect(200)
  expect(checks).toBe(count)
})
