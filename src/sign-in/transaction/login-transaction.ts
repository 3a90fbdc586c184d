// `state`: all that a sign-in under way needs to end well, sealed and carried by the browser, so that nothing is stored for
// people who haven't signed in. Nonce and PKCE verifier aren't in it: they are derived from it and from the browser's
// cookie, under the secret that sealed it. Pure.
import { createHmac, createSecretKey, hash, hkdfSync, randomBytes, type KeyObject } from 'node:crypto'
import { createSealer, hashOf, type Sealer } from '../../records/seal.ts'
import { triggersFirewall, decodeFirewallSafe, encodeFirewallSafe } from '../../records/firewall-safe.ts'
import type { Prompt } from './prompt.ts'

export type LoginTransaction = {
  /** 128 random bits. */
  id: string
  /** Where the person goes on. */
  returnTo: string
  /** Milliseconds since 1970. */
  startedAt: number
  /** What the person was asked for, where another account was wanted. */
  prompt?: Prompt | undefined
  /** How often it has started over without the person's doing. */
  restarts: number
  /** The browser that began it (shortHash of its cookie). */
  browserHash: string
  /** The session that this browser had then, if any (shortHash of its id). */
  sessionHash?: string | undefined
}

/** Derived from the state id and the browser cookie: nonce, and PKCE code_verifier and challenge (RFC 7636). */
type TransactionSecrets = { nonce: string; codeVerifier: string; codeChallenge: string }

export type LoginTransactions = {
  /** @param browser that begins: its cookie, and the id of the session that it has, if any */
  seal(
    start: Omit<LoginTransaction, 'id' | 'browserHash' | 'sessionHash'>,
    browser: { cookie: string; sessionId: string | undefined },
  ): TransactionSecrets & { text: string }
  /** @returns undefined for what no secret of ours has sealed */
  open(text: string): { state: LoginTransaction; secretsFor(cookie: string): TransactionSecrets } | undefined
}

/** A name of 128 bits for something secret: enough to tell browsers and sessions apart, and short. */
const shortHash = (secret: string): string => hashOf(secret).slice(0, 22)

const ASSOCIATED_DATA = 'sign-in state 1'

/** With the longest return address it takes 1,610 characters, with a usual one about 260. */
export const MAX_STATE_CHARACTERS = 1_700

type Keys = { sealer: Sealer; proving: KeyObject }

const keysOf = (secret: string): Keys => ({
  sealer: createSealer([secret]),
  proving: createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'onramp sign-in 1', 32))),
})

function secretsOf({ proving }: Keys, id: string, cookie: string): TransactionSecrets {
  const derive = (what: string) =>
    createHmac('sha256', proving).update(`${what}\n${id}\n${cookie}`).digest('base64url')
  const codeVerifier = derive('verifier')
  return { nonce: derive('nonce'), codeVerifier, codeChallenge: hash('sha256', codeVerifier, 'base64url') }
}

type Members = [string, string, number, number, string, Prompt | undefined, string | undefined]

/** The members in this order, without their names, because `state` is part of an address. */
function stateIn(plain: string): LoginTransaction {
  // JSON has no undefined in a list.
  const members = JSON.parse(plain, (_key, value: unknown) => value ?? undefined) as Members
  const [id, returnTo, startedAt, restarts, browserHash, prompt, sessionHash] = members
  return { id, returnTo, startedAt, restarts, browserHash, prompt, sessionHash }
}

/** @param secrets SESSION_SECRET: the first one seals, every one opens */
export function createLoginTransactions(secrets: readonly string[]): LoginTransactions {
  const all = secrets.map(keysOf)
  const [first] = all
  if (first === undefined) throw new RangeError('createLoginTransactions needs a secret')
  return {
    seal(start, { cookie, sessionId }) {
      let id: string
      let secrets: TransactionSecrets
      do {
        id = randomBytes(16).toString('base64url')
        secrets = secretsOf(first, id, cookie)
      } while (Object.values(secrets).some(triggersFirewall))
      const { returnTo, startedAt, restarts, prompt } = start
      const session = sessionId && shortHash(sessionId)
      const members: Members = [id, returnTo, startedAt, restarts, shortHash(cookie), prompt, session]
      const text = first.sealer.seal(JSON.stringify(members), ASSOCIATED_DATA)
      return { text: encodeFirewallSafe(text), ...secrets }
    },
    open(text) {
      for (const keys of all) {
        // As it came: from before an update.
        const plain =
          keys.sealer.open(decodeFirewallSafe(text), ASSOCIATED_DATA) ??
          keys.sealer.open(text, ASSOCIATED_DATA)
        if (plain === undefined) continue
        const state = stateIn(plain)
        return { state, secretsFor: (cookie) => secretsOf(keys, state.id, cookie) }
      }
      return undefined
    },
  }
}

/** As long as the browser's cookie: a person may come back to the page to sign in on after lunch. */
export const TRANSACTION_SECONDS = 24 * 3600

/**
 * What to do with an answer to this sign-in, before anything is asked of the authorization server.
 * `go-on`: another tab was faster, or a stranger's link would sign this person in as another one (RFC 9700 4.7).
 * `start-over`: it began in another browser, or too long ago.
 * @param cookie of the browser that brings it @param sessionId of who is signed in there @param now milliseconds since 1970
 */
export function checkCallback(
  state: LoginTransaction,
  { cookie, sessionId, now }: { cookie: string | undefined; sessionId: string | undefined; now: number },
): 'redeem' | 'go-on' | 'start-over' {
  if (sessionId !== undefined && shortHash(sessionId) !== state.sessionHash) return 'go-on'
  const isOurs = cookie !== undefined && shortHash(cookie) === state.browserHash
  const isOld = now - state.startedAt > TRANSACTION_SECONDS * 1000
  return isOurs && !isOld ? 'redeem' : 'start-over'
}
