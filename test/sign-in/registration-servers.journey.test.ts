// Registrations at servers that differ from RFC 7591, or refuse a part of the request.
import { expect, it } from 'vitest'
import { failuresOf, messagesOf } from '../helpers/signed-in.ts'
import type { Answers } from '../helpers/plain-authorization-server.ts'
import { expectSignsIn, start, statusOf, type Json } from './at-plain-server.ts'

const refusing = (is: (body: Json) => boolean, error: Json, status = 400): Answers => ({
  '/register': (requests, own) =>
    is(requests.body)
      ? own.json(requests.res, error, status)
      : own.json(requests.res, own.register(requests), 201),
})

const error = 'invalid_client_metadata'
it.each<[string, string, Json, number?]>([
  ['for a back-channel address', 'backchannel_logout_uri', { error, error_description: 'it must be https' }],
  ['for its scope, without a description', 'scope', { error }],
  ['with the status 200', 'scope', { error, error_description: 'no scope, please' }, 200],
])(
  'a registration refused %s is retried with less metadata, and the reason is logged',
  async (_title, name, why, status) => {
    const { running, server } = await start(refusing((body) => name in body, why, status))
    await expectSignsIn(running)
    expect(server.clients.size).toBe(1)
    const words = Object.values(why).join(': ')
    expect(messagesOf(running)).toContain(`responded ${status ?? 400} (${words})`)
    expect(messagesOf(running)).toContain('registered with less')
    expect(server.registrations.at(-1)?.['redirect_uris']).toEqual([`${running.url}/sign-in/callback`])
  },
)

it('a registration refused in every form gives one clean log line', async () => {
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
