// Why the service refused, by the messages that contract section 7 documents and by status. The shape of error bodies is
// not shown there, so messages are looked for in the whole text. Pure.
import { STANDARD_HEADER_PREFIX } from './credentials.ts'

/** What a documented message says, whatever the status. */
type Message =
  /** `Invalid Secret`. */
  | 'auth-type'
  /** A message that names `…-Auth-Type`. */
  | 'auth-type-missing'
  /** `Required header missing: X-Service-ActAs`. */
  | 'act-as-missing'
  /** Another message about `…-ActAs`: no one has that address, or not for this token. */
  | 'act-as-refused'

export type RefusalReason =
  | Message
  /** A refusal that came as a web page, or with a challenge for no bearer token: hardly of the service itself. */
  | 'in-front'
  /** 401: invalid or expired. */
  | 'token'
  /** 403: scopes. */
  | 'scope'
  /** 429. */
  | 'busy'
  /** 404, 405, 410: the path is not there. */
  | 'not-there'
  | 'redirected'
  /** Another 4xx. */
  | 'request'
  /** 5xx. */
  | 'failing'
  /** A success that holds no list of datasources. */
  | 'unreadable'

type Answer = { status: number; text: string; headers: Record<string, string | string[] | undefined> }

export function refusalReason({ status, text, headers }: Answer): RefusalReason {
  if (status < 300) return 'unreadable'
  return messageIn(text) ?? (isOfFront(status, headers) ? 'in-front' : statusReason(status))
}

/** What a path that is not there looks like (404) says nothing of who answered. */
export function isOfFront(status: number, headers: Answer['headers']): boolean {
  const isPage = /\bhtml\b/i.test(String(headers['content-type']))
  const challenge = String(headers['www-authenticate'] ?? 'Bearer')
  const isOfToken = status === 401 || status === 403
  const isOfRequest = status === 400 || status === 422
  return (isPage && (isOfToken || isOfRequest)) || (isOfToken && !/\bbearer\b/i.test(challenge))
}

export function messageIn(text: string): Message | undefined {
  if (/X-Service-Auth-Type/i.test(text) || AUTH_TYPE_MISSING.test(text)) return 'auth-type-missing'
  if (/Invalid Secret/i.test(text)) return 'auth-type'
  if (!/\w-ActAs\b/i.test(text)) return undefined
  // Not every message that names the header: an address that the service does not know may be told with it too.
  return ACT_AS_MISSING.test(text) ? 'act-as-missing' : 'act-as-refused'
}

/** Whatever the header begins with: a tenant's may begin otherwise than the setting says (SERVICE_HEADER_PREFIX). */
const missing = (name: string) =>
  new RegExp(`(missing|required).{0,60}\\w-${name}\\b|\\w-${name}\\b.{0,60}(missing|required)`, 'is')
const AUTH_TYPE_MISSING = missing('Auth-Type')
const ACT_AS_MISSING = missing('ActAs')

/**
 * What a missing header begins with, where that is not what ours begin with. A message may also repeat what someone searched
 * for, and that must name no setting.
 */
export function otherPrefixIn(text: string, prefix = STANDARD_HEADER_PREFIX): string | undefined {
  if (!AUTH_TYPE_MISSING.test(text) && !ACT_AS_MISSING.test(text)) return undefined
  const [, named] = /\b([a-z\d]+(?:-[a-z\d]+){0,5})-(?:Auth-Type|ActAs)\b/i.exec(text) ?? []
  return named?.toLowerCase() === prefix.toLowerCase() ? undefined : named?.slice(0, 60)
}

export function statusReason(status: number): Exclude<RefusalReason, Message | 'in-front'> {
  if (status < 300) return 'unreadable'
  if (status < 400) return 'redirected'
  if (status === 401) return 'token'
  if (status === 403) return 'scope'
  if (status === 429) return 'busy'
  if (status === 404 || status === 405 || status === 410) return 'not-there'
  return status < 500 ? 'request' : 'failing'
}
