// Whose session a request belongs to, for whoever only reads it: the id from the signed cookie. express-session does
// the same and more (it hashes, saves and sets cookies), which only signing in needs.
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import type { Request } from 'express'
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
  // How express-session writes it: s:ID.SIGNATURE, encoded.
  const start = `${cookieName(https)}=s%3A`

  const isSigned = (id: string, signature: Buffer) =>
    keys.some((key) => {
      const expected = createHmac('sha256', key).update(id).digest()
      return expected.length === signature.length && timingSafeEqual(expected, signature)
    })

  function provenBy(value: string): string | undefined {
    const dot = value.lastIndexOf('.')
    if (dot < 1) return undefined
    const [id, signature] = [value.slice(0, dot), Buffer.from(value.slice(dot + 1), 'base64')]
    return isSigned(id, signature) ? id : undefined
  }

  /** A signature that was verified need not be verified again; one that was wrong is not remembered. */
  const proven = createRemembered<string | undefined>()

  return {
    idOf(req) {
      const value = cookieValue(req.headers.cookie ?? '', start)
      return value === undefined ? undefined : proven.of(value, value, provenBy)
    },
    remember: (req, user) => void users.set(req, user),
  }
}

function cookieValue(header: string, start: string): string | undefined {
  let at = header.indexOf(start)
  while (at > 0 && header[at - 1] !== ' ' && header[at - 1] !== ';') at = header.indexOf(start, at + 1)
  if (at < 0) return undefined
  const end = header.indexOf(';', at)
  const encoded = header.slice(at + start.length, end < 0 ? undefined : end).trim()
  try {
    return encoded.includes('%') ? decodeURIComponent(encoded) : encoded
  } catch {
    return undefined
  }
}
