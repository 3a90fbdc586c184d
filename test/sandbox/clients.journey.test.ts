// Clients of the authorization servers: how they authenticate, register themselves and sign people out.
import { createServer } from 'node:http'
import { decodeJwt, exportJWK, generateKeyPair } from 'jose'
import * as oidc from 'openid-client'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts'
import { call } from './client-calls.ts'
import { createPlainBrowser } from './plain-browser.ts'
import {
  atClient,
  callback,
  choosePerson,
  discover,
  exchange,
  signedOut,
  signIn,
  startAddress,
  testClient,
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
  it.each(['client_secret_basic', 'client_secret_post', 'none'] as const)(
    'can authenticate by %s',
    async (method) => {
      const client = { ...testClient, client_id: method, token_endpoint_auth_method: method }
      sandbox.addClient(client)
      const authentication = {
        client_secret_basic: oidc.ClientSecretBasic(testClient.client_secret),
        client_secret_post: oidc.ClientSecretPost(testClient.client_secret),
        none: oidc.None(),
      }[method]
      const config = await discover(sandbox.urls.authorizationServer, client, authentication)
      expect((await signIn(config, 'ada')).claims()?.sub).toBe('ada')
    },
  )

  it('can authenticate by private_key_jwt', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'a', use: 'sig', alg: 'ES256' }] }
    sandbox.addClient({ client_id: 'with-key', redirect_uris: [callback], jwks })
    const authentication = oidc.PrivateKeyJwt({ key: privateKey, kid: 'a' })
    const config = await discover(sandbox.urls.authorizationServer, { client_id: 'with-key' }, authentication)
    expect((await signIn(config, 'ada')).refresh_token).toBeTypeOf('string')
  })

  it('can push their authorization request, offline_access included', async () => {
    const address = new URL(await startAddress(config))
    const pushed = await oidc.buildAuthorizationUrlWithPAR(config, address.searchParams)
    const browser = createPlainBrowser()
    const page = await browser.open(pushed.href)
    const { url } = await browser.submit(page.url, { person: 'ada' }, atClient)
    expect((await exchange(config, url)).scope).toContain('offline_access')
  })

  it('can do without OpenID Connect', async () => {
    const { url } = await choosePerson(config, 'ada', { scope: 'offline_access', nonce: '' })
    const tokens = await oidc.authorizationCodeGrant(config, new URL(url), {
      pkceCodeVerifier: 'a-code-verifier-for-tests-that-is-at-least-43-characters-long',
      expectedState: 'the-state',
    })
    expect(tokens.id_token).toBeUndefined()
    expect(tokens.refresh_token).toBeTypeOf('string')
  })

  it('can name a resource', async () => {
    const resource = sandbox.urls.service
    const { url } = await choosePerson(config, 'ada', { resource })
    const tokens = await oidc.authorizationCodeGrant(
      config,
      new URL(url),
      {
        pkceCodeVerifier: 'a-code-verifier-for-tests-that-is-at-least-43-characters-long',
        expectedState: 'the-state',
        expectedNonce: 'the-nonce',
      },
      { resource },
    )
    expect((await call(sandbox, 'checkdatasourceauth', { token: tokens.access_token })).status).toBe(200)
  })
})

describe('dynamic registration', () => {
  const metadata = { redirect_uris: [callback], client_name: 'A client' }
  const register = async (issuer: string, initialAccessToken?: string) =>
    oidc.dynamicClientRegistration(new URL(issuer), metadata, undefined, {
      execute: [oidc.allowInsecureRequests],
      ...(initialAccessToken !== undefined && { initialAccessToken }),
    })

  it('makes a client that can sign people in, until it is forgotten', async () => {
    const config = await register(sandbox.urls.authorizationServer)
    const tokens = await signIn(config, 'ada')
    sandbox.removeClient(config.clientMetadata().client_id)
    await expect(oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_client',
    })
  })

  it('asks for the initial access token if there is one', async () => {
    const guarded = await startSandbox({ initialAccessToken: 'an-initial-access-token' })
    try {
      await expect(register(guarded.urls.authorizationServer)).rejects.toThrow('challenge')
      const config = await register(guarded.urls.authorizationServer, 'an-initial-access-token')
      expect(config.clientMetadata().client_id).toBeTypeOf('string')
    } finally {
      await guarded.close()
    }
  })
})

describe('signing out', () => {
  it('ends the session without a further click and goes back to the client', async () => {
    const browser = createPlainBrowser()
    const { id_token: hint = '' } = await signIn(config, 'ada', browser)
    const parameters = { id_token_hint: hint, post_logout_redirect_uri: signedOut, state: 'bye' }
    const end = oidc.buildEndSessionUrl(config, parameters)
    expect((await browser.open(end.href, atClient)).url).toBe(`${signedOut}?state=bye`)
    expect((await browser.open(await startAddress(config), atClient)).url).toContain('/sign-in/')
    expect((await browser.open(end.href, atClient)).url).toBe(`${signedOut}?state=bye`)
  })

  it('asks first when the client gives no hint', async () => {
    const browser = createPlainBrowser()
    await signIn(config, 'ada', browser)
    const page = await browser.open(`${sandbox.urls.authorizationServer}/session/end`)
    expect(page.text).toContain('Sign out?')
  })

  it('reaches clients by back-channel, also when an administrator ends the session', async () => {
    const received: string[] = []
    const listener = createServer((req, res) => {
      req.on('data', (chunk: Buffer) => received.push(chunk.toString()))
      req.on('end', () => res.end())
    })
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    const address = listener.address()
    const port = typeof address === 'object' ? address?.port : 0
    const uri = `http://127.0.0.1:${port}/backchannel`
    const client = { ...testClient, client_id: 'told', backchannel_logout_uri: uri }
    sandbox.addClient(client)
    const claims = (await signIn(await discover(sandbox.urls.authorizationServer, client), 'grace')).claims()
    expect(claims?.['sid']).toBeTypeOf('string')
    expect(await sandbox.endSessions('grace')).toBe(1)
    const token = new URLSearchParams(received.join('')).get('logout_token') ?? ''
    expect(decodeJwt(token)).toMatchObject({
      sub: 'grace',
      aud: 'told',
      sid: claims?.['sid'],
      iss: sandbox.urls.authorizationServer,
    })
    listener.closeAllConnections()
    await new Promise((resolve) => listener.close(resolve))
  })
})
