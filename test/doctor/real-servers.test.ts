// Authorization servers as they are in earnest: what they do not say, and what they do otherwise than others. None of it
// keeps people from signing in, or the reason is told.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { examined, newSecret, startFaulty, troubles, type Faulty } from './set-up.ts'

const started: Faulty[] = []
afterEach(async () => void (await Promise.all(started.splice(0).map((faulty) => faulty.close()))))

const json = (res: ServerResponse, body: unknown, status = 200) =>
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

type Own = Partial<Record<'/authorize' | '/token', (req: IncomingMessage, res: ServerResponse) => void>>

/** An ordinary authorization server but for what is given. */
async function startIssuer(metadata: () => object = () => ({}), own: Own = {}): Promise<Faulty> {
  const faulty = await startFaulty((req, res, url) => {
    const { pathname, searchParams } = new URL(req.url ?? '/', url)
    const ours = own[pathname as keyof Own]
    if (pathname === '/.well-known/openid-configuration')
      return json(res, {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/keys`,
        code_challenge_methods_supported: ['S256'],
        ...metadata(),
      })
    if (ours !== undefined) return ours(req, res)
    if (pathname === '/keys') return json(res, { keys: [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y' }] })
    if (pathname === '/token') return json(res, { error: 'invalid_grant' }, 400)
    const location = `${searchParams.get('redirect_uri')}?error=login_required`
    return res.writeHead(302, { location }).end()
  })
  started.push(faulty)
  return faulty
}

const envFor = (issuer: string, changed: Record<string, string> = {}): NodeJS.ProcessEnv => ({
  PUBLIC_URL: 'https://onramp.acme.test',
  OIDC_ISSUER: issuer,
  OIDC_CLIENT_ID: 'onramp',
  OIDC_CLIENT_SECRET: newSecret(),
  SESSION_SECRET: newSecret() + newSecret(),
  TRUST_PROXY: '10.0.0.0/8',
  ...changed,
})

const found = async (faulty: Faulty, changed: Record<string, string> = {}) =>
  troubles(await examined(envFor(faulty.url, changed))).filter(
    ({ group }) => group === 'Authorization server',
  )

describe('an authorization server', () => {
  it('that does not list a claim may give it all the same, which hides nothing about /admin', async () => {
    const faulty = await startIssuer(() => ({ claims_supported: ['sub', 'email'] }))
    const both = await found(faulty, { ADMIN_EMAILS: 'carol@acme.test', OIDC_EMAIL_CLAIM: 'mail' })
    expect(both.map(({ says }) => says)).toEqual([
      expect.stringContaining('may still send it'),
      expect.stringContaining('can open /admin (404)'),
    ])
    expect(both.flatMap(({ settings }) => settings)).toContain('OIDC_EMAIL_TRUST')
  })

  it('that does not list its claims says nothing of addresses, and why /admin may stay 404 is told', async () => {
    const report = await examined(envFor((await startIssuer()).url, { ADMIN_EMAILS: 'carol@acme.test' }))
    expect(report.findings).toContainEqual(
      expect.objectContaining({ status: 'skip', says: expect.stringContaining('404 at /admin') }),
    )
  })

  it('that signs id_tokens with a secret is told not to be taken', async () => {
    const algorithms = (values: string[]) =>
      startIssuer(() => ({
        id_token_signing_alg_values_supported: values,
        userinfo_endpoint: 'https://login.acme.test/userinfo',
      }))
    const secret = await found(await algorithms(['HS256', 'HS512']))
    expect(secret).toMatchObject([
      { status: 'fail', says: expect.stringContaining('only with HS256, HS512') },
    ])
    expect(await found(await algorithms(['HS256', 'RS256']))).toEqual([])
    expect(await found(await algorithms(['HS256']), { OIDC_SCOPE: 'offline_access' })).toEqual([])
  })

  it('that gives a code although nobody signs in has the redirect address registered', async () => {
    const faulty = await startIssuer(undefined, {
      '/authorize': (_req, res) =>
        res
          .writeHead(302, { location: 'https://onramp.acme.test/sign-in/callback?code=canary&state=x' })
          .end(),
    })
    const report = await examined(envFor(faulty.url))
    expect(troubles(report, 'authorization-server.redirect-registered')).toEqual([])
    expect(report.text).not.toContain('canary')
  })

  it('is asked for a refresh token, without which people sign in again and again', async () => {
    const lists = await startIssuer(() => ({ scopes_supported: ['openid', 'offline_access'] }))
    expect(await found(lists, { OIDC_SCOPE: 'openid' })).toMatchObject([
      { status: 'warn', says: expect.stringContaining('lacks offline_access'), settings: ['OIDC_SCOPE'] },
    ])
    const without = await startIssuer(() => ({ scopes_supported: ['openid'] }))
    expect(await found(without, { OIDC_SCOPE: 'openid' })).toEqual([])
    const codesOnly = await startIssuer(() => ({ grant_types_supported: ['authorization_code'] }))
    expect(await found(codesOnly)).toMatchObject([{ says: expect.stringContaining('refresh tokens') }])
    // RFC 8414 2: what counts where there is no list, so that it says nothing.
    const unkept = await startIssuer(() => ({ grant_types_supported: ['authorization_code', 'implicit'] }))
    expect(await found(unkept)).toEqual([])
    expect((await examined(envFor(lists.url))).text).toContain('OIDC_PROMPT=consent')
  })

  it.each([
    ['decodes', (text: string) => decodeURIComponent(text.replaceAll('+', ' '))],
    ['does not decode', (text: string) => text],
  ])('that %s the secret in a header takes one with - _ and .', async (_what, read) => {
    const secret = 'aB3-dE_f.gH1*jK2-lM_n'
    const faulty = await startIssuer(undefined, {
      '/token': (req, res) => {
        const [, encoded = ''] = (req.headers.authorization ?? '').split(' ')
        const [id = '', given = ''] = Buffer.from(encoded, 'base64').toString().split(':')
        const isRight = read(id) === 'on-ramp.1' && read(given) === secret
        json(res, { error: isRight ? 'invalid_grant' : 'invalid_client' }, isRight ? 400 : 401)
      },
    })
    const changed = { OIDC_CLIENT_ID: 'on-ramp.1', OIDC_CLIENT_SECRET: secret }
    expect(await found(faulty, changed)).toEqual([])
  })

  it('is said to decode other characters of a secret perhaps not, and what helps then', async () => {
    const faulty = await startIssuer()
    const odd = await examined(envFor(faulty.url, { OIDC_CLIENT_SECRET: 'aB3/dE+f=gH1~jK2%lM n' }))
    expect(odd.text).toContain('client_secret_post, or have a secret')
    expect((await examined(envFor(faulty.url))).text).not.toContain('client_secret_post, or have a secret')
  })
})
