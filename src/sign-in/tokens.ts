// A person's tokens, in a record of their own: the session is written whole by express-session and would overwrite them.
// No tokens, no sign-in: a session that a request in flight writes back after sign-out is worth nothing without them.
import type { TokenEndpointResponse } from 'openid-client'
import type { Records } from '../records/records.ts'
import { nameOf, type Sealer } from '../session/seal.ts'

export type Tokens = {
  accessToken: string
  refreshToken?: string
  idToken?: string
  /** Milliseconds since 1970; absent where the authorization server did not say. */
  expiresAt?: number
}

export type TokenRecords = {
  /** @param sessionId the session that the tokens belong to; it also opens the seal */
  load(sessionId: string): Promise<Tokens | undefined>
  save(sessionId: string, tokens: Tokens): Promise<void>
  remove(sessionId: string): Promise<void>
}

const keyOf = (sessionId: string) => `tokens:${nameOf(sessionId)}`
const holderOf = (sessionId: string) => `tokens:${sessionId}`

/** @param lifeSeconds as long as a session may live */
export function createTokenRecords(records: Records, sealer: Sealer, lifeSeconds: number): TokenRecords {
  return {
    async load(sessionId) {
      const sealed = await records.get(keyOf(sessionId))
      const plain = sealed === undefined ? undefined : sealer.open(sealed, holderOf(sessionId))
      return plain === undefined ? undefined : (JSON.parse(plain) as Tokens)
    },
    save: (sessionId, tokens) =>
      records.put(keyOf(sessionId), sealer.seal(JSON.stringify(tokens), holderOf(sessionId)), lifeSeconds),
    remove: (sessionId) => records.remove(keyOf(sessionId)),
  }
}

/**
 * The tokens of a token endpoint's answer (RFC 6749 5.1).
 * @param now milliseconds since 1970, when the answer came
 * @param before what it replaces: a refresh may leave out what has not changed
 */
export function tokensOf(answer: TokenEndpointResponse, now: number, before?: Tokens): Tokens {
  const refreshToken = answer.refresh_token ?? before?.refreshToken
  const idToken = answer.id_token ?? before?.idToken
  return {
    accessToken: answer.access_token,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(idToken === undefined ? {} : { idToken }),
    ...(answer.expires_in === undefined ? {} : { expiresAt: now + answer.expires_in * 1000 }),
  }
}
