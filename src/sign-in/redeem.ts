// Turns an answer of the authorization server into a signed-in session: every check of the answer first, then a new
// session id, tokens, and the session, all of them stored before the browser hears of it.
import type { Request } from 'express'
import {
  AuthorizationResponseError,
  authorizationCodeGrant,
  ClientError,
  type Configuration,
} from 'openid-client'
import { nameOf } from '../session/seal.ts'
import { removeSession, replaceSession, saveSession, type User } from '../session/session.ts'
import { isClientRefused, problemOfAnswer } from './answer-problems.ts'
import type { AuthorizationServer } from './server/authorization-server.ts'
import type { Note } from '../web/audit.ts'
import { mayBeForgotten } from './server/client-probe.ts'
import { deviceOf } from './sessions/device.ts'
import { identify, type EmailRule } from './identity.ts'
import type { PendingSignIn } from './pending.ts'
import { isWishRefused } from './prompt.ts'
import type { SignedInSessions } from './sessions/signed-in-sessions.ts'
import { createRefreshTokenNote } from './refresh-token-note.ts'
import { restartsOf, signInPath } from './state.ts'
import { tokensOf, type SignIn, type TokenRecords } from './tokens.ts'

export type RedeemParts = {
  authorizationServer: Pick<
    AuthorizationServer,
    'configuration' | 'forget' | 'dropIfUnknown' | 'dropIfSuspect'
  >
  tokens: Pick<TokenRecords, 'load' | 'save' | 'remove'>
  sessions: Pick<SignedInSessions, 'add' | 'has' | 'end'>
  scope: string
  emailRule: EmailRule
  log: { warn(fields: object, message: string): void; debug(fields: object, message: string): void }
  note: Note
  /** Must not throw: who counts arrivals is no reason to keep somebody out. */
  onSignedIn: (user: User) => Promise<void>
  /** This session was stored a moment ago, so nothing of it has to be renewed. */
  renewed: (name: string) => void
  now: () => number
  /** Further parameters of the token request: `resource` (RFC 8707 2.2). */
  tokenParameters: Record<string, string>
}

/** The callback's address as PUBLIC_URL has it, and the sign-in that its state belongs to. */
export type Answer = { url: URL; state: string; signIn: PendingSignIn }

/**
 * `ask-login`: another account was asked for, and the server refused to, or brought the same one back without a word.
 * `same-account`: it did so again, though it was asked to have the person sign in anew.
 * `restart`: nothing is wrong with the person; our client was gone, the keys were rotated, or the authorization server
 * ended the sign-in while it was on its way.
 */
export type Redeemed = 'signed-in' | 'same-account' | 'ask-login' | 'restart'

/** @throws {Problem} */
export type Redeem = (req: Request, answer: Answer) => Promise<Redeemed>

const isSamePerson = (one: User | undefined, other: User) =>
  one?.issuer === other.issuer && one.subject === other.subject

type Made = SignIn & {
  sid: { sid?: string }
  /** Removes the record of the session before, at the same time as the new one is written. */
  removeOld: () => Promise<void>
}

export function createRedeem(parts: RedeemParts): Redeem {
  const asksForIdToken = parts.scope.split(' ').includes('openid')

  async function granted(configuration: Configuration, { url, state, signIn }: Answer) {
    const checks = {
      pkceCodeVerifier: signIn.verifier,
      expectedState: state,
      idTokenExpected: asksForIdToken,
      ...(signIn.nonce === undefined ? {} : { expectedNonce: signIn.nonce }),
    }
    const grant = await authorizationCodeGrant(configuration, url, checks, parts.tokenParameters)
    const claims = grant.claims()
    const user = await identify(configuration, { tokens: grant, claims }, parts.emailRule)
    const sid = typeof claims?.['sid'] === 'string' ? { sid: claims['sid'] } : {}
    return { user, sid, tokens: tokensOf(grant, parts.now()) }
  }

  const noteRefreshToken = createRefreshTokenNote(parts)

  /** Keys that were rotated and clients that are gone are found again; the person need not know. */
  async function afterFailure(
    error: unknown,
    { state, signIn }: Answer,
    clientId: string,
  ): Promise<'restart' | 'ask-login'> {
    const server = parts.authorizationServer
    if (error instanceof AuthorizationResponseError && isWishRefused(signIn.wish, error.error))
      return 'ask-login'
    if (error instanceof ClientError && error.code === 'OAUTH_KEY_SELECTION_FAILED') {
      server.forget()
      if (restartsOf(state) === 0) return 'restart'
    } else if (isClientRefused(error)) {
      if ((await server.dropIfUnknown(clientId)) && restartsOf(state) === 0) return 'restart'
    } else if (mayBeForgotten(error)) {
      if ((await server.dropIfSuspect(clientId)) && restartsOf(state) === 0) return 'restart'
    }
    const problem = problemOfAnswer(error, signInPath(signIn.returnTo))
    parts.note({ event: 'sign_in', result: 'refused', code: problem.code })
    throw problem
  }

  /**
   * Another tab was faster: the same person signed in here after this sign-in had started. A new session id then would
   * only cut off what other tabs have under way.
   */
  async function isSignedInMeanwhile(req: Request, { signIn }: Answer, user: User): Promise<boolean> {
    const { user: present, signedInAt = 0 } = req.session
    return (
      isSamePerson(present, user) &&
      signedInAt >= signIn.startedAt &&
      (await parts.tokens.load(req.sessionID)) !== undefined
    )
  }

  /**
   * Lists the sign-in, then stores its tokens, then looks whether it is still listed: so whatever ends sign-ins either
   * finds the tokens or is seen here, and a process that dies in between leaves nothing that works and is not listed.
   * @returns false when the authorization server has ended it meanwhile
   */
  async function stored(req: Request, { signIn }: Answer, { sid, removeOld, ...made }: Made) {
    const { user, signedInAt } = made
    const name = nameOf(req.sessionID)
    const session = { name, ...sid, signedInAt, device: deviceOf(req.get('user-agent')) }
    if (!(await parts.sessions.add(user, session, signIn.startedAt))) return false
    const counted = parts.onSignedIn(user)
    await parts.tokens.save(req.sessionID, made)
    Object.assign(req.session, { browser: signIn.browser, user, signedInAt })
    // The session is worth nothing without the tokens, so it need not wait for the answer.
    const [isListed] = await Promise.all([
      parts.sessions.has(user, name),
      saveSession(req).then(() => undefined),
      removeOld(),
    ])
    if (isListed) {
      parts.renewed(name)
      await counted
      return true
    }
    await Promise.all([parts.tokens.remove(req.sessionID), removeSession(req)])
    return false
  }

  return async (req, answer) => {
    const configuration = await parts.authorizationServer.configuration()
    const result = await granted(configuration, answer).catch((error: unknown) =>
      afterFailure(error, answer, configuration.clientMetadata().client_id),
    )
    if (typeof result === 'string') return result
    const { user, sid, tokens } = result
    noteRefreshToken(tokens, configuration.clientMetadata().scope)
    const isSame = answer.signIn.wish !== undefined && isSamePerson(req.session.user, user)
    if (isSame && answer.signIn.wish === 'select_account') return 'ask-login'
    if (await isSignedInMeanwhile(req, answer, user)) return 'signed-in'
    const before = { name: nameOf(req.sessionID), user: req.session.user }
    const removeOld = replaceSession(req)
    const signedInAt = parts.now()
    const made = { user, sid, signedInAt, tokens }
    if (before.user === undefined) {
      if (!(await stored(req, answer, { ...made, removeOld }))) return 'restart'
    } else {
      // A sign-in that works goes only when the next one is there.
      if (!(await stored(req, answer, { ...made, removeOld: async () => {} }))) return 'restart'
      await removeOld()
      await parts.sessions.end(before.user, ({ name }) => name === before.name)
    }
    parts.note({ event: 'sign_in', result: 'ok', user })
    return isSame ? 'same-account' : 'signed-in'
  }
}
