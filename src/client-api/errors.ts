// What went wrong in a call of the service, told apart (contract section 7): for the person by a code, for the operator
// by the setting to change.
import { Problem, type ProblemCode } from '../problem.ts'
import { STANDARD_HEADER_PREFIX } from './credentials.ts'
import { isOfFront, messageIn, otherPrefixIn, statusReason } from './refusal-reason.ts'
import { saidIn, speaksOfRedirect } from './said.ts'
import { isOfProxy, silenceOf } from './silence.ts'

export class ServiceProblem extends Problem {
  /** The status that the service answered with; undefined: it did not answer. */
  answered?: number
  /** Seconds to wait as the service asked for it, a day at most; undefined: it did not. */
  asksToWait?: number | undefined
  /** What it says is about our headers and token, and not about the person. */
  isOfEveryone?: boolean
  /** Something in front of the service seems to have answered: to everyone, or to what it dislikes in one request. */
  isOfFront?: boolean
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

export type Refusal = {
  operation: Operation
  status: number
  text: string
  retryAfter: string | undefined
  headers?: Parameters<typeof isOfFront>[1]
  /** What was sent with the call and must not come back in a log: the token, an address. */
  secrets?: readonly string[]
  /** The call carried X-Service-Auth-Type: OAUTH. */
  saidOAuth?: boolean
  /** What the service token is called that the call carried, with no final_redirect_url; undefined: a person's token. */
  globalToken?: string | undefined
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

const MIN_RETRY = 1
const MAX_RETRY = 300
const RETRY_DEFAULT = 5

/**
 * Seconds to wait, from a Retry-After header that may be seconds, a date (RFC 9110 10.2.3) or nonsense; between 1 and 300,
 * or another bound.
 * @param now milliseconds since 1970
 */
export function retryAfterSeconds(header: string | undefined, now: number, most = MAX_RETRY): number {
  const text = header?.trim() ?? ''
  // Every date of RFC 9110 5.6.7 starts with a day's name; Date.parse alone would take "-5" for a year.
  const isDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)
  const seconds = /^\d+$/.test(text) ? Number(text) : isDate ? (Date.parse(text) - now) / 1000 : NaN
  return Number.isNaN(seconds) ? RETRY_DEFAULT : Math.min(most, Math.max(MIN_RETRY, Math.ceil(seconds)))
}

/** What a documented message means for a call of ours. */
function documentedMessage(refusal: Refusal): string | undefined {
  const { text, saidOAuth = false, globalToken, headerPrefix: prefix = STANDARD_HEADER_PREFIX } = refusal
  const other = refusal.status < 500 ? otherPrefixIn(text, prefix) : undefined
  if (other !== undefined)
    return `the service's headers begin with ${other}, those of onramp with ${prefix}: set SERVICE_HEADER_PREFIX=${other}${saidOAuth || globalToken !== undefined ? '' : ', and TOKEN_ISSUED_BY=external-idp if the authorization server is an external identity provider'}`
  switch (messageIn(text)) {
    case 'auth-type':
    case 'auth-type-missing':
      if (globalToken !== undefined)
        return `${globalToken} isn't a service token, it seems to be from an identity provider: set a service token, not an access token`
      // The setting is right already: to name it would send the operator the wrong way.
      return saidOAuth
        ? `the service does not take the token for one of an external identity provider, although ${prefix}-Auth-Type: OAUTH was sent: see that nothing in between takes the header away, that the service's headers begin so (SERVICE_HEADER_PREFIX), and that it is set up to accept tokens of OIDC_ISSUER`
        : 'the service takes the token for one of its own: if the authorization server is an external identity provider, set TOKEN_ISSUED_BY=external-idp'
    case 'act-as-missing':
      if (globalToken !== undefined)
        return `the service didn't receive ${prefix}-ActAs, although onramp sent it: make sure no proxy between here and SERVICE_BASE_URL removes the header`
      return `the service takes the token for a global service token, which needs ${prefix}-ActAs: pages work with tokens of people, check OIDC_ISSUER and who issued the token`
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

const DAY_SECONDS = 86_400

/** How long the service asks to be left alone. No one waits for a page so long, but a program may. */
export const waitAskedFor = (header: string | undefined, now: number = Date.now()): number | undefined =>
  header === undefined ? undefined : retryAfterSeconds(header, now, DAY_SECONDS)

/** The problem that a refusal of the service means. Quotes what the service said only where nothing else explains it. */
export function problemOf(refusal: Refusal, now: number = Date.now()): ServiceProblem {
  const { operation, status, globalToken } = refusal
  const codes = CODES[operation]
  const said = `${operation} answered ${status}`
  const retryAfter = retryAfterSeconds(refusal.retryAfter, now)
  const misconfigured = (why: string) =>
    new ServiceProblem(502, codes.misconfigured, { detail: `${said}: ${why}` })
  const documented = documentedMessage(refusal)
  if (documented !== undefined) return Object.assign(misconfigured(documented), { isOfEveryone: true })
  const isInFront = isOfFront(status, refusal.headers ?? {})
  if (globalToken !== undefined && isInFront) return misconfigured(IN_FRONT)
  const unlike = isInFront ? UNLIKE_THE_SERVICE : ''
  switch (statusReason(status)) {
    case 'token':
      return new TokenRefused(`${said}: ${globalToken ?? 'the access token'} is invalid or expired${unlike}`)
    case 'scope':
      return new ServiceProblem(403, codes.forbidden, {
        detail:
          globalToken !== undefined
            ? `${said}: ${globalToken} lacks a scope: grant it the scope for ${operation}`
            : `${said}: the token lacks permissions (scopes, or the OAuth settings of the service): see OIDC_SCOPE, OIDC_RESOURCE, OIDC_AUDIENCE${unlike}`,
      })
    case 'busy':
      return new ServiceProblem(503, codes.busy, { detail: `${said}: too many requests`, retryAfter })
    case 'not-there':
      return misconfigured('check SERVICE_BASE_URL, including its path')
    case 'redirected':
      return misconfigured('a redirect, which is never followed with a token: see SERVICE_BASE_URL')
    case 'request':
      if (!NOT_FINAL.includes(status)) return finalRefusal(refusal, said)
  }
  return new ServiceProblem(503, codes.unavailable, { detail: said, retryAfter })
}

/** Statuses that speak of what was asked for; any other 4xx is about the way to the service, or the account there. */
const ABOUT_THE_REQUEST = [400, 413, 414, 422]

/** Trying again cannot help: an operator has to read what the service said. */
function finalRefusal(refusal: Refusal, said: string): ServiceProblem {
  const { operation, status, text, secrets, globalToken } = refusal
  const hasRedirect = operation === 'checkdatasourceauth' && globalToken === undefined
  const words = saidIn(text, secrets)
  const quoted = words === '' ? 'It gave no reason' : `It said: “${words}”`
  if (hasRedirect && speaksOfRedirect(text))
    return new ServiceProblem(502, 'service_refused_return', {
      detail: `${said}: the service does not accept final_redirect_url, which is PUBLIC_URL and /onboarding/callback. Check PUBLIC_URL, and that the service's list of allowed redirect addresses has it. ${quoted}`,
    })
  // The contract's request has nothing else that could be wrong in it.
  const suspect =
    hasRedirect && [400, 422].includes(status)
      ? ' Its one parameter is final_redirect_url, made of PUBLIC_URL.'
      : ''
  const isAboutWords = operation !== 'search' || ABOUT_THE_REQUEST.includes(status)
  return new ServiceProblem(502, CODES[operation][isAboutWords ? 'refused' : 'misconfigured'], {
    detail: `${said}: the service does not accept the request, and would not accept it again. ${quoted}${suspect}`,
  })
}

/** For an answer that is none: a time-out, a reset, a page where JSON was due. */
export function noAnswer(operation: Operation, what: string, cause?: unknown): ServiceProblem {
  const silence = silenceOf(cause)
  return new ServiceProblem(503, CODES[operation][silence === 'too-slow' ? 'slow' : 'unavailable'], {
    detail: `${operation}: ${isOfProxy(silence) ? `${silence}: see HTTPS_PROXY and NO_PROXY` : what}`,
    cause,
    retryAfter: RETRY_DEFAULT,
  })
}
