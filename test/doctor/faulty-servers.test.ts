// An authorization server and a service that do what the sandbox does not: made for one test each.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { examined, newSecret, startFaulty, troubles, type Faulty } from './set-up.ts'

type Json = Record<string, unknown>
const started: Faulty[] = []
const start = async (answer: Parameters<typeof startFaulty>[0]) => {
  const faulty = await startFaulty(answer)
  started.push(faulty)
  return faulty
}
afterEach(async () => void (await Promise.all(started.splice(0).map((faulty) => faulty.close()))))

const json = (res: ServerResponse, body: unknown, status = 200) =>
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const metadataOf = (url: string): Json => ({
  issuer: url,
  authorization_endpoint: `${url}/authorize`,
  token_endpoint: `${url}/token`,
  jwks_uri: `${url}/keys`,
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
})
const key = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y', use: 'sig' }

type Own = Partial<
  Record<
    '/authorize' | '/token' | '/keys' | '/register',
    (req: IncomingMessage, res: ServerResponse, url: string) => void
  >
>

/** An ordinary authorization server but for what is given. */
const startIssuer = (metadata: (url: string) => Json = () => ({}), own: Own = {}) =>
  start((req, res, url) => {
    const path = new URL(req.url ?? '/', url).pathname
    const ours = own[path as keyof Own]
    if (path === '/.well-known/openid-configuration') json(res, { ...metadataOf(url), ...metadata(url) })
    else if (ours !== undefined) ours(req, res, url)
    else if (path === '/keys') json(res, { keys: [key] })
    else if (path === '/token') json(res, { error: 'invalid_grant' }, 400)
    else if (path === '/authorize') {
      const back = new URL(req.url ?? '', url).searchParams.get('redirect_uri')
      res.writeHead(302, { location: `${back}?error=login_required&state=onramp-doctor` }).end()
    } else json(res, {}, 404)
  })

const envFor = (issuer: string, changed: Json = {}): NodeJS.ProcessEnv => ({
  PUBLIC_URL: 'https://onramp.acme.test',
  OIDC_ISSUER: issuer,
  OIDC_CLIENT_ID: 'onramp',
  OIDC_CLIENT_SECRET: newSecret(),
  SESSION_SECRET: newSecret() + newSecret(),
  TRUST_PROXY: '10.0.0.0/8',
  ...(changed as NodeJS.ProcessEnv),
})

const found = async (faulty: Faulty, changed: Json = {}) =>
  troubles(await examined(envFor(faulty.url, changed))).filter(
    ({ group }) => group === 'Authorization server',
  )

describe('an authorization server', () => {
  it('that is in order gives no trouble', async () => {
    expect(await found(await startIssuer())).toEqual([])
  })

  it('that calls itself by another name is told with that name', async () => {
    const faulty = await startIssuer(() => ({ issuer: 'https://login.acme.test/tenant/' }))
    const [finding] = await found(faulty)
    expect(finding).toMatchObject({ check: 'authorization-server.discovery', settings: ['OIDC_ISSUER'] })
    expect(finding?.fix).toContain('https://login.acme.test/tenant/')
  })

  it('without the code flow, PKCE, https or the way to authenticate is told for each', async () => {
    const faulty = await startIssuer(() => ({
      response_types_supported: ['id_token'],
      code_challenge_methods_supported: ['plain'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'tls_client_auth'],
      userinfo_endpoint: 'http://login.acme.test/me',
    }))
    const abilities = (await found(faulty)).filter(({ check }) => check.endsWith('abilities'))
    expect(abilities.map(({ says }) => says).join(' ')).toMatch(
      /code flow.*PKCE.*client_secret_basic.*userinfo_endpoint/,
    )
    expect(abilities.flatMap(({ settings }) => settings)).toContain('OIDC_CLIENT_AUTH')
  })

  it('whose addresses would open /admin to nobody is told so, where somebody shall see it', async () => {
    const faulty = await startIssuer(() => ({ claims_supported: ['sub', 'email', 'upn'] }))
    const admins = { ADMIN_EMAILS: 'carol@acme.test' }
    const settings = async (changed: Json) =>
      (await found(faulty, changed)).flatMap((finding) => finding.settings)
    expect(await settings({})).toEqual([])
    expect(await settings(admins)).toEqual(['OIDC_EMAIL_TRUST', 'ADMIN_EMAILS'])
    expect(await settings({ ...admins, OIDC_EMAIL_TRUST: 'always' })).toEqual([])
    expect(await settings({ OIDC_EMAIL_CLAIM: 'mail' })).toEqual(['OIDC_EMAIL_CLAIM'])
  })

  it('whose keys cannot be fetched is told so', async () => {
    const faulty = await startIssuer(undefined, { '/keys': (_req, res) => json(res, {}, 500) })
    expect(await found(faulty)).toMatchObject([
      { check: 'authorization-server.keys', settings: ['OIDC_ISSUER'] },
    ])
  })

  it('that wants the secret in the form gets OIDC_CLIENT_AUTH named, also by a challenge in a header', async () => {
    const faulty = await startIssuer(undefined, {
      '/token': (req, res) => {
        if (req.headers.authorization === undefined) return json(res, { error: 'invalid_grant' }, 400)
        return res.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end()
      },
    })
    expect(await found(faulty)).toMatchObject([
      {
        check: 'authorization-server.client',
        settings: ['OIDC_CLIENT_AUTH'],
        fix: 'set it to client_secret_post',
      },
    ])
  })

  it('that answers with a page at the token endpoint is told so', async () => {
    const page = await startIssuer(undefined, { '/token': (_req, res) => res.end('<!doctype html>') })
    expect(await found(page)).toMatchObject([{ check: 'authorization-server.client', status: 'fail' }])
  })

  it.each([
    ['invalid_scope', 'OIDC_SCOPE'],
    ['invalid_target', 'OIDC_RESOURCE'],
    ['unauthorized_client', 'OIDC_CLIENT_ID'],
  ])('that would end a sign-in with %s names %s', async (error, setting) => {
    const faulty = await startIssuer(undefined, {
      '/authorize': (_req, res) =>
        res.writeHead(302, { location: `https://onramp.acme.test/sign-in/callback?error=${error}` }).end(),
    })
    expect(await found(faulty)).toMatchObject([
      { check: 'authorization-server.redirect-registered', status: 'fail', settings: [setting] },
    ])
  })

  it('that answers with an error page does not know the redirect address, or the client', async () => {
    const refusing = (words: string) =>
      startIssuer(undefined, { '/authorize': (_req, res) => res.writeHead(400).end(words) })
    const [finding] = await found(await refusing('redirect_uri did not match'))
    expect(finding?.fix).toContain('register https://onramp.acme.test/sign-in/callback')
    expect(await found(await refusing('invalid_client'))).toMatchObject([{ settings: ['OIDC_CLIENT_ID'] }])
    expect(await found(await refusing('no'))).toMatchObject([{ settings: ['PUBLIC_URL', 'OIDC_CLIENT_ID'] }])
  })

  it('that shows its refusal of the redirect address as an ordinary page is understood', async () => {
    const faulty = await startIssuer(undefined, {
      '/authorize': (_req, res) => res.end('<p>AADSTS50011: The redirect URI does not match</p>'),
    })
    expect(await found(faulty)).toMatchObject([{ status: 'fail', settings: ['PUBLIC_URL'] }])
  })

  it('that sends on to its sign-in page is in order', async () => {
    const faulty = await startIssuer(undefined, {
      '/authorize': (_req, res) => res.writeHead(302, { location: '/login?session=1' }).end(),
    })
    expect(await found(faulty)).toEqual([])
  })

  it('without registration needs OIDC_CLIENT_ID', async () => {
    const findings = await found(await startIssuer(), { OIDC_CLIENT_ID: '', OIDC_CLIENT_SECRET: '' })
    expect(findings).toMatchObject([
      { check: 'authorization-server.registration', settings: ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] },
    ])
  })

  it('that is plain OAuth 2.1 is found by RFC 8414, and openid in the scope is told to be too much', async () => {
    const faulty = await start((req, res, url) => {
      if (req.url !== '/.well-known/oauth-authorization-server/tenant')
        return json(res, { error: 'invalid_grant' }, 404)
      const { jwks_uri: _none, ...metadata } = metadataOf(`${url}/tenant`)
      return json(res, metadata)
    })
    const report = await examined(envFor(`${faulty.url}/tenant`))
    expect(report.findings.map(({ says }) => says).join('\n')).toContain('OAuth 2.1 (RFC 8414)')
    expect(troubles(report, 'authorization-server.keys')).toMatchObject([
      { settings: ['OIDC_SCOPE', 'OIDC_ISSUER'] },
    ])
  })

  it('that never ends its answer is given up on', async () => {
    const faulty = await start((_req, res) => void res.writeHead(200).write('{'))
    const [finding] = await found(faulty)
    expect(finding?.says).toContain('timed out')
  }, 30_000)
})

describe('a service', () => {
  const list = (path: string) => ({
    unauthorizedDatasourceInstances: [
      { datasourceInstance: 'slack_1', authStatus: 'AWAITING_AUTH', authUrlRelativePath: path },
    ],
  })
  const asked = async (
    answer: (redirect: string | null, authType: string | undefined) => { status: number; body: unknown },
    changed: Json = {},
  ) => {
    const faulty = await start((req, res, url) => {
      const redirect = new URL(req.url ?? '', url).searchParams.get('final_redirect_url')
      const known = req.headers.authorization === 'Bearer a-token-of-ada-lovelace'
      const authType = req.headers['x-service-auth-type']?.toString()
      const { status, body } = known ? answer(redirect, authType) : { status: 401, body: {} }
      json(res, body, status)
    })
    const env = envFor('https://login.invalid', {
      SERVICE_BASE_URL: faulty.url,
      SERVICE_USER_TOKEN: 'a-token-of-ada-lovelace',
      OIDC_ISSUER: '',
      ...changed,
    })
    return await examined(env)
  }
  const secretPath = '/auth/datasource/slack_1?token=one-time-canary'

  it('whose paths carry our callback is in order, and no path is told', async () => {
    const report = await asked((redirect) => ({
      status: 200,
      body: list(redirect === null ? secretPath : `${secretPath}&r=${encodeURIComponent(redirect)}`),
    }))
    expect(troubles(report, 'service.final-redirect')).toEqual([])
    expect(report.text).toContain('redirects to https://onramp.acme.test/onboarding/callback')
    expect(report.text).not.toContain('canary')
  })

  it('whose paths do not carry it is told so', async () => {
    const report = await asked(() => ({ status: 200, body: list(secretPath) }))
    expect(troubles(report, 'service.final-redirect')).toMatchObject([
      { status: 'warn', settings: ['PUBLIC_URL'] },
    ])
    expect(report.text).not.toContain('canary')
  })

  it('that takes the given token only with X-Service-Auth-Type shows that TOKEN_ISSUED_BY is wrong', async () => {
    const answer = (_redirect: string | null, authType: string | undefined) =>
      authType === 'OAUTH'
        ? { status: 200, body: list(secretPath) }
        : { status: 401, body: { message: 'Invalid Secret' } }
    expect(troubles(await asked(answer), 'service.token')).toMatchObject([
      { status: 'fail', settings: ['TOKEN_ISSUED_BY'], fix: 'set it to external-idp' },
    ])
    expect(troubles(await asked(answer, { TOKEN_ISSUED_BY: 'external-idp' }), 'service.token')).toEqual([])
  })
})
