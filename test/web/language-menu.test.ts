// The menu of languages: the same page in each of them, and no way to anywhere else.
import type { Request } from 'express'
import { expect, it } from 'vitest'
import { createLanguageMenu } from '../../src/web/language-menu.ts'
import { createViews } from '../../src/web/views.ts'
import { t } from '../helpers/texts.ts'

const render = createViews()
const offered = [
  { tag: 'en', name: 'English' },
  { tag: 'ja', name: '日本語' },
]
const checkReturnTo = (value: unknown) => (value === '/search' ? '/search' : undefined)
const menu = createLanguageMenu(render, offered, checkReturnTo)
const asked = (originalUrl: string, method = 'GET') =>
  ({ originalUrl, method, path: originalUrl.split('?', 1)[0] }) as Request
const linksIn = (html: string) => [...html.matchAll(/href="([^"]*)"/g)].map((match) => match[1])

it.each([
  ['/onboarding', 200, ['?lang=en', '?lang=ja']],
  ['/search?q=a%26b&lang=en', 200, ['?q=a%26b&amp;lang=en', '?q=a%26b&amp;lang=ja']],
  [
    '/onboarding?return_to=%2Fsearch',
    200,
    ['?return_to=%2Fsearch&amp;lang=en', '?return_to=%2Fsearch&amp;lang=ja'],
  ],
  ['/onboarding?return_to=https://evil.example', 200, ['?lang=en', '?lang=ja']],
  ['//evil.example/nowhere', 404, ['/onboarding?lang=en', '/onboarding?lang=ja']],
  ['/onboarding/callback?step=1', 200, ['/onboarding?lang=en', '/onboarding?lang=ja']],
])('of %s (%i) leads to %j', (url, status, links) => {
  expect(linksIn(menu(asked(url), status, t))).toEqual(links)
})

it('is left out where there is one language', () => {
  const alone = createLanguageMenu(render, offered.slice(0, 1))
  expect(alone(asked('/onboarding'), 200, t)).toBe('')
})
