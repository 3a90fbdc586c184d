// Revocation of tokens: order, and the limit of one second.
import { expect, it, vi } from 'vitest'
import type { Tokens } from '../../src/session/signed-in.ts'
import { revoke } from '../../src/sign-in/sign-out/revoke.ts'
import { ISSUER, createServerStub } from './server-stub.ts'

const BOTH: Tokens = { accessToken: 'access', refreshToken: 'refresh', issuedAt: 0 }
const LATE = { message: 'no response within 1000 ms' }

/** @param serverResponse to each token */
async function revokeWith(
  serverResponse: (token: string) => object | Promise<object>,
  tokens = BOTH,
  metadata: object = { revocation_endpoint: `${ISSUER}/revoke` },
) {
  const { server, answers, requests } = createServerStub(metadata, {})
  answers['/revoke'] = ({ form }) => serverResponse(form['token'] ?? '')
  const result = await revoke(server.configuration, tokens)
  const sentTokens = requests.map(({ form: { token, token_type_hint: hint } }) => [hint, token])
  return { ...result, sentTokens }
}

const never = () => new Promise<object>(() => {})
const REFRESH = ['refresh_token', 'refresh']
const ACCESS = ['access_token', 'access']

it('the refresh token is revoked first, and then the access token', async () => {
  const journal: string[] = []
  const { sentTokens, ...result } = await revokeWith(async (token) => {
    journal.push(token)
    await new Promise((resolve) => setTimeout(resolve, 5))
    journal.push(`${token} is over`)
    return {}
  })
  expect(journal).toEqual(['refresh', 'refresh is over', 'access', 'access is over'])
  expect(result).toMatchObject({ revoked: 'done' })
  expect(result).not.toHaveProperty('cause')
  expect(sentTokens).toEqual([REFRESH, ACCESS])
})

it('a single token is revoked alone, and none without a revocation endpoint', async () => {
  const one = await revokeWith(() => ({}), { accessToken: 'access', issuedAt: 0 })
  expect(one).toMatchObject({ revoked: 'done', sentTokens: [ACCESS] })
  expect(await revokeWith(() => ({}), BOTH, {})).toMatchObject({ revoked: 'no_endpoint', sentTokens: [] })
})

const afterRefresh = (error: string, status = 400) =>
  revokeWith((token) => (token === 'refresh' ? {} : { status, body: { error } }))

it('a refused access token counts as revoked with its refresh token, except for certain errors', async () => {
  expect(await afterRefresh('invalid_request')).toMatchObject({
    revoked: 'done',
    sentTokens: [REFRESH, ACCESS],
  })
  for (const still of [await afterRefresh('unsupported_token_type'), await afterRefresh('server_error', 500)])
    expect(still).toMatchObject({ revoked: 'partly', cause: expect.anything() as unknown })
})

it('a refused access token counts as not revoked if the refresh token was refused, too', async () => {
  const refusing = () => ({ status: 400, body: { error: 'invalid_request' } })
  expect(await revokeWith(refusing)).toMatchObject({ revoked: 'failed' })
})

it('a revocation without a response is abandoned after a second', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  let ended = 0
  const revocations = [revokeWith(never), revokeWith((token) => (token === 'refresh' ? {} : never()))]
  for (const revocation of revocations) void revocation.then(() => ended++)
  await vi.advanceTimersByTimeAsync(999)
  expect(ended).toBe(0)
  await vi.advanceTimersByTimeAsync(1)
  vi.useRealTimers()
  const [silent, one] = await Promise.all(revocations)
  expect(silent).toMatchObject({ revoked: 'failed', sentTokens: [REFRESH], cause: LATE })
  expect(one).toMatchObject({ revoked: 'partly', sentTokens: [REFRESH, ACCESS], cause: LATE })
})
