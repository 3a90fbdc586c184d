// Servers that refuse without a reason, or with one that fits anything, as Glewlwyd does.
import { describe, expect, it } from 'vitest'
import type { Answers } from '../helpers/plain-authorization-server.ts'
import { CALLBACK, found, start } from './at-plain-server.ts'

describe('the redirect address', () => {
  it.each<[number, string]>([
    [403, 'ok'],
    [401, 'ok'],
    [429, 'skip'],
  ])('that people come back to, where an invented one gets a bare %i, is told: %s', async (code, status) => {
    const authorize: Answers[string] = ({ query, res }) =>
      query.get('redirect_uri') === CALLBACK
        ? void res.writeHead(302, { location: `${CALLBACK}?error=login_required` }).end()
        : void res.writeHead(code).end()
    const server = await start({ '/authorize': authorize })
    expect(await found(server, 'redirect-registered')).toMatchObject([{ status }])
  })

  it('that gets 403 alone is named before a firewall', async () => {
    const server = await start({ '/authorize': ({ res }) => void res.writeHead(403).end() })
    expect(await found(server, 'redirect-registered')).toMatchObject([
      { status: 'warn', settings: ['PUBLIC_URL', 'OIDC_CLIENT_ID', 'OIDC_ISSUER'] },
    ])
  })
})

describe('a client that is answered unauthorized_client', () => {
  const answering = (toOthers: string): Answers => ({
    '/token': ({ headers: { authorization = '' }, res }, own) => {
      const isOurs = atob(authorization.slice(6)).startsWith('onramp:')
      own.json(res, { error: isOurs ? 'unauthorized_client' : toOthers }, 403)
    },
  })

  it.each<[string, string, string[]]>([
    ['may not use the flow, where others are unknown', 'invalid_client', ['OIDC_CLIENT_ID']],
    [
      'may also be unknown or have a wrong secret, where an invented one is answered the same',
      'unauthorized_client',
      ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'PUBLIC_URL'],
    ],
  ])('%s', async (_title, toOthers, settings) => {
    expect(await found(await start(answering(toOthers)), 'client')).toMatchObject([
      { status: 'fail', settings },
    ])
  })
})
