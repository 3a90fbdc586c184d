import { createHmac, hkdfSync } from 'node:crypto'
import { SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { createInvitations, type InvitationOptions } from '../../src/invites/token.ts'

const audience = 'https://onramp.acme.example'
const secret = 'a secret of thirty-two characters'
const newer = 'another secret, longer than before'
const at = Date.UTC(2026, 10, 1)

const invitations = (changed: Partial<InvitationOptions> = {}) =>
  createInvitations({ secrets: [secret], audience, now: () => at, ...changed })

const ada = { email: 'ada.lovelace@acme.example', datasources: [] }
const DAY = 86_400_000

describe('an invitation token', () => {
  it('says whom it is for, and for which datasources', async () => {
    const invitation = { ...ada, datasources: ['slack_1', 'github'] }
    const token = await invitations().issue(invitation, 14)
    expect(await invitations().read(token)).toEqual(invitation)
  })

  it('shows no address to whoever reads the link, and is short enough for any mail program', async () => {
    const token = await invitations().issue(ada, 14)
    const readable = token
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString('latin1'))
      .join('\n')
    expect(token + readable).not.toMatch(/ada|lovelace|acme\.example"?,"?to/i)
    expect(readable).not.toContain('lovelace')
    expect(`${audience}/invite/${token}`.length).toBeLessThanOrEqual(400 + audience.length)
    expect(token.length).toBeLessThanOrEqual(400)
  })

  it('works any number of times until it expires', async () => {
    const token = await invitations().issue(ada, 14)
    const readAt = (time: number) => invitations({ now: () => time }).read(token)
    expect(await readAt(at + 13.9 * DAY)).toEqual(ada)
    expect(await readAt(at + 13.9 * DAY)).toEqual(ada)
    expect(await readAt(at + 14.1 * DAY)).toBeUndefined()
  })

  it('says whom it is for after that too, where only that counts', async () => {
    const token = await invitations().issue(ada, 14)
    const later = invitations({ now: () => at + 400 * DAY })
    expect(await later.read(token)).toBeUndefined()
    expect(await later.readExpired(token)).toEqual(ada)
    const elsewhere = invitations({ audience: 'https://test.acme.example' })
    expect(await elsewhere.readExpired(token)).toBeUndefined()
    expect(await invitations({ secrets: [newer] }).readExpired(token)).toBeUndefined()
    expect(await later.readExpired(`${token.slice(0, -3)}AAA`)).toBeUndefined()
    expect(await later.readExpired('a.b.c')).toBeUndefined()
  })

  it('does not work with any character changed', async () => {
    const token = await invitations().issue(ada, 14)
    // The last character of the signature holds two bits that nobody reads.
    for (let index = 0; index < token.length - 1; index++) {
      const other = token[index] === 'A' ? 'B' : 'A'
      const altered = token.slice(0, index) + other + token.slice(index + 1)
      expect(await invitations().read(altered), `character ${index}`).toBeUndefined()
    }
  })

  it('is worth nothing at another place, or under another secret', async () => {
    const token = await invitations().issue(ada, 14)
    expect(await invitations({ audience: 'https://test.acme.example' }).read(token)).toBeUndefined()
    expect(await invitations({ secrets: [newer] }).read(token)).toBeUndefined()
  })

  it('outlives the rotation of the secret, until the old one is dropped', async () => {
    const token = await invitations().issue(ada, 14)
    expect(await invitations({ secrets: [newer, secret] }).read(token)).toEqual(ada)
    expect(await invitations({ secrets: [newer] }).read(token)).toBeUndefined()
  })

  it('is not one when signed for another purpose, or not signed at all', async () => {
    const key = new Uint8Array(hkdfSync('sha256', secret, '', 'onramp invite 1', 32))
    const kid = createHmac('sha256', key).update('id').digest('base64url').slice(0, 6)
    const token = await invitations().issue(ada, 14)
    const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<
      string,
      unknown
    >
    const signed = (changed: Record<string, unknown>) =>
      new SignJWT({ ...payload, ...changed }).setProtectedHeader({ alg: 'HS256', kid }).sign(key)
    expect(await invitations().read(await signed({}))).toEqual(ada)
    expect(await invitations().read(await signed({ use: 'sign-in' }))).toBeUndefined()
    expect(await invitations().read(await signed({ v: 2 }))).toBeUndefined()
    expect(await invitations().read(await signed({ exp: undefined }))).toBeUndefined()
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    expect(await invitations().read(`${none}.${token.split('.')[1]}.`)).toBeUndefined()
  })

  it.each(['', 'x', 'a.b.c', '../..', 'é.é.é', 'a'.repeat(100_000)])('is not %j', async (text) => {
    expect(await invitations().read(text)).toBeUndefined()
  })
})
