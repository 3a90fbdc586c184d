// The bearer token that a program sends (RFC 6750 2.1).
import { hash, timingSafeEqual } from 'node:crypto'
import type { Request } from 'express'

export const hasBearer = (req: Pick<Request, 'get'>): boolean =>
  /^Bearer\b/i.test(req.get('authorization') ?? '')

/** Hashes have one length, so the comparison takes as long whatever was sent. */
export function isBearer(req: Pick<Request, 'get'>, token: string): boolean {
  const [, given = ''] = /^Bearer +(\S+) *$/i.exec(req.get('authorization') ?? '') ?? []
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', token, 'buffer'))
}
