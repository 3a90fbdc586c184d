// POST /sign-out/backchannel: the authorization server ends sign-ins of a session (sid) or of a person (sub). The
// sender isn't a browser: the logout token authenticates it, not a cookie or an origin.
import { createRemoteJWKSet, customFetch, jwtVerify } from 'jose'
import type { FetchImplementation, JWTVerifyGetKey } from 'jose'
import express, { Router } from 'express'
import { readBody } from '../../http/body.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import type { Records } from '../../records/records.ts'
import { hashOf } from '../../records/seal.ts'
import type { Audit } from '../../web/audit.ts'
import type { Log } from '../../web/log.ts'
import type { Limits } from '../../web/rate-limit.ts'
import type { AuthorizationServer } from '../server/authorization-server.ts'
import { asymmetricAlgorithms, normalizeKeySet } from '../server/signing-keys.ts'
import type { PersonSessions } from '../sessions/person-sessions.ts'

const fetchKeys: FetchImplementation = async (url, options) => {
  const response = await fetch(url, options)
  const { status, body } = response
  return new Response(normalizeKeySet(await readBody({ status, body })), response)
}
/** Anyone can make us fetch the keys, after which a new key isn't found until the cooldown ends, so it is short. */
const KEY_SET_OPTIONS = { cooldownDuration: 1_000, timeoutDuration: 5_000, [customFetch]: fetchKeys }

export function createBackChannelRoutes(deps: {
  authorizationServer: AuthorizationServer
  sessions: Pick<PersonSessions, 'endByLogoutToken'>
  records: Pick<Records, 'get' | 'put'>
  /** While the key set can't be fetched, each token waits for five seconds. */
  limits: Pick<Limits, 'checkingLogoutToken' | 'countRejectedLogoutToken'>
  log: Pick<Log, 'info'>
  audit: Audit
  now: () => number
}): Router {
  const { authorizationServer, sessions, records, limits, log, audit, now } = deps
  const router = Router()
  // A compressed body of 14 bytes takes 16 MB to unpack, whatever the limit of what comes out.
  const form = express.urlencoded({ extended: false, limit: '16kb', parameterLimit: 20, inflate: false })
  let keySet: { uri: string; keys: JWTVerifyGetKey } | undefined

  async function verify(token: unknown) {
    if (typeof token !== 'string') throw new InvalidLogoutToken('logout_token is missing or repeated')
    const configuration = await authorizationServer.configuration()
    const { issuer, jwks_uri: uri, id_token_signing_alg_values_supported } = configuration.serverMetadata()
    if (uri === undefined)
      throw new InvalidLogoutToken('the authorization server has no jwks_uri to verify it with')
    if (keySet?.uri !== uri) keySet = { uri, keys: createRemoteJWKSet(new URL(uri), KEY_SET_OPTIONS) }
    const logout = await verifyLogoutToken(token, {
      issuer,
      clientId: configuration.clientMetadata().client_id,
      algorithms: asymmetricAlgorithms(id_token_signing_alg_values_supported),
      keys: keySet.keys,
      now: now(),
    })
    return { ...logout, issuer }
  }

  router.post('/sign-out/backchannel', form, async (req, res) => {
    const { logout_token: token } = (req.body ?? {}) as { logout_token?: unknown }
    try {
      const logout = await limits.checkingLogoutToken(req, () => verify(token))
      const endedCount = await refuseReplay(records, logout, () =>
        sessions.endByLogoutToken(logout.issuer, logout),
      )
      audit({ event: 'sign_out', by: 'authorization_server', sessions: endedCount })
      res.status(200).end()
    } catch (error) {
      if (!(error instanceof InvalidLogoutToken)) throw error
      limits.countRejectedLogoutToken(req)
      log.info({ reason: error.message }, 'back-channel logout refused')
      // OpenID Connect Back-Channel Logout 1.0, 2.8.
      res.status(400).json({ error: 'invalid_request', error_description: error.message })
    }
  })

  return router
}

/**
 * Refuses a token that was used before (replay). It is recorded last, so that it can be sent again after a failure,
 * even if a write that seemed to fail took effect. Ending the same sign-ins twice does no harm.
 */
async function refuseReplay(
  records: Pick<Records, 'get' | 'put'>,
  { issuer, jti }: { issuer: string; jti: string },
  work: () => Promise<number>,
): Promise<number> {
  const key = `jti:${hashOf(`${issuer}\n${jti}`)}`
  if ((await records.get(key)) !== undefined) throw new InvalidLogoutToken('the token was used before')
  const endedCount = await work()
  // The record outlives the time in which a token is accepted.
  await records.put(key, '1', 900)
  return endedCount
}

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

class InvalidLogoutToken extends Error {
  override name = 'InvalidLogoutToken'
}

const textClaim = (claim: unknown) => (typeof claim === 'string' && claim !== '' ? claim : undefined)

/**
 * Verifies a logout token, because a forged one would sign people out (OpenID Connect Back-Channel Logout 1.0 2.6).
 * @param rules exclude HS256, with which anyone who knows the client secret could sign @throws {InvalidLogoutToken}
 */
export async function verifyLogoutToken(
  token: string,
  rules: { issuer: string; clientId: string; algorithms: string[]; keys: JWTVerifyGetKey; now: number },
): Promise<{ jti: string; sub?: string; sid?: string }> {
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
    throw new InvalidLogoutToken(`the token is invalid (${code})`, { cause: error })
  })
  const { typ } = protectedHeader
  if (typ !== undefined && !/^(application\/)?(logout\+jwt|jwt)$/i.test(typ))
    throw new InvalidLogoutToken('its typ is not logout+jwt')
  if ('nonce' in payload) throw new InvalidLogoutToken('it has a nonce, which only id_tokens may have')
  const { events, sub, sid, jti } = payload
  const event: unknown =
    typeof events === 'object' && events !== null ? Reflect.get(events, EVENT) : undefined
  if (typeof event !== 'object' || event === null) throw new InvalidLogoutToken('it lacks the logout event')
  if (typeof jti !== 'string' || jti === '') throw new InvalidLogoutToken('it lacks a jti')
  const named = omitUndefined({ sub: textClaim(sub), sid: textClaim(sid) })
  if (Object.keys(named).length === 0) throw new InvalidLogoutToken('it has neither sub nor sid')
  return { jti, ...named }
}
