// Explains a failed call of the service (contract section 7): a problem code for the person, and the setting to change
// for the operator.
import { Problem, type ProblemCode } from '../problem.ts'
import { STANDARD_HEADER_PREFIX, type Credentials } from './credentials.ts'
import type { ErrorResponse } from './error-response.ts'
import { retryAfterSeconds } from '../http/retry-after.ts'
import { hasAdvice, isProxyError, networkErrorOf } from '../http/network-error.ts'

export class ServiceProblem extends Problem {
  /** Undefined if there was no response. */
  responseStatus?: number
  /** In seconds, at most a day. */
  requestedWait?: number | undefined
  /** True if the cause is our headers or token, not the person. */
  affectsEveryone?: boolean
  mayBeAboutPerson?: boolean
  override name = 'ServiceProblem'
}

/** Statuses of a rejected request. The contract doesn't define the one for a missing X-Service-ActAs. */
const REJECTIONS = [400, 401, 403, 422]

/** The service rejects a global token without a person (contract section 5, rule 2). Other failures prove nothing. */
export const isGlobalTokenRejected = ({ responseStatus = 0, affectsEveryone }: ServiceProblem): boolean =>
  REJECTIONS.includes(responseStatus) || affectsEveryone === true

/** A 401, after which a refresh or a new sign-in may help. */
export class AccessTokenRejected extends ServiceProblem {
  override name = 'AccessTokenRejected'
  constructor(detail: string) {
    super(403, 'service_refused_sign_in', { detail })
  }
}

type Operation = 'checkdatasourceauth' | 'search'

type FailedCall = { operation: Operation; credentials: Credentials; headerPrefix?: string | undefined }

/** Problem codes differ by operation, because a failed search says nothing about connecting apps. */
const PROBLEMS = {
  unavailable: [503, 'service_unavailable', 'search_unavailable'],
  slow: [503, 'service_unavailable', 'search_too_slow'],
  busy: [503, 'service_busy', 'search_busy'],
  forbidden: [403, 'service_forbidden', 'search_forbidden'],
  refused: [502, 'service_refused_request', 'search_refused'],
  misconfigured: [502, 'service_misconfigured', 'search_misconfigured'],
} as const satisfies Record<string, [number, ProblemCode, ProblemCode]>

function problem(
  kind: keyof typeof PROBLEMS,
  operation: Operation,
  options: ConstructorParameters<typeof Problem>[2],
) {
  const [status, ofCheck, ofSearch] = PROBLEMS[kind]
  return new ServiceProblem(status, operation === 'search' ? ofSearch : ofCheck, options)
}

/** The setting with the service token that was sent; undefined for a person's token. */
const serviceTokenSetting = (credentials: Credentials): string | undefined =>
  credentials.kind === 'global-token'
    ? (credentials.setting ?? 'the service token')
    : credentials.kind === 'user-token'
      ? credentials.setting
      : undefined

function settingToChange(response: ErrorResponse, call: FailedCall): string | undefined {
  const { credentials, headerPrefix: prefix = STANDARD_HEADER_PREFIX } = call
  const { expectedHeaderPrefix: other } = response
  const globalToken = serviceTokenSetting(credentials)
  const isOAuthSent = credentials.kind === 'oauth' && credentials.isExternalIdp
  if (other !== undefined)
    return `the service's headers begin with ${other}, but onramp sends ${prefix}: set SERVICE_HEADER_PREFIX=${other}${isOAuthSent || globalToken !== undefined ? '' : ', and TOKEN_ISSUED_BY=external-idp if the authorization server is an external identity provider'}`
  switch (response.reason) {
    case 'auth-type':
    case 'auth-type-missing':
      if (globalToken !== undefined)
        return `${globalToken} isn't a service token, it seems to be from an identity provider: set a service token, not an access token`
      return isOAuthSent
        ? `the service treats the token as its own, although ${prefix}-Auth-Type: OAUTH was sent: check SERVICE_HEADER_PREFIX, that no proxy removes the header, and that the service accepts tokens from OIDC_ISSUER`
        : 'the service treats the token as its own: if the authorization server is an external identity provider, set TOKEN_ISSUED_BY=external-idp'
    case 'act-as-missing':
      return globalToken !== undefined
        ? `the service didn't receive ${prefix}-ActAs, although onramp sent it: make sure no proxy between here and SERVICE_BASE_URL removes the header`
        : `the service treats the token as a global service token, which needs ${prefix}-ActAs: pages use people's own tokens, so check OIDC_ISSUER and who issued the token`
    default:
      return undefined
  }
}

const INTERMEDIARY_ADVICE =
  'something in front of the service, such as a firewall or login page, seems to have responded: allow requests from this machine to SERVICE_BASE_URL'

/** Appended to the token's explanation, because the cause may be a firewall. */
const INTERMEDIARY_HINT =
  "; the response doesn't look like the service's, so a firewall or login page may have sent it"

export function serviceProblemOf(response: ErrorResponse, call: FailedCall): ServiceProblem {
  const { status: responseStatus, requestedWait, mayBeAboutPerson } = response
  return Object.assign(explain(response, call), { responseStatus, requestedWait, mayBeAboutPerson })
}

function explain(response: ErrorResponse, call: FailedCall): ServiceProblem {
  const { status, retryAfter, isFromIntermediary } = response
  const { operation, credentials } = call
  const globalToken = serviceTokenSetting(credentials)
  const outcome = `${operation} responded ${status}`
  const misconfigured = (why: string) => problem('misconfigured', operation, { detail: `${outcome}: ${why}` })
  const setting = settingToChange(response, call)
  if (setting !== undefined) return Object.assign(misconfigured(setting), { affectsEveryone: true })
  if (globalToken !== undefined && isFromIntermediary) return misconfigured(INTERMEDIARY_ADVICE)
  const intermediaryHint = isFromIntermediary ? INTERMEDIARY_HINT : ''
  switch (response.reasonByStatus) {
    case 'token':
      return new AccessTokenRejected(
        `${outcome}: ${globalToken ?? 'the access token'} is invalid or expired${credentials.kind === 'oauth' ? '; if all are, see TOKEN_ISSUED_BY, OIDC_RESOURCE, OIDC_AUDIENCE' : ''}${intermediaryHint}`,
      )
    case 'scope':
      return problem('forbidden', operation, {
        detail:
          globalToken !== undefined
            ? `${outcome}: ${globalToken} lacks a scope: grant it the scope for ${operation}`
            : `${outcome}: the token lacks permissions (scopes, or the service's OAuth settings): see OIDC_SCOPE, OIDC_RESOURCE, OIDC_AUDIENCE${intermediaryHint}`,
      })
    case 'busy':
      return problem('busy', operation, { detail: `${outcome}: too many requests`, retryAfter })
    case 'not-found':
      return misconfigured('check SERVICE_BASE_URL, including its path')
    case 'redirected':
      return misconfigured('redirects are never followed with a token: see SERVICE_BASE_URL')
    case 'request':
      return permanentProblem(response, operation, globalToken === undefined)
  }
  return problem('unavailable', operation, { detail: outcome, retryAfter })
}

/** Only these statuses are about the request. Other 4xx are about the route to the service, or the account. */
const ABOUT_THE_REQUEST = [400, 413, 414, 422]

/** A retry can't help, so an operator has to read the service's explanation. */
function permanentProblem(response: ErrorResponse, operation: Operation, isOfPerson: boolean) {
  const { status, explanation, isAboutRedirectUrl } = response
  const outcome = `${operation} responded ${status}`
  const hasRedirect = operation === 'checkdatasourceauth' && isOfPerson
  const quotedReason = explanation === '' ? 'No reason was given' : `The reason: “${explanation}”`
  if (hasRedirect && isAboutRedirectUrl)
    return new ServiceProblem(502, 'service_refused_return', {
      detail: `${outcome}: the service rejected final_redirect_url (PUBLIC_URL/onboarding/callback). Check PUBLIC_URL, and that the service allows this redirect URL. ${quotedReason}`,
    })
  const isInvalid = hasRedirect && [400, 422].includes(status)
  const suspect = isInvalid ? ' Its only parameter is final_redirect_url, built from PUBLIC_URL.' : ''
  const isAboutRequest = operation !== 'search' || ABOUT_THE_REQUEST.includes(status)
  return problem(isAboutRequest ? 'refused' : 'misconfigured', operation, {
    detail: `${outcome}: the service rejected the request, and retrying won't help. ${quotedReason}${suspect}`,
  })
}

/** For a network error, or an unreadable 200. If that is a web page, a retry can't help. */
export function noValidResponse(
  operation: Operation,
  { text, cause }: { text: string; cause?: never } | { text?: never; cause: unknown },
): ServiceProblem {
  if (text !== undefined && /^\s*</.test(text))
    return problem('misconfigured', operation, {
      detail: `${operation} responded 200 with a web page (HTML): set SERVICE_BASE_URL to the service's backend, not its web app, and let requests from this machine bypass any login page`,
    })
  const networkError = networkErrorOf(cause)
  const kind = networkError === 'too-slow' ? 'slow' : 'unavailable'
  const why = isProxyError(networkError) ? `${networkError}: see HTTPS_PROXY and NO_PROXY` : networkError
  const shape = text === '' ? 'empty response' : 'unexpected response format'
  const fault = text === undefined ? 'no valid response' : shape
  const detail = `${operation}: ${hasAdvice(networkError) ? why : fault}`
  return problem(kind, operation, { cause, retryAfter: retryAfterSeconds(), detail })
}
