// Whose session a request belongs to, for whoever only reads it: the id from the signed cookie. express-session does
// the same and more (it hashes, saves and sets cookies), which only signing in needs.
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import type { Request } from 'express'
import { cookieValue } from './cookie-value.ts'
import { createRemembered } from './remembered.ts'
import { cookieKeys, cookieName, type SessionOptions, type User } from './session.ts'

const users = new WeakMap<Request, User>()

/** Who is signed in, as far as this request has found out. */
export const userOf = (req: Request): User | undefined =>
  users.get(req) ?? (req as Partial<Request>).session?.user

export type Presence = {
  /** The session id that the cookie proves, or undefined. */
  idOf(req: Request): string | undefined
  remember(req: Request, user: User): void
}

export function createPresence({ secrets, https }: Pick<SessionOptions, 'secrets' | 'https'>): Presence {
  const keys = cookieKeys(secrets).map((key) => createSecretKey(key, 'utf8'))
  const name = cookieName(https)

  /** Compared as text, as express-session does: decoding would let other spellings of a signature through. */
  const isSigned = (id: string, signature: Buffer) =>
    keys.some((key) => {
      const expected = createHmac('sha256', key).update(id).digest('base64').replace(/=+$/, '')
      return expected.length === signature.length && timingSafeEqual(Buffer.from(expected), signature)
    })

  /** How express-session writes it: s:ID.SIGNATURE. */
  function provenBy(value: string): string | undefined {
    const dot = value.lastIndexOf('.')
    if (!value.startsWith('s:') || dot < 3) return undefined
    const id = value.slice(2, dot)
    return isSigned(id, Buffer.from(value.slice(dot + 1))) ? id : undefined
  }

  /** A signature that was verified need not be verified again; one that was wrong is not remembered. */
  const proven = createRemembered<string | undefined>()

  return {
    idOf(req) {
      const value = cookieValue(req.headers.cookie ?? '', name)
      return value === undefined ? undefined : proven.of(value, value, provenBy)
    },
    remember: (req, user) => void users.set(req, user),
  }
}
