// The session id that a request's cookie proves. What surprises: express-session reads the same cookie, but only on the
// routes that change sessions; every other page needs no more than the id.
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { cookieValue } from './cookie-value.ts'
import { createRemembered } from './remembered.ts'

export type CookieOptions = { secrets: readonly string[]; https: boolean }

/** `__Host-` ties the cookie to this one host over https (RFC 6265bis 4.1.3.2). */
export const cookieName = (https: boolean) => (https ? '__Host-onramp' : 'onramp')

/** What the cookie is signed with: the first one signs, every one verifies. */
export const cookieKeys = (secrets: readonly string[]): string[] =>
  secrets.map((secret) => createHmac('sha256', secret).update('onramp cookie 1').digest('base64url'))

/** @returns reads the session id that the cookie of a request proves; undefined when it proves none */
export function createCookieIds({ secrets, https }: CookieOptions) {
  const keys = cookieKeys(secrets).map((key) => createSecretKey(key, 'utf8'))
  const name = cookieName(https)
  /** A signature is verified once; one that was wrong is not remembered. */
  const proven = createRemembered<string | undefined>()

  /** Compared as text, as express-session does: decoding would let other spellings of a signature through. */
  const isSigned = (id: string, signature: Buffer) =>
    keys.some((key) => {
      const expected = createHmac('sha256', key).update(id).digest('base64').replace(/=+$/, '')
      return expected.length === signature.length && timingSafeEqual(Buffer.from(expected), signature)
    })

  /** express-session writes `s:ID.SIGNATURE`. */
  function provenBy(value: string): string | undefined {
    const dot = value.lastIndexOf('.')
    if (!value.startsWith('s:') || dot < 3) return undefined
    const id = value.slice(2, dot)
    return isSigned(id, Buffer.from(value.slice(dot + 1))) ? id : undefined
  }

  return ({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined => {
    const value = cookieValue(headers.cookie ?? '', name)
    return value === undefined ? undefined : proven.of(value, value, provenBy)
  }
}
