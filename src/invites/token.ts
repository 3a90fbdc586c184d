// The token of an invitation link: a JWS that carries the address sealed, so that nobody reads it in the URL. It is no
// credential: it fills in whom to sign in as and opens the walk, and identity is the authorization server's to say.
import { createHmac, hkdfSync } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import { createSealer } from '../session/seal.ts'

export type Invitation = {
  /** Normalized. */
  email: string
  /** Datasources that the walk is narrowed to; empty: all. */
  datasources: string[]
}

export type Invitations = {
  /** @param days until it expires */
  issue(invitation: Invitation, days: number): Promise<string>
  /** What the token says, or undefined: expired, altered, of another purpose or place, or no token. Never throws. */
  read(token: string): Promise<Invitation | undefined>
  /** The same, whether it has expired or not: whoever digs out an old mail can still stop the reminders. Never throws. */
  readExpired(token: string): Promise<Invitation | undefined>
}

export type InvitationOptions = {
  /** INVITE_SECRET, or SESSION_SECRET where there is none: the first one signs, every one verifies. */
  secrets: readonly string[]
  /** PUBLIC_URL: a link of the test environment opens nothing in production. */
  audience: string
  /** Milliseconds since 1970. */
  now: () => number
}

export const MOST_DAYS = 90
const MOST_CHARACTERS = 2048
const VERSION = 1
const PURPOSE = 'invite'
const DAY_SECONDS = 86_400

const payloadSchema = z.object({
  v: z.literal(VERSION),
  use: z.literal(PURPOSE),
  to: z.string(),
  ds: z.array(z.string().max(200)).max(50).optional(),
})

type Key = { id: string; key: Uint8Array }

const keyOf = (secret: string): Key => {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', 'onramp invite 1', 32))
  return { key, id: createHmac('sha256', key).update('id').digest('base64url').slice(0, 6) }
}

export function createInvitations({ secrets, audience, now }: InvitationOptions): Invitations {
  const keys = secrets.map(keyOf)
  const sealer = createSealer(secrets)
  const [signing] = keys
  if (signing === undefined) throw new RangeError('createInvitations needs a secret')

  async function verified(token: string, currentDate: Date): Promise<Invitation | undefined> {
    const { payload } = await jwtVerify(
      token,
      ({ kid }) => {
        const found = keys.find(({ id }) => id === kid)
        if (found === undefined) throw new errors.JWKSNoMatchingKey()
        return found.key
      },
      { algorithms: ['HS256'], audience, requiredClaims: ['iat', 'exp'], currentDate },
    )
    const said = payloadSchema.safeParse(payload)
    const email = said.success ? sealer.open(said.data.to, PURPOSE) : undefined
    return email === undefined ? undefined : { email, datasources: said.data?.ds ?? [] }
  }

  async function readAt(token: string, at: number): Promise<Invitation | undefined> {
    if (token.length > MOST_CHARACTERS || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return undefined
    try {
      return await verified(token, new Date(at))
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined
      throw error
    }
  }

  return {
    issue({ email, datasources }, days) {
      const issuedAt = Math.floor(now() / 1000)
      const only = datasources.length === 0 ? {} : { ds: datasources }
      return new SignJWT({ v: VERSION, use: PURPOSE, to: sealer.seal(email, PURPOSE), ...only })
        .setProtectedHeader({ alg: 'HS256', kid: signing.id })
        .setAudience(audience)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + Math.round(days * DAY_SECONDS))
        .sign(signing.key)
    },
    read: (token) => readAt(token, now()),
    readExpired: (token) => readAt(token, 0),
  }
}
