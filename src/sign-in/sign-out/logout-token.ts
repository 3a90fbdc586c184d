// Whether a logout token may end anything (OpenID Connect Back-Channel Logout 1.0, section 2.6): a person who can make
// onramp believe one can sign people out.
import { jwtVerify, type JWTVerifyGetKey } from 'jose'
import { omitUndefined } from '../../omit-undefined.ts'

type LogoutToken = { jti: string; sub?: string; sid?: string }

type LogoutTokenRules = {
  issuer: string
  clientId: string
  /** What the authorization server signs id_tokens with; symmetric ones and `none` never count. */
  algorithms: readonly string[]
  keys: JWTVerifyGetKey
  /** Milliseconds since 1970. */
  now: number
}

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const MAX_AGE_SECONDS = 300
const CLOCK_TOLERANCE_SECONDS = 30

export const asymmetricAlgorithms = (algorithms: readonly string[] | undefined): string[] =>
  (algorithms ?? ['RS256']).filter((algorithm) => !/^(none|HS\d+)$/i.test(algorithm))

export class InvalidLogoutToken extends Error {
  constructor(reason: string, cause?: unknown) {
    super(reason, { cause })
    this.name = 'InvalidLogoutToken'
  }
}

const textOf = (claim: unknown) => (typeof claim === 'string' && claim !== '' ? claim : undefined)

/** @throws {InvalidLogoutToken} saying which check failed */
export async function verifyLogoutToken(token: string, rules: LogoutTokenRules): Promise<LogoutToken> {
  const { payload, protectedHeader } = await jwtVerify(token, rules.keys, {
    issuer: rules.issuer,
    audience: rules.clientId,
    algorithms: [...rules.algorithms],
    maxTokenAge: MAX_AGE_SECONDS,
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    requiredClaims: ['iat', 'jti'],
    currentDate: new Date(rules.now),
  }).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    throw new InvalidLogoutToken(`the token does not verify (${code})`, error)
  })
  const refuse = (reason: string): never => {
    throw new InvalidLogoutToken(reason)
  }
  if (protectedHeader.typ !== undefined && !/^(application\/)?(logout\+jwt|jwt)$/i.test(protectedHeader.typ))
    refuse('its typ is not that of a logout token')
  if ('nonce' in payload) refuse('it has a nonce, as only id_tokens may')
  const { events, sub, sid, jti } = payload
  const event: unknown =
    typeof events === 'object' && events !== null ? Reflect.get(events, EVENT) : undefined
  if (typeof event !== 'object' || event === null) refuse('it does not carry the logout event')
  if (typeof jti !== 'string' || jti === '') return refuse('it has no jti')
  const named = omitUndefined({ sub: textOf(sub), sid: textOf(sid) })
  if (Object.keys(named).length === 0) refuse('it names neither a subject nor a session')
  return { jti, ...named }
}
