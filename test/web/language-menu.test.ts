// The language menu: the same page in each language, and no link to other pages.
import type { Request } from 'express'
import { expect, it } from 'vitest'
import { languageChoices } from '../../src/web/pages.ts'

const offered = [{ tag: 'ja', name: '日本語' }]
const checkReturnTo = (value: unknown) => (value === '/search' ? '/search' : undefined)

it.each([
  ['/onboarding', 200, '?lang=ja'],
  ['/search?q=a%26b&lang=en', 200, '?q=a%26b&lang=ja'],
  ['/onboarding?return_to=%2Fsearch', 200, '?return_to=%2Fsearch&lang=ja'],
  ['/onboarding?return_to=https://evil.example', 200, '?lang=ja'],
  [`/onboarding?datasource=${'a'.repeat(1_489)}`, 200, `?datasource=${'a'.repeat(1_489)}&lang=ja`],
  [`/onboarding?datasource=${'a'.repeat(1_490)}`, 200, '?lang=ja'],
  ['//evil.example/nowhere', 404, '/onboarding?lang=ja'],
  ['/onboarding/callback?step=1', 200, '/onboarding?lang=ja'],
])('the language menu on %s (%i) links to %s', (originalUrl, status, href) => {
  const req = { originalUrl, method: 'GET', path: originalUrl.split('?', 1)[0] } as Request
  expect(languageChoices(req, status, offered, checkReturnTo)).toEqual([{ tag: 'ja', name: '日本語', href }])
})
