// What an authorization server answered, in words for the log: its HTTP status, its error code, and its description,
// all bounded, and without anything that could be a secret that the description quotes. Pure.
import { ClientError, ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client'
import { redacted } from '../web/log.ts'

const MAX_DESCRIPTION = 200
const MAX_CAUSES = 5

/** A registered error code is plain text of the specification; anything else is not repeated. */
export const nameOfError = (error: string) => (/^[a-z_]{1,40}$/.test(error) ? error : 'an unknown error')

/** The answer that an error of the library is about, or undefined where there was none. */
function responseOf(error: unknown): Response | undefined {
  let current = error
  for (let depth = 0; depth < MAX_CAUSES; depth++) {
    if (current instanceof Response) return current
    if (current instanceof WWWAuthenticateChallengeError || current instanceof ResponseBodyError)
      return current.response
    if (!(current instanceof Error)) return undefined
    current = current.cause
  }
  return undefined
}

/** Its HTTP status. */
export const statusOf = (error: unknown): number | undefined => responseOf(error)?.status

/** Its Retry-After, as it is written. */
export const retryAfterOf = (error: unknown): string | undefined =>
  responseOf(error)?.headers.get('retry-after') ?? undefined

/** Small and capital letters with digits in one word: made by a machine, so perhaps a code. */
const RANDOM = /\b(?=\w*\d)(?=\w*[a-z])(?=\w*[A-Z])\w{8,}\b/g

/** RFC 6749 5.2 allows ASCII only; words that look made up are left out. */
const quoted = (description: string) =>
  redacted(description.replaceAll(/[^\x20-\x7e]|["\\<>]/g, ' ').slice(0, 4 * MAX_DESCRIPTION))
    .replaceAll(RANDOM, '…')
    .slice(0, MAX_DESCRIPTION)
    .trim()

/** What came back: `invalid_grant with status 400 ("grant request is invalid")`, `status 502`, `nothing (OAUTH_TIMEOUT)`. */
export function inWords(error: unknown): string {
  const status = statusOf(error)
  if (error instanceof ResponseBodyError) {
    const description = quoted(error.error_description ?? '')
    const said = `${nameOfError(error.error)} with status ${status}`
    return description === '' ? said : `${said} ("${description}")`
  }
  if (status !== undefined) return `status ${status}`
  const code = error instanceof ClientError ? error.code : undefined
  return code === undefined ? 'nothing' : `nothing usable (${code})`
}

/** Is what was refused a token endpoint's answer that has everything but an id_token? Its error carries the answer. */
export function isIdTokenMissing(error: unknown): boolean {
  let current = error
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth++) current = current.cause
  const body = typeof current === 'object' && current !== null && 'body' in current ? current.body : undefined
  const { access_token: access, token_type: type, id_token: id } = (body ?? {}) as Record<string, unknown>
  return typeof access === 'string' && /^bearer$/i.test(String(type)) && id === undefined
}

/**
 * The algorithm of an id_token that the library didn't take because of it, or undefined. It says so only in what its
 * error carries: the header, and the algorithms that it expected.
 */
export function refusedAlgorithm(error: unknown): string | undefined {
  let current = error
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth++) {
    const { cause } = current
    if (typeof cause === 'object' && cause !== null && !(cause instanceof Error)) {
      const header = ('header' in cause && 'expected' in cause ? cause.header : cause) as {
        alg?: unknown
      } | null
      if (typeof header?.alg === 'string')
        return /^[\w-]{1,20}$/.test(header.alg) ? header.alg : 'an unknown algorithm'
    }
    current = cause
  }
  return undefined
}
