// The status for the intranet is independent between sessions.
import express, { type ErrorRequestHandler } from 'express'
import request from 'supertest'
import { expect, it } from 'vitest'
import { createStatusRoute } from '../../src/onboarding/status.ts'
import { startWalk } from '../../src/onboarding/walk.ts'
import { languages } from '../helpers/texts.ts'

it('a session with a rejected token doesn’t affect the person’s other sessions', async () => {
  const walk = startWalk(1)
  const { promise: refused, resolve: refuse } = Promise.withResolvers<void>()
  const checks = {
    async checkWalk(req: express.Request) {
      if (req.get('session') === 'good') return walk
      await refused
      throw new Error('refused')
    },
  }
  const failed: ErrorRequestHandler = (_error, _req, res, _next) => void res.status(503).end()
  const app = express()
    .use((req, _res, next) => {
      const user = { issuer: 'https://as.example', subject: 'ada' }
      Object.assign(req, { session: { id: req.get('session'), user } })
      next()
    })
    .use(
      createStatusRoute(checks, { load: async () => walk }, languages, () => Date.UTC(2026, 10, 24)),
      failed,
    )
  const statusFor = async (session: string) => (await request(app).get('/api/status').set({ session })).status
  const bad = statusFor('bad')
  setTimeout(refuse, 100)
  expect([await statusFor('good'), await bad]).toEqual([200, 503])
})
