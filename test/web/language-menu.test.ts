// The language menu: the same page in each language, and no link to other pages.
import express from 'express'
import request from 'supertest'
import { expect, it } from 'vitest'
import { neutralCompany } from '../../src/company/company.ts'
import { createPages } from '../../src/web/pages.ts'

const { send } = createPages({
  company: neutralCompany,
  publicUrl: 'http://127.0.0.1',
  checkReturnTo: (value) => (value === '/search' ? '/search' : undefined),
  isAdmin: () => false,
})

it.each([
  ['/onboarding', 200, '?lang=ja'],
  ['/search?q=a%26b&lang=en', 200, '?q=a%26b&lang=ja'],
  ['/onboarding?return_to=%2Fsearch', 200, '?return_to=%2Fsearch&lang=ja'],
  ['/onboarding?return_to=https://evil.example', 200, '?lang=ja'],
  [`/onboarding?datasource=${'a'.repeat(1_489)}`, 200, `?datasource=${'a'.repeat(1_489)}&lang=ja`],
  [`/onboarding?datasource=${'a'.repeat(1_490)}`, 200, '?lang=ja'],
  ['//evil.example/nowhere', 404, '/onboarding?lang=ja'],
  ['/onboarding/callback?step=1', 200, '/onboarding?lang=ja'],
])('the language menu on %s (%i) links to %s', async (url, status, href) => {
  const app = express().use((req, res) => send(req, res, { view: 'sign-in/confirmed', status, data: {} }))

  const { text } = await request(app).get(url)

  expect(/ href="([^"]*)" lang="ja"/.exec(text)?.[1]?.replaceAll('&amp;', '&')).toBe(href)
})
