// Who learns the address that an invitation is for.
import express from 'express'
import request from 'supertest'
import { expect, it } from 'vitest'
import { createInviteRoutes } from '../../src/invites/routes.ts'
import { testPeople } from '../helpers/people.ts'

const publicUrl = 'https://onramp.example'

it('only a click on our own page, as far as a browser can prove it, hints the address to the sign-in', async () => {
  const hints: (string | undefined)[] = []
  const app = express().use(
    createInviteRoutes({
      limit: (_req, _res, next) => next(),
      invitations: { read: () => Promise.resolve({ email: 'dan@acme.example', datasources: [] }) },
      people: testPeople(),
      start(_req, _res, { loginHint }) {
        hints.push(loginHint)
        return Promise.resolve('https://as.example/authorize')
      },
      sendPage: (_req, res) => void res.end(),
      note: () => {},
      companyApps: [],
      appIn: (instance) => ({ name: instance, logo: undefined, initial: 'x', tone: '' }),
      sender: undefined,
      log: { warn: () => {} },
      publicUrl,
      now: Date.now,
    }),
  )
  for (const how of [{}, { referer: `${publicUrl}/` }, { 'sec-fetch-site': 'same-origin' }])
    await request(app).get('/invite/token/start').set(how).expect(303)
  await request(app).get('/invite/token/start').set('sec-fetch-site', 'same-site')
  expect(hints).toEqual([undefined, undefined, 'dan@acme.example'])
})
