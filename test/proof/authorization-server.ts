// The authorization server: codes, short-lived access tokens, and refresh tokens that rotate. A refresh token that comes a
// second time ends the whole grant (RFC 9700 4.14.2), and is held against the process that brought it.
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { current, type Process } from './machine.ts'
import type { Person, Reply } from './service.ts'

export const ISSUER = 'https://login.example'
export const CLIENT_ID = 'onramp'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

export const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  revocation_endpoint: `${ISSUER}/revoke`,
  end_session_endpoint: `${ISSUER}/logout`,
  jwks_uri: `${ISSUER}/keys`,
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
  id_token_signing_alg_values_supported: ['ES256'],
  scopes_supported: ['openid', 'email', 'profile', 'offline_access'],
}

type Grant = { person: Person; nonce: string | undefined; isOver: boolean }
/** `sound`: its answer reached the process, which lives and had no trouble since. */
type Asked = { form: URLSearchParams; process: Process; sentAt: number }
type Refresh = { grant: Grant; used?: { by: Process; at: number; isAnswered: boolean } }

/** A fault of the store so long before a redemption may have cost the lease (records/lease.ts). */
const TROUBLE_COUNTS_MS = 5_000

export class AuthorizationServer {
  readonly #codes = new Map<string, Grant>()
  readonly #access = new Map<string, { grant: Grant; until: number }>()
  readonly #refresh = new Map<string, Refresh>()
  readonly #lifeSeconds: number
  readonly #onFault: (what: string) => void

  constructor(lifeSeconds: number, onFault: (what: string) => void) {
    this.#lifeSeconds = lifeSeconds
    this.#onFault = onFault
  }

  /** The person says yes. @returns where the browser goes next */
  approve(request: string, person: Person): string {
    const asked = new URL(request).searchParams
    const code = randomUUID()
    this.#codes.set(code, { person, nonce: asked.get('nonce') ?? undefined, isOver: false })
    const back = new URL(asked.get('redirect_uri') ?? '')
    back.search = new URLSearchParams({ code, state: asked.get('state') ?? '', iss: ISSUER }).toString()
    return back.href
  }

  /** Whose access token it is; undefined: it is not good (any more). */
  personOf(accessToken: string): Person | undefined {
    const found = this.#access.get(accessToken)
    return found === undefined || found.grant.isOver || found.until <= current().now
      ? undefined
      : found.grant.person
  }

  /** @param answered called when the answer has reached the process */
  token(call: Asked, answered: { tell?: () => void }): Reply {
    const { form } = call
    const given = form.get('refresh_token')
    const isCode = form.get('grant_type') === 'authorization_code'
    const grant = isCode
      ? this.#redeemCode(form.get('code') ?? '')
      : this.#redeem(given ?? '', call, answered)
    if (grant === undefined || grant.isOver) return { status: 400, body: { error: 'invalid_grant' } }
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

  #redeemCode(code: string): Grant | undefined {
    const grant = this.#codes.get(code)
    this.#codes.delete(code)
    return grant
  }

  #redeem(token: string, { process: by, sentAt }: Asked, answered: { tell?: () => void }): Grant | undefined {
    const refresh = this.#refresh.get(token)
    if (refresh === undefined) return undefined
    const { grant, used } = refresh
    if (used !== undefined) {
      const isSound = used.by.isAlive && used.isAnswered && used.by.troubledAt < used.at - TROUBLE_COUNTS_MS
      // It was sent under a lease that the store's trouble has cost since, and no one can call it back.
      const isOvertaken = by.troubledAt >= sentAt
      if (isSound && !isOvertaken)
        this.#onFault(`one redemption per refresh token: ${by.name} redeems what ${used.by.name} had`)
      grant.isOver = true
      return undefined
    }
    const mine = { by, at: current().now, isAnswered: false }
    refresh.used = mine
    answered.tell = () => (mine.isAnswered = true)
    return grant
  }

  revoke(form: URLSearchParams): Reply {
    const grant =
      this.#refresh.get(form.get('token') ?? '')?.grant ?? this.#access.get(form.get('token') ?? '')?.grant
    if (grant !== undefined) grant.isOver = true
    return { status: 200, body: {} }
  }

  keys = (): Reply => ({
    status: 200,
    body: { keys: [{ ...publicKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig', kid: '1' }] },
  })
}

const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url')

function idToken({ person, nonce }: Grant): string {
  const seconds = Math.floor(current().now / 1000)
  const { subject: sub, name, email } = person
  const claims = { iss: ISSUER, aud: CLIENT_ID, sub, name, email, email_verified: true, nonce }
  const signed = `${part({ alg: 'ES256', kid: '1' })}.${part({ ...claims, iat: seconds, exp: seconds + 600 })}`
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return `${signed}.${signature.toString('base64url')}`
}
