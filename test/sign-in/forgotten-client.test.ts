// A client that registered itself, and that the authorization server no longer knows.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createSqliteRecords } from '../../src/records/sqlite-records.ts'
import { createSealer } from '../../src/session/seal.ts'
import { createRegistration } from '../../src/sign-in/registration/registration.ts'
import { messagesOf } from '../helpers/faulty.ts'
import type { Answers } from '../helpers/plain-authorization-server.ts'
import { TestBrowser } from '../helpers/test-browser.ts'
import { expectSignsIn, signInThere, start, statusOf, type Started } from './at-plain-server.ts'

describe('a server that forgot the client, and checks the code before the client', () => {
  const answers = (): Answers => ({
    '/token': (asked, own) =>
      own.isKnown(asked) && asked.body['code'] === 'code-of-ada'
        ? own.json(asked.res, { access_token: 'one', token_type: 'Bearer' })
        : own.json(asked.res, { error: 'invalid_grant' }, 400),
    '/revoke': (asked, own) =>
      own.isKnown(asked) ? own.json(asked.res, {}) : own.json(asked.res, { error: 'invalid_client' }, 401),
  })
  const metadata = (url: string) => ({ revocation_endpoint: `${url}/revoke` })
  const plain = { OIDC_SCOPE: 'email' }

  it('is found out after a sign-in that failed, and the client registered anew', async () => {
    const { running, server } = await start(answers(), { metadata, settings: plain })
    await signInThere(running)
    expect(server.registrations).toHaveLength(1)
    server.clients.clear()
    await pause(5_100)
    await signInThere(running)
    expect(server.registrations).toHaveLength(2)
    expect(messagesOf(running)).toContain('no longer knows the client')
  }, 20_000)

  it('is found out at the start', async () => {
    const { running, server } = await start(answers(), { metadata, settings: plain })
    expect(await statusOf(running, '/sign-in')).toBe(303)
    server.clients.clear()
    await running.restart()
    await pause(500)
    expect(await statusOf(running, '/sign-in')).toBe(303)
    expect(server.registrations).toHaveLength(2)
  })

  it('again and again gets one more client, not one for each time', async () => {
    const { running, server } = await start(answers(), { metadata, settings: plain })
    for (let times = 0; times < 4; times++) {
      await statusOf(running, '/sign-in')
      server.clients.clear()
      await running.restart()
      await pause(300)
    }
    expect(server.registrations).toHaveLength(2)
    expect(messagesOf(running)).toContain('again within ten minutes')
  })

  it('but refuses every client at revocation is not given up on again', async () => {
    const never: Answers = {
      ...answers(),
      '/revoke': ({ res }, own) => own.json(res, { error: 'invalid_client' }, 401),
    }
    const { running, server } = await start(never, { metadata, settings: plain })
    for (let times = 0; times < 3; times++) {
      await statusOf(running, '/sign-in')
      await running.restart()
      await pause(300)
    }
    expect(server.registrations.length).toBeLessThanOrEqual(2)
    expect(messagesOf(running)).not.toContain('again within ten minutes')
  })
})

describe('a client that registered itself', () => {
  const challenge = { 'www-authenticate': 'Basic realm="gateway"' }

  it.each([
    ['a bare 401', {}],
    ['a 401 with a challenge', challenge],
  ])('is kept where %s comes from something in between', async (_what, headers) => {
    const { running, server } = await start()
    await expectSignsIn(running)
    const inBetween: Answers = { '/token': ({ res }) => void res.writeHead(401, headers).end('who are you?') }
    Object.assign(server.answers, inBetween)
    await signInThere(running)
    await running.restart()
    await statusOf(running, '/sign-in')
    delete server.answers['/token']
    await expectSignsIn(running)
    expect(server.registrations).toHaveLength(1)
  })

  it('is made anew where the server says that it does not know it, also below a challenge', async () => {
    const { running, server } = await start({
      '/token': ({ res }) =>
        void res
          .writeHead(401, { ...challenge, 'content-type': 'application/json' })
          .end('{"error":"invalid_client"}'),
    })
    await expect.poll(() => server.registrations.length).toBe(1)
    await signInThere(running)
    delete server.answers['/token']
    await expectSignsIn(running)
    expect(server.registrations).toHaveLength(2)
  })
})

describe('what is learned of a client', () => {
  it('is not written over the one that has replaced it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'onramp-registration-'))
    const records = createSqliteRecords(folder)
    try {
      const sealer = createSealer(['s'.repeat(40)])
      const registration = createRegistration({ records, sealer, identity: 'one', now: Date.now })
      await registration.current(async () => ({ kind: 'registered', client: { client_id: 'new' } }))
      await registration.note('old', { refusal_of_unknown: 400 })
      expect(await registration.stored()).not.toHaveProperty('refusal_of_unknown')
      await registration.note('new', { refusal_of_unknown: 400 })
      expect(await registration.stored()).toMatchObject({ client_id: 'new', refusal_of_unknown: 400 })
    } finally {
      records.close()
      rmSync(folder, { recursive: true })
    }
  })
})

/** It checks the code before the client, and has neither revocation nor introspection. */
const plain = { OIDC_SCOPE: 'email' }
const codeFirst = (refusal: () => number): Answers => ({
  '/authorize': ({ query, res }, own) => {
    if (!own.clients.has(query.get('client_id') ?? ''))
      return void res.writeHead(refusal(), { 'content-type': 'text/html' }).end('unknown client')
    const back = new URL(query.get('redirect_uri') ?? '')
    back.searchParams.set('code', `code-of-${query.get('client_id')}`)
    back.searchParams.set('state', query.get('state') ?? '')
    res.writeHead(302, { location: back.href }).end()
  },
  '/token': (asked, own) =>
    own.isKnown(asked) && String(asked.body['code']).startsWith('code-of-client')
      ? own.json(asked.res, { access_token: 'one', token_type: 'Bearer' })
      : own.json(asked.res, { error: 'invalid_grant' }, 400),
})
describe('a server with nothing to ask but the authorization endpoint, which forgot the client', () => {
  async function startCodeFirst(
    refusal = () => 400,
  ): Promise<Started & { pass: (milliseconds: number) => void }> {
    let passed = 0
    const started = await start(codeFirst(refusal), { settings: plain, now: () => Date.now() + passed })
    await expectSignsIn(started.running)
    await expect.poll(() => started.server.seen.filter((one) => one === 'GET /authorize').length).toBe(3)
    return { ...started, pass: (milliseconds) => void (passed += milliseconds) }
  }

  it('is found out at a sign-in a minute later, and the client registered anew', async () => {
    const { running, server, pass } = await startCodeFirst()
    server.clients.clear()
    pass(61_000)
    await expectSignsIn(running)
    expect(server.registrations).toHaveLength(2)
    expect(messagesOf(running)).toContain('no longer knows the client')
  })

  it('is found out at an answer whose code it refuses, so that the person signs in all the same', async () => {
    const { running, server } = await startCodeFirst()
    const browser = new TestBrowser()
    const begun = await browser.open(`${running.url}/sign-in`, { follow: false })
    const answer = await browser.open(begun.location ?? '', { follow: false })
    server.clients.clear()
    const again = await browser.open(answer.location ?? '', { follow: false })
    expect(again.location).toContain('/sign-in?')
    await expectSignsIn(running)
    expect(server.registrations).toHaveLength(2)
  })

  it('is found out after a restart', async () => {
    const { running, server } = await startCodeFirst()
    server.clients.clear()
    await running.restart()
    await expectSignsIn(running)
    expect(server.registrations).toHaveLength(2)
  })

  it.each([403, 429, 503])(
    'is not taken for one that refuses everything for a while with %i',
    async (status) => {
      let refusal = 400
      const { running, server, pass } = await startCodeFirst(() => refusal)
      const known = new Map(server.clients)
      server.clients.clear()
      refusal = status
      pass(61_000)
      await statusOf(running, '/sign-in')
      for (const [id, secret] of known) server.clients.set(id, secret)
      await expectSignsIn(running)
      expect(server.registrations).toHaveLength(1)
    },
  )

  it('is not taken for one that refuses a code of a client that it knows', async () => {
    const { running, server, pass } = await startCodeFirst()
    const token = server.answers['/token']
    server.answers['/token'] = ({ res }, own) => own.json(res, { error: 'invalid_grant' }, 400)
    for (let times = 0; times < 3; times++) {
      await signInThere(running)
      pass(61_000)
    }
    if (token !== undefined) server.answers['/token'] = token
    await expectSignsIn(running)
    expect(server.registrations).toHaveLength(1)
    expect(messagesOf(running)).not.toContain('registration forget')
  })

  it.each([
    ['a page for every client', 200],
    ['the same refusal for every client', 400],
  ])('is told to the operator, once, where it answers with %s', async (_title, status) => {
    let passed = 0
    const { running, server } = await start(
      { ...codeFirst(() => status), '/authorize': ({ res }) => void res.writeHead(status).end() },
      { settings: plain, now: () => Date.now() + passed },
    )
    const browser = new TestBrowser()
    for (let times = 0; times < 2; times++) {
      const begun = await browser.open(`${running.url}/sign-in`, { follow: false })
      const state = new URL(begun.location ?? '').searchParams.get('state')
      server.clients.clear()
      const refused = `${running.url}/sign-in/callback?code=x&state=${state}`
      expect((await browser.open(refused, { follow: false })).status).toBe(400)
      passed += 5_100
    }
    expect(messagesOf(running).split('onramp registration forget').length - 1).toBe(1)
    expect(server.registrations).toHaveLength(1)
  })
})

describe('a server that gives no reason but unauthorized_client, which forgot the client', () => {
  it('is found out at a sign-in a minute later, although it has an endpoint for revocation', async () => {
    let passed = 0
    const { running, server } = await start(
      { ...codeFirst(() => 403), '/revoke': ({ res }) => void res.writeHead(401).end() },
      {
        settings: plain,
        metadata: (url) => ({ revocation_endpoint: `${url}/revoke` }),
        now: () => Date.now() + passed,
      },
    )
    await expectSignsIn(running)
    await expect.poll(() => server.seen.filter((one) => one === 'GET /authorize').length).toBe(3)
    server.clients.clear()
    passed = 61_000
    await expectSignsIn(running)
    expect(server.registrations).toHaveLength(2)
  })
})
