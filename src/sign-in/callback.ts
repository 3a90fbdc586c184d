// Finishes a sign-in: checks the callback, redeems the code once, and starts a session with a new id. The session is
// stored and listed before the browser gets its cookie.
import type { Request, Response } from 'express'
import { AuthorizationResponseError, authorizationCodeGrant, ClientError } from 'openid-client'
import type { Configuration } from 'openid-client'
import { omitUndefined } from '../omit-undefined.ts'
import type { Records } from '../records/records.ts'
import { hashOf } from '../records/seal.ts'
import { endSession, startSession } from '../session/session.ts'
import { findSignedIn, type Tokens, type User } from '../session/signed-in.ts'
import type { Settings } from '../settings/settings.ts'
import type { Audit } from '../web/audit.ts'
import { warnOnce, type Log } from '../web/log.ts'
import { signInPath } from './return-to.ts'
import type { AuthorizationServer } from './server/authorization-server.ts'
import { errorResponseProblem, isSignatureInvalid } from './server/error-response.ts'
import { deviceName } from './sessions/device.ts'
import type { PersonSessions } from './sessions/person-sessions.ts'
import { revoke } from './sign-out/revoke.ts'
import { explainMissingRefreshToken, tokensFrom } from './tokens.ts'
import { checkCallback } from './transaction/login-transaction.ts'
import type { BrowserCookies, LoginTransaction, LoginTransactions } from './transaction/login-transaction.ts'
import { isSelectAccountRefused } from './transaction/prompt.ts'
import { UserLookup } from './user-lookup.ts'

/**
 * `prompt-login`: select_account was refused, or returned the same account; `same-account`: prompt=login did so, too.
 * `use-par`: the server may require pushed requests of this client alone, which its metadata doesn't show (RFC 9126 6).
 */
type Outcome =
  'signed-in' | 'keep-session' | 'same-account' | 'prompt-login' | 'restart' | 'no-cookie' | 'use-par'

type SignInResult = { user: User; sid: string | undefined; tokens: Tokens }

type Return = { req: Request; res: Response; transaction: LoginTransaction; configuration: Configuration }

/**
 * Codes have up to about 2,000 characters, and callbacks five parameters. Each parameter takes memory several times
 * while the code waits to be redeemed.
 */
const MAX_CALLBACK_CHARACTERS = 6_000
const MAX_CALLBACK_PARAMETERS = 20

const REFETCH_KEYS_EVERY_MS = 60_000

const isSamePerson = (one: User | undefined, other: User) =>
  one?.issuer === other.issuer && one.subject === other.subject

export class SignInCallback {
  readonly #deps
  #keysForgottenAt = -Infinity
  readonly #users: UserLookup
  readonly #warn: (message: string | undefined) => void

  constructor(deps: {
    settings: Settings
    records: Pick<Records, 'compareAndSet'>
    authorizationServer: AuthorizationServer
    transactions: LoginTransactions
    cookies: BrowserCookies
    sessions: PersonSessions
    log: Log
    audit: Audit
    now: () => number
  }) {
    this.#deps = deps
    this.#users = new UserLookup(deps)
    this.#warn = warnOnce(deps.log)
  }

  /** @returns undefined if onramp didn't issue `state`, or for a query of another length than callbacks have */
  open({ search, searchParams }: URL) {
    if (search.length > MAX_CALLBACK_CHARACTERS || searchParams.size > MAX_CALLBACK_PARAMETERS)
      return undefined
    // A repeated parameter counts as missing (RFC 6749 3.1).
    const [state = '', ...more] = searchParams.getAll('state')
    return more.length > 0 ? undefined : this.#deps.transactions.open(state)
  }

  async finish(
    req: Request,
    res: Response,
    url: URL,
    { transaction, secretsFor }: NonNullable<ReturnType<SignInCallback['open']>>,
  ): Promise<Outcome> {
    const { settings, records, authorizationServer, cookies, now } = this.#deps
    const cookie = cookies.read(req)?.value ?? ''
    const sessionId = findSignedIn(req)?.id
    const check = checkCallback(transaction, { cookie, sessionId, issuer: settings.OIDC_ISSUER, now: now() })
    if (check !== 'redeem') return check
    // The first callback with this state redeems the code (RFC 9700 4.5), which is valid for ten minutes (RFC 6749
    // 4.1.2).
    const isFirst = await records.compareAndSet(`used-state:${hashOf(transaction.id)}`, undefined, '1', 600)
    if (!isFirst) return findSignedIn(req) === undefined ? 'restart' : 'keep-session'

    const configuration = await authorizationServer.configuration()
    const during = { req, res, transaction, configuration }
    return await this.#redeem(configuration, url, secretsFor(cookie)).then(
      (result) => this.#signIn(result, during),
      (error: unknown) => this.#recover(error, during),
    )
  }

  async #redeem(
    configuration: Configuration,
    url: URL,
    secrets: { nonce: string; codeVerifier: string },
  ): Promise<SignInResult> {
    const { settings, now } = this.#deps
    const { searchParams: parameters } = url
    // Servers omit `iss` (RFC 9207) in errors, which redeem nothing.
    if (parameters.get('error') && !parameters.has('iss') && parameters.getAll('error').length === 1)
      throw new AuthorizationResponseError('an error without iss', { cause: parameters })
    const isOpenId = settings.OIDC_SCOPE.split(' ').includes('openid')
    const checks = omitUndefined({
      pkceCodeVerifier: secrets.codeVerifier,
      expectedState: parameters.get('state') ?? undefined,
      idTokenExpected: isOpenId,
      expectedNonce: isOpenId ? secrets.nonce : undefined,
    })
    // RFC 8707 2.2.
    const resource = omitUndefined({ resource: settings.OIDC_RESOURCE })
    const response = await authorizationCodeGrant(configuration, url, checks, resource)
    const claims = response.claims()
    const user = await this.#users.find(configuration, response.access_token, claims)
    const sid = typeof claims?.['sid'] === 'string' ? claims['sid'] : undefined
    const isExternal = settings.TOKEN_ISSUED_BY === 'external-idp'
    return { user, sid, tokens: { ...tokensFrom(response, now()), isExternal } }
  }

  async #signIn(result: SignInResult, { req, res, transaction, configuration }: Return): Promise<Outcome> {
    const { user, tokens } = result
    const { settings, sessions, cookies, audit } = this.#deps
    const { scope } = configuration.clientMetadata()
    this.#warn(explainMissingRefreshToken(tokens, settings.OIDC_SCOPE, scope))
    const before = findSignedIn(req)
    const isSameAccount = transaction.prompt !== undefined && isSamePerson(before?.user, user)
    if (isSameAccount && transaction.prompt === 'select_account') return 'prompt-login'
    if (!(await this.#storeSession(req, result, transaction.startedAt))) {
      void revoke(configuration, tokens)
      return 'restart'
    }
    cookies.replace(res)
    if (before !== undefined) {
      await sessions.end(hashOf(before.id))
      // A server may keep one grant for both sessions of a person, so revoking the old tokens could end the new
      // sign-in. The tokens of another authorization server must not be sent to this one.
      const isSameIssuer = before.user.issuer === user.issuer
      if (isSameIssuer && before.user.subject !== user.subject) void revoke(configuration, before.tokens)
    }
    audit({ event: 'sign_in', result: 'ok', user })
    return isSameAccount ? 'same-account' : 'signed-in'
  }

  /** Lists the session, so that a later back-channel logout finds it. @returns false if one came meanwhile */
  async #storeSession(
    req: Request,
    { user, sid, tokens }: SignInResult,
    startedAt: number,
  ): Promise<boolean> {
    const time = this.#deps.now()
    await startSession(req, { user, tokens, signedInAt: time })
    const session = { name: hashOf(req.sessionID), sid, device: deviceName(req.get('user-agent')), time }
    let isListed = false
    try {
      return (isListed = await this.#deps.sessions.add(user, session, startedAt))
    } finally {
      if (!isListed) await endSession(req)
    }
  }

  async #recover(error: unknown, during: Return): Promise<Outcome> {
    const { prompt, restarts, returnTo } = during.transaction
    if (error instanceof AuthorizationResponseError) {
      if (isSelectAccountRefused(prompt, error.error)) return 'prompt-login'
      // RFC 6749 4.1.2.1. Other errors may mean that the person cancelled.
      const isInvalid = error.error === 'invalid_request'
      if (isInvalid && prompt === 'login' && (await this.#stopPrompting(during))) return 'restart'
      // At most twice, because select_account or login may have been refused with the same error before.
      const { pushed_authorization_request_endpoint: par } = during.configuration.serverMetadata()
      if (isInvalid && restarts < 2 && par !== undefined) return 'use-par'
    }
    const isUnknownKey = error instanceof ClientError && error.code === 'OAUTH_KEY_SELECTION_FAILED'
    if (isUnknownKey || isSignatureInvalid(error)) {
      this.#forgetKeys(isUnknownKey)
      if (restarts === 0) return 'restart'
    }
    const problem = errorResponseProblem(error, signInPath(returnTo))
    this.#deps.audit({ event: 'sign_in', result: 'refused', code: problem.code })
    throw problem
  }

  /** Fetches keys again, because rotated ones may keep their kid. Limited, because signatures may be forged. */
  #forgetKeys(isUnknownKey: boolean): void {
    const { authorizationServer, now } = this.#deps
    if (!isUnknownKey && now() - this.#keysForgottenAt < REFETCH_KEYS_EVERY_MS) return
    if (!isUnknownKey) this.#keysForgottenAt = now()
    authorizationServer.forgetKeys()
  }

  /** Stops sending a refused prompt=login, with which a browser that was signed out could never sign in again. */
  async #stopPrompting({ req, res }: Return): Promise<boolean> {
    const { cookies } = this.#deps
    const wasEndedElsewhere = req.session.promptLogin === true
    if (!wasEndedElsewhere && cookies.read(req)?.promptLogin !== true) return false
    cookies.markSignedOut(req, res, false)
    if (wasEndedElsewhere) await endSession(req)
    return true
  }
}
