// Discovery: well-known addresses, the issuer, required endpoints and the log line.
import { describe, expect, it } from 'vitest'
import { lacksRefreshTokenGrant, discoverMetadata, findMetadata } from '../../src/sign-in/server/discovery.ts'
import { answerFetch, moved, silent } from './network-stub.ts'

const ISSUER = 'https://as.example'
const OPENID = `${ISSUER}/.well-known/openid-configuration`
const OAUTH = `${ISSUER}/.well-known/oauth-authorization-server`
const completeMetadata = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/a`,
  token_endpoint: `${ISSUER}/t`,
  jwks_uri: `${ISSUER}/k`,
}
const json =
  (body: unknown, headers: Record<string, string> = {}) =>
  () =>
    Response.json(body, { headers })

it('metadata is fetched once, without empty members', async () => {
  const body = {
    ...completeMetadata,
    registration_endpoint: null,
    userinfo_endpoint: '',
    grant_types_supported: [],
  }
  const requests = answerFetch({ [OPENID]: json(body, { date: 'Sun, 01 Nov 2026 10:00:00 GMT' }) })

  expect(await findMetadata(ISSUER)).toEqual({
    kind: 'found',
    specification: 'oidc',
    metadata: { ...completeMetadata, grant_types_supported: [] },
    date: 'Sun, 01 Nov 2026 10:00:00 GMT',
  })
  expect(requests.map(({ url, method, headers }) => [url, method, headers.get('accept')])).toEqual([
    [OPENID, 'GET', 'application/json'],
  ])
})

it.each([
  [ISSUER, [OPENID, OAUTH]],
  [`${ISSUER}/`, [OPENID, OAUTH]],
  [`${ISSUER}/a`, [`${ISSUER}/a/.well-known/openid-configuration`, `${OAUTH}/a`]],
  [`${ISSUER}/a/`, [`${ISSUER}/a/.well-known/openid-configuration`, `${OAUTH}/a`]],
  [`${OPENID}?x=y`, [`${OPENID}?x=y`]],
  [`${OAUTH}/a/b`, [`${OAUTH}/a/b`]],
  ['http://127.0.0.1:9/.well-known/x', ['http://127.0.0.1:9/.well-known/x']],
  ['http://as.example', []],
])(
  'the metadata of %s is requested at its well-known addresses, over https or loopback',
  async (setting, places) => {
    const requests = answerFetch({})
    expect(await findMetadata(setting)).toMatchObject({ kind: 'missing' })
    expect(requests.map(({ url }) => url)).toEqual(places)
  },
)

/** Finds the metadata for OIDC_ISSUER in a response with the issuer. */
async function findWithIssuer(setting: string, issuer: string) {
  const requests = answerFetch({})
  await findMetadata(setting)
  answerFetch({ [requests[0]?.url ?? '']: json({ ...completeMetadata, issuer }) })
  return await findMetadata(setting)
}

it.each([
  [ISSUER, ISSUER],
  [ISSUER, `${ISSUER}/`],
  [`${ISSUER}/a`, `${ISSUER}/a`],
  [`${ISSUER}/a/.well-known/openid-configuration`, `${ISSUER}/a/`],
  [`${OAUTH}/a`, `${ISSUER}/a`],
  // The issuer may have a tenant's id, and OIDC_ISSUER its name.
  ['https://login.microsoftonline.com/x/v2.0', 'https://sts.example/id'],
  ['https://x.b2clogin.com/x', 'https://sts.example/id'],
])('the metadata for %s with the issuer %s is accepted', async (setting, issuer) => {
  expect(await findWithIssuer(setting, issuer)).toMatchObject({ kind: 'found', metadata: { issuer } })
})

it.each([
  [`${ISSUER}/a`, `${ISSUER}/a/`],
  [`${ISSUER}/a/`, `${ISSUER}/a`],
  [`${ISSUER}/a/.well-known/openid-configuration`, `${ISSUER}/b`],
  [ISSUER, 'as.example'],
  [ISSUER, 'https://eve.example'],
  ['https://b2clogin.com.example/x', 'https://sts.example/id'],
  ['https://login.microsoftonline.com/.well-known/oauth-authorization-server', 'https://sts.example'],
  ['https://login.microsoftonline.com/common', 'https://sts.example/{tenantid}'],
])('the metadata for %s with the issuer %s is refused', async (setting, issuer) => {
  expect(await findWithIssuer(setting, issuer)).toMatchObject({ kind: 'other-issuer', issuer })
})

it.each([
  ['https://eve.example', / names another issuer than OIDC_ISSUER$/],
  [`${ISSUER}/a/`, /\(they differ only in the trailing slash\)$/],
  ['https://x/{tenantid}', / is for all tenants: set OIDC_ISSUER to your tenant's own, with its ID$/],
])('a wrong issuer (%s) is explained', async (issuer, words) => {
  answerFetch({ [`${ISSUER}/a/.well-known/openid-configuration`]: json({ ...completeMetadata, issuer }) })
  expect(await findMetadata(`${ISSUER}/a`)).toMatchObject({
    kind: 'other-issuer',
    expected: `${ISSUER}/a`,
    explanation: expect.stringMatching(words) as string,
  })
})

it('metadata of the right issuer wins, and else the first wrong issuer is named', async () => {
  const eve = json({ issuer: 'https://eve.example' })
  answerFetch({ [OPENID]: eve, [OAUTH]: json(completeMetadata) })
  expect(await findMetadata(ISSUER)).toMatchObject({ kind: 'found', specification: 'oauth2' })
  answerFetch({ [OPENID]: eve, [OAUTH]: json({ issuer: 'https://bob.example' }) })
  expect(await findMetadata(ISSUER)).toMatchObject({ issuer: 'https://eve.example', attempts: [] })
})

it.each([
  ['200 with a page', () => new Response('<html>'), 'responded 200 without metadata'],
  ['200 with another JSON', json({ issuer: 7 }), 'responded 200 without metadata'],
  ['metadata and another status', () => Response.json(completeMetadata, { status: 201 }), 'responded 201'],
  ['nothing', () => new Response(null, { status: 204 }), 'responded 204'],
  ['a redirect away', moved('https://e.test/x'), 'responded 302 to another origin (https://e.test)'],
  ['a redirect to no address', moved('http://['), 'responded 302 to another origin'],
  ['a redirect to nowhere', moved('data:text/html,x'), 'responded 302 to another origin'],
  ['a redirect to itself', moved(OPENID), 'responded 302 too many times'],
])('a response with %s isn’t accepted as metadata', async (_title, response, words) => {
  const requests = answerFetch({ [OPENID]: response })
  const attempts = [{ explanation: `${OPENID} ${words}` }, { explanation: `${OAUTH} responded 404` }]
  expect(await findMetadata(ISSUER)).toMatchObject({ kind: 'missing', attempts })
  expect(requests.filter(({ url }) => !url.startsWith(ISSUER))).toEqual([])
})

it('a redirect of the metadata is followed on its origin only', async () => {
  const two = `${ISSUER}/two`
  answerFetch({ [OPENID]: moved(`${two}?x=y`), [`${two}?x=y`]: json(completeMetadata) })
  expect(await findMetadata(ISSUER)).toMatchObject({ kind: 'found' })
  const requests = answerFetch({ [OPENID]: silent('ECONNREFUSED') })
  const explanation = `${OPENID} cannot be read: connection refused`
  const attempts = [{ networkError: 'refused', explanation }]
  expect(await findMetadata(ISSUER)).toMatchObject({ kind: 'missing', attempts })
  expect(requests).toHaveLength(1)
})

const failureOf = (setting: string, scope = 'openid') =>
  discoverMetadata(setting, scope).then(
    () => undefined,
    (error: unknown) => error as { detail: string; code: string; cause: unknown },
  )

it('the log has each address with its response and the cause, without a query', async () => {
  answerFetch({ [OPENID]: () => new Response('', { status: 500 }) })
  expect(await failureOf(`${ISSUER}/`)).toMatchObject({
    code: 'sign_in_unavailable',
    detail: `${ISSUER} cannot be discovered (${OPENID} responded 500; ${OAUTH} responded 404): see OIDC_ISSUER`,
  })
  answerFetch({ [OPENID]: silent('ENOTFOUND') })
  expect((await failureOf(ISSUER))?.cause).toBeInstanceOf(TypeError)
  const place = `${ISSUER}/a/.well-known/openid-configuration`
  answerFetch({ [`${place}?b`]: json({ issuer: 'https://eve.example' }) })
  expect((await failureOf(`${ISSUER}/a?b`))?.detail).toBe(
    `${ISSUER}/a cannot be discovered (${place} names another issuer than OIDC_ISSUER; ${OAUTH}/a responded 404): see OIDC_ISSUER`,
  )
})

it.each([
  ['authorization_endpoint', 'a', 'see OIDC_ISSUER'],
  ['token_endpoint', 'a', 'see OIDC_ISSUER'],
  ['jwks_uri', 'a openid', 'id_tokens could not be verified; for plain OAuth 2.1, remove openid'],
])('metadata without %s is refused for the scope %s', async (name, scope, words) => {
  answerFetch({ [OPENID]: json({ ...completeMetadata, [name]: null }) })
  expect((await failureOf(ISSUER, scope))?.detail).toContain(`metadata has no ${name}: ${words}`)
})

const OPTIONAL = 'userinfo introspection revocation end_session registration pushed_authorization_request'
it.each(OPTIONAL.split(' '))('an unsafe %s_endpoint isn’t used, and an unneeded one stays', async (of) => {
  const name = `${of}_endpoint`
  const kept = { ...completeMetadata, device_authorization_endpoint: 'http://as.example/device' }
  for (const address of ['http://as.example/x', 'ftp://as.example', 'x', 7]) {
    answerFetch({ [OPENID]: json({ ...kept, [name]: address }) })
    expect(await discoverMetadata(ISSUER, 'openid')).toEqual({ metadata: kept, unused: [name] })
  }
})

describe.each(['authorization_endpoint', 'token_endpoint', 'jwks_uri'])('metadata with %s', (name) => {
  it.each(['http://as.example/x', 'ftp://as.example', 'x'])(
    'the unsafe address %s is refused',
    async (address) => {
      answerFetch({ [OPENID]: json({ ...completeMetadata, [name]: address }) })
      expect((await failureOf(ISSUER))?.detail).toContain(`metadata names an unsafe ${name}: see OIDC_ISSUER`)
    },
  )

  it('an address of this machine is safe', async () => {
    answerFetch({ [OPENID]: json({ ...completeMetadata, [name]: 'http://127.0.0.1:1/x' }) })
    expect(await failureOf(ISSUER, 'a')).toBeUndefined()
  })
})

it('metadata of plain OAuth needs no keys', async () => {
  const own = { service_documentation: 'http://as.example', jwks_uri: null }
  answerFetch({ [OPENID]: json({ ...completeMetadata, ...own }) })
  expect(await failureOf(ISSUER, 'a')).toBeUndefined()
})

it.each([
  [undefined],
  [['authorization_code', 'refresh_token']],
  [['implicit', 'authorization_code']],
  [['authorization_code', 'implicit']],
  ['authorization_code'],
])('the grant types %j don’t exclude refresh tokens', (grants) => {
  expect(lacksRefreshTokenGrant({ grant_types_supported: grants as string[] })).toBe(false)
})

it.each([[['authorization_code']], [[]]])('the grant types %j exclude refresh tokens', (grants) => {
  expect(lacksRefreshTokenGrant({ grant_types_supported: grants })).toBe(true)
})
