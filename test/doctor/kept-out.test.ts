// Servers that are there and keep the doctor out, or do half of what they should: it says that, and blames no address.
import { afterEach, describe, expect, it } from 'vitest'
import { useProxy } from '../../src/client-api/proxy.ts'
import { stubProxy } from '../client-api/stub-proxy.ts'
import type { Answers } from '../helpers/plain-authorization-server.ts'
import { found, start } from './at-plain-server.ts'
import { examined, newSecret, startFaulty, troubles, type Faulty } from './set-up.ts'

const open: Faulty[] = []
afterEach(async () => void (await Promise.all(open.splice(0).map((faulty) => faulty.close()))))

const answering = (path: string, status: number, body: unknown = {}): Answers => ({
  [path]: ({ res }, own) => own.json(res, body, status),
})

describe('an authorization server', () => {
  it.each([
    [429, 'warn', 'is limiting requests'],
    [403, 'fail', 'is blocking this machine'],
    [404, 'fail', 'No authorization server metadata'],
  ])('that answers %i for its metadata is told as such', async (code, status, words) => {
    const metadata = answering('/.well-known/openid-configuration', code)
    const server = await start({ ...metadata, ...answering('/.well-known/oauth-authorization-server', code) })
    expect(await found(server, 'discovery')).toMatchObject([{ status, says: expect.stringContaining(words) }])
  })

  it.each([
    [429, {}, 'warn', '(429)'],
    [200, { keys: [] }, 'fail', 'no signing key'],
    [500, {}, 'fail', '(500)'],
  ])('that answers %i %o for its keys is told as such', async (code, body, status, words) => {
    const server = await start(answering('/keys', code, body))
    expect(await found(server, 'keys')).toMatchObject([{ status, says: expect.stringContaining(words) }])
  })

  it('whose keys are behind a proxy that does not let calls through is told with its settings', async () => {
    const proxy = await stubProxy('HTTP/1.1 403 No\r\n\r\n')
    const server = await start({}, () => ({ jwks_uri: 'https://keys.acme.test/keys' }))
    expect(await found(server, 'keys', { HTTPS_PROXY: `http://${proxy.name}` })).toMatchObject([
      { status: 'fail', settings: ['HTTPS_PROXY', 'NO_PROXY', 'OIDC_ISSUER'] },
    ])
    useProxy({})
    proxy.close()
  })

  it('whose token endpoint cannot be reached is not in order, whatever its revocation says of the client', async () => {
    const revocation: Answers = {
      '/revoke': (asked, own) =>
        own.json(
          asked.res,
          own.isKnown(asked) ? {} : { error: 'invalid_client' },
          own.isKnown(asked) ? 200 : 401,
        ),
    }
    const server = await start(revocation, (url) => ({
      token_endpoint: 'http://127.0.0.1:1/token',
      revocation_endpoint: `${url}/revoke`,
    }))
    expect(await found(server, 'client')).toMatchObject([
      { status: 'fail', says: 'The token endpoint returned an invalid response.', settings: ['OIDC_ISSUER'] },
    ])
  })
})

describe('a service', () => {
  it.each([400, 403, 407])('that answers a made-up token with %i may be a firewall', async (code) => {
    const faulty = await startFaulty((_req, res) => res.writeHead(code).end('{}'))
    open.push(faulty)
    const report = await examined({
      PUBLIC_URL: 'https://onramp.acme.test',
      SERVICE_BASE_URL: faulty.url,
      SESSION_SECRET: newSecret() + newSecret(),
    })
    expect(troubles(report, 'service.reachable')).toMatchObject([
      { status: 'warn', says: expect.stringContaining(`invalid token with ${code}`) },
    ])
  })
})
