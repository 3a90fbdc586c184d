// Asking a registration endpoint for a client: what is sent, what is tried again, and what came of it.
import { describe, expect, it } from 'vitest'
import { requestRegistration } from '../../src/sign-in/registration/request.ts'
import type { Wishes } from '../../src/sign-in/registration/wishes.ts'
import { answerFetch, silent, type Sent } from './network-of-answers.ts'

const ENDPOINT = 'https://as.example/register'
const wishes = {
  redirect_uris: ['https://onramp.example/sign-in/callback'],
  scope: 'openid',
  client_uri: 'https://onramp.example',
  token_endpoint_auth_method: 'client_secret_basic',
} as unknown as Wishes
const made = { client_id: 'one', client_secret: 'hush', post_logout_redirect_uris: [] }
const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  () =>
    Response.json(body, { status, headers })

async function registering(answer: (sent: Sent) => Response | Promise<Response>, token?: string) {
  const logged: unknown[][] = []
  const line = (level: string) => (fields: object, words: string) => void logged.push([level, fields, words])
  const asked = answerFetch({ [ENDPOINT]: answer })
  const outcome = await requestRegistration({
    endpoint: ENDPOINT,
    wishes,
    initialAccessToken: token,
    now: () => 1_700_000_000_000,
    log: { info: line('info'), warn: line('warn') } as never,
  })
  return { outcome, logged, asked }
}

describe('a request', () => {
  it('sends what is wished for, with the token that was given for it', async () => {
    const { asked, outcome, logged } = await registering(json(made, 201), 'sesame')
    expect(asked).toHaveLength(1)
    const [{ method, headers, body } = expect.fail('nothing was asked')] = asked
    expect([method, JSON.parse(body)]).toEqual(['POST', wishes])
    expect(Object.fromEntries(headers)).toEqual({
      accept: 'application/json',
      'content-type': 'application/json',
      authorization: 'Bearer sesame',
    })
    expect(outcome).toMatchObject({ kind: 'registered', client: { client_id: 'one', client_secret: 'hush' } })
    expect(logged).toEqual([['info', {}, 'the client is registered']])
    const {
      asked: [plain],
    } = await registering(json(made, 201))
    expect(plain?.headers.has('authorization')).toBe(false)
  })

  it.each([200, 201, 299])('answered with %i has made a client', async (status) => {
    expect((await registering(json(made, status))).outcome.kind).toBe('registered')
  })

  it('whose client is not as asked is told with what is odd', async () => {
    const { logged } = await registering(
      json({ ...made, redirect_uris: [], client_secret_expires_at: 1 }, 201),
    )
    const oddities = [
      'redirect_uris are not those that were asked for',
      'client_secret_expires_at is not in the future: the secret counts as lasting',
    ]
    expect(logged).toEqual([
      ['warn', { oddities }, `the client is registered, but not as asked: ${oddities.join('; ')}`],
      ['info', {}, 'the client is registered'],
    ])
  })

  it.each<[string, () => Response, number, string]>([
    ['no client', json({}, 201), 201, 'there is no client_id that is a text'],
    ['no JSON', () => new Response('<html>'), 200, 'the body is not a JSON object'],
    ['no body', () => new Response(null, { status: 204 }), 204, 'the body is not a JSON object'],
  ])('answered with %s may have made one that can’t be used', async (_what, answer, status, why) => {
    const { outcome } = await registering(answer)
    expect(outcome).toEqual({
      kind: 'unusable',
      why: `the registration endpoint answered ${status}, but ${why}`,
    })
  })
})

describe('a refusal', () => {
  it('of the request has the next one ask for less, and the log names what', async () => {
    let refusals = 2
    const { outcome, asked, logged } = await registering((sent) =>
      refusals-- > 0
        ? Response.json(
            { error: 'invalid_client_metadata', error_description: refusals === 1 ? 'no client_uri' : '' },
            { status: 400 },
          )
        : json({ ...made, was: sent.body })(),
    )
    expect(outcome).toMatchObject({ kind: 'registered' })
    expect(asked.map(({ body }) => Object.keys(JSON.parse(body) as object))).toEqual([
      ['redirect_uris', 'scope', 'client_uri', 'token_endpoint_auth_method'],
      ['redirect_uris', 'scope', 'token_endpoint_auth_method'],
      ['redirect_uris', 'token_endpoint_auth_method'],
    ])
    const said = { status: 400, error: 'invalid_client_metadata' }
    const words = 'the registration endpoint answered 400 (invalid_client_metadata'
    expect(logged).toEqual([
      [
        'warn',
        { ...said, description: 'no client_uri', leftOut: 'client_uri' },
        `${words}: no client_uri): asking without client_uri`,
      ],
      ['warn', { ...said, leftOut: 'scope' }, `${words}): asking without scope`],
      ['warn', { leftOut: ['client_uri', 'scope'] }, 'the client is registered without client_uri, scope'],
    ])
  })

  it('of every request that there is is final', async () => {
    const refused = json({}, 400)
    const why = 'the registration endpoint answered 400'
    const { outcome, asked } = await registering(refused)
    expect(asked).toHaveLength(4)
    expect(outcome).toEqual({ kind: 'refused', status: 400, why, isFinal: true })
  })

  it.each<[string, () => Response, object]>([
    [
      'of the right to register',
      json({ error: 'invalid_token', error_description: 'not sesame' }, 401),
      {
        kind: 'refused',
        status: 401,
        why: 'the registration endpoint answered 401 (invalid_token: not …)',
        isFinal: false,
      },
    ],
    [
      'for later',
      json({}, 503, { 'retry-after': '120' }),
      { kind: 'refused', status: 503, why: 'the registration endpoint answered 503', wait: 120 },
    ],
    [
      'of too many',
      json({}, 429),
      { kind: 'refused', status: 429, why: 'the registration endpoint answered 429' },
    ],
    [
      'by a server that fails',
      json({}, 500),
      { kind: 'failed', status: 500, why: 'the registration endpoint answered 500' },
    ],
    [
      'by a redirect',
      () => new Response(null, { status: 302, headers: { location: '/x' } }),
      { kind: 'failed', status: 302, why: 'the registration endpoint answered 302' },
    ],
    [
      'with 499',
      json({}, 499),
      { kind: 'refused', status: 499, why: 'the registration endpoint answered 499', isFinal: false },
    ],
  ])('%s is not repeated', async (_what, answer, outcome) => {
    const { asked, ...came } = await registering(answer, 'sesame')
    expect([came.outcome, asked.length]).toEqual([outcome, 1])
  })

  it('whose body breaks off is one all the same', async () => {
    const broken = () =>
      new Response(new ReadableStream({ start: (controller) => controller.error(new Error('broken')) }), {
        status: 200,
      })
    expect((await registering(broken)).outcome).toMatchObject({ kind: 'unusable' })
  })
})

describe('no answer', () => {
  it.each([
    ['ENOTFOUND', 'host not found', false],
    ['ECONNREFUSED', 'connection refused', false],
    ['CERT_HAS_EXPIRED', 'untrusted certificate (for a private CA, set NODE_EXTRA_CA_CERTS)', false],
    ['EPROTO', 'not a TLS server', false],
    ['ETIMEDOUT', 'timed out', true],
    ['ECONNRESET', 'connection closed', true],
  ])('(%s) is told with what it means: %s; something may have been sent: %s', async (code, words, sent) => {
    const why = `the registration endpoint gives no answer: ${words}`
    expect((await registering(silent(code))).outcome).toEqual({ kind: 'unanswered', sent, why })
  })
})
