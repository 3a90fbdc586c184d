// Refreshing over two processes: the winner's result counts for all, and nothing that was redeemed is lost.
import { describe, expect, it } from 'vitest'
import { StoreUnavailable, type Records } from '../../src/records/records.ts'
import { nameOf } from '../../src/records/seal.ts'
import { createRefresh } from '../../src/sign-in/refresh.ts'
import { inProcess, ISSUER, type Options } from './in-process.ts'

const MINUTE = 60_000

async function expired(options: Options = {}) {
  const world = inProcess(options)
  const { parts, clock } = world
  const user = { issuer: ISSUER, subject: 'ada' }
  const tokens = {
    accessToken: 'first',
    refreshToken: 'refresh',
    issuedAt: clock.now,
    expiresAt: clock.now + MINUTE,
  }
  const create = (id: string) =>
    parts.signIns.create(id, { user, browser: 'b', signedInAt: clock.now - 10 * MINUTE, tokens })
  const signedIn = await create('id')
  clock.now += MINUTE
  const [one, other] = [createRefresh(parts), createRefresh(parts)]
  return { ...world, signedIn, create, one, other, tokens }
}

describe('two processes', () => {
  it('redeem once, and both have the result', async () => {
    const { signedIn, one, other, asked } = await expired()
    const [mine, its] = await Promise.all([one(signedIn), other(signedIn)])
    expect([mine?.tokens.accessToken, its?.tokens.accessToken]).toEqual(['access-1', 'access-1'])
    expect(asked).toHaveLength(1)
  })

  it('need not wait for the end where the result is there, new tokens or none', async () => {
    const { signedIn, one, store, parts, tokens, asked, logged } = await expired()
    store.values.set(`lease:refresh:${nameOf('id')}`, 'another')
    await parts.signIns.replaceTokens(signedIn, { ...tokens, accessToken: 'winner' })
    expect((await one(signedIn))?.tokens.accessToken).toBe('winner')
    await parts.signIns.end(nameOf('id'))
    expect(await one(signedIn)).toBeUndefined()
    const words = 'refresh: another request has dealt with the tokens'
    expect(logged).toEqual([
      ['debug', words, { isEnded: false }],
      ['debug', words, { isEnded: true }],
    ])
    expect(asked).toEqual([])
  })

  it('wait for each other for forty seconds, and by sign-in', async () => {
    const { signedIn, create, one, other, store, clock } = await expired()
    const second = await create('second')
    store.values.set(`lease:refresh:${nameOf('id')}`, 'another')
    expect((await other(second))?.tokens.accessToken).toBe('access-1')
    const waiting = one(signedIn)
    clock.now += 40_000
    await expect(waiting).rejects.toMatchObject({
      code: 'sign_in_unavailable',
      detail: 'another process refreshes the tokens and does not finish',
    })
  })

  it('of which one came too late for the server keep what the other one got', async () => {
    const { signedIn, one, answers, parts, tokens } = await expired()
    answers['/token'] = async () => {
      await parts.signIns.replaceTokens(signedIn, { ...tokens, accessToken: 'winner' })
      return { status: 400, body: { error: 'invalid_grant' } }
    }
    expect((await one(signedIn))?.tokens.accessToken).toBe('winner')
    expect((await parts.signIns.load('id'))?.tokens.accessToken).toBe('winner')
    const late = await expired()
    late.answers['/token'] = async () => {
      await late.parts.signIns.replaceTokens(late.signedIn, { ...tokens, accessToken: 'winner' })
      return { body: { access_token: 'loser', token_type: 'Bearer' } }
    }
    expect((await late.one(late.signedIn))?.tokens.accessToken).toBe('winner')
    const gone = await expired()
    gone.answers['/token'] = async () => {
      await gone.parts.signIns.end(nameOf('id'))
      return { status: 400, body: { error: 'invalid_grant' } }
    }
    expect(await gone.one(gone.signedIn)).toBeUndefined()
  })

  it('give nothing back of a sign-in that goes on', async () => {
    const { signedIn, one, asked, answers } = await expired({
      metadata: { revocation_endpoint: `${ISSUER}/revoke` },
    })
    answers['/revoke'] = () => ({})
    await one(signedIn)
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(asked.map(({ path }) => path)).toEqual(['/token'])
  })
})

describe('one process', () => {
  it('refreshes two people at the same time, each with their own', async () => {
    const { signedIn, create, one, asked } = await expired()
    const results = await Promise.all([one(signedIn), one(await create('second'))])
    expect(results.map((result) => result?.id)).toEqual(['id', 'second'])
    expect(asked).toHaveLength(2)
  })

  it('keeps new tokens that the store did not take, and writes them down with the next try', async () => {
    let isFull = true
    const full = (records: Records): Records => ({
      ...records,
      compareAndSet: (key, ...args) =>
        isFull && key.startsWith('session:')
          ? Promise.reject(new StoreUnavailable(new Error('OOM')))
          : records.compareAndSet(key, ...args),
    })
    const { signedIn, one, asked, parts } = await expired({ records: full })
    await expect(one(signedIn)).rejects.toMatchObject({ code: 'store_unavailable' })
    isFull = false
    expect((await one(signedIn))?.tokens.accessToken).toBe('access-1')
    expect([asked.length, (await parts.signIns.load('id'))?.tokens.accessToken]).toEqual([1, 'access-1'])
  })
})

describe('an answer', () => {
  it('without an id_token says nothing about who it is, or in which groups', async () => {
    const { signedIn, one, person } = await expired({ settings: { ADMIN_GROUPS: ['Admins'] } })
    person.tokens = { id_token: undefined }
    expect(await one(signedIn)).toMatchObject({
      tokens: { accessToken: 'access-1' },
      user: { subject: 'ada' },
    })
  })

  it('that has no reason in it ends no sign-in before its token does', async () => {
    const { signedIn, one, answers, clock } = await expired()
    answers['/token'] = () => ({ status: 403, body: {} })
    clock.now -= 1
    await expect(one(signedIn)).rejects.toMatchObject({ code: 'sign_in_unavailable' })
    clock.now += 1
    expect(await one(signedIn)).toBeUndefined()
  })

  it('that has none may end one whose token has no end, or which isn’t new', async () => {
    const { parts, one, answers, clock, tokens } = await expired()
    answers['/token'] = () => ({ status: 403, body: {} })
    const content = {
      user: { issuer: ISSUER, subject: 'ada' },
      browser: 'b',
      tokens: { ...tokens, expiresAt: undefined },
    }
    const old = await parts.signIns.create('old', { ...content, signedInAt: clock.now - MINUTE })
    expect(await one(old)).toBeUndefined()
    const fresh = await parts.signIns.create('fresh', { ...content, signedInAt: clock.now })
    await expect(one(fresh)).rejects.toMatchObject({ code: 'sign_in_unavailable' })
  })
})
