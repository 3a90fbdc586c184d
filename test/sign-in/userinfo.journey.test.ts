// A userinfo endpoint that fails beside an id_token which leaves the address open.
import { expect, it } from 'vitest'
import { messagesOf } from '../helpers/faulty.ts'
import { expectSignsIn, start } from './at-plain-server.ts'

it.each<[string, number, object]>([
  ['status 500', 500, {}],
  ['status 401', 401, { error: 'invalid_token' }],
  ['nothing usable', 200, {}],
])(
  'signs people in by the id_token when userinfo answers %s, and the log says what is missing',
  async (_what, status, body) => {
    const { running, server } = await start(
      { '/userinfo': ({ res }, own) => own.json(res, body, status) },
      { metadata: (url) => ({ userinfo_endpoint: `${url}/userinfo` }) },
    )
    await expectSignsIn(running)
    expect(server.seen).toContain('GET /userinfo')
    expect(messagesOf(running)).toContain('perhaps without an address')
    expect(messagesOf(running)).toMatch(/the userinfo endpoint answered (status )?\w+/)
  },
)
