// What an authorization server answered, in words for the log: its HTTP status, its error code, and its description,
// all bounded, and without anything that could be a secret that the description quotes. Pure.
import { ClientError, ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client'
import { withoutAddresses } from '../client-api/refusal.ts'
import { redacted } from '../web/log.ts'

const MAX_DESCRIPTION = 200
const MAX_CAUSES = 5

/** A registered error code is plain text of the specification; anything else is not repeated. */
export const nameOfError = (error: string) => (/^[a-z_]{1,40}$/.test(error) ? error : 'an unknown error')

/** The error and what caused it, the outermost first. */
function chainOf(error: unknown): unknown[] {
  const chain = [error]
  for (let last = error; last instanceof Error && chain.length <= MAX_CAUSES; last = last.cause)
    chain.push(last.cause)
  return chain
}

/** What the library's error carries: the first of its causes that is no error. */
const carriedBy = (error: unknown) =>
  (chainOf(error).find((one) => typeof one === 'object' && one !== null && !(one instanceof Error)) ??
    {}) as Record<string, unknown>

/** The answer that an error of the library is about, or undefined where there was none. */
const responseOf = (error: unknown): Response | undefined =>
  chainOf(error)
    .map((one) =>
      one instanceof WWWAuthenticateChallengeError || one instanceof ResponseBodyError ? one.response : one,
    )
    .find((one) => one instanceof Response)

/** Its HTTP status. */
export const statusOf = (error: unknown): number | undefined => responseOf(error)?.status

/** Its Retry-After, as it is written. */
export const retryAfterOf = (error: unknown): string | undefined =>
  responseOf(error)?.headers.get('retry-after') ?? undefined

/** Small and capital letters with digits in one word: made by a machine, so perhaps a code. */
const RANDOM = /\b(?=\w*\d)(?=\w*[a-z])(?=\w*[A-Z])\w{8,}\b/g

/** RFC 6749 5.2 allows ASCII only, but for our own mark; words that look made up and addresses are left out. */
const quoted = (description: string) =>
  redacted(
    withoutAddresses(description.replaceAll(/[^\x20-\x7e…]|["\\<>]/g, ' ').slice(0, 4 * MAX_DESCRIPTION)),
  )
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

/** The error code in the answer's body, where there is one; also in an answer with 200. */
export function errorSaid(error: unknown): string | undefined {
  if (error instanceof ResponseBodyError) return error.error
  const said = recordOf(carriedBy(error)['body'])['error']
  return typeof said === 'string' ? said : undefined
}

/**
 * The member of a token endpoint's answer that the library refused. It says so only in its message, so this is for the
 * log; of an id_token it complains only where one was asked for, or came.
 */
export function refusedMember(error: unknown): string | undefined {
  const messages = chainOf(error).map((one) => (one instanceof Error ? one.message : ''))
  return messages.map((message) => /body "(\w{1,40})" property/.exec(message)?.[1]).find(Boolean)
}

/**
 * The algorithm of an id_token that the library didn't take because of it, or undefined. It says so only in what its
 * error carries: the header, and the algorithms that it expected.
 */
export function refusedAlgorithm(error: unknown): string | undefined {
  const carried = carriedBy(error)
  const { alg } = recordOf('header' in carried && 'expected' in carried ? carried['header'] : carried)
  if (typeof alg !== 'string') return undefined
  return /^[\w-]{1,20}$/.test(alg) ? alg : 'an unknown algorithm'
}

/** A token's signature is not of the key with that name. The library says so only in what its error carries. */
export const isSignatureRefused = (error: unknown): boolean => 'signature' in carriedBy(error)

const recordOf = (value: unknown) => (value ?? {}) as Record<string, unknown>
