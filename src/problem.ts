// Problem: a failure that we expected and can explain. The code is stable and names the texts people read
// (languages/en/problems.json); detail and cause are for the log alone and never reach a page.

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
  /** For the log: what exactly happened and which setting corrects it. Never shown. */
  detail?: string
  cause?: unknown
  /** Seconds after which another try makes sense (RFC 9110 10.2.3). */
  retryAfter?: number
  /** Where "Try again" leads: a path of ours. Absent: where the person was. */
  tryAgain?: string
  /** Where the problem is about one: its instance, among the person's others by the service's names for them. */
  datasource?: { instance: string; among: readonly { instance: string; name: string }[] }
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

/** Ends a command, or the start of the server. The message is for the operator: what happened, and what to do. */
export class OperatorError extends Error {}
