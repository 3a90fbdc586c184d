// The token of an invitation link: an encrypted JWT, so that the URL shows no address. It is no credential: it only suggests
// the account, and the authorization server says who the person is.
import { createHmac, hkdfSync, randomUUID } from 'node:crypto'
import { EncryptJWT, errors, jwtDecrypt, type JWTDecryptResult } from 'jose'
import { z } from 'zod'
import { triggersFirewall } from '../records/firewall-safe.ts'

export type Invitation = {
  /** Normalized. */
  email: string
  /** Datasources of the walk; empty: all. */
  datasources: string[]
}

export type Invitations = {
  /** @param days until it expires */
  issue(invitation: Invitation, days: number): Promise<string>
  /** Undefined if expired, altered, of another server, or no token at all. Never throws. */
  read(token: string): Promise<Invitation | undefined>
  /** Also reads an expired token: the link in an old email still stops the reminders. Never throws. */
  readExpired(token: string): Promise<Invitation | undefined>
}

type InvitationOptions = {
  /** INVITE_SECRET, else SESSION_SECRET: the first one encrypts, each decrypts. */
  secrets: readonly string[]
  /** PUBLIC_URL: a link of the test environment opens nothing in production. */
  audience: string
  now: () => number
}

export const MAX_INVITATION_DAYS = 90
const MAX_CHARACTERS = 2048
const DAY_SECONDS = 86_400

/** Programs that turn text into links end them at two dots, unless a letter or digit follows. */
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
      // Each try has a new initialization vector; about one in eleven fits. The constant part alarms no firewall.
      for (;;) {
        const token = await jwt.encrypt(current.key)
        if (LINKABLE.test(token) && !triggersFirewall(token)) return token
      }
    },
    read: (token) => readAt(token, now()),
    readExpired: (token) => readAt(token, 0),
  }
}
