// What stands for a person in the audit log: the same each time, and worth nothing without the server's secret. An
// unkeyed hash would be undone by guessing, as there are only so many addresses in a company.
import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'

export type AuditIds = {
  /** Of the identity: issuer and subject (OpenID Connect Core 2). */
  ofUser(user: { issuer: string; subject: string }): string
  /** Of the address alone, however it is written: what an operator can work out again, by `onramp audit-id`. */
  ofEmail(email: string): string
}

/** 64 bits: no two people of a company share one. */
const HEX_DIGITS = 16

const keyOf = (secret: string): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'onramp audit 1', 32)))

/**
 * @param secrets INVITE_SECRET, or SESSION_SECRET: the first one makes the ids, which change when it does
 * @param normalized the form in which addresses are compared, so that an id never names two people
 */
export function createAuditIds(
  [secret]: readonly string[],
  normalized: (address: string) => string,
): AuditIds {
  if (secret === undefined) throw new RangeError('createAuditIds needs a secret')
  const key = keyOf(secret)
  const id = (text: string) => createHmac('sha256', key).update(text).digest('hex').slice(0, HEX_DIGITS)
  return {
    ofUser: ({ issuer, subject }) => id(JSON.stringify(['user', issuer, subject])),
    ofEmail: (email) => id(JSON.stringify(['email', normalized(email)])),
  }
}
