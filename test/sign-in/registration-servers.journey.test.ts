// Registering at servers that differ from RFC 7591, or refuse a part of the request.
import { expect, it } from 'vitest'
import { failuresOf, messagesOf } from '../helpers/faulty.ts'
import type { Answers, PlainRequest, PlainServer } from '../helpers/plain-authorization-server.ts'
import { TestBrowser } from '../helpers/test-browser.ts'
import { expectSignsIn, start, statusOf, type Json } from './at-plain-server.ts'

const refusing = (is: (body: Json) => boolean, error: Json, status = 400): Answers => ({
  '/register': (requests, own) =>
    is(requests.body)
      ? own.json(requests.res, error, status)
      : own.json(requests.res, own.register(requests), 201),
})

it.each<[string, (body: Json) => boolean, Json]>([
  [
    'for a back-channel address that is not https',
    (body) => 'backchannel_logout_uri' in body,
    { error: 'invalid_client_metadata', error_description: 'backchannel_logout_uri must be https' },
  ],
  ['for its scope, in no words', (body) => 'scope' in body, { error: 'invalid_client_metadata' }],
])(
  'a registration that is refused for %s is tried with less, and the log says why',
  async (_title, is, error) => {
    const { running, server } = await start(refusing(is, error))
    await expectSignsIn(running)
    expect(server.clients.size).toBe(1)
    for (const text of Object.values(error)) expect(messagesOf(running)).toContain(text)
    expect(messagesOf(running)).toContain('registered with less')
    const kept = server.registrations.at(-1) ?? {}
    expect(kept['redirect_uris']).toEqual([`${running.url}/sign-in/callback`])
  },
)

it('a response with 200 and an error is a refusal', async () => {
  const error = { error: 'invalid_client_metadata', error_description: 'no scope, please' }
  const { running } = await start(refusing((body) => 'scope' in body, error, 200))
  await expectSignsIn(running)
  expect(messagesOf(running)).toContain('answered 200 (invalid_client_metadata: no scope, please)')
})

it('a registration that is refused in every form ends with one clean line in the log', async () => {
  const error_description = `no\u001b[31m\r\nFAKE LINE ${'x'.repeat(5_000)}`
  const { running, server } = await start(
    refusing(() => true, { error: 'invalid_client_metadata', error_description }),
  )
  expect(await statusOf(running, '/sign-in')).toBe(503)
  const lines = failuresOf(running).map(({ msg }) => msg)
  expect(server.registrations.length).toBeLessThanOrEqual(3)
  expect(messagesOf(running)).toContain('invalid_client_metadata: no [31m FAKE LINE xxx')
  expect(lines.every((line) => line.length < 1_000)).toBe(true)
  for (const control of ['\u001b', '\r']) expect(messagesOf(running)).not.toContain(control)
})

/** Its secret and token have what Basic has to encode (RFC 6749 2.3.1). */
const managed = (answer: (requests: PlainRequest, own: PlainServer) => void): Answers => ({
  '/register': (requests, own) => {
    const made = { ...own.register(requests), registration_client_uri: `${own.url}/client` }
    own.json(requests.res, { ...made, registration_access_token: 'sesame' }, 201)
  },
  '/client': answer,
})
const known = (requests: PlainRequest, own: PlainServer) =>
  own.clients.size > 0
    ? own.json(requests.res, { client_id: [...own.clients.keys()].at(-1) })
    : own.json(requests.res, { error: 'invalid_token' }, 401)

it('a client that the management address denies is registered anew at the next start', async () => {
  const { running, server } = await start(managed(known))
  await expectSignsIn(running)
  await running.restart()
  await expectSignsIn(running)
  expect(server.registrations).toHaveLength(1)
  server.clients.clear()
  await running.restart()
  await expectSignsIn(running)
  expect(server.registrations).toHaveLength(2)
})

it('a secret and a token that the server replaces are used from then on', async () => {
  const { running, server } = await start(managed(known))
  await expectSignsIn(running)
  server.answers['/client'] = ({ res, headers }, own) => {
    const [id = ''] = own.clients.keys()
    own.clients.set(id, 'a/new+secret')
    own.json(res, {
      client_id: id,
      client_secret: 'a/new+secret',
      registration_access_token: headers.authorization === 'Bearer sesame' ? 'second' : 'third',
    })
  }
  await running.restart()
  await expectSignsIn(running)
  await running.restart()
  await expectSignsIn(running)
  expect(server.registrations).toHaveLength(1)
})

it('a registered client is kept whatever the server tells a stranger', async () => {
  const { running, server } = await start(managed(known))
  await expectSignsIn(running)
  const before = server.seen.length
  for (const error of ['invalid_client', 'invalid_grant']) {
    server.answers['/token'] = ({ res }, own) =>
      own.json(res, { error }, error === 'invalid_client' ? 401 : 400)
    for (let times = 0; times < 5; times++) {
      const browser = new TestBrowser()
      const begun = await browser.open(`${running.url}/sign-in`, { follow: false })
      const state = new URL(begun.location ?? '').searchParams.get('state')
      await browser.open(`${running.url}/sign-in/callback?code=made-up&state=${state}`, { follow: false })
    }
  }
  expect(server.seen.slice(before)).toEqual(Array.from({ length: 10 }, () => 'POST /token'))
  expect(messagesOf(running)).toContain('onramp registration forget')
  delete server.answers['/token']
  await expectSignsIn(running)
  expect(server.registrations).toHaveLength(1)
})
