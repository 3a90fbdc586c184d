// The session id that a request's cookie proves. What surprises: express-session reads the same cookie, but only on the
// routes that change sessions; every other page needs no more than the id.
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
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
      const expected = createHmac('sha256', key).update(id).digest('base64').replace('=', '')
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

const isSpace = (character: string | undefined) => character === ' ' || character === '\t'

/**
 * The value of our cookie. express-session reads the header on its own (with the package "cookie"), so this reads exactly
 * as that does. Of two cookies with one name the first one counts.
 * @param header the Cookie header
 * @returns the decoded value of the first cookie of this name, or undefined; undecodable text comes back as it is
 */
export function cookieValue(header: string, name: string): string | undefined {
  for (let start = 0; start < header.length;) {
    const equals = header.indexOf('=', start)
    if (equals < 0) return undefined
    const semicolon = header.indexOf(';', equals)
    const end = semicolon < 0 ? header.length : semicolon
    // Text in front without "=" is no cookie.
    const begin = Math.max(start, header.lastIndexOf(';', equals) + 1)
    if (trimmed(header, begin, equals) === name) return decoded(unquoted(trimmed(header, equals + 1, end)))
    start = end + 1
  }
  return undefined
}

/** Without spaces and tabs around: String.trim would take more away than the other reader does. */
function trimmed(text: string, start: number, end: number): string {
  while (start < end && isSpace(text[start])) start++
  while (end > start && isSpace(text[end - 1])) end--
  return text.slice(start, end)
}

const unquoted = (value: string) =>
  value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
