// The signed-in person in `req.session`, for every feature. session.ts stores sessions.
import type { Request } from 'express'
import { hashOf } from '../records/seal.ts'

/** Issuer and subject are the identity (OpenID Connect Core 2). `groups` and a verified address may grant rights. */
export type User = {
  issuer: string
  subject: string
  name?: string | undefined
  /** The claim `given_name`, for the greeting. */
  givenName?: string | undefined
  email?: string
  emailVerified?: boolean
  /** The claim `locale` (OpenID Connect Core 5.1). */
  locale?: string | undefined
  /** The person's groups of ADMIN_GROUPS at sign-in. */
  groups?: string[] | undefined
}

/** The address, if the authorization server verified it. Only a verified address identifies the person. */
export const verifiedEmail = ({ email, emailVerified }: User): string | undefined =>
  emailVerified === true ? email : undefined

const personKeys = new WeakMap<object, string>()

/** A hash for keys in the store, which reveals neither issuer nor subject. */
export function personKey(user: Pick<User, 'issuer' | 'subject'>): string {
  const key = personKeys.get(user) ?? hashOf(`${user.issuer}\n${user.subject}`)
  personKeys.set(user, key)
  return key
}

export type Tokens = {
  accessToken: string
  refreshToken?: string | undefined
  idToken?: string | undefined
  /** When the token endpoint answered; milliseconds since 1970. */
  issuedAt: number
  /** Milliseconds since 1970; absent without `expires_in`. */
  expiresAt?: number | undefined
  /** TOKEN_ISSUED_BY was external-idp. Absent in older sessions. */
  isExternal?: boolean | undefined
}

export type SignedIn = {
  readonly id: string
  user: User
  tokens: Tokens
  /** Milliseconds since 1970. */
  signedInAt: number
}

declare module 'express-session' {
  interface SessionData extends Partial<Omit<SignedIn, 'id'>> {
    /** The session was ended from another device: the next sign-in in this browser sends prompt=login. */
    promptLogin?: true
  }
}

export function findSignedIn(req: Request): SignedIn | undefined {
  const { session } = req as Partial<Request>
  return session?.user === undefined ? undefined : (session as unknown as SignedIn)
}

/** Call it only after requireSignIn. */
export function requireSignedIn(req: Request): SignedIn {
  const signedIn = findSignedIn(req)
  if (signedIn === undefined) throw new Error('a route that needs a sign-in is mounted before requireSignIn')
  return signedIn
}
