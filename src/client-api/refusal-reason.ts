// Why the service refused, by status and by the messages that contract section 7 documents. The shape of error bodies is
// not shown there, so messages are looked for in the whole text. Pure; imports nothing.

export type RefusalReason =
  /** `Invalid Secret`. */
  | 'auth-type'
  /** A message that names X-Service-Auth-Type. */
  | 'auth-type-missing'
  /** `Required header missing: X-Service-ActAs`. */
  | 'act-as-missing'
  /** Another message about X-Service-ActAs: nobody has that address, or not for this token. */
  | 'act-as-refused'
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

export function refusalReason(status: number, text: string): RefusalReason {
  if (status < 300) return 'unreadable'
  if (/X-Service-Auth-Type/i.test(text)) return 'auth-type-missing'
  if (/Invalid Secret/i.test(text)) return 'auth-type'
  if (/X-Service-ActAs/i.test(text))
    return /(missing|required)[^\n]{0,40}X-Service-ActAs|X-Service-ActAs[^\n]{0,40}(missing|required)/i.test(
      text,
    )
      ? 'act-as-missing'
      : 'act-as-refused'
  if (status < 400) return 'redirected'
  if (status === 401) return 'token'
  if (status === 403) return 'scope'
  if (status === 429) return 'busy'
  if (status === 404 || status === 405 || status === 410) return 'not-there'
  return status < 500 ? 'request' : 'failing'
}
