// Turns an answer of the authorization server into a signed-in session: every check of the answer first, then a new
// session id, tokens, and the session, all of them stored before the browser hears of it.
import type { Request } from 'express'
import { authorizationCodeGrant, ClientError, type Configuration } from 'openid-client'
import { nameOf } from '../session/seal.ts'
import { replaceSession, saveSession, type User } from '../session/session.ts'
import { isClientRefused, problemOfAnswer } from './answer-problems.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import type { Note } from '../web/audit.ts'
import { mayBeForgotten } from './client-probe.ts'
import { deviceOf } from './device.ts'
import { identify, type EmailRule } from './identity.ts'
import type { PendingSignIn } from './pending.ts'
import type { SignedInSessions } from './signed-in-sessions.ts'
import { restartsOf, signInPath } from './state.ts'
import { tokensOf, type TokenRecords } from './tokens.ts'

export type RedeemParts = {
  authorizationServer: Pick<
    AuthorizationServer,
    'configuration' | 'forget' | 'dropIfUnknown' | 'dropIfSuspect'
  >
  tokens: Pick<TokenRecords, 'load' | 'save'>
  sessions: Pick<SignedInSessions, 'add' | 'end'>
  scope: string
  emailRule: EmailRule
  note: Note
  /** Must not throw: who counts arrivals is no reason to keep somebody out. */
  onSignedIn: (user: User) => Promise<void>
  now: () => number
  /** Further parameters of the token request: `resource` (RFC 8707 2.2). */
  tokenParameters: Record<string, string>
}

/** The callback's address as PUBLIC_URL has it, and the sign-in that its state belongs to. */
export type Answer = { url: URL; state: string; signIn: PendingSignIn }

/** `restart`: nothing is wrong with the person; our client was gone, or the keys were rotated. @throws {Problem} */
export type Redeem = (req: Request, answer: Answer) => Promise<'signed-in' | 'restart'>

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

  /** Keys that were rotated and clients that are gone are found again; the person need not know. */
  async function afterFailure(
    error: unknown,
    { state, signIn }: Answer,
    clientId: string,
  ): Promise<'restart'> {
    const server = parts.authorizationServer
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
    const isSame = present?.issuer === user.issuer && present.subject === user.subject
    return isSame && signedInAt >= signIn.startedAt && (await parts.tokens.load(req.sessionID)) !== undefined
  }

  return async (req, answer) => {
    const configuration = await parts.authorizationServer.configuration()
    const result = await granted(configuration, answer).catch((error: unknown) =>
      afterFailure(error, answer, configuration.clientMetadata().client_id),
    )
    if (result === 'restart') return result
    const { user, sid, tokens } = result
    if (await isSignedInMeanwhile(req, answer, user)) return 'signed-in'
    const before = { name: nameOf(req.sessionID), user: req.session.user }
    const removeOld = replaceSession(req)
    const signedInAt = parts.now()
    Object.assign(req.session, { browser: answer.signIn.browser, user, signedInAt })
    await parts.tokens.save(req.sessionID, { user, signedInAt, tokens })
    await parts.sessions.add(user, {
      name: nameOf(req.sessionID),
      ...sid,
      signedInAt,
      device: deviceOf(req.get('user-agent')),
    })
    await saveSession(req)
    await removeOld()
    if (before.user !== undefined) await parts.sessions.end(before.user, ({ name }) => name === before.name)
    parts.note({ event: 'sign_in', result: 'ok', user })
    await parts.onSignedIn(user)
    return 'signed-in'
  }
}
