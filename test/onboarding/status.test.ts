// The status for the intranet is independent between sessions.
import express, { type ErrorRequestHandler } from 'express'
import request from 'supertest'
import { expect, it } from 'vitest'
import { createStatusRoute } from '../../src/onboarding/status.ts'
import { applyCheck, block, skip, newWalk } from '../../src/onboarding/walk.ts'
import { languages } from '../helpers/texts.ts'

const apps = ['a_1', 'b_1', 'c_1'].map((instance) => ({
  instance,
  name: instance,
  status: 'awaiting' as const,
}))
const connectedWalk = applyCheck(applyCheck(newWalk(1), apps, 1, 90), apps.slice(1), 2, 90)
const walk = skip(connectedWalk, 'b_1', 3)

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

/** A walk with so many connected apps, and one app for each other status. */
function walkWith(connectedCount: number, others: ('disabled' | 'attention' | 'awaiting' | 'blocked')[]) {
  const lost = apps.slice(0, connectedCount)
  const kept = others.map((status, at) => ({ instance: `${at}_1`, name: 'App', status }))
  const listed = kept.map((app) => ({
    ...app,
    status: app.status === 'blocked' ? ('awaiting' as const) : app.status,
  }))
  const checked = applyCheck(applyCheck(newWalk(1), [...lost, ...listed], 1, 90), listed, 2, 90)
  const blocked = kept.filter(({ status }) => status === 'blocked')
  return blocked.reduce((before, { instance }) => block(before, instance, 3), checked)
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
])('another request for the status %s', async (_title, outcome, age, count) => {
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

// prettier-ignore
it.each<[string, ...Parameters<typeof walkWith>, string]>([
  ['all apps are connected', 2, [], 'All apps connected'],
  ['the service lists no app', 0, [], 'Search is ready for you'],
  ['the only app is off', 0, ['disabled'], 'This app is turned off'],
  ['all apps are off', 0, ['disabled', 'disabled'], 'Your apps are turned off for now'],
  ['the only app has no usable link', 0, ['attention'], 'We can’t connect this app right now'],
  ['the only app waits for an admin', 0, ['blocked'], 'Nothing is connected yet'],
  ['one app is connected and one is off', 1, ['disabled'], 'Every app you can connect is connected'],
  ['one app is connected and one waits for an admin', 1, ['blocked'], 'That’s everything for now'],
  ['one app is off and one is left', 0, ['disabled', 'awaiting'], '1 app left to connect'],
])('the status has the page’s headline where %s', async (_title, connectedApps, others, headline) => {
  const statusFor = statusAppWith(async () => walkWith(connectedApps, others))
  const { body } = await statusFor('a').expect(200)
  expect(body.texts.left).toBe(headline)
})
