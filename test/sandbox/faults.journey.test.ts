// Faults of the authorization servers: each is one that a careful client notices.
import { decodeJwt, decodeProtectedHeader } from 'jose'
import * as oidc from 'openid-client'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Faults } from '../../packages/sandbox/src/switches.ts'
import { startSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts'
import { choosePerson, discover, exchange, signIn, testClient } from './sign-in.ts'

let sandbox: Sandbox
let config: oidc.Configuration
beforeAll(async () => {
  sandbox = await startSandbox({ clients: [testClient] })
  config = await discover(sandbox.urls.authorizationServer)
  oidc.enableNonRepudiationChecks(config)
})
afterEach(() => sandbox.reset())
afterAll(() => sandbox.close())

const set = (faults: Faults) => sandbox.switches.set({ faults })

/** What openid-client found wrong. */
async function reasonOf(attempt: Promise<unknown>): Promise<string> {
  const error: unknown = await attempt.then(
    () => new Error('it was accepted'),
    (error: unknown) => error,
  )
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return cause instanceof Error ? cause.message : String(cause)
}

describe('the id_token', () => {
  it.each([
    ['wrongIss', '"iss" (issuer) claim value'],
    ['wrongAud', '"aud" (audience) claim value'],
    ['wrongNonce', '"nonce" claim value'],
    ['missingNonce', '"nonce" (nonce) claim missing'],
    ['badSignature', 'signature verification failed'],
    ['unknownKid', 'no applicable keys found'],
    ['algNone', 'unexpected JWT "alg"'],
    ['expired', 'expiration is past'],
    ['issuedInFuture', '"nbf" (not before)'],
    ['noSub', '"sub" (subject) claim missing'],
    ['missing', '"id_token" property must be a string'],
  ] as const)('%s is refused by a careful client for that reason', async (idToken, reason) => {
    set({ idToken })
    expect(await reasonOf(signIn(config, 'ada'))).toContain(reason)
    set({})
    expect((await signIn(config, 'ada')).claims()?.sub).toBe('ada')
  })

  it('can name another person', async () => {
    set({ idToken: 'otherSub' })
    expect((await signIn(config, 'ada')).claims()?.sub).toBe('another-person')
  })

  it('can name another person from the refresh on', async () => {
    set({ idToken: 'otherSubOnRefresh' })
    const tokens = await signIn(config, 'ada')
    expect(tokens.claims()?.sub).toBe('ada')
    const { id_token: refreshed = '' } = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')
    expect(decodeJwt(refreshed).sub).toBe('another-person')
  })
})

describe('the way back', () => {
  it.each([
    ['wrongIss', 'unexpected "iss"'],
    ['missingIss', '"iss" (issuer) missing'],
    ['wrongState', 'unexpected "state"'],
    ['missingState', '"state" missing'],
    ['missingCode', 'no authorization code'],
  ] as const)('%s is refused by a careful client for that reason', async (authorizationAnswer, reason) => {
    set({ authorizationAnswer })
    const { url } = await choosePerson(config, 'ada')
    expect(await reasonOf(exchange(config, url))).toContain(reason)
  })
})

describe('userinfo', () => {
  it('can name another person', async () => {
    const { access_token: token } = await signIn(config, 'ada')
    set({ userinfo: 'otherSub' })
    expect(await reasonOf(oidc.fetchUserInfo(config, token, 'ada'))).toContain('"sub"')
  })
})

describe('the token endpoint', () => {
  it('can leave out the refresh token and the lifetime', async () => {
    set({ token: { withoutRefreshToken: true, withoutExpiresIn: true } })
    const tokens = await signIn(config, 'ada')
    expect(tokens.refresh_token).toBeUndefined()
    expect(tokens.expires_in).toBeUndefined()
  })

  it('can answer with an error to one grant type only', async () => {
    const tokens = await signIn(config, 'ada')
    set({ token: { grant: 'refresh_token', error: 'temporarily_unavailable', status: 503 } })
    expect((await signIn(config, 'ada')).access_token).toBeTypeOf('string')
    await expect(oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({
      cause: { status: 503 },
    })
  })

  it('can say invalid_client', async () => {
    set({ token: { error: 'invalid_client' } })
    await expect(signIn(config, 'ada')).rejects.toMatchObject({ error: 'invalid_client' })
  })

  it('can be slow', async () => {
    set({ token: { delayMs: 200 } })
    const before = performance.now()
    await signIn(config, 'ada')
    expect(performance.now() - before).toBeGreaterThan(190)
  })

  it('can keep the refresh token instead of rotating it', async () => {
    set({ token: { keepRefreshToken: true } })
    const { refresh_token: token = '' } = await signIn(config, 'ada')
    await oidc.refreshTokenGrant(config, token)
    expect((await oidc.refreshTokenGrant(config, token)).refresh_token).toBe(token)
  })
})

describe('registration', () => {
  const register = async () => {
    const body = JSON.stringify({ redirect_uris: ['https://client.example/callback'] })
    const headers = { 'content-type': 'application/json' }
    return fetch(`${sandbox.urls.authorizationServer}/reg`, { method: 'POST', body, headers })
  }

  it('can be closed', async () => {
    set({ registration: { closed: 500 } })
    expect((await register()).status).toBe(500)
    set({})
    expect((await register()).status).toBe(201)
  })

  it('can make secrets that expire', async () => {
    set({ registration: { secretSeconds: 60 } })
    const answer: unknown = await (await register()).json()
    const now = Math.floor(Date.now() / 1000)
    expect(answer).toMatchObject({ client_secret: expect.any(String) })
    expect(answer).toHaveProperty('client_secret_expires_at', expect.closeTo(now + 60, -1))
  })
})

describe('rotated keys', () => {
  it('sign with another kid; sessions and tokens live on', async () => {
    const before = await signIn(config, 'ada')
    await sandbox.rotateKeys()
    const fresh = await discover(sandbox.urls.authorizationServer)
    const after = await signIn(fresh, 'ada')
    const kid = (token = '') => decodeProtectedHeader(token).kid
    expect(kid(after.id_token)).not.toBe(kid(before.id_token))
    expect((await oidc.fetchUserInfo(fresh, before.access_token, 'ada')).email).toBe('ada@acme.example')
    expect((await oidc.refreshTokenGrant(fresh, before.refresh_token ?? '')).access_token).toBeTypeOf(
      'string',
    )
  })
})
