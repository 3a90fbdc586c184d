// POST /sign-out/backchannel: the authorization server ends sign-ins here, of a session (sid) or of a person (sub). The
// sender is no browser: its proof is the logout token, not a cookie or an origin.
import { createRemoteJWKSet, customFetch, type FetchImplementation, type JWTVerifyGetKey } from 'jose'
import express, { Router } from 'express'
import { readBody } from '../../http/body.ts'
import type { Records } from '../../records/records.ts'
import { describeStoreError } from '../../records/store-error.ts'
import { hashOf } from '../../records/seal.ts'
import type { Audit } from '../../web/audit.ts'
import type { Log } from '../../web/log.ts'
import type { Limits } from '../../web/rate-limit.ts'
import type { AuthorizationServer } from '../server/authorization-server.ts'
import { asymmetricAlgorithms, normalizeKeySet } from '../server/signing-keys.ts'
import type { PersonSessions } from '../sessions/person-sessions.ts'
import { InvalidLogoutToken, verifyLogoutToken } from './logout-token.ts'

const fetchKeys: FetchImplementation = async (url, options) => {
  const response = await fetch(url, options)
  const { status, body } = response
  return new Response(normalizeKeySet(await readBody({ status, body })), response)
}
const KEY_SET_OPTIONS = { cooldownDuration: 5_000, timeoutDuration: 5_000, [customFetch]: fetchKeys }

export function createBackChannelRoutes(deps: {
  authorizationServer: AuthorizationServer
  sessions: Pick<PersonSessions, 'endByLogoutToken'>
  records: Pick<Records, 'compareAndSet' | 'remove'>
  countRefused: Limits['rejectedLogoutToken']
  log: Pick<Log, 'info'>
  audit: Audit
  now: () => number
}): Router {
  const { authorizationServer, sessions, records, log, audit, now } = deps
  const router = Router()
  const form = express.urlencoded({ extended: false, limit: '16kb', parameterLimit: 20 })
  let keySet: { uri: string; keys: JWTVerifyGetKey } | undefined

  async function verify(token: unknown) {
    if (typeof token !== 'string') throw new InvalidLogoutToken('logout_token is missing, or given twice')
    const configuration = await authorizationServer.configuration()
    const { issuer, jwks_uri: uri, id_token_signing_alg_values_supported } = configuration.serverMetadata()
    if (uri === undefined)
      throw new InvalidLogoutToken('the authorization server has no keys to verify it with')
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
      const logout = await verify(token)
      const ended = await once(records, logout, () => sessions.endByLogoutToken(logout.issuer, logout))
      audit({ event: 'sign_out', by: 'authorization_server', sessions: ended })
      res.status(200).end()
    } catch (error) {
      if (!(error instanceof InvalidLogoutToken)) throw error
      deps.countRefused(req)
      log.info({ reason: error.message }, 'a back-channel logout was refused')
      // OpenID Connect Back-Channel Logout 1.0, 2.8.
      res.status(400).json({ error: 'invalid_request', error_description: error.message })
    }
  })

  return router
}

/** Refuses a token that was used before (replay). Fails closed: while the store is unavailable, no token is accepted. */
async function once(
  records: Pick<Records, 'compareAndSet' | 'remove'>,
  { issuer, jti }: { issuer: string; jti: string },
  work: () => Promise<number>,
): Promise<number> {
  const key = `jti:${hashOf(`${issuer}\n${jti}`)}`
  // Longer than a token is accepted.
  const isNew = await records.compareAndSet(key, undefined, '1', 900).catch(async (error: unknown) => {
    // A full store still deletes, and stores no new sign-in that a replay could end.
    if (describeStoreError(error).isErrorReply) await work().catch(() => {})
    throw error
  })
  if (!isNew) throw new InvalidLogoutToken('it was used before')
  try {
    return await work()
  } catch (error) {
    // The authorization server may retry.
    await records.remove(key).catch(() => {})
    throw error
  }
}
