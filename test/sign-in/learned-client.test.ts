// What is learned of a server by how it refuses clients: whether its refusals say anything of ours.
import { None } from 'openid-client'
import { afterEach, describe, expect, it } from 'vitest'
import { configurationOf } from '../../src/sign-in/server/configuration.ts'
import { startPlainServer, type Answers } from '../helpers/plain-authorization-server.ts'
import { answerFetch } from './network-of-answers.ts'
import { made, METADATA, ours, REGISTER } from './our-client.ts'

describe('at a server that is there', () => {
  const closers: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closers.splice(0)) await close()
  })
  async function atServer(answers: Answers, more: object = {}) {
    const server = await startPlainServer(answers)
    closers.push(() => server.close())
    answerFetch({ [REGISTER]: made() })
    const metadata = {
      ...METADATA,
      issuer: server.url,
      token_endpoint: `${server.url}/token`,
      authorization_endpoint: `${server.url}/authorize`,
      ...more,
    }
    const { client, registration } = ours()
    const configuration = configurationOf(metadata, { metadata: { client_id: 'one' }, auth: None() })
    return { server, metadata, client, registration, configuration }
  }

  it('a client that replaces another one and is refused too learns that such refusals say nothing', async () => {
    const { metadata, client, registration } = await atServer({})
    await client.current(metadata, true)
    expect(await client.forget?.('one')).toBe(true)
    expect(await client.current(metadata, true)).toMatchObject({ isNew: true, mute: ['token'] })
    expect(await registration.stored()).toMatchObject({ mute: ['token'] })
    expect(await client.current(metadata, true)).toMatchObject({ isNew: false, mute: ['token'] })
  })

  it('one that is not refused has nothing to learn there', async () => {
    const { metadata, client, registration } = await atServer({
      '/token': ({ res }, own) => own.json(res, { error: 'invalid_grant' }, 400),
    })
    await client.current(metadata, true)
    await client.forget?.('one')
    expect(await client.current(metadata, true)).toMatchObject({ mute: [] })
    expect(await registration.stored()).not.toHaveProperty('mute')
  })

  const REFUSES: Answers[string] = ({ query, res }) =>
    void res.writeHead(query.get('client_id') === 'one' ? 302 : 400).end()

  it('how the authorization endpoint refuses others is learned, once, where no other endpoint tells', async () => {
    const { metadata, client, registration, configuration, server } = await atServer({
      '/authorize': REFUSES,
    })
    await client.learn?.(configuration)
    expect(server.seen).toEqual([])
    await client.current(metadata, true)
    expect(await client.isForgotten?.(configuration)).toBeUndefined()
    await client.learn?.(configuration)
    expect(await registration.stored()).toMatchObject({ refusal_of_unknown: 400 })
    const before = server.seen.length
    await client.learn?.(configuration)
    expect(server.seen).toHaveLength(before)
    expect(await client.isForgotten?.(configuration)).toBe(false)
    server.answers['/authorize'] = ({ res }) => void res.writeHead(400).end()
    expect(await client.isForgotten?.(configuration)).toBe(true)
    const other = configurationOf(metadata, { metadata: { client_id: 'two' }, auth: None() })
    expect(await client.isForgotten?.(other)).toBeUndefined()
    expect((await client.current(metadata, true))?.metadata).not.toHaveProperty('refusal_of_unknown')
  })

  it('nothing is learned where another endpoint tells, or the two are answered alike', async () => {
    const telling = await atServer({
      '/authorize': REFUSES,
      '/revoke': ({ res }, own) => own.json(res, { error: 'invalid_client' }, 401),
    })
    const metadata = { ...telling.metadata, revocation_endpoint: `${telling.server.url}/revoke` }
    await telling.client.current(metadata, true)
    await telling.client.learn?.(configurationOf(metadata, { metadata: { client_id: 'one' }, auth: None() }))
    expect(telling.server.seen).toEqual(['POST /revoke'])
    const alike = await atServer({ '/authorize': ({ res }) => void res.writeHead(302).end() })
    await alike.client.current(alike.metadata, true)
    await alike.client.learn?.(alike.configuration)
    expect(await alike.registration.stored()).not.toHaveProperty('refusal_of_unknown')
  })
})
