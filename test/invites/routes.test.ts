// Who learns the address that an invitation is for.
import express from 'express'
import request from 'supertest'
import { expect, it } from 'vitest'
import { createAppDescriptions } from '../../src/company/app-description.ts'
import { neutralCompany } from '../../src/company/company.ts'
import { createInviteRoutes } from '../../src/invites/routes.ts'
import { testPeople } from '../helpers/people.ts'

const publicUrl = 'https://onramp.example'

const email = 'dan@acme.example'

function office() {
  const hints: (string | undefined)[] = []
  const people = testPeople()
  const app = express().use(
    createInviteRoutes({
      limit: (_req, _res, next) => next(),
      invitations: { read: () => Promise.resolve({ email, datasources: [] }) },
      people,
      start: {
        authorizationUrl(_req, _res, { loginHint }) {
          hints.push(loginHint)
          return Promise.resolve('https://as.example/authorize')
        },
      },
      sendPage: (_req, res) => void res.end(),
      audit: () => {},
      company: neutralCompany,
      describeIn: createAppDescriptions(neutralCompany),
      sender: undefined,
      log: { warn: () => {} },
      publicUrl,
      now: Date.now,
    }),
  )
  return { app, people, hints }
}

it('an old link doesn’t bring back who was forgotten, and says of anyone else that it was opened', async () => {
  const { app, people } = office()
  const start = () => request(app).get('/invite/token/start').set('sec-fetch-site', 'same-origin').expect(303)
  await start()
  expect(await people.get(email)).toBeUndefined()
  await people.change(email, (person) => ({ ...person, name: 'Dan' }))
  await start()
  expect((await people.get(email))?.openedAt).toBeDefined()
})

it('only a click on our own page, as far as a browser can prove it, hints the address to the sign-in', async () => {
  const { app, hints } = office()
  for (const how of [{}, { referer: `${publicUrl}/` }, { 'sec-fetch-site': 'same-origin' }])
    await request(app).get('/invite/token/start').set(how).expect(303)
  await request(app).get('/invite/token/start').set('sec-fetch-site', 'same-site')
  expect(hints).toEqual([undefined, undefined, email])
})
