// Someone who signs in where they are signed in already, or were signed out: what becomes of the sign-in before.
import { describe, expect, it } from 'vitest'
import { createSignedInSessions } from '../../src/sign-in/sessions/signed-in-sessions.ts'
import { begun } from './begun.ts'
import { inProcess, ISSUER } from './in-process.ts'

describe('someone who is signed in', () => {
  it('and signs in again has one sign-in on the list, and keeps the grant', async () => {
    const { browser, clock, asked, answers, store } = inProcess({
      metadata: { revocation_endpoint: `${ISSUER}/revoke` },
    })
    answers['/revoke'] = () => ({})
    const ada = browser()
    await ada.signIn()
    clock.now++
    await ada.signIn()
    const { entries } = (await ada.agent.get('/sessions')).body as { entries: object[] }
    expect([entries.length, store.named('session:').length]).toEqual([1, 1])
    expect(asked.map(({ path }) => path)).toEqual(['/token', '/token'])
  })

  it('is ended by a logout of the server’s own session, and by that one alone', async () => {
    const { browser, parts, person } = inProcess()
    person.claims = { sid: 's1' }
    const ada = browser()
    await ada.signIn()
    const sessions = createSignedInSessions(parts)
    expect(await sessions.endThere(ISSUER, { sub: 'ada', sid: 's2' })).toBe(0)
    expect(await sessions.endThere(ISSUER, { sid: 's1' })).toBe(1)
    expect(await ada.who()).toMatchObject({ code: 'signed_out' })
  })

  it('without a refresh token is told of in the log', async () => {
    const { browser, person, logged } = inProcess()
    person.tokens = { refresh_token: undefined }
    await browser().signIn()
    expect(logged.filter(([level]) => level === 'warn').map(([, words]) => words)).toEqual([
      expect.stringContaining(
        'no refresh token was issued, though offline_access was asked for: after 5 minutes',
      ),
    ])
  })
})

describe('a wish that is refused', () => {
  it('is not asked again without end', async () => {
    const { answered } = await begun({}, { again: '4', prompt: 'select_account' })
    expect(await answered({ error: 'interaction_required' })).toMatchObject({ code: 'sign_in_expired' })
  })

  /** Someone who was signed out here, at a server that takes pushed requests. */
  async function signedOut() {
    const world = inProcess({ metadata: { pushed_authorization_request_endpoint: `${ISSUER}/par` } })
    const { browser, answers, asked, server } = world
    const taken = { status: 201, body: { request_uri: 'urn:one', expires_in: 60 } }
    answers['/par'] = () => taken
    const ada = browser()
    await ada.begin()
    await ada.agent.get(ada.answerTo(asked.at(-1)?.form ?? {})).expect(303)
    server.isReady = false
    await ada.agent.post('/sign-out').expect(303)
    asked.length = 0
    return { ...world, ada, taken, prompts: () => asked.map(({ form }) => form['prompt']) }
  }
  const refused = (error: string) => ({ status: 400, body: { error } })

  it('by a server that takes pushed requests and no login is left out for someone who was signed out', async () => {
    const { ada, answers, asked, taken, prompts } = await signedOut()
    answers['/par'] = ({ form }) => (form['prompt'] === 'login' ? refused('invalid_request') : taken)
    expect(await ada.begin({ return_to: '/x' })).toMatchObject({ request_uri: 'urn:one' })
    expect(prompts()).toEqual(['login', undefined])
    await ada.agent
      .get(ada.answerTo(asked.at(-1)?.form ?? {}))
      .expect(303)
      .expect('location', '/x')
  })

  it('for another reason is told, also to someone who was signed out', async () => {
    const { ada, answers, prompts } = await signedOut()
    answers['/par'] = () => refused('invalid_scope')
    await ada.agent.get('/sign-in').expect(502)
    expect(prompts()).toEqual(['login'])
  })
})
