// The two authorization servers, met as a client meets them: discovery, sign-in page, tokens.
import * as oidc from 'openid-client'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts'
import { call, jsonOf } from './client-calls.ts'
import { createPlainBrowser } from './plain-browser.ts'
import { atClient, choosePerson, discover, exchange, signIn, startAddress, testClient } from './sign-in.ts'

let sandbox: Sandbox
let config: oidc.Configuration
beforeAll(async () => {
  sandbox = await startSandbox({ clients: [testClient] })
  config = await discover(sandbox.urls.authorizationServer)
})
afterEach(() => sandbox.reset())
afterAll(() => sandbox.close())

describe.each(['authorizationServer', 'externalIdp'] as const)('the %s', (name) => {
  it('signs a person in with a code and PKCE, and says who they are', async () => {
    const config = await discover(sandbox.urls[name])
    const tokens = await signIn(config, 'ada')
    expect(tokens.expires_in).toBe(3600)
    expect(tokens.scope).toBe('openid email profile offline_access')
    const claims = { sub: 'ada', email: 'ada@acme.example', email_verified: true, name: 'Ada Lovelace' }
    expect(tokens.claims()).toMatchObject({ ...claims, iss: sandbox.urls[name], aud: testClient.client_id })
    expect(await oidc.fetchUserInfo(config, tokens.access_token, 'ada')).toMatchObject(claims)
  })

  it('rotates refresh tokens, and revokes the family when one is used twice', async () => {
    const config = await discover(sandbox.urls[name])
    const first = (await signIn(config, 'ada')).refresh_token ?? ''
    const second = (await oidc.refreshTokenGrant(config, first)).refresh_token ?? ''
    expect(second).not.toBe(first)
    await expect(oidc.refreshTokenGrant(config, first)).rejects.toMatchObject({ error: 'invalid_grant' })
    await expect(oidc.refreshTokenGrant(config, second)).rejects.toMatchObject({ error: 'invalid_grant' })
  })

  it('asks for PKCE', async () => {
    const config = await discover(sandbox.urls[name])
    const address = new URL(await startAddress(config))
    address.searchParams.delete('code_challenge')
    address.searchParams.delete('code_challenge_method')
    const { url } = await createPlainBrowser().open(address.href, atClient)
    expect(new URL(url).searchParams.get('error')).toBe('invalid_request')
  })
})

describe('tokens at the Client API', () => {
  const oauth = { 'X-Service-Auth-Type': 'OAUTH' }
  const externalToken = async () =>
    (await signIn(await discover(sandbox.urls.externalIdp), 'bob')).access_token

  it("the service's own authorization server needs no further header, and may have it", async () => {
    const { access_token: token } = await signIn(config, 'bob')
    expect((await call(sandbox, 'checkdatasourceauth', { token })).status).toBe(200)
    expect((await call(sandbox, 'checkdatasourceauth', { token, headers: oauth })).status).toBe(200)
    expect(sandbox.requests.at(-1)?.person).toBe('bob')
  })

  it.each(['Invalid Secret', 'Required header missing: X-Service-Auth-Type'] as const)(
    'an external token without X-Service-Auth-Type is refused with: %s',
    async (externalTokenMessage) => {
      sandbox.switches.set({ externalTokenMessage })
      const response = await call(sandbox, 'checkdatasourceauth', { token: await externalToken() })
      expect(response.status).toBe(401)
      expect(await response.text()).toBe(externalTokenMessage)
    },
  )

  it('an external token with X-Service-Auth-Type: OAUTH is accepted', async () => {
    const token = await externalToken()
    expect((await call(sandbox, 'checkdatasourceauth', { token, headers: oauth })).status).toBe(200)
  })

  it('expired and revoked ones are refused with 401, and a refresh helps', async () => {
    const tokens = await signIn(config, 'bob')
    sandbox.expireTokens()
    expect((await call(sandbox, 'checkdatasourceauth', { token: tokens.access_token })).status).toBe(401)
    const { access_token: token } = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')
    expect((await call(sandbox, 'checkdatasourceauth', { token })).status).toBe(200)
    await oidc.tokenRevocation(config, token)
    expect((await call(sandbox, 'checkdatasourceauth', { token })).status).toBe(401)
  })

  it('live as long as the switch says', async () => {
    sandbox.switches.set({ accessTokenSeconds: 1 })
    const { access_token: token, expires_in: seconds } = await signIn(config, 'bob')
    expect(seconds).toBe(1)
    await expect
      .poll(async () => (await call(sandbox, 'checkdatasourceauth', { token })).status, { timeout: 5000 })
      .toBe(401)
  })
})

describe('the sign-in page', () => {
  const people = (text: string) => [...text.matchAll(/name="person"\s+value="(\w+)"/g)].map(([, id]) => id)

  it('lists all people, the one from the hint first', async () => {
    const page = await createPlainBrowser().open(
      await startAddress(config, { login_hint: 'dan@acme.example' }),
    )
    expect(people(page.text)).toEqual(['dan', 'ada', 'bob', 'carol', 'eve', 'frank', 'grace'])
    expect(page.text).toContain('for development only')
    expect(page.text).not.toContain('<Script>')
  })

  it('a person who cancels is sent back with access_denied', async () => {
    const { searchParams, pathname } = new URL((await choosePerson(config, '')).url)
    expect(pathname).toBe('/callback')
    expect(searchParams.get('error')).toBe('access_denied')
  })

  it('a person who is signed in is asked again only if the client wants it', async () => {
    const browser = createPlainBrowser()
    await signIn(config, 'ada', browser)
    expect(atClient((await browser.open(await startAddress(config), atClient)).url)).toBe(true)
    for (const prompt of ['login', 'select_account']) {
      const page = await browser.open(await startAddress(config, { prompt }), atClient)
      expect(page.text).toContain('Currently signed in as Ada Lovelace')
    }
  })

  it('a person can change to another account', async () => {
    const browser = createPlainBrowser()
    await signIn(config, 'ada', browser)
    const { url } = await choosePerson(config, 'bob', { prompt: 'select_account' }, browser)
    expect((await exchange(config, url)).claims()?.sub).toBe('bob')
  })

  it('asks no questions with prompt=none', async () => {
    const { url } = await createPlainBrowser().open(await startAddress(config, { prompt: 'none' }), atClient)
    expect(new URL(url).searchParams.get('error')).toBe('login_required')
  })

  it('an old sign-in page says that it has expired', async () => {
    const page = await createPlainBrowser().open(`${sandbox.urls.authorizationServer}/sign-in/unknown`)
    expect(page.status).toBe(410)
  })
})

describe('an issuer with a path', () => {
  it('has its metadata at the places of both specifications and works', async () => {
    const running = await startSandbox({
      issuerPaths: { authorizationServer: '/oauth2/default' },
      clients: [testClient],
    })
    try {
      const issuer = running.urls.authorizationServer
      const { origin } = new URL(issuer)
      const metadata = await jsonOf(
        await fetch(`${origin}/.well-known/oauth-authorization-server/oauth2/default`),
      )
      expect(metadata).toMatchObject({ issuer, token_endpoint: `${issuer}/token` })
      const config = await discover(issuer)
      expect((await signIn(config, 'ada')).claims()?.iss).toBe(issuer)
      expect(running.count('oauthMetadata')).toBe(1)
      expect((await fetch(`${origin}/token`, { method: 'POST' })).status).toBe(404)
    } finally {
      await running.close()
    }
  })
})
