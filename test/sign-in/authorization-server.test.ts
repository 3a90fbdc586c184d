// What is known of the authorization server: when it is found, anew, and what is told where it can't be.
import { describe, expect, it, vi } from 'vitest'
import { ISSUER, knowing, PLACE, turn } from './known-server.ts'
import { answerFetch, silent } from './network-of-answers.ts'

describe('what is known', () => {
  it('is found in the background and kept, for ten minutes', async () => {
    const { server, asked, started, idOf, calls } = knowing()
    expect(server.isReady()).toBe(false)
    await started()
    expect([server.isReady(), await idOf(), await idOf('patientConfiguration')]).toEqual([true, 'c1', 'c1'])
    expect([asked.length, calls]).toEqual([1, [{ operation: 'discovery', status: 200 }]])
    await turn(599_999)
    expect(asked).toHaveLength(1)
    await turn(1)
    expect(asked).toHaveLength(2)
    expect((await server.patientConfiguration()).timeout).toBe(30)
    expect((await server.configuration()).timeout).toBe(8)
    server.close()
    await turn(600_000)
    expect(asked).toHaveLength(2)
  })

  it('is looked for at once by who needs it, and kept then', async () => {
    const { server, asked, idOf } = knowing()
    expect([await idOf(), await idOf(), server.isReady(), asked.length]).toEqual(['c1', 'c1', true, 1])
  })

  it('is found anew before the secret of the client expires', async () => {
    const { at, asked, started, idOf } = knowing()
    const expires = (Date.now() + 600_000) / 1000
    at.client = {
      client_id: 'c1',
      client_secret: 'x',
      client_secret_expires_at: expires,
      registered_at: Date.now(),
    }
    await started()
    at.client = { client_id: 'c2' }
    await turn(539_999)
    expect([await idOf(), asked.length]).toEqual(['c1', 1])
    await turn(1)
    expect(asked).toHaveLength(2)
    expect([await idOf(), asked.length]).toEqual(['c2', 2])
  })

  it('of an expired secret is found anew by who needs it', async () => {
    const { at, idOf, server, asked } = knowing()
    const expires = (Date.now() + 600_000) / 1000
    at.client = {
      client_id: 'c1',
      client_secret: 'x',
      client_secret_expires_at: expires,
      registered_at: Date.now(),
    }
    expect(await idOf()).toBe('c1')
    vi.setSystemTime(Date.now() + 540_000)
    at.client = { client_id: 'c2' }
    expect([await idOf(), server.isReady(), asked.length]).toEqual(['c2', true, 2])
  })

  it('can’t be had while the server is away, and the reason is told', async () => {
    const { server, started, calls } = knowing()
    answerFetch({ [PLACE]: silent('ECONNREFUSED') })
    await started()
    await expect(server.configuration()).rejects.toMatchObject({
      code: 'sign_in_unavailable',
      detail: expect.stringContaining('connection refused') as string,
    })
    expect([server.isReady(), server.isBarred(), calls[0]]).toEqual([
      false,
      false,
      { operation: 'discovery', status: undefined },
    ])
  })

  it('that fails otherwise names the setting', async () => {
    const { server, at } = knowing()
    Object.defineProperty(at, 'more', {
      get: () => {
        throw new Error('odd')
      },
    })
    await expect(server.configuration()).rejects.toMatchObject({
      code: 'sign_in_unavailable',
      detail: `${ISSUER} cannot be used: see OIDC_ISSUER`,
    })
  })

  it('without a client waits for the background to register one', async () => {
    const { server, at, idOf } = knowing()
    at.isThere = false
    await expect(server.configuration()).rejects.toMatchObject({ detail: 'the client is not registered yet' })
    server.start()
    expect(await idOf()).toBe('c1')
  })
})

it('keys that are forgotten are those of a new configuration, which is found in the background', async () => {
  const { server, started, asked } = knowing()
  server.forgetKeys()
  await turn()
  expect(asked).toHaveLength(1)
  const before = await server.configuration()
  server.forgetKeys()
  expect(await server.configuration()).not.toBe(before)
  await turn()
  expect(asked).toHaveLength(2)
  await started()
})
