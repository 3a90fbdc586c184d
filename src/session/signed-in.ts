// Who is signed in: what `req.session` holds of them. Kept apart from how it is kept (session.ts), because every feature
// asks for this.
import type { Request } from 'express'
import { hashOf } from '../records/seal.ts'

/** The pair of issuer and subject is the identity (OpenID Connect Core 2); the rest is for show. */
export type User = {
  issuer: string
  subject: string
  name?: string | undefined
  /** The claim `given_name`: how people are addressed. */
  givenName?: string | undefined
  email?: string
  emailVerified?: boolean
  /** The claim `locale`: the language that the person's account says (OpenID Connect Core 5.1). */
  locale?: string | undefined
  /** Those of ADMIN_GROUPS that the person was in at sign-in; people are in hundreds of others. */
  groups?: string[] | undefined
}

/** Names a person in the keys of the store, and says neither issuer nor subject. */
export const personKey = ({ issuer, subject }: Pick<User, 'issuer' | 'subject'>): string =>
  hashOf(`${issuer}\n${subject}`)

export type Tokens = {
  accessToken: string
  refreshToken?: string | undefined
  idToken?: string | undefined
  /** Milliseconds since 1970: when the token endpoint answered. */
  issuedAt: number
  /** Milliseconds since 1970; absent where the authorization server did not say. */
  expiresAt?: number | undefined
}

export type SessionContent = {
  user: User
  tokens: Tokens
  /** Milliseconds since 1970. */
  signedInAt: number
}

declare module 'express-session' {
  interface SessionData extends Partial<SessionContent> {
    /** It was ended from another device: the next sign-in in this browser asks who is there. */
    promptLogin?: true
  }
}

/** The session of someone who is signed in. */
export type SignedIn = SessionContent & { readonly id: string }

/** Who makes the request, where someone who is signed in does. */
export function signedInOf(req: Request): SignedIn | undefined {
  const { session } = req as Partial<Request>
  return session?.user === undefined ? undefined : (session as unknown as SignedIn)
}

/** Who makes the request; only behind requireSignIn. */
export function whoIsSignedIn(req: Request): SignedIn {
  const signedIn = signedInOf(req)
  if (signedIn === undefined) throw new Error('a route that needs a sign-in is mounted before requireSignIn')
  return signedIn
}
