// What a sign-out leaves in the store and does to cookies.
import express, { type Request } from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { createSealer, nameOf } from '../../src/records/seal.ts'
import { rememberBrowser } from '../../src/session/session.ts'
import { remember, type SignedIn } from '../../src/session/signed-in.ts'
import { forgetCookie, hidePages } from '../../src/sign-in/sign-out/cookies.ts'
import { createSignedOut } from '../../src/sign-in/sign-out/signed-out.ts'
import { memoryStore } from './memory-store.ts'

describe('a cookie of ours', () => {
  const cookiesAt = async (publicUrl: string, cookieName: string) => {
    const app = express().get('/', (_req, res) => {
      forgetCookie(res, { publicUrl, cookieName })
      hidePages(res, { publicUrl, cookieName })
      res.end()
    })
    return (await request(app).get('/')).headers['set-cookie'] as unknown as string[]
  }

  it('is taken back, and set, by one that follows the same rules', async () => {
    const [gone, left] = await cookiesAt('https://onramp.example', '__Host-onramp')
    expect(gone).toBe('__Host-onramp=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Secure')
    expect(left).toMatch(
      /^__Host-onramp-left=[\w-]{8}; Max-Age=3; Path=\/; .*; HttpOnly; Secure; SameSite=Lax$/,
    )
    const plain = await cookiesAt('http://localhost:3000', 'onramp')
    expect(plain.filter((cookie) => cookie.includes('Secure'))).toEqual([])
  })
})

describe('a browser that was signed out', () => {
  function signedOut() {
    const store = memoryStore()
    const parts = createSignedOut({ ...store, sealer: createSealer(['s'.repeat(32)]), maxSeconds: 7 })
    /** A request of the browser with this name. */
    const from = (id?: string) => {
      const req = {} as Request
      rememberBrowser(() => id)(req, {} as never, () => {})
      return req
    }
    return { ...store, parts, from }
  }

  it('is remembered that the next sign-in asks, until it need not', async () => {
    const { parts, from, values, lives } = signedOut()
    const browser = from('id')
    const name = nameOf('id')
    expect([await parts.mustAsk(browser), await parts.askNoMore(name)]).toEqual([false, false])
    await parts.askAnew(name)
    expect([...lives]).toEqual([[`ask-anew:${name}`, 7]])
    expect(await parts.mustAsk(browser)).toBe(true)
    remember(browser, { browser: name } as SignedIn)
    expect(await parts.mustAsk(browser)).toBe(false)
    expect(await parts.askNoMore(name)).toBe(true)
    expect([...values]).toEqual([])
  })

  it('nothing is known where the browser is not', async () => {
    const { parts, from } = signedOut()
    await parts.askAnew('undefined')
    await parts.keep('undefined', { state: 'x' })
    expect([await parts.mustAsk(from()), await parts.of(from())]).toEqual([false, undefined])
  })

  it('the way on is kept sealed, for one browser', async () => {
    const { parts, from, values } = signedOut()
    await parts.keep(nameOf('id'), { state: 'x', endSessionUrl: 'https://as.example/end' })
    expect(await parts.of(from('id'))).toEqual({ state: 'x', endSessionUrl: 'https://as.example/end' })
    values.set(`signing-out:${nameOf('other')}`, [...values.values()][0] ?? '')
    expect(await parts.of(from('other'))).toBeUndefined()
  })
})
