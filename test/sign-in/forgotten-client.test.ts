// A client that registered itself, and that the authorization server no longer knows.
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { messagesOf } from '../helpers/faulty.ts'
import type { Answers } from '../helpers/plain-authorization-server.ts'
import { signInThere, start, statusOf } from './at-plain-server.ts'

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
