// A sign-in that is redeemed: what is stored of it and in which order, and what happens meanwhile to others of the browser.
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { StoreUnavailable, type Records } from '../../src/records/records.ts'
import { createSignedInSessions } from '../../src/sign-in/sessions/signed-in-sessions.ts'
import { begun } from './begun.ts'
import { inProcess, ISSUER } from './in-process.ts'

describe('the record of a sign-in', () => {
  /** Records take a moment to be written; what was done is noted as it ends. */
  function slowly() {
    const done: string[] = []
    const records = (store: Records): Records => ({
      ...store,
      async put(key, ...args) {
        if (key.startsWith('session:')) await sleep(5)
        await store.put(key, ...args)
        done.push(key.replace(/:.*/, ''))
      },
      async compareAndSet(key, ...args) {
        done.push(key.replace(/:.*/, ''))
        return await store.compareAndSet(key, ...args)
      },
    })
    return { done, records }
  }

  it.each([
    ['is written as it is listed, where the store keeps the order', true, ['sessions-of', 'session']],
    ['is there before it is listed, where it does not', false, ['session', 'sessions-of']],
  ])('%s', async (_what, keepsOrder, order) => {
    const { done, records } = slowly()
    const { browser, parts } = inProcess({ records })
    Object.assign(parts.store, { keepsOrder })
    const ada = browser()
    expect(await ada.signIn()).toBe('/onboarding')
    expect(done.filter((what) => what.startsWith('session'))).toEqual(order)
    expect(await ada.who()).toMatchObject({ subject: 'ada' })
  })

  it('goes where it could not be listed: an end of all sign-ins would not find it', async () => {
    const records = (store: Records): Records => ({
      ...store,
      compareAndSet: (key, ...args) =>
        key.startsWith('sessions-of:')
          ? Promise.reject(new StoreUnavailable(new Error('away')))
          : store.compareAndSet(key, ...args),
    })
    const { redeemed, store, ada } = await begun({ records })
    expect(await redeemed()).toMatchObject({ status: 503, code: 'store_unavailable' })
    expect(store.named('session:')).toEqual([])
    expect(await ada.who()).toMatchObject({ code: 'signed_out' })
  })

  it('that could not be written is a failure of this answer, and not of the process', async () => {
    const unheard = vi.fn<(error: unknown) => void>()
    process.on('unhandledRejection', unheard)
    onTestFinished(() => void process.off('unhandledRejection', unheard))
    const records = (store: Records): Records => ({
      ...store,
      put: (key, ...args) =>
        key.startsWith('session:')
          ? Promise.reject(new StoreUnavailable(new Error('away')))
          : store.put(key, ...args),
      async compareAndSet(...args) {
        await sleep(5)
        return await store.compareAndSet(...args)
      },
    })
    const { redeemed } = await begun({ records })
    expect(await redeemed()).toMatchObject({ status: 503, code: 'store_unavailable' })
    expect(unheard).not.toHaveBeenCalled()
  })
})

describe('someone who signs in again', () => {
  it('is led on, and has one sign-in that an end of all would find', async () => {
    const { browser, clock, parts } = inProcess()
    const ada = browser()
    await ada.signIn()
    clock.now++
    expect(await ada.signIn({ return_to: '/x' })).toBe('/x')
    expect(await createSignedInSessions(parts).endThere(ISSUER, { sub: 'ada' })).toBe(1)
  })

  it('in two tabs has both over with: neither counts as under way', async () => {
    const { ada, sent, outcomeOf, counted } = await begun()
    await ada.signIn()
    const forgiven = () => counted.filter((what) => what === 'forgive').length
    expect(forgiven()).toBe(1)
    expect(await outcomeOf(ada.answerTo(sent))).toBe('/x')
    expect(forgiven()).toBe(2)
  })
})

describe('an end at the authorization server, while an answer is on its way', () => {
  /** A person of this name has signed in, and is ended while the next answer is redeemed. */
  async function endedMeanwhile(sub: string) {
    const world = await begun()
    await world.ada.signIn()
    const { parts, server, clock } = world
    const { authorizationServer } = parts
    authorizationServer.configuration = async () => {
      clock.now++
      await createSignedInSessions(parts).endThere(ISSUER, { sub })
      return server.configuration
    }
    return world
  }

  it('ends the one of the other tab too, so that this one does not rest on it', async () => {
    const { ada, sent, outcomeOf } = await endedMeanwhile('ada')
    expect(await outcomeOf(ada.answerTo(sent))).toBe('/sign-in?return_to=%2Fx&again=1')
    expect(await ada.who()).toMatchObject({ code: 'signed_out' })
  })

  it('of another person has that one begin anew, and does not lead them on as the one before', async () => {
    const { ada, person, outcomeOf } = await endedMeanwhile('bob')
    person.sub = 'bob'
    const sent = await ada.begin({ return_to: '/x', prompt: 'select_account' })
    expect(await outcomeOf(ada.answerTo(sent))).toBe('/sign-in?return_to=%2Fx&again=1')
    expect(await ada.who()).toMatchObject({ subject: 'ada' })
  })
})

describe('an access token', () => {
  it('without an id_token signs no one in where openid was asked for', async () => {
    const { redeemed, person, ada } = await begun()
    person.tokens = { id_token: undefined }
    expect(await redeemed()).toMatchObject({ status: 502, code: 'sign_in_misconfigured' })
    expect(await ada.who()).toMatchObject({ code: 'signed_out' })
  })
})

describe('someone who was signed out', () => {
  const invalid = { status: 400, body: { error: 'invalid_request' } }

  it('is still asked who they are after a token request that was refused', async () => {
    const { ada, answers, outcomeOf, server } = await begun()
    await ada.signIn()
    server.isReady = false
    await ada.agent.post('/sign-out').expect(303)
    const sent = await ada.begin()
    expect(sent).toMatchObject({ prompt: 'login' })
    answers['/token'] = () => invalid
    expect(await outcomeOf(ada.answerTo(sent))).toMatchObject({ code: 'sign_in_misconfigured' })
    expect(await ada.begin()).toMatchObject({ prompt: 'login' })
  })
})
