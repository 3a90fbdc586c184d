// Bearer tokens of programs (RFC 6750), compared in constant time.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const digest = (text: string) => createHash('sha256').update(text).digest()

export function hasBearer({ headers }: IncomingMessage, token: string): boolean {
  const [, sentToken] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? []
  return sentToken !== undefined && timingSafeEqual(digest(sentToken), digest(token))
}

export const sendsBearer = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  /^Bearer\b/i.test(headers.authorization ?? '')
