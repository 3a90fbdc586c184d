// `state`: all that a sign-in under way needs to end well, sealed and carried by the browser, so that nothing is stored for
// people who haven't signed in. Nonce and PKCE verifier aren't in it: they are derived from it and from the browser's
// cookie, under the secret that sealed it. Pure.
import { createHmac, createSecretKey, hash, hkdfSync, randomBytes, type KeyObject } from 'node:crypto'
import { createSealer, nameOf, type Sealer } from '../records/seal.ts'
import { alarmsFirewalls, fromPlainSpelling, plainSpelling } from '../records/spelling.ts'
import type { Prompt } from './prompt.ts'

export type SignInState = {
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
  /** The browser that began it (markOf its cookie). */
  browser: string
  /** The session that this browser had then, if any (markOf its id). */
  session?: string | undefined
}

/** Derived from the state id and the browser cookie: nonce, and PKCE verifier and challenge (RFC 7636). */
type Proofs = { nonce: string; verifier: string; challenge: string }

export type States = {
  /** @param browser that begins: its cookie, and the id of the session that it has, if any */
  seal(
    start: Omit<SignInState, 'id' | 'browser' | 'session'>,
    browser: { cookie: string; sessionId: string | undefined },
  ): Proofs & { text: string }
  /** @returns undefined for what no secret of ours has sealed */
  open(text: string): { state: SignInState; proofsFor(cookie: string): Proofs } | undefined
}

/** A name of 128 bits for something secret: enough to tell browsers and sessions apart, and short. */
const markOf = (secret: string): string => nameOf(secret).slice(0, 22)

const HOLDER = 'sign-in state 1'

/** With the longest return address it takes 1,610 characters, with a usual one about 260. */
export const MAX_STATE_CHARACTERS = 1_700

type Keys = { sealer: Sealer; proving: KeyObject }

const keysOf = (secret: string): Keys => ({
  sealer: createSealer([secret]),
  proving: createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'onramp sign-in 1', 32))),
})

function proofsOf({ proving }: Keys, id: string, cookie: string): Proofs {
  const derive = (what: string) =>
    createHmac('sha256', proving).update(`${what}\n${id}\n${cookie}`).digest('base64url')
  const verifier = derive('verifier')
  return { nonce: derive('nonce'), verifier, challenge: hash('sha256', verifier, 'base64url') }
}

type Members = [string, string, number, number, string, Prompt | undefined, string | undefined]

/** The members in this order, without their names, because `state` is part of an address. */
function stateIn(plain: string): SignInState {
  // JSON has no undefined in a list.
  const members = JSON.parse(plain, (_key, value: unknown) => value ?? undefined) as Members
  const [id, returnTo, startedAt, restarts, browser, prompt, session] = members
  return { id, returnTo, startedAt, restarts, browser, prompt, session }
}

/** @param secrets SESSION_SECRET: the first one seals, every one opens */
export function createStates(secrets: readonly string[]): States {
  const all = secrets.map(keysOf)
  const [first] = all
  if (first === undefined) throw new RangeError('createStates needs a secret')
  return {
    seal(start, { cookie, sessionId }) {
      let id: string
      let proofs: Proofs
      do {
        id = randomBytes(16).toString('base64url')
        proofs = proofsOf(first, id, cookie)
      } while (Object.values(proofs).some(alarmsFirewalls))
      const { returnTo, startedAt, restarts, prompt } = start
      const session = sessionId && markOf(sessionId)
      const members: Members = [id, returnTo, startedAt, restarts, markOf(cookie), prompt, session]
      const text = first.sealer.seal(JSON.stringify(members), HOLDER)
      return { text: plainSpelling(text), ...proofs }
    },
    open(text) {
      for (const keys of all) {
        // As it came: from before an update.
        const plain = keys.sealer.open(fromPlainSpelling(text), HOLDER) ?? keys.sealer.open(text, HOLDER)
        if (plain === undefined) continue
        const state = stateIn(plain)
        return { state, proofsFor: (cookie) => proofsOf(keys, state.id, cookie) }
      }
      return undefined
    },
  }
}

/** As long as the browser's cookie: a person may come back to the page to sign in on after lunch. */
export const STATE_LIFE_SECONDS = 24 * 3600

/**
 * What to do with an answer to this sign-in, before anything is asked of the authorization server.
 * `go-on`: another tab was faster, or a stranger's link would sign this person in as another one (RFC 9700 4.7).
 * `start-over`: it began in another browser, or too long ago.
 * @param cookie of the browser that brings it @param sessionId of who is signed in there @param now milliseconds since 1970
 */
export function judgeAnswer(
  state: SignInState,
  { cookie, sessionId, now }: { cookie: string | undefined; sessionId: string | undefined; now: number },
): 'redeem' | 'go-on' | 'start-over' {
  if (sessionId !== undefined && markOf(sessionId) !== state.session) return 'go-on'
  const isOurs = cookie !== undefined && markOf(cookie) === state.browser
  const isOld = now - state.startedAt > STATE_LIFE_SECONDS * 1000
  return isOurs && !isOld ? 'redeem' : 'start-over'
}
