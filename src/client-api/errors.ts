// What went wrong in a call of the service (contract section 7): for the person by a code, for the operator by the setting
// to change.
import { Problem, type ProblemCode } from '../problem.ts'
import { STANDARD_HEADER_PREFIX, type Credentials } from './credentials.ts'
import { statusReason, type ErrorResponse } from './error-response.ts'
import { DEFAULT_SECONDS } from '../http/retry-after.ts'
import { isCertificateError, isProxyError, networkErrorOf } from '../http/network-error.ts'

export class ServiceProblem extends Problem {
  /** The status that the service answered with; undefined: it did not answer. */
  responseStatus?: number
  /** Seconds to wait as the service requested it, a day at most; undefined: it did not. */
  requestedWait?: number | undefined
  /** It is about our headers and token, and not about the person. */
  affectsEveryone?: boolean
  /** Something in front of the service seems to have answered: to everyone, or to what it dislikes in one request. */
  isFromIntermediary?: boolean
  override name = 'ServiceProblem'
}

/** The service refused the access token (401): a refresh or a new sign-in may help. */
export class TokenRefused extends ServiceProblem {
  override name = 'TokenRefused'
  constructor(detail: string) {
    super(403, 'service_refused_sign_in', { detail })
  }
}

export type Operation = 'checkdatasourceauth' | 'search'

type Sent = {
  operation: Operation
  credentials: Credentials
  /** SERVICE_HEADER_PREFIX. */
  headerPrefix?: string | undefined
}

/** What a failure is called, by what was asked for: a search that fails says nothing about connecting apps. */
const CODES = {
  checkdatasourceauth: {
    unavailable: 'service_unavailable',
    slow: 'service_unavailable',
    busy: 'service_busy',
    forbidden: 'service_forbidden',
    refused: 'service_refused_request',
    misconfigured: 'service_misconfigured',
  },
  search: {
    unavailable: 'search_unavailable',
    slow: 'search_too_slow',
    busy: 'search_busy',
    forbidden: 'search_forbidden',
    refused: 'search_refused',
    misconfigured: 'search_misconfigured',
  },
} as const satisfies Record<Operation, Record<string, ProblemCode>>

/** What a service token is called that the call carried, with no final_redirect_url; undefined: a person's token. */
const globalTokenOf = (credentials: Credentials): string | undefined =>
  credentials.kind === 'global-token' ? (credentials.setting ?? 'the service token') : undefined

/** What a documented message means for a call of ours. */
function settingToChange(refusal: ErrorResponse, sent: Sent): string | undefined {
  const { credentials, headerPrefix: prefix = STANDARD_HEADER_PREFIX } = sent
  const { otherPrefix: other } = refusal
  const globalToken = globalTokenOf(credentials)
  const isOAuthSent = credentials.kind === 'oauth' && credentials.externalIdp
  if (other !== undefined)
    return `the service's headers begin with ${other}, those of onramp with ${prefix}: set SERVICE_HEADER_PREFIX=${other}${isOAuthSent || globalToken !== undefined ? '' : ', and TOKEN_ISSUED_BY=external-idp if the authorization server is an external identity provider'}`
  switch (refusal.reason) {
    case 'auth-type':
    case 'auth-type-missing':
      if (globalToken !== undefined)
        return `${globalToken} isn't a service token, it seems to be from an identity provider: set a service token, not an access token`
      // The setting is right already: to name it would send the operator the wrong way.
      return isOAuthSent
        ? `the service does not take the token for one of an external identity provider, although ${prefix}-Auth-Type: OAUTH was sent: see that nothing in between takes the header away, that the service's headers begin so (SERVICE_HEADER_PREFIX), and that it is set up to accept tokens of OIDC_ISSUER`
        : 'the service takes the token for one of its own: if the authorization server is an external identity provider, set TOKEN_ISSUED_BY=external-idp'
    case 'act-as-missing':
      return globalToken !== undefined
        ? `the service didn't receive ${prefix}-ActAs, although onramp sent it: make sure no proxy between here and SERVICE_BASE_URL removes the header`
        : `the service takes the token for a global service token, which needs ${prefix}-ActAs: pages work with tokens of people, check OIDC_ISSUER and who issued the token`
    default:
      return undefined
  }
}

const IN_FRONT =
  'something in front of the service seems to have answered, such as a firewall or a login: let requests from this machine through to SERVICE_BASE_URL'

/** A page for everyone would hide that the token of one person is refused, so both are told. */
const UNLIKE_THE_SERVICE =
  "; the answer doesn't look like the service's own, so a firewall or a login in front of it may have sent it"

/** Statuses that say "later" or "elsewhere"; with any other 4xx the same request would be refused again (RFC 9110 15.5). */
const NOT_FINAL = [408, 409, 421, 423, 425]

/** The problem that a refusal of the service means. Quotes the service only where nothing else explains it. */
export function serviceProblemOf(refusal: ErrorResponse, sent: Sent): ServiceProblem {
  const { status, retryAfter, isFromIntermediary } = refusal
  const { operation, credentials } = sent
  const codes = CODES[operation]
  const globalToken = globalTokenOf(credentials)
  const answered = `${operation} answered ${status}`
  const misconfigured = (why: string) =>
    new ServiceProblem(502, codes.misconfigured, { detail: `${answered}: ${why}` })
  const setting = settingToChange(refusal, sent)
  if (setting !== undefined) return Object.assign(misconfigured(setting), { affectsEveryone: true })
  if (globalToken !== undefined && isFromIntermediary) return misconfigured(IN_FRONT)
  const unlike = isFromIntermediary ? UNLIKE_THE_SERVICE : ''
  switch (statusReason(status)) {
    case 'token':
      return new TokenRefused(
        `${answered}: ${globalToken ?? 'the access token'} is invalid or expired${credentials.kind === 'oauth' ? '; if all are, see TOKEN_ISSUED_BY, OIDC_RESOURCE, OIDC_AUDIENCE' : ''}${unlike}`,
      )
    case 'scope':
      return new ServiceProblem(403, codes.forbidden, {
        detail:
          globalToken !== undefined
            ? `${answered}: ${globalToken} lacks a scope: grant it the scope for ${operation}`
            : `${answered}: the token lacks permissions (scopes, or the OAuth settings of the service): see OIDC_SCOPE, OIDC_RESOURCE, OIDC_AUDIENCE${unlike}`,
      })
    case 'busy':
      return new ServiceProblem(503, codes.busy, { detail: `${answered}: too many requests`, retryAfter })
    case 'not-there':
      return misconfigured('check SERVICE_BASE_URL, including its path')
    case 'redirected':
      return misconfigured('a redirect, which is never followed with a token: see SERVICE_BASE_URL')
    case 'request':
      if (!NOT_FINAL.includes(status)) return finalRefusal(refusal, operation, globalToken === undefined)
  }
  return new ServiceProblem(503, codes.unavailable, { detail: answered, retryAfter })
}

/** Statuses that are about the request; any other 4xx is about the way to the service, or the account there. */
const ABOUT_THE_REQUEST = [400, 413, 414, 422]

/** Trying again cannot help: an operator has to read the service's explanation. */
function finalRefusal(refusal: ErrorResponse, operation: Operation, isOfPerson: boolean): ServiceProblem {
  const { status, explanation, isAboutRedirectUrl } = refusal
  const answered = `${operation} answered ${status}`
  const hasRedirect = operation === 'checkdatasourceauth' && isOfPerson
  const quoted = explanation === '' ? 'It gave no reason' : `It said: “${explanation}”`
  if (hasRedirect && isAboutRedirectUrl)
    return new ServiceProblem(502, 'service_refused_return', {
      detail: `${answered}: the service does not accept final_redirect_url, which is PUBLIC_URL and /onboarding/callback. Check PUBLIC_URL, and that the service's list of allowed redirect addresses has it. ${quoted}`,
    })
  // The contract's request has nothing else that could be wrong in it.
  const suspect =
    hasRedirect && [400, 422].includes(status)
      ? ' Its one parameter is final_redirect_url, made of PUBLIC_URL.'
      : ''
  const isAboutWords = operation !== 'search' || ABOUT_THE_REQUEST.includes(status)
  return new ServiceProblem(502, CODES[operation][isAboutWords ? 'refused' : 'misconfigured'], {
    detail: `${answered}: the service does not accept the request, and would not accept it again. ${quoted}${suspect}`,
  })
}

/** For a success that doesn't hold what it should. A web page doesn't become an answer by asking again. */
export function unreadableResponse(operation: Operation, text: string): ServiceProblem {
  if (!/^\s*</.test(text))
    return noResponse(
      operation,
      text === '' ? 'an empty answer' : 'an answer of another shape than documented',
    )
  return new ServiceProblem(502, CODES[operation].misconfigured, {
    detail: `${operation} answered 200 with a web page (HTML): set SERVICE_BASE_URL to the service's backend, not its web app, and let requests from this machine through a login in front of it`,
  })
}

/** For an answer that is none: a time-out or a reset. */
export function noResponse(operation: Operation, what: string, cause?: unknown): ServiceProblem {
  const silence = networkErrorOf(cause)
  return new ServiceProblem(503, CODES[operation][silence === 'too-slow' ? 'slow' : 'unavailable'], {
    detail: `${operation}: ${isProxyError(silence) ? `${silence}: see HTTPS_PROXY and NO_PROXY` : isCertificateError(silence) ? silence : what}`,
    cause,
    retryAfter: DEFAULT_SECONDS,
  })
}
