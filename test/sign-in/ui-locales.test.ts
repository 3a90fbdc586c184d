// The page on which people sign in is told their language (OpenID Connect Core 3.1.2.1, ui_locales).
import { expect, it } from 'vitest'
import { TestBrowser } from '../helpers/test-browser.ts'
import { start } from './at-plain-server.ts'

it.each([
  ['openid email', '?lang=ar', 'ar'],
  ['openid email', '', 'en'],
  // Plain OAuth 2.1 has no such parameter.
  ['email', '?lang=ar', null],
])('with the scope %j, signing in by /sign-in%s asks for %j', async (scope, query, expected) => {
  const { running } = await start({}, { settings: { OIDC_SCOPE: scope } })
  const hop = await new TestBrowser().open(`${running.url}/sign-in${query}`, { follow: false })
  expect(new URL(hop.location ?? '').searchParams.get('ui_locales')).toBe(expected)
})
