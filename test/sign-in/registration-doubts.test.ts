// Registering where it cannot be told whether a client was made, or where fewer scopes were registered than asked for.
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { failuresOf, messagesOf } from '../helpers/faulty.ts'
import { TestBrowser } from '../helpers/test-browser.ts'
import { expectSignsIn, signInThere, start, statusOf, type Json } from './at-plain-server.ts'

describe('a registration endpoint that may have made the client', () => {
  it.each([
    ['500', 500, {}],
    ['502', 502, {}],
    ['302', 302, { location: '/clients/1' }],
  ])(
    'and answers %s is asked twice more, and then not for a minute, nor after a restart',
    async (_title, status, headers) => {
      const { running, server } = await start({
        '/register': (asked, own) => {
          own.register(asked)
          asked.res.writeHead(status, headers).end()
        },
      })
      expect(await statusOf(running, '/sign-in')).toBe(503)
      await running.restart()
      for (let asked = 0; asked < 5; asked++) expect(await statusOf(running, '/sign-in')).toBe(503)
      await expect.poll(() => server.registrations.length, { timeout: 10_000 }).toBe(3)
      await pause(4_500)
      expect(await statusOf(running, '/sign-in')).toBe(503)
      expect(server.registrations).toHaveLength(3)
      expect(messagesOf(running)).toContain(
        `the registration endpoint answered ${status} (a client may have been`,
      )
      expect(messagesOf(running)).toContain('OIDC_CLIENT_ID')
    },
  )

  it('is asked again soon after a 503, which made none', async () => {
    const { running, server } = await start({ '/register': ({ res }) => void res.writeHead(503).end() })
    expect(await statusOf(running, '/sign-in')).toBe(503)
    server.answers = {}
    await expect.poll(() => statusOf(running, '/readyz'), { timeout: 8_000 }).toBe(200)
    await expectSignsIn(running)
    expect(server.clients.size).toBe(1)
  })
})

it('a registration that is held back is a warning once, however many ask to sign in', async () => {
  const { running } = await start({ '/register': ({ res }, own) => own.json(res, {}, 201) })
  for (let asked = 0; asked < 3; asked++) expect(await statusOf(running, '/sign-in')).toBe(503)
  expect(failuresOf(running).map(({ level }) => level)).toEqual([40, 30, 30])
})

describe('a registration endpoint that asks to be left alone', () => {
  it.each([429, 503])('with %i is not asked again before, nor after a restart', async (status) => {
    let passed = 0
    const { running, server } = await start(
      { '/register': ({ res }) => void res.writeHead(status, { 'retry-after': '1200' }).end() },
      { now: () => Date.now() + passed },
    )
    expect(await statusOf(running, '/sign-in')).toBe(503)
    await running.restart()
    await pause(2_500)
    expect(server.registrations).toHaveLength(1)
    server.answers = {}
    passed = 1_100_000
    await running.restart()
    const page = await new TestBrowser().open(`${running.url}/sign-in`)
    expect(page.status).toBe(503)
    expect(Number(page.headers['retry-after'])).toBeLessThanOrEqual(100)
    passed = 1_201_000
    await running.restart()
    await expectSignsIn(running)
    expect(server.registrations).toHaveLength(2)
  })
})

describe('the scopes of a client that registered itself', () => {
  const registering = (scope: unknown, settings = {}) =>
    start(
      { '/register': (asked, own) => own.json(asked.res, { ...own.register(asked), scope }, 201) },
      { settings },
    )

  it.each([
    ['those that the server registered', 'openid email', 'openid email'],
    ['all, where it names others only', 'address phone', 'openid email profile offline_access'],
    ['all, where it says nothing', null, 'openid email profile offline_access'],
  ])('that people are asked for are %s', async (_title, said, expected) => {
    const { running, server } = await registering(said)
    const browser = await signInThere(running)
    const asked = browser.hops.find(({ url }) => url.startsWith(`${server.url}/authorize`))
    expect(new URL(asked?.url ?? '').searchParams.get('scope')).toBe(expected)
    const isOfflineAsked = expected.includes('offline_access')
    expect(messagesOf(running).includes('though offline_access was asked for')).toBe(isOfflineAsked)
    expect(messagesOf(running).includes('offline_access was not asked for')).toBe(!isOfflineAsked)
  })

  it('that the operator chose stay', async () => {
    const { running, server } = await registering('openid', { OIDC_SCOPE: 'openid email' })
    const browser = await signInThere(running)
    const asked = browser.hops.find(({ url }) => url.startsWith(`${server.url}/authorize`))
    expect(new URL(asked?.url ?? '').searchParams.get('scope')).toBe('openid email')
  })
})

describe('the address to come back to after signing out', () => {
  const back = 'post_logout_redirect_uris'
  const end = { metadata: (url: string) => ({ end_session_endpoint: `${url}/end` }) }
  const refused = { error: 'invalid_client_metadata', error_description: `${back} is private` }

  it.each<[string, (made: Json) => Json, boolean, boolean]>([
    ['is sent where the server registered it', (made) => made, false, true],
    [
      'is sent where the server does not say',
      ({ client_id, client_secret }) => ({ client_id, client_secret }),
      false,
      true,
    ],
    ['is not sent where the answer leaves it out', ({ [back]: _left, ...rest }) => rest, false, false],
    [
      'is not sent where it was refused',
      ({ client_id, client_secret }) => ({ client_id, client_secret }),
      true,
      false,
    ],
  ])('%s', async (_title, change, isRefused, isSent) => {
    const { running, server } = await start(
      {
        '/register': (asked, own) =>
          isRefused && back in asked.body
            ? own.json(asked.res, refused, 400)
            : own.json(asked.res, change(own.register(asked)), 201),
        '/end': ({ res }) => void res.writeHead(200, { 'content-type': 'text/html' }).end('bye'),
      },
      end,
    )
    const browser = await signInThere(running)
    await browser.open(`${running.url}/onboarding`)
    await browser.submit('/sign-out')
    await browser.click('/sign-out/continue')
    const ended = browser.hops.find(({ url }) => url.startsWith(`${server.url}/end`))
    expect(ended).toBeDefined()
    expect(new URL(ended?.url ?? '').searchParams.has('post_logout_redirect_uri')).toBe(isSent)
  })
})
