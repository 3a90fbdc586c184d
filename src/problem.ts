// Problem: an expected failure with a stable code, the key of its texts (languages/en/problems.json). Detail and cause
// are for the log, and are never shown on a page.

export type ProblemCode =
  | 'admins_only'
  | 'api_unknown'
  | 'bad_request'
  | 'cookies_blocked'
  | 'cross_site'
  | 'datasource_cannot_start'
  | 'datasource_unknown'
  | 'internal'
  | 'not_found'
  | 'owners_only'
  | 'return_to_too_long'
  | 'search_busy'
  | 'search_forbidden'
  | 'search_misconfigured'
  | 'search_refused'
  | 'search_too_slow'
  | 'search_unavailable'
  | 'service_busy'
  | 'service_forbidden'
  | 'service_misconfigured'
  | 'service_refused_request'
  | 'service_refused_return'
  | 'service_refused_sign_in'
  | 'service_unavailable'
  | 'sign_in_denied'
  | 'sign_in_ended'
  | 'sign_in_expired'
  | 'sign_in_failed'
  | 'sign_in_misconfigured'
  | 'sign_in_unavailable'
  | 'sign_in_unfinished'
  | 'signed_out'
  | 'store_unavailable'
  | 'token_refused'
  | 'too_large'
  | 'too_many'
  | 'too_many_requests'

type ProblemOptions = {
  /** For the log: the cause, and the setting to correct. */
  detail?: string
  cause?: unknown
  /** Seconds until a retry makes sense (RFC 9110 10.2.3). */
  retryAfter?: number
  /** The path behind "Try again"; absent: the current one. */
  tryAgain?: string
  /** The app concerned, among the person's apps with the service's names. */
  datasource?: { instance: string; personsApps: readonly { instance: string; name: string }[] }
}

export class Problem extends Error {
  readonly status: number
  readonly code: ProblemCode
  readonly detail: string
  readonly retryAfter: number | undefined
  readonly tryAgain: string | undefined
  readonly datasource: ProblemOptions['datasource']

  constructor(status: number, code: ProblemCode, options: ProblemOptions = {}) {
    super(code, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'Problem'
    this.status = status
    this.code = code
    this.detail = options.detail ?? ''
    this.retryAfter = options.retryAfter
    this.tryAgain = options.tryAgain
    this.datasource = options.datasource
  }
}

/** Ends a command, or the start of a server. The message gives the operator the cause and advice. */
export class OperatorError extends Error {}
