// The page of an invitation: former addresses, accounts, and in-app browsers.
import express from 'express'
import request from 'supertest'
import { expect, it } from 'vitest'
import { createAppDescriptions } from '../../src/company/app-description.ts'
import { neutralCompany } from '../../src/company/company.ts'
import { createOptOutRoutes } from '../../src/invites/opt-out.ts'
import { createInviteRoutes } from '../../src/invites/routes.ts'
import type { Person } from '../../src/people/person.ts'
import { StoreUnavailable } from '../../src/records/records.ts'
import { personKey, type User } from '../../src/session/signed-in.ts'
import { testKeyRing } from '../helpers/data-key.ts'
import { memoryRecords } from '../helpers/memory-records.ts'
import { testPeople } from '../helpers/people.ts'
import { t } from '../helpers/texts.ts'

const publicUrl = 'https://onramp.example'

const email = 'dan@acme.example'

function setUpInvites(user?: User, people = testPeople(), sentAt = 0) {
  const hints: (string | undefined)[] = []
  const read = () => Promise.resolve({ email, datasources: [], sentAt })
  const sendPage = (_req: unknown, res: express.Response) => void res.end()
  const log = { info: () => {}, warn: () => {} }
  const optOut = { people, sendPage, limit: () => {}, audit: () => {}, log, now: Date.now }
  const app = express().use(
    (req, _res, next) => {
      req.session = { user } as never
      next()
    },
    createOptOutRoutes({ invitations: { readIgnoringExpiry: read }, ...optOut }),
    createInviteRoutes({
      limit: (_req, _res, next) => next(),
      invitations: { read },
      people,
      start: {
        authorizationUrl(_req, _res, { loginHint }) {
          hints.push(loginHint)
          return Promise.resolve('https://as.example/authorize')
        },
      },
      sendPage: (_req, res, { data }) => void res.json(typeof data === 'function' ? data(t) : data),
      audit: () => {},
      company: neutralCompany,
      describeIn: createAppDescriptions(neutralCompany),
      sender: undefined,
      log,
      publicUrl,
      now: Date.now,
    }),
  )
  return { app, people, hints }
}

it('an old link doesn’t recreate a forgotten person, and is recorded as opened for others', async () => {
  const { app, people } = setUpInvites()
  const start = () => request(app).get('/invite/token/start').set('sec-fetch-site', 'same-origin').expect(303)
  await start()
  expect(await people.get(email)).toBeUndefined()
  await people.change(email, (person) => ({ ...person, name: 'Dan' }))
  await start()
  expect((await people.get(email))?.openedAt).toBeDefined()
})

/** Dan got a link, was renamed, and another Dan has his former address. */
async function setUpFormerAddress() {
  const { app, people, hints } = setUpInvites()
  await people.change(email, (person) => ({ ...person, name: 'Dan' }))
  await people.rename(email, 'daniel@acme.example')
  await people.change(email, (person) => ({ ...person, name: 'Another Dan' }))
  const peopleOfLink = async () => [await people.get(email), await people.get('daniel@acme.example')] as const
  return { app, hints, peopleOfLink }
}

it('a link to a former address still works for its person', async () => {
  const { app, hints, peopleOfLink } = await setUpFormerAddress()
  await request(app).get('/invite/token/start').set('sec-fetch-site', 'same-origin').expect(303)
  expect(hints).toEqual(['daniel@acme.example'])
  const [holder, owner] = await peopleOfLink()
  expect(holder?.openedAt).toBeUndefined()
  expect(owner?.openedAt).toBeDefined()
})

it('a link to a former address stops the emails of its person', async () => {
  const { app, peopleOfLink } = await setUpFormerAddress()
  const oneClick = { 'List-Unsubscribe': 'One-Click' }
  await request(app).post('/invite/token/opt-out').type('form').send(oneClick).expect(200)
  const [holder, owner] = await peopleOfLink()
  expect(holder?.optedOutAt).toBeUndefined()
  expect(owner?.optedOutAt).toBeDefined()
})

it('a link to a reassigned address works for its new owner', async () => {
  const { app, people, hints } = setUpInvites(undefined, testPeople(), Date.now() + 60_000)
  await people.change(email, (person) => ({ ...person, name: 'Dan' }))
  await people.rename(email, 'daniel@acme.example')
  await people.change(email, (person) => ({ ...person, name: 'Another Dan' }))

  await request(app).get('/invite/token/start').set('sec-fetch-site', 'same-origin').expect(303)
  await request(app).post('/invite/token/opt-out').type('form').send({ 'List-Unsubscribe': 'One-Click' })

  expect(hints).toEqual([email])
  expect((await people.get('daniel@acme.example'))?.optedOutAt).toBeUndefined()
  expect((await people.get(email))?.optedOutAt).toBeDefined()
})

it('people start a sign-in from an invitation even while the store is down', async () => {
  const down = () => Promise.reject(new StoreUnavailable(new Error('gone')))
  const records = { ...memoryRecords().records, get: down, compareAndSet: down }
  const { app, hints } = setUpInvites(undefined, testPeople({ records, keyRing: testKeyRing() }))

  await request(app)
    .get('/invite/token/start')
    .set('sec-fetch-site', 'same-origin')
    .expect(303)
    .expect('location', 'https://as.example/authorize')

  expect(hints).toEqual([email])
})

const MASKED = 'd••@acme.example'
// prettier-ignore
it.each<[string, { status: number; invited: string | undefined }, Partial<User>]>([
  ['leads the account that signed in as them before to the walk', { status: 303, invited: undefined }, {}],
  ['shows another account at the same server whom it is for', { status: 200, invited: MASKED }, { subject: 'eve' }],
  ['shows the same subject at another server whom it is for', { status: 200, invited: MASKED }, { issuer: 'https://other.example' }],
])('an invitation to another address than the sign-in’s %s', async (_title, { status, invited }, other) => {
  const dan: User = { issuer: 'https://as.example', subject: 'dan', email: 'daniel@acme.example' }
  const { app, people } = setUpInvites({ ...dan, ...other })
  await people.change(email, (person) => ({ ...person, signIns: [personKey(dan)] }))
  const response = await request(app).get('/invite/token').expect(status)
  expect((response.body as { invited?: string }).invited).toBe(invited)
})

it.each<[who: string, status: number, address: string, others: [string, Partial<Person>][]]>([
  ['someone whose sign-in still has a former address', 303, 'danny@acme.example', []],
  ['someone else who has the former address now', 200, 'danny@acme.example', [['danny@acme.example', {}]]],
  ['a second account with the former address', 200, 'danny@acme.example', [[email, { signIns: ['first'] }]]],
  ['an account with another address', 200, 'eve@acme.example', []],
])('the link of an email is answered to %s with %i', async (_title, status, address, others) => {
  const { app, people } = setUpInvites({ issuer: 'https://as.example', subject: 'dan', email: address })
  await people.change('danny@acme.example', (person) => ({ ...person, listedAt: 1 }))
  await people.rename('danny@acme.example', email, { by: 'list' })
  for (const [other, fields] of others) await people.change(other, (person) => ({ ...person, ...fields }))
  expect((await request(app).get('/invite/token')).status).toBe(status)
})

it('only a click on our own page sends the address as login_hint', async () => {
  const { app, hints } = setUpInvites()
  for (const how of [
    {},
    { referer: `${publicUrl}/` },
    { origin: publicUrl },
    { 'sec-fetch-site': 'same-origin' },
  ])
    await request(app).get('/invite/token/start').set(how).expect(303)
  await request(app).get('/invite/token/start').set('sec-fetch-site', 'same-site')
  await request(app).get('/invite/token/start?account=other').set('sec-fetch-site', 'same-origin')
  expect(hints).toEqual([undefined, undefined, undefined, email, undefined])
})

const IOS = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'
const ANDROID = 'Mozilla/5.0 (Linux; Android 15; Pixel 9'
const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile'

const addressOnPage = async (userAgent: string) => {
  const { body } = await request(setUpInvites().app).get('/invite/token').set('user-agent', userAgent)
  return (body as { address?: string }).address
}

it.each([
  ['a web view of Android', `${ANDROID}; wv) ${CHROME}`],
  ['a web view of iOS', `${IOS} Mobile/15E148`],
  ['a social network', `${IOS} Version/18.5 Mobile/15E148 Safari/604.1 [FBAN/FBIOS;FBAV/500.0]`],
  ['a chat program', `${IOS} Mobile/15E148 Slack/25.10.0`],
])('an invitation’s page in %s shows its address to copy', async (_title, userAgent) => {
  expect(await addressOnPage(userAgent)).toBe(`${publicUrl}/onboarding`)
})

it.each([
  ['Safari', `${IOS} Version/18.5 Mobile/15E148 Safari/604.1`],
  ['Chrome on iOS', `${IOS} CriOS/140.0 Mobile/15E148 Safari/604.1`],
  ['Firefox on iOS', `${IOS} FxiOS/143.0 Mobile/15E148 Safari/605.1.15`],
  ['Chrome on Android', `${ANDROID}) ${CHROME} Safari/537.36`],
  ['Firefox', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0'],
  ['a program', 'curl/8.5.0'],
  ['a browser without a name', ''],
])('an invitation’s page in %s shows no address', async (_title, userAgent) => {
  expect(await addressOnPage(userAgent)).toBeUndefined()
})
