// Finds the person who signed in: from the id_token and userinfo; without an id_token, from userinfo alone; with plain
// OAuth 2.1, from the access token (introspection or claims), so that a person is recognized at the next sign-in.
import { randomUUID } from 'node:crypto'
import { decodeJwt } from 'jose'
import { ClientError, fetchUserInfo, skipSubjectCheck, tokenIntrospection } from 'openid-client'
import type { Configuration } from 'openid-client'
import { Problem } from '../problem.ts'
import type { User } from '../session/signed-in.ts'
import type { Settings } from '../settings/settings.ts'
import { warnOnce, type Log } from '../web/log.ts'
import { adviceOn, hasEnoughClaims, userFromClaims, type Claims } from './claims.ts'
import { describeErrorResponse, responseStatus } from './server/error-response.ts'

const DAY_MS = 24 * 3600 * 1000
const MAX_REMEMBERED = 10_000

const SHARED_SUB =
  "the verified address of one sub changed twice within a day. Unless a person was renamed twice, the authorization server sends one sub for several people, who see each other's apps: have it send a unique sub for each person"

export class UserLookup {
  readonly #deps
  readonly #warn: (message: string | undefined) => void
  /** Emails by `sub`, to detect a server that gives everyone one sub. One process is enough for that. */
  readonly #emails = new Map<string, { email: string; changedAt: number }>()

  constructor(deps: { settings: Settings; log: Pick<Log, 'warn'>; now: () => number }) {
    this.#deps = deps
    this.#warn = warnOnce(deps.log)
  }

  /** @param claims of the verified id_token, if any @throws if the sources name different people */
  async find(configuration: Configuration, accessToken: string, claims: Claims | undefined): Promise<User> {
    refuseOtherParty(configuration, claims)
    const sources = await this.#sources(configuration, accessToken, claims)
    const user = userFromClaims(configuration.serverMetadata().issuer, sources, this.#deps.settings)
    for (const advice of [...adviceOn(sources, this.#deps.settings), this.#explainSharedSub(user)])
      this.#warn(advice)
    return user
  }

  /** Detects a sub of several people. A single change of the address is a rename, which the record follows. */
  #explainSharedSub({ subject, email, emailVerified }: User): string | undefined {
    if (email === undefined || emailVerified !== true) return undefined
    const current = { email: email.toLowerCase(), changedAt: this.#deps.now() }
    const before = this.#emails.get(subject)
    if (before?.email === current.email) return undefined
    if (this.#emails.size >= MAX_REMEMBERED) this.#emails.clear()
    this.#emails.set(subject, before === undefined ? { ...current, changedAt: -Infinity } : current)
    return current.changedAt - (before?.changedAt ?? -Infinity) < DAY_MS ? SHARED_SUB : undefined
  }

  /** @throws if userinfo is about another subject (OpenID Connect Core 5.3.2), or fails as the only source */
  async #sources(
    configuration: Configuration,
    accessToken: string,
    claims: Claims | undefined,
  ): Promise<readonly [Claims, ...Claims[]]> {
    const hasUserinfo = configuration.serverMetadata().userinfo_endpoint !== undefined
    if (claims === undefined && hasUserinfo)
      return [await fetchUserInfo(configuration, accessToken, skipSubjectCheck)]
    if (claims === undefined) {
      const tokenClaims =
        (await introspect(configuration, accessToken)) ?? decodeSubject(configuration, accessToken)
      // If no source has a subject, a random one makes each sign-in a new person.
      return [tokenClaims ?? { sub: `unknown:${randomUUID()}` }]
    }
    if (!hasUserinfo || hasEnoughClaims(claims, this.#deps.settings)) return [claims]
    try {
      return [claims, await fetchUserInfo(configuration, accessToken, claims.sub)]
    } catch (error) {
      const isOtherSubject =
        error instanceof ClientError && error.code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED'
      if (isOtherSubject) throw error
      this.#deps.log.warn(
        { err: error },
        `the userinfo endpoint failed (${describeErrorResponse(error)}): onramp uses the id_token alone, which may lack an email address`,
      )
      return [claims]
    }
  }
}

/** Refuses another client's id_token (OpenID Connect Core 3.1.3.7, 5). The library checks azp for several audiences. */
function refuseOtherParty(configuration: Configuration, claims: Claims | undefined): void {
  const { client_id: clientId } = configuration.clientMetadata()
  if ((claims?.['azp'] ?? clientId) === clientId) return
  throw new Problem(400, 'sign_in_failed', { detail: 'the id_token was issued to another client (azp)' })
}

const textClaim = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

/**
 * Introspects the token (RFC 7662). `username` gets a prefix, because one person's username may be another's `sub`.
 * @throws if introspection is offered but fails, because another source would name another person
 */
async function introspect(configuration: Configuration, accessToken: string): Promise<Claims | undefined> {
  if (configuration.serverMetadata().introspection_endpoint === undefined) return undefined
  try {
    const token = await tokenIntrospection(configuration, accessToken, { token_type_hint: 'access_token' })
    const [sub, username] = [textClaim(token.sub), textClaim(token.username)]
    const subject = sub ?? (username === undefined ? undefined : `username:${username}`)
    if (!token.active || subject === undefined || isForOthers(configuration, token)) return undefined
    return { preferred_username: username, ...token, sub: subject }
  } catch (error) {
    const status = responseStatus(error)
    // Many servers let only resource servers introspect.
    if (status !== undefined && status >= 400 && status < 500 && status !== 429) return undefined
    throw error
  }
}

/** RFC 9068 2.2. Isn't verified, because it came from the token endpoint over TLS (OpenID Connect Core 3.1.3.7, 6). */
function decodeSubject(configuration: Configuration, accessToken: string): Claims | undefined {
  try {
    const payload = decodeJwt(accessToken)
    const sub = textClaim(payload.sub)
    const isForThisClient = payload.iss !== undefined && !isForOthers(configuration, payload)
    return sub === undefined || !isForThisClient ? undefined : { sub }
  } catch {
    return undefined
  }
}

/** True if another issuer made it, or it is about the client, whose id may equal a person's `sub` (RFC 9068 5). */
function isForOthers(configuration: Configuration, { iss, sub }: { iss?: unknown; sub?: unknown }): boolean {
  const { issuer } = configuration.serverMetadata()
  return (iss !== undefined && iss !== issuer) || sub === configuration.clientMetadata().client_id
}
