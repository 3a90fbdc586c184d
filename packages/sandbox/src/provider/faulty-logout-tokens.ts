// Logout tokens that a careful client refuses, or that name only one of session and person, made of good ones; and how
// they are sent (OpenID Connect Back-Channel Logout 1.0). What the clients answered is kept.
import { decodeJwt, type JWK, type JWTPayload } from 'jose'
import type { Faults } from '../control/fault-switches.ts'
import { badlySigned, elsewhere, signed, signedWithSecret, unsigned } from './faulty-id-tokens.ts'

type LogoutTokenFault = NonNullable<Faults['logoutToken']>

/** A logout token that was sent, and what the client said. */
export type SentLogout = { to: string; token: string; status: number; answer: string }

const type = 'logout+jwt'
const event = 'http://schemas.openid.net/event/backchannel-logout'
const tooMuch = 100_000

/** Sends a logout token as the fault says. @returns what the client answered, to the last one if there were several */
export async function sendLogout(
  uri: string,
  token: string,
  { fault, key }: { fault: LogoutTokenFault | undefined; key: JWK },
): Promise<SentLogout> {
  const sent = fault === undefined ? token : await faultyLogoutToken(token, fault, key)
  const send = async () => {
    const response = await fetch(uri, { method: 'POST', redirect: 'manual', ...bodyOf(sent, fault) })
    return { to: uri, token: sent, status: response.status, answer: await response.text() }
  }
  if (fault === 'twice') await send()
  return await send()
}

function bodyOf(token: string, fault: LogoutTokenFault | undefined): RequestInit {
  if (fault === 'asJson') {
    const headers = { 'content-type': 'application/json' }
    return { headers, body: JSON.stringify({ logout_token: token }) }
  }
  const padding: Record<string, string> = fault === 'tooLarge' ? { padding: 'x'.repeat(tooMuch) } : {}
  return { body: new URLSearchParams({ logout_token: token, ...padding }) }
}

async function faultyLogoutToken(token: string, fault: LogoutTokenFault, key: JWK): Promise<string> {
  const claims = decodeJwt(token)
  if (fault === 'algNone') return unsigned(claims, type)
  if (fault === 'wrongAlg') return signedWithSecret(claims, JSON.stringify(key.n), type)
  if (fault === 'badSignature') return badlySigned(token)
  return await signed(faultyClaims(claims, fault), key, fault === 'wrongTyp' ? 'at+jwt' : type)
}

function faultyClaims(claims: JWTPayload, fault: LogoutTokenFault): JWTPayload {
  const without = (...names: string[]) =>
    Object.fromEntries(Object.entries(claims).filter(([name]) => !names.includes(name)))
  const old = Math.floor(Date.now() / 1000) - 3600
  if (fault === 'wrongAud') return { ...claims, aud: `not-${String(claims.aud)}` }
  if (fault === 'wrongIss') return { ...claims, iss: elsewhere }
  if (fault === 'wrongEvent') return { ...claims, events: { [`${event}-of-another-kind`]: {} } }
  if (fault === 'noEvent') return without('events')
  if (fault === 'withNonce') return { ...claims, nonce: 'a-nonce' }
  if (fault === 'noSubNorSid') return without('sub', 'sid')
  if (fault === 'noJti') return without('jti')
  if (fault === 'noIat') return without('iat')
  if (fault === 'oldIat') return { ...claims, iat: old, exp: old + 7200 }
  if (fault === 'subOnly') return without('sid')
  if (fault === 'sidOnly') return without('sub')
  return claims
}
