// The two authorization servers from the view of a client: discovery, registration, sign-in page, tokens and sign-out.
// test/sign-in covers the rest, such as client authentication.
import { decodeProtectedHeader } from 'jose'
import * as oidc from 'openid-client'
import { expect, it } from 'vitest'
import { TestBrowser } from '../helpers/test-browser.ts'
import { call, jsonOf, sharedSandbox } from './client-calls.ts'
import { callback, signedOut, testClient } from './sign-in.ts'
import { choosePerson, discover, exchange, signIn, startAddress, walk } from './sign-in.ts'

const paths = { authorizationServer: '/oauth2/default' }
const sandbox = await sharedSandbox({ clients: [testClient], paths })
const config = await discover(sandbox.urls.authorizationServer)

it.each(['authorizationServer', 'externalIdp'] as const)(
  'the %s rotates refresh tokens, and revokes the family when one is used twice',
  async (name) => {
    const client = await discover(sandbox.urls[name])
    const first = (await signIn(client, 'ada')).refresh_token ?? ''
    const second = (await oidc.refreshTokenGrant(client, first)).refresh_token ?? ''
    for (const token of [first, second])
      await expect(oidc.refreshTokenGrant(client, token)).rejects.toMatchObject({ error: 'invalid_grant' })
  },
)

it('an issuer with a path has metadata at both specified addresses', async () => {
  const issuer = sandbox.urls.authorizationServer
  const { origin } = new URL(issuer)
  const place = `${origin}/.well-known/oauth-authorization-server/oauth2/default`
  expect(await jsonOf(await fetch(place))).toMatchObject({ issuer, token_endpoint: `${issuer}/token` })
  expect(sandbox.count('oauthMetadata')).toBe(1)
  expect((await fetch(`${origin}/token`, { method: 'POST' })).status).toBe(404)
})

it('a client can register itself, push its request, and needs PKCE', async () => {
  const metadata = { redirect_uris: [callback] }
  const execute = [oidc.allowInsecureRequests]
  const issuer = new URL(sandbox.urls.externalIdp)
  const own = await oidc.dynamicClientRegistration(issuer, metadata, undefined, { execute })
  const { searchParams } = new URL(await startAddress(own))
  const browser = new TestBrowser()
  const page = await walk(browser, (await oidc.buildAuthorizationUrlWithPAR(own, searchParams)).href)
  const { url } = await walk(browser, page.url, { person: 'ada' })
  expect((await exchange(own, url)).scope).toContain('offline_access')

  const address = new URL(await startAddress(own))
  address.searchParams.delete('code_challenge')
  const refused = await walk(browser, address.href)
  expect(new URL(refused.url).searchParams.get('error')).toBe('invalid_request')
})

const headers = { 'X-Service-Auth-Type': 'OAUTH' }
const statusOf = async (token: string, sentHeaders = {}) =>
  (await call(sandbox, 'checkdatasourceauth', { token, headers: sentHeaders })).status

it('an external token without X-Service-Auth-Type: OAUTH is refused with either message', async () => {
  const { access_token: token } = await signIn(await discover(sandbox.urls.externalIdp), 'bob')
  const messages = ['Invalid Secret', 'Required header missing: X-Service-Auth-Type'] as const
  for (const externalTokenMessage of messages) {
    sandbox.switches.set({ externalTokenMessage })
    const response = await call(sandbox, 'checkdatasourceauth', { token })
    expect([response.status, await response.text()]).toEqual([401, externalTokenMessage])
  }
  expect(await statusOf(token, headers)).toBe(200)
})

it('the sign-in page lists all people, the one from the hint first', async () => {
  const address = await startAddress(config, { login_hint: 'dan@acme.example' })
  const { body } = await walk(new TestBrowser(), address)
  const people = [...body.matchAll(/name="person"\s+value="(\w+)"/g)].map(([, id]) => id)
  expect(people).toEqual(['dan', 'ada', 'bob', 'carol', 'eve', 'frank', 'grace'])
  expect(body).toContain('for development only')
  expect(body).not.toContain('<Script>')
})

it('a signed-in person sees the form again only with a prompt', async () => {
  const browser = new TestBrowser()
  await signIn(config, 'ada', browser)
  expect((await walk(browser, await startAddress(config))).url).toContain(callback)
  for (const prompt of ['login', 'select_account'])
    expect((await walk(browser, await startAddress(config, { prompt }))).body).toContain(
      'Currently signed in as Ada Lovelace',
    )
  const url = await choosePerson(config, 'bob', { prompt: 'select_account' }, browser)
  expect((await exchange(config, url)).claims()?.sub).toBe('bob')
})

it('sign-out with an id_token_hint ends the session without a click and returns to the client', async () => {
  const browser = new TestBrowser()
  const { id_token: hint = '' } = await signIn(config, 'ada', browser)
  const parameters = { id_token_hint: hint, post_logout_redirect_uri: signedOut, state: 'bye' }
  const { href } = oidc.buildEndSessionUrl(config, parameters)
  expect((await walk(browser, href)).url).toBe(`${signedOut}?state=bye`)
  expect((await walk(browser, await startAddress(config))).url).toContain('/sign-in/')
  expect((await walk(browser, href)).url).toBe(`${signedOut}?state=bye`)
})

it('rotated keys sign with another kid, and sessions and tokens stay valid', async () => {
  const before = await signIn(config, 'ada')
  await sandbox.rotateKeys()
  const fresh = await discover(sandbox.urls.authorizationServer)
  const after = await signIn(fresh, 'ada')
  const kid = (token = '') => decodeProtectedHeader(token).kid
  expect(kid(after.id_token)).not.toBe(kid(before.id_token))
  expect((await oidc.fetchUserInfo(fresh, before.access_token, 'ada')).email).toBe('ada@acme.example')
  const refreshed = await oidc.refreshTokenGrant(fresh, before.refresh_token ?? '')
  expect(refreshed.access_token).toBeTypeOf('string')
})
