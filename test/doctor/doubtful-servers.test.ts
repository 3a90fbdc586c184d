// Servers whose answers say less than they seem to: the doctor says "ok" only where a wrong set-up would be answered
// otherwise.
import { describe, expect, it } from 'vitest'
import type { Answers, Asked } from '../helpers/plain-authorization-server.ts'
import { CALLBACK, found, start } from './at-plain-server.ts'
import { newSecret } from './set-up.ts'

const codeFirst: Answers = {
  '/token': ({ res }, own) => own.json(res, { error: 'invalid_grant' }, 400),
}
/** 200 both as an answer of RFC 7009 and of RFC 7662. */
const revocation: Answers = {
  '/revoke': (asked, own) =>
    own.isKnown(asked)
      ? own.json(asked.res, { active: false })
      : own.json(asked.res, { error: 'invalid_client' }, 401),
}
const anyone: Answers[string] = ({ res }, own) => own.json(res, {})
const withRevocation = (url: string) => ({ revocation_endpoint: `${url}/revoke` })
const withIntrospection = (url: string) => ({ introspection_endpoint: `${url}/revoke` })

describe('a server that checks the code before the client', () => {
  const wrongs: [string, NodeJS.ProcessEnv][] = [
    ['an invented id', { OIDC_CLIENT_ID: 'onrmap' }],
    ['a wrong secret', { OIDC_CLIENT_SECRET: newSecret() }],
  ]

  it.each<[string, NodeJS.ProcessEnv]>([
    ...wrongs,
    ['a client without a secret', { OIDC_CLIENT_AUTH: 'none', OIDC_CLIENT_SECRET: '' }],
  ])('is not said to know %s', async (_title, changed) => {
    const [finding] = await found(await start(codeFirst), 'client', changed)
    expect(finding?.status).toBe('skip')
    expect(finding?.says).toContain("can't be checked")
  })

  it.each(wrongs)('shows %s at its revocation endpoint', async (_title, changed) => {
    const server = await start({ ...codeFirst, ...revocation }, withRevocation)
    const [finding] = await found(server, 'client', changed)
    expect(finding?.status).toBe('fail')
    expect(finding?.settings).toContain('OIDC_CLIENT_SECRET')
  })

  it.each([withRevocation, withIntrospection])(
    'shows the right client where it asks for one',
    async (where) => {
      const server = await start({ ...codeFirst, ...revocation }, where)
      const [finding] = await found(server, 'client')
      expect(finding).toMatchObject({ status: 'ok' })
      expect(finding?.says).toContain('Client ID and authentication accepted')
    },
  )

  it('and takes any client at revocation too cannot tell', async () => {
    const anything: Answers = { ...codeFirst, '/revoke': anyone }
    const [finding] = await found(await start(anything, withRevocation), 'client')
    expect(finding?.status).toBe('skip')
  })

  it.each<[string, Answers]>([
    ['a page', { '/token': ({ res }) => res.end('<!doctype html>') }],
    ['a firewall', { '/token': ({ res }) => res.writeHead(403).end('<h1>Blocked</h1>') }],
    ['a log-in', { '/token': ({ res }) => res.writeHead(302, { location: '/log-in' }).end() }],
  ])('and has %s in front of its token endpoint lets no one sign in', async (_what, hidden) => {
    const [finding] = await found(await start({ ...hidden, ...revocation }, withRevocation), 'client')
    expect(finding?.status).toBe('fail')
    expect(finding?.fix).toContain('no page or log-in stands in between')
  })

  it.each([429, 500])('and answers %i at its token endpoint is told to do so', async (status) => {
    const failing: Answers = { '/token': ({ res }) => res.writeHead(status).end(), '/revoke': anyone }
    const [finding] = await found(await start(failing, withRevocation), 'client')
    expect(finding).toMatchObject({ status: 'warn', settings: ['OIDC_ISSUER'] })
    expect(finding?.says).toContain(`status ${status}`)
  })

  it.each([{}, { 'www-authenticate': 'Bearer' }])(
    'and has a firewall in front of revocation has not refused the client (%j)',
    async (headers) => {
      const walled: Answers = { ...codeFirst, '/revoke': ({ res }) => res.writeHead(401, headers).end() }
      const [finding] = await found(await start(walled, withRevocation), 'client')
      expect(finding?.status).toBe('skip')
    },
  )

  it('shows the right client where its revocation answers others with a bare 401', async () => {
    const bare: Answers = {
      ...codeFirst,
      '/revoke': (asked, own) =>
        own.isKnown(asked) ? own.json(asked.res, {}) : asked.res.writeHead(401).end(),
    }
    const [finding] = await found(await start(bare, withRevocation), 'client')
    expect(finding?.says).toContain('Client ID and authentication accepted')
  })

  it('but looks at the id is not said to take the secret', async () => {
    const idOnly: Answers = {
      '/token': (asked, own) => {
        const known = Buffer.from(asked.headers.authorization?.slice(6) ?? '', 'base64').toString()
        const error = known.startsWith('onramp:') ? 'invalid_grant' : 'invalid_client'
        own.json(asked.res, { error }, 400)
      },
    }
    const [finding] = await found(await start(idOnly), 'client', { OIDC_CLIENT_SECRET: newSecret() })
    expect(finding?.status).toBe('skip')
    expect(finding?.says).toContain('secret')
  })

  it('wants the secret in the form at revocation', async () => {
    const posting: Answers = {
      ...codeFirst,
      '/revoke': (asked, own) =>
        asked.headers.authorization === undefined && own.isKnown(asked)
          ? own.json(asked.res, {})
          : own.json(asked.res, { error: 'invalid_client' }, 401),
    }
    const [finding] = await found(await start(posting, withRevocation), 'client')
    expect(finding).toMatchObject({ settings: ['OIDC_CLIENT_AUTH'], fix: 'set it to client_secret_post' })
  })
})

describe('the redirect address', () => {
  const check = 'redirect-registered'
  const to = ({ res }: Asked, location: string) => void res.writeHead(302, { location }).end()
  const isOurs = ({ query }: Asked) => query.get('redirect_uri') === CALLBACK
  const onlyOurs =
    (answer: (asked: Asked) => void): Answers[string] =>
    (asked) =>
      isOurs(asked) ? answer(asked) : void asked.res.writeHead(400).end('invalid redirect_uri')

  it.each<[string, Answers[string]]>([
    ['sends everybody to sign in first', (asked) => to(asked, '/login')],
    [
      'comes back to any address',
      (asked) => to(asked, `${asked.query.get('redirect_uri')}?error=login_required`),
    ],
  ])('is not said to be registered where the server %s', async (_title, authorize) => {
    const [finding] = await found(await start({ '/authorize': authorize }), check)
    expect(finding?.status).toBe('skip')
    expect(finding?.says).toContain("can't be checked")
  })

  it.each<[string, (asked: Asked) => void]>([
    ['has people sign in', (asked) => to(asked, '/login')],
    ['comes back with an error', (asked) => to(asked, `${CALLBACK}?error=login_required`)],
    ['comes back with a code', (asked) => to(asked, `${CALLBACK}?code=made-for-the-doctor`)],
    ['shows its sign-in page at once', ({ res }) => void res.end('<h1>Sign in</h1>')],
  ])('is registered where the server %s, and refuses an invented one', async (_title, answer) => {
    const [finding] = await found(await start({ '/authorize': onlyOurs(answer) }), check)
    expect(finding).toMatchObject({ status: 'ok' })
  })

  it('is asked for as a browser would', async () => {
    const server = await start({
      '/authorize': (asked, own) =>
        asked.headers['sec-fetch-mode'] === 'navigate' &&
        asked.headers['sec-fetch-dest'] === 'document' &&
        asked.headers.accept?.startsWith('text/html') === true
          ? to(asked, isOurs(asked) ? '/login' : '/error')
          : own.json(asked.res, { error: 'login_required' }, 401),
    })
    expect(await found(server, check)).toMatchObject([{ status: 'ok' }])
  })

  it.each([401, 403, 429])('is no error where a firewall or a limit answers %i', async (status) => {
    const server = await start({ '/authorize': ({ res }) => void res.writeHead(status).end('Denied') })
    const [finding] = await found(server, check)
    expect(finding).toMatchObject({ status: 'warn', says: expect.stringContaining(`(${status})`) })
    const both: Answers[string] = (asked) =>
      isOurs(asked) ? to(asked, '/login') : void asked.res.writeHead(status).end('Denied')
    const [unknown] = await found(await start({ '/authorize': both }), check)
    expect(unknown).toMatchObject({
      status: 'skip',
      says: expect.stringContaining(`an invented URI got ${status}`),
    })
  })

  it('that is refused with 403 and a reason is told as refused', async () => {
    const mismatch = 'Callback URL mismatch. The provided redirect_uri is not in the list'
    const server = await start({ '/authorize': ({ res }) => void res.writeHead(403).end(mismatch) })
    expect(await found(server, check)).toMatchObject([{ status: 'fail', settings: ['PUBLIC_URL'] }])
  })

  it('whose endpoint fails is told with the status', async () => {
    const server = await start({ '/authorize': ({ res }) => void res.writeHead(503).end() })
    expect(await found(server, check)).toMatchObject([
      { status: 'fail', says: expect.stringContaining('returned an error (503)') },
    ])
  })

  it('that the server refuses on a page of its own, by a redirect, is told', async () => {
    const server = await start({ '/authorize': (asked) => to(asked, '/problem?error=invalid_redirect_uri') })
    expect(await found(server, check)).toMatchObject([{ status: 'fail', settings: ['PUBLIC_URL'] }])
  })
})
