// Turns an answer of the authorization server into a signed-in session: every check of the answer first, then a session
// under a new id, stored and listed before the browser hears of it.
import type { Request, Response } from 'express'
import {
  AuthorizationResponseError,
  authorizationCodeGrant,
  ClientError,
  type Configuration,
} from 'openid-client'
import { omitUndefined } from '../omit-undefined.ts'
import { hashOf } from '../records/seal.ts'
import type { SessionStore } from '../session/session-store.ts'
import { endSession, startSession } from '../session/session.ts'
import { signedInOf, type Tokens, type User } from '../session/signed-in.ts'
import type { Settings } from '../settings/settings.ts'
import type { Audit } from '../web/audit.ts'
import { warnOnce, type Log } from '../web/log.ts'
import { signInPath } from './server/client-addresses.ts'
import { isSignatureInvalid, errorResponseProblem } from './server/error-response.ts'
import type { BrowserCookies } from './transaction/browser-cookie.ts'
import { createIdentify } from './user-lookup.ts'
import { isPromptLoginRefused, isSelectAccountRefused } from './transaction/prompt.ts'
import type { AuthorizationServer } from './server/authorization-server.ts'
import { clientMetadataOf } from './server/configuration.ts'
import { deviceName } from './sessions/device.ts'
import type { PersonSessions } from './sessions/person-sessions.ts'
import { revoke } from './sign-out/revoke.ts'
import { acceptsPushedRequests } from './start.ts'
import type { LoginTransaction } from './transaction/login-transaction.ts'
import { tokenParameters, tokensFrom, explainMissingRefreshToken } from './tokens.ts'

/** The callback's address as PUBLIC_URL has it, and the sign-in that its state belongs to. */
type Answer = { url: URL; state: LoginTransaction; secrets: { nonce: string; codeVerifier: string } }

/**
 * `ask-login`: select_account was refused, or brought the same account back; `same-account`: prompt=login did too.
 * `restart`: the keys were rotated, or the server ended the sign-in meanwhile. `push`: the server refused the request, and
 * may require pushed ones of this client alone, which metadata doesn't show (RFC 9126 6).
 */
type Redeemed = 'signed-in' | 'same-account' | 'ask-login' | 'restart' | 'push'

/** @throws {Problem} */
type Redeem = (req: Request, res: Response, answer: Answer) => Promise<Redeemed>

const isSamePerson = (one: User | undefined, other: User) =>
  one?.issuer === other.issuer && one.subject === other.subject

/** New keys may have an old name. A server whose signatures are never right must not be asked with every sign-in. */
const DOUBT_KEYS_EVERY_MS = 60_000

type Granted = { user: User; sid: string | undefined; tokens: Tokens }

type Needs = {
  settings: Settings
  authorizationServer: AuthorizationServer
  browsers: BrowserCookies
  sessions: PersonSessions
  sessionStore: Pick<SessionStore, 'end'>
  log: Log
  audit: Audit
  now: () => number
}

/** Read without `iss` (RFC 9207), which servers leave out of errors: an error redeems nothing. A wrong one is refused. */
export const hasError = (parameters: URLSearchParams): boolean => Boolean(parameters.get('error'))

export function createFinishSignIn(needs: Needs): Redeem {
  const { settings, authorizationServer, browsers, sessions, log, audit, now } = needs
  const { OIDC_SCOPE: scope } = settings
  const identify = createIdentify(settings, log, now)
  const warn = warnOnce(log)
  let keysDoubtedAt = -Infinity

  async function granted(configuration: Configuration, { url, secrets }: Answer): Promise<Granted> {
    const { searchParams: parameters } = url
    if (hasError(parameters) && !parameters.has('iss') && parameters.getAll('error').length === 1)
      throw new AuthorizationResponseError('an error without iss', { cause: parameters })
    const hasIdToken = scope.split(' ').includes('openid')
    const checks = omitUndefined({
      pkceCodeVerifier: secrets.codeVerifier,
      expectedState: parameters.get('state') ?? undefined,
      idTokenExpected: hasIdToken,
      expectedNonce: hasIdToken ? secrets.nonce : undefined,
    })
    const grant = await authorizationCodeGrant(configuration, url, checks, tokenParameters(settings))
    const claims = grant.claims()
    const user = await identify(configuration, { tokens: grant, claims })
    const sid = typeof claims?.['sid'] === 'string' ? claims['sid'] : undefined
    return { user, sid, tokens: tokensFrom(grant, now()) }
  }

  /** Keys that were rotated are found again; the person need not know. */
  function areKeysFoundAgain(error: unknown): boolean {
    if (error instanceof ClientError && error.code === 'OAUTH_KEY_SELECTION_FAILED') {
      authorizationServer.forgetKeys()
      return true
    }
    if (!isSignatureInvalid(error)) return false
    if (now() - keysDoubtedAt >= DOUBT_KEYS_EVERY_MS) {
      keysDoubtedAt = now()
      authorizationServer.forgetKeys()
    }
    return true
  }

  /** A browser that was signed out could never sign in again where the server refuses to ask. */
  async function askNoMore(req: Request, res: Response): Promise<boolean> {
    const wasEnded = req.session.promptLogin === true
    if (!wasEnded && browsers.read(req)?.promptLogin !== true) return false
    browsers.markSignedOut(req, res, false)
    if (wasEnded) await endSession(req)
    return true
  }

  async function afterFailure(
    error: unknown,
    { req, res, state }: { req: Request; res: Response; state: LoginTransaction },
    configuration: Configuration,
  ) {
    const { prompt, restarts, returnTo } = state
    if (error instanceof AuthorizationResponseError) {
      if (isSelectAccountRefused(prompt, error.error)) return 'ask-login'
      if (prompt === 'login' && isPromptLoginRefused(error.error) && (await askNoMore(req, res)))
        return 'restart'
      // Once, or a second time where select_account or login was refused with the same error before.
      if (error.error === 'invalid_request' && restarts < 2 && acceptsPushedRequests(configuration))
        return 'push'
    }
    if (areKeysFoundAgain(error) && restarts === 0) return 'restart'
    const problem = errorResponseProblem(error, signInPath(returnTo))
    audit({ event: 'sign_in', result: 'refused', code: problem.code })
    throw problem
  }

  /**
   * Stores the session, then lists it. No one knows the new id before the answer, so a process that dies in between leaves
   * nothing that works; and a logout that comes later finds the session, because it finds it on the list.
   * @returns false when the authorization server has ended the sign-in meanwhile
   */
  async function stored(req: Request, { user, sid, tokens }: Granted, startedAt: number): Promise<boolean> {
    const time = now()
    await startSession(req, { user, tokens, signedInAt: time })
    const session = { name: hashOf(req.sessionID), sid, device: deviceName(req.get('user-agent')), time }
    let isListed = false
    try {
      isListed = await sessions.add(user, session, startedAt)
    } finally {
      if (!isListed) await endSession(req)
    }
    return isListed
  }

  return async (req, res, answer) => {
    const { state } = answer
    const configuration = await authorizationServer.configuration()
    const result = await granted(configuration, answer).catch((error: unknown) =>
      afterFailure(error, { req, res, state }, configuration),
    )
    if (typeof result === 'string') return result
    const { user, tokens } = result
    warn(explainMissingRefreshToken(tokens, scope, clientMetadataOf(configuration).scope))
    const before = signedInOf(req)
    const isSame = state.prompt !== undefined && isSamePerson(before?.user, user)
    if (isSame && state.prompt === 'select_account') return 'ask-login'
    if (!(await stored(req, result, state.startedAt))) {
      void revoke(configuration, tokens)
      return 'restart'
    }
    browsers.replace(res)
    if (before !== undefined) {
      // A sign-in that works goes only when the next one is there.
      await needs.sessionStore.end(hashOf(before.id))
      // Of the same person, a server may keep one grant for both: taking these tokens back could end the new sign-in.
      if (!isSamePerson(before.user, user)) void revoke(configuration, before.tokens)
    }
    audit({ event: 'sign_in', result: 'ok', user })
    return isSame ? 'same-account' : 'signed-in'
  }
}
