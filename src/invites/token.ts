// The token of an invitation link: an encrypted JWT, so the URL shows no address. It is no credential: it fills in whom
// to sign in as and opens the walk. Who the person is comes from the authorization server.
import { createHmac, hkdfSync, randomUUID } from 'node:crypto'
import { EncryptJWT, errors, jwtDecrypt, type JWTDecryptResult } from 'jose'
import { z } from 'zod'
import { triggersFirewall } from '../records/firewall-safe.ts'

export type Invitation = {
  /** Normalized. */
  email: string
  /** Datasources that the walk is narrowed to; empty: all. */
  datasources: string[]
}

export type Invitations = {
  /** @param days until it expires */
  issue(invitation: Invitation, days: number): Promise<string>
  /** The invitation, or undefined: expired, altered, from another place, or no token at all. Never throws. */
  read(token: string): Promise<Invitation | undefined>
  /** The same for an expired token too: the link in an old email still stops the reminders. Never throws. */
  readExpired(token: string): Promise<Invitation | undefined>
}

type InvitationOptions = {
  /** INVITE_SECRET, or SESSION_SECRET where there is none: the first one encrypts, every one decrypts. */
  secrets: readonly string[]
  /** PUBLIC_URL: a link of the test environment opens nothing in production. */
  audience: string
  /** Milliseconds since 1970. */
  now: () => number
}

export const MAX_INVITATION_DAYS = 90
const MAX_CHARACTERS = 2048
const DAY_SECONDS = 86_400

/** Programs that turn text into links end one at two dots, unless a letter or digit follows. */
const LINKABLE = /\.\.[A-Za-z0-9]/

const ALGORITHMS = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] }
const REQUIRED_CLAIMS = ['iat', 'exp', 'jti']

const claimsSchema = z.object({
  email: z.string(),
  datasources: z.array(z.string().max(200)).max(50).default([]),
})

type Key = { id: string; key: Uint8Array }

const keyOf = (secret: string): Key => {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', 'onramp invitation, A256GCM', 32))
  return { key, id: createHmac('sha256', key).update('id').digest('base64url').slice(0, 6) }
}

export function createInvitations({ secrets, audience, now }: InvitationOptions): Invitations {
  const keys = secrets.map(keyOf)
  const [current] = keys
  if (current === undefined) throw new RangeError('createInvitations needs a secret')

  const decrypted = (token: string, currentDate: Date): Promise<JWTDecryptResult> =>
    jwtDecrypt(
      token,
      ({ kid }) => {
        const found = keys.find(({ id }) => id === kid)
        if (found === undefined) throw new errors.JWKSNoMatchingKey()
        return found.key
      },
      { ...ALGORITHMS, audience, requiredClaims: REQUIRED_CLAIMS, currentDate },
    )

  async function readAt(token: string, at: number): Promise<Invitation | undefined> {
    if (token.length > MAX_CHARACTERS) return undefined
    try {
      return claimsSchema.safeParse((await decrypted(token, new Date(at))).payload).data
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined
      throw error
    }
  }

  return {
    async issue({ email, datasources }, days) {
      const issuedAt = Math.floor(now() / 1000)
      const jwt = new EncryptJWT({ email, ...(datasources.length > 0 && { datasources }) })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: current.id })
        .setAudience(audience)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + Math.round(days * DAY_SECONDS))
        .setJti(randomUUID())
      // Each try has a new initialization vector, and one of eleven will do. The part that stays the same alarms no one.
      for (;;) {
        const token = await jwt.encrypt(current.key)
        if (LINKABLE.test(token) && !triggersFirewall(token)) return token
      }
    },
    read: (token) => readAt(token, now()),
    readExpired: (token) => readAt(token, 0),
  }
}
