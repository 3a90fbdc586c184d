// The token of an invitation link: an encrypted JWT, so that the URL shows no address. It is no credential: it only suggests
// the account, and the authorization server says who the person is.
import { createHmac, hkdfSync, randomUUID } from 'node:crypto'
import { EncryptJWT, errors, jwtDecrypt } from 'jose'
import { z } from 'zod'
import { triggersFirewall } from '../records/firewall-safe.ts'

export type Invitation = {
  /** Normalized. */
  email: string
  /** Datasources of the walk; empty: all. */
  datasources: string[]
}

const MAX_CHARACTERS = 2048
const DAY_SECONDS = 86_400

/** Programs that turn text into links end them at two dots, unless a letter or digit follows. */
const LINKABLE = /\.\.[A-Za-z0-9]/

const CHECKS = {
  keyManagementAlgorithms: ['dir'],
  contentEncryptionAlgorithms: ['A256GCM'],
  requiredClaims: ['iat', 'exp', 'jti'],
}

const claimsSchema = z.object({
  email: z.string(),
  datasources: z.array(z.string().max(200)).max(50).default([]),
})

const keyOf = (secret: string) => {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', 'onramp invitation, A256GCM', 32))
  return { key, id: createHmac('sha256', key).update('id').digest('base64url').slice(0, 6) }
}

export class Invitations {
  readonly #keys: readonly ReturnType<typeof keyOf>[]
  readonly #audience: string
  readonly #now: () => number

  /** @param secrets the first one encrypts, each decrypts @param audience PUBLIC_URL: a link opens no other server */
  constructor(secrets: readonly string[], audience: string, now: () => number) {
    this.#keys = secrets.map(keyOf)
    this.#audience = audience
    this.#now = now
  }

  async issue({ email, datasources }: Invitation, days: number): Promise<string> {
    const [current] = this.#keys
    if (current === undefined) throw new RangeError('invitations need a secret')
    const issuedAt = Math.floor(this.#now() / 1000)
    const jwt = new EncryptJWT({ email, ...(datasources.length > 0 && { datasources }) })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: current.id })
      .setAudience(this.#audience)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + Math.round(days * DAY_SECONDS))
      .setJti(randomUUID())
    // Each try has a new initialization vector; about one in eleven fits. The constant part alarms no firewall.
    for (;;) {
      const token = await jwt.encrypt(current.key)
      if (LINKABLE.test(token) && !triggersFirewall(token)) return token
    }
  }

  /** Undefined if expired, altered, of another server, or no token at all. Never throws. */
  read(token: string): Promise<Invitation | undefined> {
    return this.#readAt(token, this.#now())
  }

  /** Reads a token even if it has expired: the link in an old email still stops the reminders. Never throws. */
  readExpired(token: string): Promise<Invitation | undefined> {
    return this.#readAt(token, 0)
  }

  async #readAt(token: string, at: number): Promise<Invitation | undefined> {
    if (token.length > MAX_CHARACTERS) return undefined
    const keyFor = ({ kid }: { kid?: string }) => {
      const found = this.#keys.find(({ id }) => id === kid)
      if (found === undefined) throw new errors.JWKSNoMatchingKey()
      return found.key
    }
    const checks = { ...CHECKS, audience: this.#audience, currentDate: new Date(at) }
    try {
      return claimsSchema.safeParse((await jwtDecrypt(token, keyFor, checks)).payload).data
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined
      throw error
    }
  }
}
