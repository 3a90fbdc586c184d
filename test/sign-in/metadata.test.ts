// Finding metadata, and what the log says where there is none.
import { describe, expect, it } from 'vitest'
import { discoverMetadata, findMetadata, placesOf } from '../../src/sign-in/server/discovery.ts'
import { answerFetch, moved, silent } from './network-of-answers.ts'

const ISSUER = 'https://as.example'
const OPENID = `${ISSUER}/.well-known/openid-configuration`
const OAUTH = `${ISSUER}/.well-known/oauth-authorization-server`
const whole = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/a`,
  token_endpoint: `${ISSUER}/t`,
  jwks_uri: `${ISSUER}/k`,
}
const json =
  (body: unknown, headers: Record<string, string> = {}) =>
  () =>
    Response.json(body, { headers })
const says = async (setting = ISSUER) => {
  const found = await findMetadata(setting, 5)
  return found.kind === 'found' ? [] : found.attempts.map((attempt) => attempt.says)
}

describe('metadata', () => {
  it('is asked for once where it is, without members that are empty', async () => {
    const body = { ...whole, registration_endpoint: null, userinfo_endpoint: '', grant_types_supported: [] }
    const asked = answerFetch({ [OPENID]: json(body, { date: 'Sun, 01 Nov 2026 10:00:00 GMT' }) })
    expect(await findMetadata(ISSUER, 5)).toEqual({
      kind: 'found',
      how: 'oidc',
      url: OPENID,
      metadata: { ...whole, grant_types_supported: [] },
      date: 'Sun, 01 Nov 2026 10:00:00 GMT',
    })
    expect(asked.map(({ url, method, headers }) => [url, method, headers.get('accept')])).toEqual([
      [OPENID, 'GET', 'application/json'],
    ])
  })

  it('is looked for in the second place where it isn’t in the first', async () => {
    answerFetch({ [OAUTH]: json(whole) })
    expect(await findMetadata(ISSUER, 5)).toMatchObject({
      kind: 'found',
      how: 'oauth2',
      url: OAUTH,
      date: undefined,
    })
  })

  it('is followed to where it was moved, twice', async () => {
    const asked = answerFetch({
      [OPENID]: moved('/one'),
      [`${ISSUER}/one`]: moved('two?x=y', 308),
      [`${ISSUER}/two?x=y`]: json(whole),
    })
    expect(await findMetadata(ISSUER, 5)).toMatchObject({ kind: 'found', url: `${ISSUER}/two` })
    expect(asked.map(({ url }) => url)).toEqual([OPENID, `${ISSUER}/one`, `${ISSUER}/two?x=y`])
  })

  it.each([
    [
      'to another origin',
      moved('https://elsewhere.example/x'),
      '302 to another origin (https://elsewhere.example)',
    ],
    ['to another scheme', moved('mailto:x'), '302 to another origin'],
    ['to nowhere', moved('https://['), '302 to another origin'],
    ['in circles', moved(OPENID, 301), '301 once too often'],
    ['without an address', () => new Response(null, { status: 302 }), '302'],
    ['by a status that moves nothing', moved('/x', 400), '400'],
    ['nowhere, with a page', () => new Response('<html>'), '200 without metadata'],
    ['nowhere, with JSON', json({ issuer: 7 }), '200 without metadata'],
    ['nowhere, with a list', json([]), '200 without metadata'],
    ['nowhere, with metadata and another status', () => Response.json(whole, { status: 201 }), '201'],
    ['nowhere, and empty', () => new Response(null, { status: 204 }), '204'],
  ])('that leads %s is none', async (_what, answer, said) => {
    answerFetch({ [OPENID]: answer })
    expect(await says()).toEqual([`${OPENID} answered ${said}`, `${OAUTH} answered 404`])
    expect(await findMetadata(ISSUER, 5)).toMatchObject({ kind: 'missing', attempts: [{ url: OPENID }, {}] })
  })

  it('that leads in circles is asked for three times', async () => {
    const asked = answerFetch({ [OPENID]: moved(OPENID), [OAUTH]: moved('/x', 300) })
    expect((await says())[1]).toBe(`${ISSUER}/x answered 404`)
    expect(asked.filter(({ url }) => url === OPENID)).toHaveLength(3)
  })

  it('is asked for no more where nothing answers', async () => {
    const asked = answerFetch({ [OPENID]: silent('ECONNREFUSED') })
    expect(await findMetadata(ISSUER, 5)).toEqual({
      kind: 'missing',
      attempts: [
        {
          url: OPENID,
          silence: 'refused',
          error: expect.any(TypeError) as Error,
          says: `${OPENID} cannot be read: connection refused`,
        },
      ],
    })
    expect(asked).toHaveLength(1)
  })

  it('is not asked for without encryption', async () => {
    const asked = answerFetch({})
    expect(await findMetadata('http://as.example', 5)).toEqual({ kind: 'missing', attempts: [] })
    expect(asked).toEqual([])
    await findMetadata('http://127.0.0.1:9', 5)
    expect(asked).toHaveLength(2)
  })

  it.each([
    [{ issuer: 'https://eve.example' }, ISSUER, `${OPENID} names another issuer than OIDC_ISSUER`],
    [
      { issuer: `${ISSUER}/a/` },
      `${ISSUER}/a`,
      `${ISSUER}/a/.well-known/openid-configuration names another issuer than OIDC_ISSUER (they differ only in the slash at the end)`,
    ],
    [
      { issuer: `${ISSUER}/a` },
      `${ISSUER}/a/`,
      `${ISSUER}/a/.well-known/openid-configuration names another issuer than OIDC_ISSUER (they differ only in the slash at the end)`,
    ],
    [
      { issuer: 'https://x/{tenantid}' },
      ISSUER,
      `${OPENID} stands for every tenant: OIDC_ISSUER has to be your tenant's own, with its id`,
    ],
  ])('of another issuer (%j) is not used', async (metadata, setting, said) => {
    const [place] = placesOf(setting).places
    answerFetch({ [place?.url.href ?? '']: json({ ...whole, ...metadata }) })
    const found = await findMetadata(setting, 5)
    expect(found).toMatchObject({
      kind: 'other-issuer',
      issuer: metadata.issuer,
      expected: setting,
      says: said,
    })
    expect(found).toHaveProperty('attempts', [expect.objectContaining({ status: 404 })])
  })

  it('of another issuer may be beside the right one, and the first is told', async () => {
    answerFetch({ [OPENID]: json({ issuer: 'https://eve.example' }), [OAUTH]: json(whole) })
    expect(await findMetadata(ISSUER, 5)).toMatchObject({ kind: 'found', how: 'oauth2' })
    answerFetch({
      [OPENID]: json({ issuer: 'https://eve.example' }),
      [OAUTH]: json({ issuer: 'https://bob.example' }),
    })
    expect(await findMetadata(ISSUER, 5)).toMatchObject({ issuer: 'https://eve.example', attempts: [] })
  })
})

describe('where there is none', () => {
  const detailOf = (setting: string) =>
    discoverMetadata(setting, 'openid', 5).then(
      () => undefined,
      (error: unknown) => error as { detail: string; code: string; cause: unknown },
    )

  it('the log has every address with what it answered, and the reason', async () => {
    answerFetch({ [OPENID]: () => new Response('', { status: 500 }) })
    expect(await detailOf(`${ISSUER}/`)).toMatchObject({
      code: 'sign_in_unavailable',
      detail: `${ISSUER} cannot be discovered (${OPENID} answered 500; ${OAUTH} answered 404): see OIDC_ISSUER`,
    })
    answerFetch({ [OPENID]: silent('ENOTFOUND') })
    const problem = await detailOf(ISSUER)
    expect(problem?.detail).toBe(
      `${ISSUER} cannot be discovered (${OPENID} cannot be read: host not found): see OIDC_ISSUER`,
    )
    expect(problem?.cause).toBeInstanceOf(TypeError)
    const place = `${ISSUER}/a/.well-known/openid-configuration`
    // A query stays out of the log.
    answerFetch({ [`${place}?b`]: json({ issuer: 'https://eve.example' }) })
    expect((await detailOf(`${ISSUER}/a?b`))?.detail).toBe(
      `${ISSUER}/a cannot be discovered (${place} names another issuer than OIDC_ISSUER; ${OAUTH}/a answered 404): see OIDC_ISSUER`,
    )
  })

  it('what is there has to be whole and safe', async () => {
    answerFetch({ [OPENID]: json(whole) })
    expect(await discoverMetadata(ISSUER, 'openid', 5)).toEqual(whole)
    answerFetch({ [OPENID]: json({ ...whole, jwks_uri: null }) })
    expect((await detailOf(ISSUER))?.detail).toContain('has no jwks_uri')
    answerFetch({ [OPENID]: json({ ...whole, token_endpoint: 'http://as.example/t' }) })
    expect((await detailOf(ISSUER))?.detail).toContain('unsafe token_endpoint')
  })
})
