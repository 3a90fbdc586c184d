// Clients of the authorization servers: how they authenticate, register themselves and sign people out.
import { exportJWK, generateKeyPair } from 'jose'
import * as oidc from 'openid-client'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts'
import { TestBrowser } from '../helpers/test-browser.ts'
import { call } from './client-calls.ts'
import {
  callback,
  checks,
  choosePerson,
  discover,
  exchange,
  signedOut,
  signIn,
  startAddress,
  testClient,
  walk,
} from './sign-in.ts'

let sandbox: Sandbox
let config: oidc.Configuration
beforeAll(async () => {
  sandbox = await startSandbox({ clients: [testClient] })
  config = await discover(sandbox.urls.authorizationServer)
})
afterEach(() => sandbox.reset())
afterAll(() => sandbox.close())

describe('clients', () => {
  it.each([
    ['client_secret_basic', oidc.ClientSecretBasic(testClient.client_secret)],
    ['client_secret_post', oidc.ClientSecretPost(testClient.client_secret)],
    ['none', oidc.None()],
  ] as const)('can authenticate by %s', async (method, authentication) => {
    const client = { ...testClient, client_id: method, token_endpoint_auth_method: method }
    sandbox.addClient(client)
    const config = await discover(sandbox.urls.authorizationServer, client, authentication)
    expect((await signIn(config, 'ada')).claims()?.sub).toBe('ada')
  })

  it('can authenticate by private_key_jwt', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'a', use: 'sig', alg: 'ES256' }] }
    sandbox.addClient({ client_id: 'with-key', redirect_uris: [callback], jwks })
    const authentication = oidc.PrivateKeyJwt({ key: privateKey, kid: 'a' })
    const config = await discover(sandbox.urls.authorizationServer, { client_id: 'with-key' }, authentication)
    expect((await signIn(config, 'ada')).refresh_token).toBeTypeOf('string')
  })

  it('can push their authorization request, offline_access included', async () => {
    const { searchParams } = new URL(await startAddress(config))
    const browser = new TestBrowser()
    const page = await walk(browser, (await oidc.buildAuthorizationUrlWithPAR(config, searchParams)).href)
    const { url } = await walk(browser, page.url, { person: 'ada' })
    expect((await exchange(config, url)).scope).toContain('offline_access')
  })

  it('can do without OpenID Connect', async () => {
    const url = await choosePerson(config, 'ada', { scope: 'offline_access', nonce: '' })
    const { pkceCodeVerifier, expectedState } = checks
    const tokens = await oidc.authorizationCodeGrant(config, new URL(url), {
      pkceCodeVerifier,
      expectedState,
    })
    expect(tokens.id_token).toBeUndefined()
    expect(tokens.refresh_token).toBeTypeOf('string')
  })

  it('can name a resource', async () => {
    const resource = sandbox.urls.service
    const url = new URL(await choosePerson(config, 'ada', { resource }))
    const { access_token: token } = await oidc.authorizationCodeGrant(
      config,
      url,
      { ...checks },
      { resource },
    )
    expect((await call(sandbox, 'checkdatasourceauth', { token })).status).toBe(200)
  })
})

describe('dynamic registration', () => {
  const metadata = { redirect_uris: [callback], client_name: 'A client' }
  const register = async (issuer: string, options = {}) =>
    oidc.dynamicClientRegistration(new URL(issuer), metadata, undefined, {
      execute: [oidc.allowInsecureRequests],
      ...options,
    })

  it('makes a client that can sign people in', async () => {
    const config = await register(sandbox.urls.authorizationServer)
    expect((await signIn(config, 'ada')).claims()?.sub).toBe('ada')
  })

  it('makes secrets that expire, where the switch says so', async () => {
    sandbox.switches.set({ faults: { secretSeconds: 60 } })
    const { client_secret_expires_at: end } = (
      await register(sandbox.urls.authorizationServer)
    ).clientMetadata()
    expect(end).toBeCloseTo(Date.now() / 1000 + 60, -1)
  })

  it('asks for the initial access token if there is one', async () => {
    const initialAccessToken = 'an-initial-access-token'
    const guarded = await startSandbox({ initialAccessToken })
    const issuer = guarded.urls.authorizationServer
    await expect(register(issuer)).rejects.toThrow('challenge')
    const { client_id: id } = (await register(issuer, { initialAccessToken })).clientMetadata()
    expect(id).toBeTypeOf('string')
    await guarded.close()
  })
})

describe('signing out', () => {
  it('ends the session without a further click and goes back to the client', async () => {
    const browser = new TestBrowser()
    const { id_token: hint = '' } = await signIn(config, 'ada', browser)
    const parameters = { id_token_hint: hint, post_logout_redirect_uri: signedOut, state: 'bye' }
    const { href } = oidc.buildEndSessionUrl(config, parameters)
    expect((await walk(browser, href)).url).toBe(`${signedOut}?state=bye`)
    expect((await walk(browser, await startAddress(config))).url).toContain('/sign-in/')
    expect((await walk(browser, href)).url).toBe(`${signedOut}?state=bye`)
  })

  it('asks first when the client gives no hint', async () => {
    const browser = new TestBrowser()
    await signIn(config, 'ada', browser)
    const page = await walk(browser, `${sandbox.urls.authorizationServer}/session/end`)
    expect(page.body).toContain('Sign out?')
  })
})
