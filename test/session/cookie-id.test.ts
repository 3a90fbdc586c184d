// Which session a request's cookie proves: only one that was signed here.
import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { cookieKeys, createCookieIds } from '../../src/session/cookie-id.ts'

const [SECRET, OTHER] = ['s'.repeat(40), 'o'.repeat(40)]
const idsOfSecret = createCookieIds({ secrets: [SECRET], https: false })

/** As express-session writes it. */
function cookie(id: string, secret: string): string {
  const [key = ''] = cookieKeys([secret])
  const signature = createHmac('sha256', key).update(id).digest('base64').replace(/=+$/, '')
  return `onramp=${encodeURIComponent(`s:${id}.${signature}`)}`
}

const idIn = (header: string, idOf = idsOfSecret) => idOf({ headers: { cookie: header } })

describe('a session cookie', () => {
  it('proves its id, among others and time after time', () => {
    for (let times = 0; times < 2; times++) expect(idIn(`a=1; ${cookie('abc', SECRET)}; b=2`)).toBe('abc')
  })

  it('that was signed with a secret that is retiring still proves it', () => {
    expect(idIn(cookie('abc', SECRET), createCookieIds({ secrets: [OTHER, SECRET], https: false }))).toBe(
      'abc',
    )
  })

  it.each([
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
