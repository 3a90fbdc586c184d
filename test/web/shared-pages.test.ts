// Pages that are rendered once: each person gets the page that would have been rendered for them.
import express from 'express'
import request from 'supertest'
import { expect, it } from 'vitest'
import { neutralCompany } from '../../src/company/company.ts'
import { overviewOf } from '../../src/onboarding/overview/overview.ts'
import type { User } from '../../src/session/signed-in.ts'
import { createPages, PLACEHOLDERS } from '../../src/web/pages.ts'
import { noDescription } from '../helpers/no-description.ts'
import { checkedWalk, github, NOW, slack } from '../onboarding/overview-pages.ts'

const { send, languages } = createPages({
  company: neutralCompany,
  publicUrl: 'http://127.0.0.1',
  checkReturnTo: () => undefined,
  isAdmin: ({ email }) => email === 'grace@acme.example',
})
const context = { now: NOW, from: undefined, approvals: [], isAutomatic: true, confirmSeconds: 90 }

const app = express().get('/:kind', (req, res) => {
  const user = JSON.parse(decodeURIComponent(req.get('x-user') ?? '')) as User
  Object.assign(req, { session: { user } })
  const isShared = req.params.kind === 'shared'
  const person = isShared ? PLACEHOLDERS.inMessage : (user.email ?? user.name ?? '')
  send(req, res, {
    view: 'onboarding/overview',
    sharedKey: isShared ? 'two apps' : undefined,
    data: (t) =>
      overviewOf(checkedWalk([slack, github]), { ...context, t, person, describe: () => noDescription }),
  })
})

const pageOf = async (kind: 'own' | 'shared', user: Partial<User>, lang: string) =>
  (
    await request(app)
      .get(`/${kind}`)
      .set({ 'x-user': encodeURIComponent(JSON.stringify(user)), 'accept-language': lang })
      .expect(200)
  ).text

const PEOPLE: Partial<User>[] = [
  { email: 'ada@acme.example', name: 'Ada Lovelace' },
  { email: 'grace@acme.example' },
  { email: `<"o'hara"&co>@acme.example` },
  { name: 'Eve von Neumann' },
  { name: 'ada' },
  { name: '\u05e2\u05d3\u05d4 \u05dc\u05d1' },
  { name: '$& $1' },
]

it.each(languages.offered.map(({ tag }) => tag))('everyone gets their own page in %s', async (lang) => {
  for (const user of PEOPLE) {
    const [own, shared] = [await pageOf('own', user, lang), await pageOf('shared', user, lang)]

    expect(shared).toBe(own)
  }
})

it.each(['own', 'shared'])('caches keep the %s page apart by language and session', async (kind) => {
  const { headers } = await request(app).get(`/${kind}`).set('x-user', '{}').expect(200)
  expect(headers['vary']).toBe('Accept-Language, Cookie')
})
