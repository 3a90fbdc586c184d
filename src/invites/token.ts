// The token of an invitation link: short, and sealed, so that the URL shows no address. It isn't a credential: it
// suggests an account, and the authorization server identifies the person. Links of earlier versions have an
// encrypted JWT.
import { createHmac, hkdfSync } from 'node:crypto'
import { errors, jwtDecrypt } from 'jose'
import { createSealer, decodeFirewallSafe, encodeFirewallSafe, type Sealer } from '../records/seal.ts'

export type Invitation = {
  /** A normalized address. */
  email: string
  /** Datasources of the walk; empty: all. */
  datasources: string[]
  /** Milliseconds since 1970; 0 if unknown. */
  sentAt: number
}

const MAX_CHARACTERS = 2048
const DAY_SECONDS = 86_400

/** Begins with a letter and ends with a letter or digit, so that programs find the whole link in a text. */
const FORM = /^i(\w*)$/

/** Requirements of an encrypted JWT. */
const CHECKS = {
  keyManagementAlgorithms: ['dir'],
  contentEncryptionAlgorithms: ['A256GCM'],
  requiredClaims: ['iat', 'exp', 'jti', 'email'],
}

/** Only onramp encrypts these JWTs, so the content isn't checked. */
type Claims = { email: string; datasources?: string[]; iat: number }

const createJweKey = (secret: string) => {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', 'onramp invitation, A256GCM', 32))
  return { key, id: createHmac('sha256', key).update('id').digest('base64url').slice(0, 6) }
}

export class Invitations {
  readonly #sealer: Sealer
  /** Keys of encrypted JWTs. */
  readonly #keys: readonly ReturnType<typeof createJweKey>[]
  readonly #audience: string
  readonly #now: () => number

  /** @param secrets the first one seals, all of them open @param audience PUBLIC_URL: a link is for one server */
  constructor(secrets: readonly string[], audience: string, now: () => number) {
    this.#sealer = createSealer(secrets)
    this.#keys = secrets.map(createJweKey)
    this.#audience = audience
    this.#now = now
  }

  issue({ email, datasources }: Omit<Invitation, 'sentAt'>, days: number): string {
    const life = Math.round(days * DAY_SECONDS)
    const expires = Math.floor(this.#now() / 1000) + life
    const times = `${expires.toString(36)}-${life.toString(36)}`
    const plain = [times, email, ...datasources].join('\n')
    return `i${encodeFirewallSafe(this.#sealer.seal(plain, this.#associatedData))}`
  }

  get #associatedData(): string {
    return `invitation\n${this.#audience}`
  }

  /** Never throws. @returns undefined for an expired, altered or foreign token, and for other text */
  read(token: string): Promise<Invitation | undefined> {
    return this.#readAt(token, this.#now())
  }

  /** Accepts an expired token, because the link in an old email has to stop reminders. Never throws. */
  readIgnoringExpiry(token: string): Promise<Invitation | undefined> {
    return this.#readAt(token, 0)
  }

  async #readAt(token: string, at: number): Promise<Invitation | undefined> {
    if (token.length > MAX_CHARACTERS) return undefined
    const [, sealed] = FORM.exec(token) ?? []
    if (sealed === undefined) return await this.#readJwt(token, at)
    const plain = this.#sealer.open(decodeFirewallSafe(sealed), this.#associatedData)
    const [times = '', email = '', ...datasources] = plain?.split('\n') ?? []
    const [expires = NaN, life = expires] = times.split('-').map((seconds) => parseInt(seconds, 36))
    return expires * 1000 > at ? { email, datasources, sentAt: (expires - life) * 1000 } : undefined
  }

  async #readJwt(token: string, at: number): Promise<Invitation | undefined> {
    const keyFor = ({ kid }: { kid?: string }) => {
      const key = this.#keys.find(({ id }) => id === kid)
      if (key === undefined) throw new errors.JWKSNoMatchingKey()
      return key.key
    }
    const checks = { ...CHECKS, audience: this.#audience, currentDate: new Date(at) }
    try {
      const { payload } = await jwtDecrypt<Claims>(token, keyFor, checks)
      const { email, datasources = [], iat } = payload
      return { email, datasources, sentAt: iat * 1000 }
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined
      throw error
    }
  }
}
