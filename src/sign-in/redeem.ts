// Turns an answer of the authorization server into a signed-in session: every check of the answer first, then a new
// session id, and its record stored and listed before the browser hears of it.
import type { Request } from 'express'
import {
  AuthorizationResponseError,
  authorizationCodeGrant,
  ClientError,
  type Configuration,
} from 'openid-client'
import { nameOf } from '../records/seal.ts'
import { newSessionId, startSession } from '../session/session.ts'
import { signedInOf, type SignedIn, type Tokens, type User } from '../session/signed-in.ts'
import { problemOfAnswer } from './answer-problems.ts'
import { isSignatureRefused } from './answer-words.ts'
import { deviceOf } from './sessions/list.ts'
import { groupRuleOf } from './groups.ts'
import { createIdentify } from './identify.ts'
import type { SignInParts } from './parts.ts'
import type { PendingSignIn } from './pending.ts'
import { isLoginRefused, isWishRefused, type Wish } from './prompt.ts'
import type { SignedInSessions } from './sessions/signed-in-sessions.ts'
import { revoke } from './sign-out/revoke.ts'
import type { SignedOut } from './sign-out/signed-out.ts'
import { restartsOf, signInPath } from './addresses.ts'
import { createRefreshTokenNote, tokensOf } from './tokens.ts'
import { omitUndefined } from '../omit-undefined.ts'

type RedeemParts = SignInParts & { sessions: SignedInSessions; signedOut: Pick<SignedOut, 'askNoMore'> }

/** The callback's address as PUBLIC_URL has it, and the sign-in that its state belongs to. */
export type Answer = { url: URL; state: string; browser: string; signIn: PendingSignIn }

/**
 * `ask-login`: another account was asked for, and the server refused to, or brought the same one back without a word.
 * `same-account`: it did so again, though it was asked to have the person sign in anew.
 * `restart`: nothing is wrong with the person; the keys were rotated, or the authorization server
 * ended the sign-in while it was on its way.
 */
export type Redeemed = 'signed-in' | 'same-account' | 'ask-login' | 'restart'

/** @throws {Problem} */
export type Redeem = (req: Request, answer: Answer) => Promise<Redeemed>

const isSamePerson = (one: User | undefined, other: User) =>
  one?.issuer === other.issuer && one.subject === other.subject

/** New keys may have an old name. A server whose signatures are never right must not be asked with every sign-in. */
const DOUBT_KEYS_EVERY_MS = 60_000

type Granted = { user: User; sid: string | undefined; tokens: Tokens }

export function createRedeem(parts: RedeemParts): Redeem {
  const { OIDC_SCOPE: scope, OIDC_EMAIL_CLAIM: claim, OIDC_EMAIL_TRUST: trust } = parts.settings
  const identify = createIdentify({
    emailRule: { claim, trust },
    groupRule: groupRuleOf(parts.settings),
    log: parts.log,
  })
  let keysDoubtedAt = -Infinity
  const noteRefreshToken = createRefreshTokenNote(scope, parts.log)

  async function granted(configuration: Configuration, { url, state, signIn }: Answer): Promise<Granted> {
    const checks = omitUndefined({
      pkceCodeVerifier: signIn.verifier,
      expectedState: state,
      idTokenExpected: scope.split(' ').includes('openid'),
      expectedNonce: signIn.nonce,
    })
    const grant = await authorizationCodeGrant(configuration, url, checks, parts.tokenParameters)
    const claims = grant.claims()
    const user = await identify(configuration, { tokens: grant, claims })
    const sid = typeof claims?.['sid'] === 'string' ? claims['sid'] : undefined
    return { user, sid, tokens: tokensOf(grant, parts.now()) }
  }

  /** Keys that were rotated are found again; the person need not know. */
  function areKeysFoundAgain(error: unknown): boolean {
    const server = parts.authorizationServer
    if (error instanceof ClientError && error.code === 'OAUTH_KEY_SELECTION_FAILED') {
      server.forgetKeys()
      return true
    }
    if (!isSignatureRefused(error)) return false
    if (parts.now() - keysDoubtedAt >= DOUBT_KEYS_EVERY_MS) {
      keysDoubtedAt = parts.now()
      server.forgetKeys()
    }
    return true
  }

  /** A browser that was signed out could never sign in again where the server refuses to ask. */
  const isAskedInVain = async (error: unknown, wish: Wish | undefined, browser: string) =>
    error instanceof AuthorizationResponseError &&
    wish === 'login' &&
    isLoginRefused(error.error) &&
    (await parts.signedOut.askNoMore(browser))

  async function afterFailure(error: unknown, { state, signIn, browser }: Answer) {
    if (error instanceof AuthorizationResponseError && isWishRefused(signIn.wish, error.error))
      return 'ask-login'
    if (await isAskedInVain(error, signIn.wish, browser)) return 'restart'
    if (areKeysFoundAgain(error) && restartsOf(state) === 0) return 'restart'
    const problem = problemOfAnswer(error, signInPath(signIn.returnTo))
    parts.note({ event: 'sign_in', result: 'refused', code: problem.code })
    throw problem
  }

  /**
   * Another tab was faster: the same person signed in here after this sign-in had started. A new session id then would
   * only cut off what other tabs have under way.
   */
  async function isSignedInMeanwhile(req: Request, { signIn }: Answer, user: User): Promise<boolean> {
    const current = signedInOf(req)
    if (current === undefined || !isSamePerson(current.user, user)) return false
    if (current.signedInAt < signIn.startedAt) return false
    return (await parts.signIns.load(current.id)) !== undefined
  }

  /**
   * Stores the record, then lists it. No one knows the new id before the answer, so a process that dies in between leaves
   * nothing that works; and an end that comes later finds the record, because it finds it on the list.
   * @returns false when the authorization server has ended the sign-in meanwhile
   */
  async function stored(req: Request, { browser, signIn }: Answer, granted: Granted): Promise<boolean> {
    const { user, sid, tokens } = granted
    const signedInAt = parts.now()
    const counted = parts.onSignedIn(user)
    const id = newSessionId()
    const name = nameOf(id)
    const entry = { name, sid, signedInAt, device: deviceOf(req.get('user-agent')) }
    const creating = parts.signIns.create(id, { user, browser, signedInAt, tokens })
    // Awaited below; a store that keeps the order needs no wait in between.
    creating.catch(() => {})
    if (!parts.store.keepsOrder) await creating
    let isListed = false
    try {
      isListed = await parts.sessions.add(user, entry, signIn.startedAt)
    } finally {
      if (!isListed) await parts.signIns.end(name)
    }
    if (!isListed) return false
    startSession(req, await creating)
    await counted
    return true
  }

  /** It ends also where the list has no room for it. */
  async function replaced(before: SignedIn, user: User, configuration: Configuration): Promise<void> {
    const name = nameOf(before.id)
    await Promise.all([
      parts.signIns.end(name),
      parts.sessions.end(before.user, (session) => session.name === name),
    ])
    // Of the same person, a server may keep one grant for both: taking these tokens back could end the new sign-in.
    if (!isSamePerson(before.user, user)) void revoke(configuration, before.tokens)
  }

  return async (req, answer) => {
    const configuration = await parts.authorizationServer.configuration()
    const result = await granted(configuration, answer).catch((error: unknown) => afterFailure(error, answer))
    if (typeof result === 'string') return result
    const { user, tokens } = result
    noteRefreshToken(tokens, configuration.clientMetadata().scope)
    const before = signedInOf(req)
    const isSame = answer.signIn.wish !== undefined && isSamePerson(before?.user, user)
    if (isSame && answer.signIn.wish === 'select_account') return 'ask-login'
    if (await isSignedInMeanwhile(req, answer, user)) return 'signed-in'
    if (!(await stored(req, answer, result))) {
      void revoke(configuration, tokens)
      return 'restart'
    }
    // A sign-in that works goes only when the next one is there.
    if (before !== undefined) await replaced(before, user, configuration)
    parts.note({ event: 'sign_in', result: 'ok', user })
    return isSame ? 'same-account' : 'signed-in'
  }
}
