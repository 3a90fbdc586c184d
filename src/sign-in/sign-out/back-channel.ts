// POST /sign-out/backchannel: the authorization server ends sign-ins here, of a session (sid) or of a person (sub).
// It is no browser: no cookie, no page, no cross-site question; its token is the proof.
import { createRemoteJWKSet, customFetch, type FetchImplementation, type JWTVerifyGetKey } from 'jose'
import express, { Router } from 'express'
import { readBody } from '../../http/body.ts'
import { describeStoreError } from '../../records/store-error.ts'
import { hashOf } from '../../records/seal.ts'
import type { Audit } from '../../web/audit.ts'
import type { Log } from '../../web/log.ts'
import type { Limits } from '../../web/rate-limit.ts'
import { asymmetricAlgorithms, InvalidLogoutToken, verifyLogoutToken } from './logout-token.ts'
import { clientMetadataOf, serverMetadataOf } from '../server/configuration.ts'
import { normalizeKeySet } from '../server/signing-keys.ts'
import type { SignIn } from '../sign-in.ts'

type Needs = Pick<SignIn, 'authorizationServer' | 'records'> & {
  sessions: Pick<SignIn['sessions'], 'endThere'>
  countRefused: Limits['refusedLogout']
  log: Pick<Log, 'info'>
  audit: Audit
  now: () => number
}

/** Longer than a token is accepted, so that none is accepted twice. */
const REMEMBER_SECONDS = 900
const fetchKeys: FetchImplementation = async (url, options) => {
  const response = await fetch(url, options)
  const { status, body } = response
  return new Response(normalizeKeySet(body ? await readBody({ status, body }) : ''), response)
}
const FETCHING_KEYS = { cooldownDuration: 5_000, timeoutDuration: 5_000, [customFetch]: fetchKeys }

export function createBackChannelRoutes(needs: Needs): Router {
  const router = Router()
  const form = express.urlencoded({ extended: false, limit: '16kb', parameterLimit: 20 })
  let known: { uri: string; keys: JWTVerifyGetKey } | undefined

  function keysAt(uri: string): JWTVerifyGetKey {
    if (known?.uri !== uri) known = { uri, keys: createRemoteJWKSet(new URL(uri), FETCHING_KEYS) }
    return known.keys
  }

  async function verified(token: string) {
    const configuration = await needs.authorizationServer.configuration()
    const metadata = serverMetadataOf(configuration)
    const { issuer, jwks_uri: keys } = metadata
    if (keys === undefined)
      throw new InvalidLogoutToken('the authorization server has no keys to verify it with')
    const logout = await verifyLogoutToken(token, {
      issuer,
      clientId: clientMetadataOf(configuration).client_id,
      algorithms: asymmetricAlgorithms(metadata.id_token_signing_alg_values_supported),
      keys: keysAt(keys),
      now: needs.now(),
    })
    return { ...logout, issuer }
  }

  /** Every token once. Remembering fails closed: while the store is away no token is accepted, whatever it ended. */
  async function once(logout: { issuer: string; jti: string }, work: () => Promise<number>): Promise<number> {
    const key = `jti:${hashOf(`${logout.issuer}\n${logout.jti}`)}`
    const isNew = await needs.records
      .compareAndSet(key, undefined, '1', REMEMBER_SECONDS)
      .catch(async (error: unknown) => {
        // A store that is full still forgets, and takes no new sign-in that a second use could end.
        if (describeStoreError(error).isRefusal) await work().catch(() => {})
        throw error
      })
    if (!isNew) throw new InvalidLogoutToken('it was used before')
    try {
      return await work()
    } catch (error) {
      // What could not be done may be asked for again.
      await needs.records.remove(key).catch(() => {})
      throw error
    }
  }

  router.post('/sign-out/backchannel', form, async (req, res) => {
    const { logout_token: token } = (req.body ?? {}) as { logout_token?: unknown }
    try {
      if (typeof token !== 'string') throw new InvalidLogoutToken('logout_token is missing, or given twice')
      const logout = await verified(token)
      const ended = await once(logout, () => needs.sessions.endThere(logout.issuer, logout))
      needs.audit({ event: 'sign_out', by: 'authorization_server', sessions: ended })
      res.status(200).end()
    } catch (error) {
      if (!(error instanceof InvalidLogoutToken)) throw error
      needs.countRefused(req)
      // Expected, and anyone can send them: one line that says why, and no place in the code.
      needs.log.info({ reason: error.message }, 'a back-channel logout was refused')
      // OpenID Connect Back-Channel Logout 1.0, 2.8.
      res.status(400).json({ error: 'invalid_request', error_description: error.message })
    }
  })

  return router
}
