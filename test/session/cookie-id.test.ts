// Which session a request's cookie proves: only one that was signed here.
import { createHmac } from 'node:crypto'
import { createRequire } from 'node:module'
import { assert, constantFrom, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cookieKeys, cookieValue, createCookieIds } from '../../src/session/cookie-id.ts'

const [SECRET, OTHER] = ['s'.repeat(40), 'o'.repeat(40)]
const idsOfSecret = createCookieIds({ secrets: [SECRET], https: false })

const signatureOf = (text: string, key: string) =>
  createHmac('sha256', key).update(text).digest('base64').replace(/=+$/, '')

/** As express-session writes it. */
function cookie(id: string, secret: string): string {
  const [key = ''] = cookieKeys([secret])
  return `onramp=${encodeURIComponent(`s:${id}.${signatureOf(id, key)}`)}`
}

/** What express-session reads cookies with. */
const { parse } = createRequire(createRequire(import.meta.url).resolve('express-session'))('cookie') as {
  parse: (header: string) => Record<string, string | undefined>
}

const idIn = (header: string, idOf = idsOfSecret) => idOf({ headers: { cookie: header } })

describe('a session cookie', () => {
  it('proves its id, among others and time after time', () => {
    for (let times = 0; times < 2; times++) expect(idIn(`a=1; ${cookie('abc', SECRET)}; b=2`)).toBe('abc')
  })

  it('may have the shortest id, and one with dots', () => {
    for (const id of ['a', 'a.b.c']) expect(idIn(cookie(id, SECRET))).toBe(id)
  })

  it('that was signed with a secret that is retiring still proves it', () => {
    expect(idIn(cookie('abc', SECRET), createCookieIds({ secrets: [OTHER, SECRET], https: false }))).toBe(
      'abc',
    )
  })

  it('has the strictest name that its address allows, and is found by that name alone', () => {
    const overHttps = createCookieIds({ secrets: [SECRET], https: true })
    expect(idIn(`__Host-${cookie('abc', SECRET)}`, overHttps)).toBe('abc')
    expect(idIn(cookie('abc', SECRET), overHttps)).toBeUndefined()
  })

  it('of an earlier version of onramp still proves its id', () => {
    expect(idIn('onramp=s:abc.L40hWEvytgBxEXaFpdIxUgLfpvEoPeC3WfV3m3a7BFU')).toBe('abc')
  })

  it('is not there when no cookie is', () => expect(idsOfSecret({ headers: {} })).toBeUndefined())

  it('is read from any header exactly as express-session reads it', () => {
    const text = string({ unit: constantFrom(...Array.from('nm=; \t"%41E\u00a0')), maxLength: 12 })
    assert(
      property(text, (header) => {
        expect(cookieValue(header, 'n')).toBe(parse(header)['n'])
      }),
      { numRuns: 20_000 },
    )
  })

  it.each([
    ['of an empty id', cookie('', SECRET)],
    ['that is not called signed', cookie('abc', SECRET).replace('s%3A', 'xx')],
    ['signed elsewhere', cookie('abc', OTHER)],
    ['of another id', cookie('abc', SECRET).replace('abc', 'abd')],
    ['without a signature', 'onramp=s%3Aabc'],
    ['with an empty signature', 'onramp=s%3Aabc.'],
    ['badly encoded', 'onramp=s%3Aabc.%E0%A4%A'],
    ['under a longer name', `not-${cookie('abc', SECRET)}`],
    ['that is none', ''],
  ])('%s proves nothing, however often it comes', (_what, header) => {
    for (let times = 0; times < 2; times++) expect(idIn(header)).toBeUndefined()
  })
})
