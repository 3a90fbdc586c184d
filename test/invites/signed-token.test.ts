// Links of emails that left before invitations were encrypted. Delete with src/invites/signed-token.ts.
import { createHmac, hkdfSync } from 'node:crypto'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createInvitations, type InvitationOptions } from '../../src/invites/token.ts'
import { createSealer } from '../../src/records/seal.ts'
import { run, signIn, type Running } from '../helpers/running.ts'
import { TestBrowser } from '../helpers/test-browser.ts'

const audience = 'https://onramp.acme.example'
const secret = 'a secret of thirty-two characters'
const newer = 'another secret, longer than before'
const at = Date.UTC(2026, 10, 1)
const DAY = 86_400_000

const invitations = (changed: Partial<InvitationOptions> = {}) =>
  createInvitations({ secrets: [secret], audience, now: () => at, ...changed })

/** As it was issued until November 2026. */
function signed(
  changed: Record<string, unknown> = {},
  under = secret,
  header = { alg: 'HS256' },
): Promise<string> {
  const key = new Uint8Array(hkdfSync('sha256', under, '', 'onramp invite 1', 32))
  const kid = createHmac('sha256', key).update('id').digest('base64url').slice(0, 6)
  const to = createSealer([under]).seal('ada@acme.example', 'invite')
  const times = { iat: at / 1000, exp: (at + 14 * DAY) / 1000 }
  return new SignJWT({ v: 1, use: 'invite', to, aud: audience, ...times, ...changed })
    .setProtectedHeader({ ...header, kid })
    .sign(key)
}

const ada = { email: 'ada@acme.example', datasources: [] }

describe('a link that was signed', () => {
  it('works until it expires, and stops reminders after that', async () => {
    const token = await signed()
    const readAt = (time: number) => invitations({ now: () => time })
    expect(await readAt(at + 13.9 * DAY).read(token)).toEqual(ada)
    expect(await readAt(at + 14.1 * DAY).read(token)).toBeUndefined()
    expect(await readAt(at + 14.1 * DAY).readExpired(token)).toEqual(ada)
  })

  it('says for which datasources, also under an earlier secret', async () => {
    const token = await signed({ ds: ['slack_1'] })
    expect(await invitations({ secrets: [newer, secret] }).read(token)).toEqual({
      ...ada,
      datasources: ['slack_1'],
    })
  })

  it.each<[string, Record<string, unknown>]>([
    ['of another purpose', { use: 'sign-in' }],
    ['of another version', { v: 2 }],
    ['of another place', { aud: 'https://test.acme.example' }],
    ['that never expires', { exp: undefined }],
    ['without its time', { iat: undefined }],
    ['with an address that is not sealed', { to: 'ada@acme.example' }],
  ])('is not one when it is %s', async (_what, changed) => {
    expect(await invitations().read(await signed(changed))).toBeUndefined()
  })

  it('is not one under another secret or algorithm, altered, or not signed at all', async () => {
    expect(await invitations().read(await signed({}, newer))).toBeUndefined()
    expect(await invitations().read(await signed({}, secret, { alg: 'HS512' }))).toBeUndefined()
    const [header, claims, signature = ''] = (await signed()).split('.')
    expect(await invitations().read([header, claims, `AAAA${signature.slice(4)}`].join('.'))).toBeUndefined()
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    expect(await invitations().read(`${none}.${claims}.`)).toBeUndefined()
  })
})

describe('an email with a signed link', () => {
  let running: Running
  beforeAll(async () => {
    running = await run()
  })
  afterAll(() => running.close())

  const link = async () => {
    const now = Math.floor(Date.now() / 1000)
    const changed = { aud: running.url, iat: now, exp: now + 60, ds: ['github'] }
    return `${running.url}/invite/${await signed(changed, running.env['SESSION_SECRET'])}`
  }

  it('still leads to the walk', async () => {
    const browser = await signIn(running, 'ada')
    await browser.open(await link())
    expect(browser.page.url).toBe(`${running.url}/onboarding?datasource=github`)
  })

  it('still stops the reminders', async () => {
    const browser = new TestBrowser()
    await browser.open(`${await link()}/opt-out`)
    expect(browser.text).toContain('a••@acme.example')
  })
})
