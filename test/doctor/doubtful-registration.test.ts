// Servers whose registration endpoint answers as if it were open, or closed: the doctor says so only where a request that
// is faulty on purpose would be answered otherwise.
import { describe, expect, it } from 'vitest'
import { found, start } from './at-plain-server.ts'
import { newSecret } from './set-up.ts'

describe('registration', () => {
  const check = 'registration'
  const OWN = { OIDC_CLIENT_ID: '', OIDC_CLIENT_SECRET: '' }
  const faulty = { error: 'invalid_redirect_uri' }

  it('is not said to be open where the request was refused for its content', async () => {
    const server = await start({ '/register': ({ res }, own) => own.json(res, faulty, 400) })
    expect(await found(server, check, OWN)).toMatchObject([{ status: 'skip' }])
    const token = { ...OWN, OIDC_INITIAL_ACCESS_TOKEN: newSecret() }
    expect(await found(server, check, token)).toMatchObject([{ status: 'skip' }])
    expect(server.clients.size).toBe(1)
  })

  it.each([{}, { error: 'invalid_client_uri' }, { error: 'unsupported_response_type' }])(
    'is not said to be closed where the refusal is about the request: %o',
    async (body) => {
      const server = await start({ '/register': ({ res }, own) => own.json(res, body, 400) })
      expect(await found(server, check, OWN)).toMatchObject([{ status: 'skip' }])
    },
  )

  it.each([
    [429, {}, 'warn', /429.*in 120 seconds/],
    [500, {}, 'warn', /returned an error \(500\)/],
    [503, {}, 'warn', /returned an error \(503\)/],
    [302, {}, 'warn', /doesn't show whether registration is open \(302\)/],
    [400, { error: 'policy' }, 'warn', /doesn't show whether registration is open \(400\)/],
    [400, { error: 'access_denied' }, 'fail', /requires a token \(400\)/],
    [405, {}, 'fail', /closed \(405\)/],
    [501, {}, 'fail', /closed \(501\)/],
  ])('that answers %i %o is told as %s', async (code, body, status, words) => {
    const server = await start({
      '/register': ({ res }, own) => own.json(res.setHeader('retry-after', '120'), body, code),
    })
    const [finding] = await found(server, check, OWN)
    expect(finding?.status).toBe(status)
    expect(`${finding?.says} ${finding?.fix}`).toMatch(words)
  })

  it('takes the token where another token is refused', async () => {
    const token = newSecret()
    const server = await start({
      '/register': ({ res, headers }, own) =>
        headers.authorization === `Bearer ${token}`
          ? own.json(res, faulty, 400)
          : own.json(res, { error: 'invalid_token' }, 401),
    })
    const right = { ...OWN, OIDC_INITIAL_ACCESS_TOKEN: token }
    expect(await found(server, check, right)).toMatchObject([{ status: 'ok' }])
    expect(await found(server, check, OWN)).toMatchObject([{ status: 'fail' }])
  })

  it.each([200, 201])(
    'that makes a client of anything (%i) is told, and its client is removed',
    async (status) => {
      const server = await start({
        '/register': (asked, own) => {
          const own_uri = {
            registration_client_uri: `${own.url}/register/one`,
            registration_access_token: 'rat',
          }
          own.json(asked.res, { client_id: 'one', ...own_uri }, status)
        },
        '/register/one': ({ res }) => void res.writeHead(204).end(),
      })
      const [finding] = await found(server, check, OWN)
      expect(finding).toMatchObject({ status: 'warn' })
      expect(finding?.says).not.toContain('closed')
      expect(server.seen).toContain('DELETE /register/one')
    },
  )
})
