// Django OAuth Toolkit: paths with a trailing slash, opaque tokens, a consent page; no sign-out and no registration.
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Visitor } from '../browser/visitor.ts'
import { shared } from '../helpers/shared.ts'
import { PASSWORD, SECONDS, startDjango, TOOLKIT } from './django.ts'
import { lacks, openInstallation } from './installation.ts'

const fillIn = async ({ page }: Visitor) => {
  await page.getByLabel('Username:').fill('ada')
  await page.getByLabel('Password:').fill(PASSWORD)
  await page.getByRole('button', { name: 'Log in' }).click()
}
const press = ({ page }: Visitor, name: string) => page.getByRole('button', { name, exact: true }).click()

const isHere = existsSync(TOOLKIT)
describe.skipIf(!isHere)(`Django OAuth Toolkit${lacks(TOOLKIT, 'python3-django-oauth-toolkit')}`, () => {
  const installation = shared(() => openInstallation(startDjango))

  async function arrive(): Promise<Visitor> {
    const ada = await installation.arrive({ javaScriptEnabled: false })
    await ada.page.goto(installation.url)
    await fillIn(ada)
    return ada
  }

  it('people sign in, and their tokens are refreshed twice', async () => {
    const ada = await arrive()
    await press(ada, 'Authorize')
    for (const _refresh of [1, 2]) {
      await ada.reads('0 of 5 connected')
      await ada.reads('ada@acme.example')
      await sleep(SECONDS * 1000)
      await ada.page.goto(installation.url)
    }
    installation.expectRefreshed(2)

    await ada.choose('button', 'Sign out')

    await ada.reads('You’re signed out of this site')
    await ada.reads('sign out of your company account too')
    await ada.page.getByRole('link', { name: 'Sign in again' }).click()
    // The server ignores prompt=login, as our page warned.
    expect(ada.page.url()).toContain('prompt=login')
    await press(ada, 'Authorize')
    await ada.reads('0 of 5 connected')
    expect(ada.complaints).toEqual([])
    await ada.leave()
  })

  it('someone can decline at the server and try again', async () => {
    const ada = await arrive()
    await press(ada, 'Cancel')
    await ada.reads('Sign-in canceled')
    await ada.page.getByRole('link', { name: 'Sign in', exact: true }).click()
    await press(ada, 'Authorize')
    await ada.reads('0 of 5 connected')
    expect(ada.complaints).toEqual([])
    await ada.leave()
  })

  it('a scope that the server doesn’t support is refused and logged', async () => {
    await installation.restart({ OIDC_SCOPE: 'openid email profile offline_access' })
    const ada = await arrive()
    await ada.reads('Sign-in isn’t set up correctly')
    expect(installation.log.join()).toContain('responded invalid_scope: a scope is unknown: see OIDC_SCOPE')
    await ada.leave()
    await installation.restart()
  })

  it('the doctor reports real and possible faults', async () => {
    const maybe = [
      "warn: The server doesn't advertise PKCE (S256), which onramp always uses.",
      'warn: OIDC_SCOPE lacks offline_access: if the server issues no refresh token without it, people have to sign in again each time their access token expires.',
    ]
    expect(await installation.doctor()).toEqual(maybe)
    for (const wrong of [{ OIDC_CLIENT_SECRET: 'x'.repeat(30) }, { OIDC_CLIENT_ID: 'other' }])
      expect(await installation.doctor(wrong)).toEqual([
        ...maybe,
        'fail: The authorization server rejected the client (401 or invalid_client at the token endpoint).',
      ])
    expect(await installation.doctor({ OIDC_CLIENT_ID: '', OIDC_CLIENT_SECRET: '' })).toContain(
      "fail: OIDC_CLIENT_ID is not set, and the authorization server doesn't offer dynamic registration.",
    )
  })
})
