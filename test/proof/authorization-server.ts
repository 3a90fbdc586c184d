// The authorization server: codes, short-lived access tokens, and rotating refresh tokens. A reused refresh token
// revokes the whole grant (RFC 9700 4.14.2), and is a fault of the process that sent it.
import { randomUUID } from 'node:crypto'
import { callbackUrl, createTokenSigner, metadataOf } from '../helpers/token-signer.ts'
import { current, type Process } from './machine.ts'
import type { Call, Delivery } from './network.ts'
import type { Person, Reply } from './service.ts'

export const ISSUER = 'https://login.example'
export const CLIENT_ID = 'onramp'
export const METADATA = {
  ...metadataOf(ISSUER, 'ES256'),
  revocation_endpoint: `${ISSUER}/revoke`,
  end_session_endpoint: `${ISSUER}/logout`,
  scopes_supported: ['openid', 'email', 'profile', 'offline_access'],
}

const signer = createTokenSigner('ES256')

type Grant = { person: Person; nonce: string | undefined; hasEnded: boolean }
type RefreshToken = { grant: Grant; used?: { by: Process; at: number; isAnswered: boolean } }

/** A fault of the store within this time before a redemption may have lost the lease (records/lease.ts). */
const TROUBLE_COUNTS_MS = 5_000

export class AuthorizationServer {
  readonly #codes = new Map<string, Grant>()
  readonly #access = new Map<string, { grant: Grant; until: number }>()
  readonly #refresh = new Map<string, RefreshToken>()
  readonly #lifeSeconds: number
  readonly #onFault: (what: string) => void

  constructor(lifeSeconds: number, onFault: (what: string) => void) {
    this.#lifeSeconds = lifeSeconds
    this.#onFault = onFault
  }

  /** The person agrees. @returns the callback URL */
  approve(url: string, person: Person): string {
    const query = new URL(url).searchParams
    const code = randomUUID()
    this.#codes.set(code, { person, nonce: query.get('nonce') ?? undefined, hasEnded: false })
    return callbackUrl(query, code, { iss: ISSUER })
  }

  /** The person of an access token; undefined if it has expired or was revoked. */
  personOf(accessToken: string): Person | undefined {
    const found = this.#access.get(accessToken)
    const isGood = found !== undefined && !found.grant.hasEnded && found.until > current().now
    return isGood ? found.grant.person : undefined
  }

  /** @param delivery called when the response reaches the process */
  token(call: Call, delivery: Delivery): Reply {
    const isCode = call.form.get('grant_type') === 'authorization_code'
    const grant = isCode ? this.#redeemCode(call) : this.#redeemRefreshToken(call, delivery)
    if (grant === undefined || grant.hasEnded) return { status: 400, body: { error: 'invalid_grant' } }
    const [access, refresh] = [randomUUID(), randomUUID()]
    this.#access.set(access, { grant, until: current().now + this.#lifeSeconds * 1000 })
    this.#refresh.set(refresh, { grant })
    const body = {
      access_token: access,
      token_type: 'Bearer',
      expires_in: this.#lifeSeconds,
      refresh_token: refresh,
      ...(isCode && { id_token: idToken(grant) }),
    }
    return { status: 200, body }
  }

  #redeemCode({ form }: Call): Grant | undefined {
    const code = form.get('code') ?? ''
    const grant = this.#codes.get(code)
    this.#codes.delete(code)
    return grant
  }

  #redeemRefreshToken({ form, process: by, sentAt }: Call, delivery: Delivery): Grant | undefined {
    const refresh = this.#refresh.get(form.get('refresh_token') ?? '')
    if (refresh === undefined) return undefined
    const { grant, used } = refresh
    if (used !== undefined) {
      const isSound = used.by.isAlive && used.isAnswered && used.by.troubledAt < used.at - TROUBLE_COUNTS_MS
      // The request was sent under a lease that was lost later, and can't be cancelled.
      const isOvertaken = by.troubledAt >= sentAt
      if (isSound && !isOvertaken)
        this.#onFault(`a refresh token is redeemed twice: ${by.name} redeems what ${used.by.name} had`)
      grant.hasEnded = true
      return undefined
    }
    const use = { by, at: current().now, isAnswered: false }
    refresh.used = use
    delivery.onArrival = () => (use.isAnswered = true)
    return grant
  }

  revoke(form: URLSearchParams): Reply {
    const token = form.get('token') ?? ''
    const grant = this.#refresh.get(token)?.grant ?? this.#access.get(token)?.grant
    if (grant !== undefined) grant.hasEnded = true
    return { status: 200, body: {} }
  }

  keys = (): Reply => ({ status: 200, body: signer.keys })
}

function idToken({ person, nonce }: Grant): string {
  const iat = Math.floor(current().now / 1000)
  const { subject: sub, name, email } = person
  const claims = { iss: ISSUER, aud: CLIENT_ID, iat, exp: iat + 600, nonce }
  return signer.idToken({ ...claims, sub, name, email, email_verified: true })
}
