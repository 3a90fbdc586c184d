// The whole app as compose.ts puts it together, as a stranger and another site's page meet it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import request from 'supertest'
import { afterAll, describe, expect, it } from 'vitest'
import { administrators } from '../../src/admin/routes.ts'
import { createOnramp } from '../../src/compose.ts'
import { loadSettings } from '../../src/settings/settings.ts'
import { createLog } from '../../src/web/log.ts'

const PER_MINUTE = 3
const folder = mkdtempSync(join(tmpdir(), 'onramp-front-door-'))
const settings = loadSettings({
  PUBLIC_URL: 'https://onramp.example',
  SERVICE_BASE_URL: 'https://service.example',
  OIDC_ISSUER: 'https://as.example',
  SESSION_SECRET: 'x'.repeat(40),
  ADMIN_EMAILS: 'ada@acme.example',
  SIGN_INS_PER_MINUTE: String(PER_MINUTE),
  TRUST_PROXY: 'loopback',
  RETURN_TO_ORIGINS: 'https://intranet.example',
  DATA_DIR: folder,
})
const onramp = createOnramp(settings, createLog('silent'))
afterAll(async () => {
  await onramp.close()
  rmSync(folder, { recursive: true })
})

const PRIVATE = ['/onboarding', '/onboarding/connect', '/search?q=x', '/sessions', '/admin', '/admin/people']

describe('a stranger', () => {
  it.each(PRIVATE)('who asks for %s is led to sign in', async (path) => {
    const page = await request(onramp.app).get(path).set('accept', 'text/html')
    expect([page.status, page.headers['location']]).toEqual([303, expect.stringMatching(/^\/sign-in\?/)])
    expect((await request(onramp.app).get(path).set('accept', 'application/json')).status).toBe(401)
  })
})

describe("another site's page", () => {
  const elsewhere = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }

  it.each(['/sign-out', '/onboarding/skip/slack_1', '/onboarding/blocked/slack_1'])(
    'can post nothing to %s, and ours can',
    async (path) => {
      const statusFor = async (how: Record<string, string>) =>
        (await request(onramp.app).post(path).set(how)).status
      const form = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
      expect(await statusFor({ ...elsewhere, ...form })).toBe(403)
      expect(await statusFor({ origin: elsewhere.origin })).toBe(403)
      expect(await statusFor({ 'sec-fetch-site': 'same-origin', ...form })).not.toBe(403)
    },
  )

  it('can link to a page of ours, and neither embed nor fetch nor frame one', async () => {
    const get = (how: object) =>
      request(onramp.app)
        .get('/onboarding')
        .set({ ...elsewhere, ...how })
    const link = await get({ 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' })
    expect(link.status).not.toBe(403)
    expect(link.headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect((await get({ 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' })).status).toBe(403)
    expect((await get({ 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' })).status).toBe(403)
    expect((await get({ 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' })).status).toBe(403)
  })
})

it('the figures say that they depend on the origin, and are for the intranet alone', async () => {
  for (const origin of [undefined, 'https://intranet.example', 'https://other.example']) {
    const asked = request(onramp.app).options('/api/status')
    const { headers } = await (origin === undefined ? asked : asked.set({ origin }))
    expect(headers['vary']).toContain('Origin')
    expect(headers['access-control-allow-origin']).toBe(
      origin === 'https://intranet.example' ? origin : undefined,
    )
  }
})

it('signing in is counted for the whole /64 of an IPv6 address (RFC 6177), and apart for the next one', async () => {
  const isRefused = async (address: string) =>
    (await request(onramp.app).get('/sign-in').set('x-forwarded-for', address)).status === 429
  for (let host = 1; host <= PER_MINUTE; host++)
    expect(await isRefused(`2001:db8:1:2:${host}::${host}`)).toBe(false)
  expect(await isRefused('2001:db8:1:2:ffff:ffff:ffff:ffff')).toBe(true)
  expect(await isRefused('2001:db8:1:3::1')).toBe(false)
})

it('the pages of administrators are for addresses that were verified', () => {
  const isAdmin = administrators(['Grace@ACME.example '])
  const user = { issuer: 'https://idp.example', subject: 'grace', email: 'gracE@acme.example' }
  expect(isAdmin({ ...user, emailVerified: true })).toBe(true)
  expect(isAdmin({ ...user, emailVerified: false })).toBe(false)
  expect(isAdmin(user)).toBe(false)
  expect(isAdmin({ issuer: user.issuer, subject: 'x', emailVerified: true })).toBe(false)
  expect(administrators([])({ ...user, emailVerified: true })).toBe(false)
})
