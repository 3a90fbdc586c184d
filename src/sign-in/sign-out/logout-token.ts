// Verifies logout tokens (OpenID Connect Back-Channel Logout 1.0, 2.6): a forged one would sign people out.
import { jwtVerify, type JWTVerifyGetKey } from 'jose'
import { omitUndefined } from '../../omit-undefined.ts'

type LogoutToken = { jti: string; sub?: string; sid?: string }

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

export class InvalidLogoutToken extends Error {
  override name = 'InvalidLogoutToken'
}

const textOf = (claim: unknown) => (typeof claim === 'string' && claim !== '' ? claim : undefined)

/** @param rules with asymmetric algorithms: with HS256 anyone who knows the client secret could sign @throws {InvalidLogoutToken} */
export async function verifyLogoutToken(
  token: string,
  rules: { issuer: string; clientId: string; algorithms: string[]; keys: JWTVerifyGetKey; now: number },
): Promise<LogoutToken> {
  const { payload, protectedHeader } = await jwtVerify(token, rules.keys, {
    issuer: rules.issuer,
    audience: rules.clientId,
    algorithms: rules.algorithms,
    maxTokenAge: '5m',
    clockTolerance: '30s',
    requiredClaims: ['iat', 'jti'],
    currentDate: new Date(rules.now),
  }).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    throw new InvalidLogoutToken(`the token does not verify (${code})`, { cause: error })
  })
  const { typ } = protectedHeader
  if (typ !== undefined && !/^(application\/)?(logout\+jwt|jwt)$/i.test(typ))
    throw new InvalidLogoutToken('its typ is not that of a logout token')
  if ('nonce' in payload) throw new InvalidLogoutToken('it has a nonce, as only id_tokens may')
  const { events, sub, sid, jti } = payload
  const event: unknown =
    typeof events === 'object' && events !== null ? Reflect.get(events, EVENT) : undefined
  if (typeof event !== 'object' || event === null)
    throw new InvalidLogoutToken('it does not carry the logout event')
  if (typeof jti !== 'string' || jti === '') throw new InvalidLogoutToken('it has no jti')
  const named = omitUndefined({ sub: textOf(sub), sid: textOf(sid) })
  if (Object.keys(named).length === 0)
    throw new InvalidLogoutToken('it names neither a subject nor a session')
  return { jti, ...named }
}
