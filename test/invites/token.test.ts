// Invitation tokens: content, life, secrets and forgeries.
import { createHmac, hkdfSync } from 'node:crypto'
import { CompactEncrypt, EncryptJWT, type JWTPayload } from 'jose'
import { describe, expect, it } from 'vitest'
import { decodeFirewallSafe, triggersFirewall } from '../../src/records/seal.ts'
import { Invitations } from '../../src/invites/token.ts'

const audience = 'https://onramp.acme.example'
const secret = 'a secret of thirty-two characters'
const newerSecret = 'another secret, longer than before'
const NOW = Date.UTC(2026, 10, 1)

type TokenSettings = { secrets?: string[]; audience?: string; now?: () => number }
const invitations = (given: TokenSettings = {}) =>
  new Invitations(given.secrets ?? [secret], given.audience ?? audience, given.now ?? (() => NOW))

/** The key of a secret, and its `kid`. */
const hmacKey = (of: string) => new Uint8Array(hkdfSync('sha256', of, '', 'onramp invitation, A256GCM', 32))
const kidOf = (of: string) => createHmac('sha256', hmacKey(of)).update('id').digest('base64url').slice(0, 6)

const readable = (part: string) => Buffer.from(part, 'base64url').toString('latin1')

const ada = { email: 'ada.lovelace@acme.example', datasources: [], sentAt: NOW }
const DAY = 86_400_000

describe('an invitation token', () => {
  it('an invitation token contains the person and the datasources', async () => {
    const invitation = { ...ada, datasources: ['slack_1', 'github'] }
    const token = invitations().issue(invitation, 14)
    expect(await invitations().read(token)).toEqual(invitation)
  })

  it('an invitation token reveals nothing, and has at most 160 characters', () => {
    const token = invitations().issue(ada, 14)
    expect(token + readable(decodeFirewallSafe(token.slice(1)))).not.toMatch(/ada\.|lovelace@|acme\.|@acme/i)
    expect(`${audience}/invite/${token}/opt-out`.length).toBeLessThanOrEqual(160)
  })

  it('an invitation token can be used repeatedly until it expires', async () => {
    const token = invitations().issue(ada, 14)
    const readAt = (time: number) => invitations({ now: () => time }).read(token)
    expect(await readAt(NOW + 13.9 * DAY)).toEqual(ada)
    expect(await readAt(NOW + 13.9 * DAY)).toEqual(ada)
    expect(await readAt(NOW + 14.1 * DAY)).toBeUndefined()
  })

  it('an expired invitation token still identifies the person for the opt-out', async () => {
    const token = invitations().issue(ada, 14)
    const later = invitations({ now: () => NOW + 400 * DAY })
    expect(await later.read(token)).toBeUndefined()
    expect(await later.readIgnoringExpiry(token)).toEqual(ada)
    const elsewhere = invitations({ audience: 'https://test.acme.example' })
    expect(await elsewhere.readIgnoringExpiry(token)).toBeUndefined()
    expect(await invitations({ secrets: [newerSecret] }).readIgnoringExpiry(token)).toBeUndefined()
    expect(await later.readIgnoringExpiry(`${token.slice(0, -4)}AAAA`)).toBeUndefined()
    expect(await later.readIgnoringExpiry('a.b.c')).toBeUndefined()
  })

  it('an invitation token is unique, and mail programs recognize its whole link', () => {
    const tokens = Array.from({ length: 500 }, () => invitations().issue(ada, 14))
    expect(new Set(tokens).size).toBe(tokens.length)
    for (const token of tokens) {
      expect(token).toMatch(/^[A-Za-z]\w+[A-Za-z0-9]$/)
      expect(triggersFirewall(token)).toBe(false)
    }
  })

  it('an invitation token with any changed character is rejected', async () => {
    const token = invitations().issue(ada, 14)
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.'
    for (const { 0: character, index } of token.matchAll(/_[du]|./g)) {
      // The highest of six bits is changed, because the lowest of the last character may be unused.
      const other = alphabet[alphabet.indexOf(character) ^ 32] ?? 'A'
      const altered = token.slice(0, index) + other + token.slice(index + character.length)
      expect(await invitations().read(altered), `character ${index}`).toBeUndefined()
    }
  })

  it('an invitation token is rejected for another PUBLIC_URL or secret', async () => {
    const token = invitations().issue(ada, 14)
    expect(await invitations({ audience: 'https://test.acme.example' }).read(token)).toBeUndefined()
    expect(await invitations({ secrets: [newerSecret] }).read(token)).toBeUndefined()
  })

  it('an invitation token survives a secret rotation, and is created with the first secret', async () => {
    const token = invitations().issue(ada, 14)
    const rotated = invitations({ secrets: [newerSecret, secret] })
    expect(await rotated.read(token)).toEqual(ada)
    const next = rotated.issue(ada, 14)
    expect(await invitations({ secrets: [newerSecret] }).read(next)).toEqual(ada)
  })

  it.each(['', 'i', 'i_', `i${'A'.repeat(100)}`, `i${'A'.repeat(3000)}`])(
    '%j is no invitation token',
    async (token) => {
      expect(await invitations().readIgnoringExpiry(token)).toBeUndefined()
    },
  )

  it('an invitation token with a character outside its alphabet is rejected', async () => {
    const token = invitations().issue(ada, 14)
    for (const altered of [
      `${token}=`,
      `${token}\n`,
      `i/../${token.slice(1)}`,
      `${token.slice(0, 9)} ${token.slice(9)}`,
    ])
      expect(await invitations().read(altered), altered).toBeUndefined()
  })

  describe('encrypted JWTs', () => {
    const claims: JWTPayload = {
      email: ada.email,
      aud: audience,
      iat: NOW / 1000,
      exp: NOW / 1000 + 60,
      jti: '1',
    }
    const without = (name: string) => ({ ...claims, [name]: undefined })
    const encrypted = (changed: JWTPayload, header: { alg?: string; enc?: string; kid?: string } = {}) =>
      new EncryptJWT(changed)
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: kidOf(secret), ...header })
        .encrypt(hmacKey(secret))

    it('an encrypted JWT of an earlier version works until it expires', async () => {
      const token = await encrypted({ ...claims, datasources: ['slack_1'] })
      expect(await invitations().read(token)).toEqual({ ...ada, datasources: ['slack_1'] })
      const later = invitations({ now: () => NOW + DAY })
      expect(await later.read(token)).toBeUndefined()
      expect(await later.readIgnoringExpiry(token)).toMatchObject({ email: ada.email })
    })

    it.each(['iat', 'exp', 'jti', 'aud', 'email'])(
      'an encrypted JWT without %s is rejected',
      async (name) => {
        expect(await invitations().read(await encrypted(without(name)))).toBeUndefined()
      },
    )

    it.each<[string, { alg?: string; enc?: string; kid?: string }]>([
      ['another encryption', { enc: 'A128CBC-HS256' }],
      ['a wrapped content key', { alg: 'A256KW' }],
      ['a password', { alg: 'PBES2-HS256+A128KW' }],
      ['another key', { kid: kidOf(newerSecret) }],
    ])('an encrypted JWT with %s is rejected', async (_title, header) => {
      const token = await encrypted(claims, header)
      expect(await invitations({ secrets: [secret, newerSecret] }).read(token)).toBeUndefined()
      // An empty second part passes the check of the token's form.
      const [first, , ...rest] = token.split('.')
      expect(await invitations().read([first, '', ...rest].join('.'))).toBeUndefined()
    })

    it('an encrypted JWT that is longer than the longest valid one is rejected', async () => {
      expect(await invitations().read(await encrypted({ ...claims, more: 'x'.repeat(100) }))).toEqual(ada)
      expect(
        await invitations().read(await encrypted({ ...claims, more: 'x'.repeat(2_000) })),
      ).toBeUndefined()
    })

    it('an encrypted JWT without claims is rejected', async () => {
      const token = await new CompactEncrypt(new TextEncoder().encode(ada.email))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: kidOf(secret) })
        .encrypt(hmacKey(secret))
      expect(await invitations().read(token)).toBeUndefined()
    })
  })
})
