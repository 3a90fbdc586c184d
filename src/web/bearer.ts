// Bearer tokens of programs (RFC 6750), compared in a time that says nothing about how much of one was right.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const digest = (text: string) => createHash('sha256').update(text).digest()

/** Does the request carry this token? */
export function hasBearer({ headers }: IncomingMessage, token: string): boolean {
  const [, given] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? []
  return given !== undefined && timingSafeEqual(digest(given), digest(token))
}

/** Does it carry any token? */
export const sendsBearer = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  /^Bearer\b/i.test(headers.authorization ?? '')
