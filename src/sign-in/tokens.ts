// A person's sign-in with its tokens, in a record of its own: the session is written whole by express-session and would
// overwrite them. Whatever needs a sign-in reads this record and not the session.
// No tokens, no sign-in: a session that a request in flight writes back after sign-out is worth nothing without them.
import type { TokenEndpointResponse } from 'openid-client'
import type { Records } from '../records/records.ts'
import { createRemembered } from '../session/remembered.ts'
import { nameOf, type Sealer } from '../session/seal.ts'
import type { User } from '../session/session.ts'

export type Tokens = {
  accessToken: string
  refreshToken?: string
  idToken?: string
  /** Milliseconds since 1970: when the token endpoint answered. */
  issuedAt: number
  /** Milliseconds since 1970; absent where the authorization server did not say. */
  expiresAt?: number
}

/** Who signed in, when (milliseconds since 1970), and with which tokens. */
export type SignIn = { user: User; signedInAt: number; tokens: Tokens }

/** A sign-in as it stands in the store: replacing its tokens compares with that. */
export type HeldTokens = SignIn & { sealed: string }

export type TokenRecords = {
  /** @param sessionId the session that the tokens belong to; it also opens the seal */
  load(sessionId: string): Promise<HeldTokens | undefined>
  save(sessionId: string, signIn: SignIn): Promise<void>
  /** False: they were replaced or removed meanwhile, and what is there now counts. */
  replace(sessionId: string, held: HeldTokens, tokens: Tokens): Promise<boolean>
  /** Lets it live on for its idle time; does nothing where it was replaced or removed. */
  touch(sessionId: string, held: HeldTokens): Promise<void>
  remove(sessionId: string): Promise<void>
  /** Ends a sign-in of which only the name is known (see signed-in-sessions.ts). */
  removeByName(name: string): Promise<void>
}

const keyOf = (name: string) => `tokens:${name}`
const holderOf = (sessionId: string) => `tokens:${sessionId}`

export type TokenRecordsParts = {
  records: Pick<Records, 'get' | 'put' | 'compareAndSet' | 'remove'>
  sealer: Sealer
  /** How long a record lives from its last renewal, and from the sign-in in any case. */
  lifeSeconds: number
  maxSeconds: number
  now: () => number
}

export function createTokenRecords({
  records,
  sealer,
  lifeSeconds,
  maxSeconds,
  now,
}: TokenRecordsParts): TokenRecords {
  const sealed = (sessionId: string, { user, signedInAt, tokens }: SignIn) =>
    sealer.seal(JSON.stringify({ user, signedInAt, tokens }), holderOf(sessionId))
  const opened = createRemembered<HeldTokens | undefined>()
  const heldIn = (text: string, sessionId: string): HeldTokens | undefined => {
    const plain = sealer.open(text, holderOf(sessionId))
    return plain === undefined ? undefined : { ...(JSON.parse(plain) as SignIn), sealed: text }
  }
  return {
    async load(sessionId) {
      const name = nameOf(sessionId)
      const found = await records.get(keyOf(name))
      if (found === undefined) return undefined
      const held = opened.of(name, found, (text) => heldIn(text, sessionId))
      return held !== undefined && now() - held.signedInAt <= maxSeconds * 1000 ? held : undefined
    },
    save: (sessionId, signIn) =>
      records.put(keyOf(nameOf(sessionId)), sealed(sessionId, signIn), lifeSeconds),
    replace: (sessionId, held, tokens) =>
      records.compareAndSet(
        keyOf(nameOf(sessionId)),
        held.sealed,
        sealed(sessionId, { ...held, tokens }),
        lifeSeconds,
      ),
    async touch(sessionId, held) {
      await records.compareAndSet(keyOf(nameOf(sessionId)), held.sealed, held.sealed, lifeSeconds)
    },
    remove: (sessionId) => records.remove(keyOf(nameOf(sessionId))),
    removeByName: (name) => records.remove(keyOf(name)),
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
    issuedAt: now,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(idToken === undefined ? {} : { idToken }),
    ...(answer.expires_in === undefined ? {} : { expiresAt: now + answer.expires_in * 1000 }),
  }
}

const EARLY_MOST_MS = 60_000
const EARLY_SHARE = 0.1

/**
 * Pure: what the tokens are good for now. `ageing` still works and should be refreshed; ahead of expiry by up to a
 * minute, or a tenth of a short life, less for some sessions than for others, so that not all refresh at once.
 * @param jitter gives a number between 0 and 1, the same for a session each time
 */
export function conditionOf(
  tokens: Tokens,
  now: number,
  jitter: () => number,
): 'fresh' | 'ageing' | 'expired' {
  if (tokens.expiresAt === undefined) return 'fresh'
  if (now >= tokens.expiresAt) return 'expired'
  const most = Math.min(EARLY_MOST_MS, (tokens.expiresAt - tokens.issuedAt) * EARLY_SHARE)
  if (now < tokens.expiresAt - most) return 'fresh'
  return now >= tokens.expiresAt - most * (0.5 + jitter() / 2) ? 'ageing' : 'fresh'
}
