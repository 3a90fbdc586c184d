// Reads an error response of the service: the reason, by status and by the messages of contract section 7, and the
// text. The contract doesn't define an error's body, so the whole text is searched for messages. Pure.
import { parseJson } from '../http/body.ts'
import { STANDARD_HEADER_PREFIX } from './credentials.ts'
import type { HttpResponse } from '../http/exchange.ts'
import { requestedWait, retryAfterSeconds } from '../http/retry-after.ts'

/** `act-as-refused`: another message about `…-ActAs`, sent for an unknown address. */
type Message = 'auth-type' | 'auth-type-missing' | 'act-as-missing' | 'act-as-refused'

type ByStatus = 'unreadable' | 'redirected' | 'token' | 'scope' | 'busy' | 'not-found' | 'request' | 'failing'

/** `intermediary`: a page, or no bearer challenge. `personal`: the token works alone (section 5, rule 2). */
type ErrorReason = Message | ByStatus | 'intermediary' | 'personal'

/** @param sent `secrets` (token and address) are removed from the explanation @param now milliseconds since 1970 */
export function readErrorResponse(
  { status, text, headers }: HttpResponse,
  sent: { headerPrefix?: string | undefined; secrets?: readonly string[] },
  now: number,
) {
  const isFromIntermediary = looksLikeIntermediary(status, headers)
  const message = status < 300 ? undefined : messageIn(text, status)
  const retryAfter = headers['retry-after']?.toString()
  return {
    status,
    reason: (message ?? (isFromIntermediary ? 'intermediary' : statusReason(status))) as ErrorReason,
    reasonByStatus: statusReason(status),
    retryAfter: retryAfterSeconds(retryAfter, now),
    /** Seconds that the service requested, at most a day. */
    requestedWait: requestedWait(retryAfter, now),
    /** One line, bounded and without secrets; may be empty. */
    explanation: explanationIn(text, sent.secrets ?? []),
    /** The prefix of the service's headers, if it differs from SERVICE_HEADER_PREFIX. */
    expectedHeaderPrefix: status < 500 ? expectedPrefixIn(text, sent.headerPrefix) : undefined,
    isFromIntermediary,
    /** True if the response may mean that no one has the address of a global token's call. */
    mayBeAboutPerson: ABOUT_PERSON.includes(status) && !isFromIntermediary,
    isAboutRedirectUrl: mentionsRedirect(text),
  }
}

/** The contract gives no status for an unknown X-Service-ActAs. 401 and 403 are about the token (section 7). */
const ABOUT_PERSON = [400, 404, 422]

export type ErrorResponse = ReturnType<typeof readErrorResponse>

/** The form of a 404 proves nothing. */
function looksLikeIntermediary(status: number, headers: HttpResponse['headers']): boolean {
  const isPage = /\bhtml\b/i.test(String(headers['content-type']))
  const challenge = String(headers['www-authenticate'] ?? 'Bearer')
  const isOfToken = status === 401 || status === 403
  return (isPage && [400, 401, 403, 422].includes(status)) || (isOfToken && !/\bbearer\b/i.test(challenge))
}

function messageIn(text: string, status: number): Message | undefined {
  if (/X-Service-Auth-Type/i.test(text) || AUTH_TYPE_MISSING.test(text)) return 'auth-type-missing'
  if (/Invalid Secret/i.test(text)) return 'auth-type'
  if (!/\w-ActAs\b/i.test(text)) return undefined
  if (ACT_AS_MISSING.test(text)) return 'act-as-missing'
  // 403 is about the token (section 7); otherwise the service doesn't know the address.
  return status === 403 ? undefined : 'act-as-refused'
}

/** Accepts any prefix, because the tenant's may differ from SERVICE_HEADER_PREFIX. */
const missingHeader = (name: string) =>
  new RegExp(`(missing|required).{0,60}\\w-${name}\\b|\\w-${name}\\b.{0,60}(missing|required)`, 'is')
const AUTH_TYPE_MISSING = missingHeader('Auth-Type')
const ACT_AS_MISSING = missingHeader('ActAs')

/** The prefix of a missing header, if it differs from ours. Ignores a message that only repeats a search query. */
function expectedPrefixIn(text: string, prefix = STANDARD_HEADER_PREFIX): string | undefined {
  if (!AUTH_TYPE_MISSING.test(text) && !ACT_AS_MISSING.test(text)) return undefined
  const [, namedPrefix] = /\b([a-z\d]+(?:-[a-z\d]+){0,5})-(?:Auth-Type|ActAs)\b/i.exec(text) ?? []
  return namedPrefix?.toLowerCase() === prefix.toLowerCase() ? undefined : namedPrefix?.slice(0, 60)
}

/** Client errors after which the same request may succeed later (RFC 9110 15.5). */
const NOT_FINAL = [408, 409, 421, 423, 425]

function statusReason(status: number): ByStatus {
  if (status < 300) return 'unreadable'
  if (status < 400) return 'redirected'
  if (status === 401) return 'token'
  if (status === 403) return 'scope'
  if (status === 429) return 'busy'
  if ([404, 405, 410].includes(status)) return 'not-found'
  return status < 500 && !NOT_FINAL.includes(status) ? 'request' : 'failing'
}

const MAX_WORDS_CHARACTERS = 200
const MAX_READ_CHARACTERS = 4_000
const MAX_DEPTH = 6

const EXPLAINS = /^(message|error|errors|error_?description|error_?message|detail|details|title|reason|msg)$/i
const NAMES = /^(field|param|parameter|property|path|loc|location|final_?redirect_?ur[li])$/i

/** @param text plain text, HTML or JSON @returns one line of at most 200 characters; may be empty */
function explanationIn(text: string, secrets: readonly string[]): string {
  let words = readableText(text)
  for (const secret of secrets) if (secret !== '') words = words.replaceAll(secret, '…')
  const plain = withoutSecrets(words)
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const beginning = plain.slice(0, MAX_WORDS_CHARACTERS).toWellFormed()
  return plain.length > MAX_WORDS_CHARACTERS ? `${beginning}…` : beginning
}

/** True if the text mentions the redirect address (contract 4.1), outside of quoted URLs. */
const mentionsRedirect = (text: string): boolean =>
  /(?:redirect|return|callback)(?:ion)?[\s_-]?(?:to[\s_-]?)?(?:ur[li]|address|destination|target|domain|host)/i.test(
    readableText(text).replaceAll(/\b[a-z][a-z\d+.-]{0,20}:\/\/\S+|\?\S+/gi, ' '),
  )

function readableText(text: string): string {
  const json = parseJson(text)
  if (json !== undefined) return explanations(json, 0).join('; ').slice(0, MAX_READ_CHARACTERS)
  if (/^\s*[{[]/.test(text)) return ''
  return text
    .slice(0, MAX_READ_CHARACTERS)
    .replaceAll(/<(script|style|head)\b[\s\S]*?<\/\1\s*>/gi, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}

/** @param isExplaining false for a member whose name promises no explanation, so its texts may be anyone's data */
function explanations(value: unknown, depth: number, isExplaining = true): string[] {
  if (typeof value === 'string') return isExplaining ? [value] : []
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return []
  if (Array.isArray(value)) return value.flatMap((element) => explanations(element, depth + 1, isExplaining))
  const members = Object.entries(value as Record<string, unknown>)
  const explainingMembers = members.filter(([name]) => EXPLAINS.test(name))
  const explainingTexts = explainingMembers.flatMap(([, member]) => explanations(member, depth + 1))
  // A validator may use the wrong member as a key: {"final_redirect_url": ["not allowed"]}.
  const namedTexts = members.flatMap(([name, member]) =>
    NAMES.test(name) && isWords(member) ? [`${name}: ${[member].flat().join(', ')}`] : [],
  )
  const otherTexts = members.flatMap(([name, member]) =>
    EXPLAINS.test(name) || NAMES.test(name) ? [] : explanations(member, depth + 1, false),
  )
  return [...explainingTexts, ...namedTexts, ...otherTexts]
}

const isWords = (value: unknown): value is string | string[] =>
  typeof value === 'string' ||
  (Array.isArray(value) && value.length > 0 && value.every((element) => typeof element === 'string'))

/** Matches from the start of a word only, because a long word would take quadratic time. */
export const withoutAddresses = (words: string): string =>
  words.replaceAll(/(?<![^\s@'"<>(),;:])[^\s@'"<>(),;:]+@[^\s@'"<>(),;:]+/g, '…')

const withoutSecrets = (words: string): string =>
  withoutAddresses(words.replaceAll(/\?[^\s'"<>]+/g, '?…'))
    .replaceAll(
      /\b(bearer|basic|token|secret|password|code|cookie|state)(["']?\s*[:=]\s*["']?|\s+)[^\s'",;]*\d[^\s'",;]*/gi,
      '$1 …',
    )
    .replaceAll(/[\w.~+/=%-]{32,}/g, '…')
