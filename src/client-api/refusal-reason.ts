// Why the service refused, by the messages that contract section 7 documents and by status. The shape of error bodies is
// not shown there, so messages are looked for in the whole text. Pure; imports nothing.

/** What a documented message says, whatever the status. */
type Message =
  /** `Invalid Secret`. */
  | 'auth-type'
  /** A message that names X-Service-Auth-Type. */
  | 'auth-type-missing'
  /** `Required header missing: X-Service-ActAs`. */
  | 'act-as-missing'
  /** Another message about X-Service-ActAs: no one has that address, or not for this token. */
  | 'act-as-refused'

export type RefusalReason =
  | Message
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

export const refusalReason = (status: number, text: string): RefusalReason =>
  status < 300 ? 'unreadable' : (messageIn(text) ?? statusReason(status))

export function messageIn(text: string): Message | undefined {
  if (/X-Service-Auth-Type/i.test(text)) return 'auth-type-missing'
  if (/Invalid Secret/i.test(text)) return 'auth-type'
  if (!/X-Service-ActAs/i.test(text)) return undefined
  // Not every message that names the header: an address that the service does not know may be told with it too.
  const missing = /(missing|required).{0,60}X-Service-ActAs|X-Service-ActAs.{0,60}(missing|required)/is
  return missing.test(text) ? 'act-as-missing' : 'act-as-refused'
}

export function statusReason(status: number): Exclude<RefusalReason, Message> {
  if (status < 300) return 'unreadable'
  if (status < 400) return 'redirected'
  if (status === 401) return 'token'
  if (status === 403) return 'scope'
  if (status === 429) return 'busy'
  if (status === 404 || status === 405 || status === 410) return 'not-there'
  return status < 500 ? 'request' : 'failing'
}
