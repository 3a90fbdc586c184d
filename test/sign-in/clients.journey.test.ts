// How the client proves itself, and what it asks for: every documented way, end to end.
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { JWK } from 'jose'
import { expectSignedIn, messagesOf, runUnlimited } from '../helpers/faulty.ts'
import { expectPage } from '../helpers/journey.ts'
import { signIn, type Running, type RunOptions } from '../helpers/running.ts'
import { TestBrowser } from '../helpers/test-browser.ts'
import { refreshesOf } from './two-processes.ts'

let close: (() => Promise<void>) | undefined
afterEach(async () => {
  await close?.()
  close = undefined
})

async function start(options: RunOptions): Promise<Running> {
  const running = await runUnlimited(options)
  close = () => running.close()
  return running
}

const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString()
const keys: Record<string, () => { privateKey: KeyObject; publicKey: KeyObject }> = {
  RSA: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  EC: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
}

/** Signs someone in, refreshes, signs out: every request that a client authenticates. */
async function walkThrough(running: Running): Promise<void> {
  const browser = await signIn(running, 'ada')
  await expectSignedIn(running, browser)
  running.sandbox.expireTokens()
  await expectSignedIn(running, browser)
  expect(refreshesOf(running.sandbox)).toBe(1)
  await browser.submit('/sign-out', { follow: false })
  const revoked = running.sandbox.requests.filter(({ operation }) => operation === 'revocation')
  const statuses = revoked.map(({ status }) => status)
  expect(statuses.slice(-2)).toEqual([200, 200])
  // Before them, where onramp registered itself, it tried how a client is refused that no one registered.
  expect([[], [401]]).toContainEqual(statuses.slice(0, -2))
}

const bodyOf = (running: Running, operation: string) =>
  (running.sandbox.requests.find((entry) => entry.operation === operation)?.body ?? {}) as Record<
    string,
    string
  >

describe('a client that was registered by hand', () => {
  it.each(['client_secret_basic', 'client_secret_post', 'none'] as const)(
    'may authenticate by %s',
    async (method) => {
      const running = await start({ settings: { OIDC_CLIENT_AUTH: method } })
      const { url, env, sandbox } = running
      const secret = method === 'none' ? {} : { client_secret: env['OIDC_CLIENT_SECRET'] ?? '' }
      sandbox.addClient({
        client_id: 'onramp',
        ...secret,
        token_endpoint_auth_method: method,
        redirect_uris: [`${url}/sign-in/callback`],
      })
      await walkThrough(running)
      const basic = sandbox.requests.find(({ operation }) => operation === 'token')?.headers.authorization
      expect(basic?.startsWith('Basic ') ?? false).toBe(method === 'client_secret_basic')
      expect('client_secret' in bodyOf(running, 'token')).toBe(method === 'client_secret_post')
    },
  )

  it.each(['RSA', 'EC'])('may authenticate by private_key_jwt with an %s key', async (kind) => {
    const { privateKey, publicKey } = (keys[kind] as () => ReturnType<(typeof keys)[string]>)()
    const folder = mkdtempSync(join(tmpdir(), 'onramp-key-'))
    const file = join(folder, 'key.pem')
    writeFileSync(file, pem(privateKey))
    const settings = {
      OIDC_CLIENT_AUTH: 'private_key_jwt',
      OIDC_CLIENT_KEY_FILE: file,
      OIDC_CLIENT_SECRET: '',
    }
    const running = await start({ settings })
    const jwk = { ...publicKey.export({ format: 'jwk' }), use: 'sig' } as JWK
    running.sandbox.addClient({
      client_id: 'onramp',
      jwks: { keys: [jwk] },
      redirect_uris: [`${running.url}/sign-in/callback`],
    })
    await walkThrough(running)
    expect(bodyOf(running, 'token')).toHaveProperty('client_assertion')
    rmSync(folder, { recursive: true })
  })

  it('with a wrong secret is told to the operator, and the person gets a page and no loop', async () => {
    const running = await start({ settings: { OIDC_CLIENT_SECRET: 'a-wrong-secret-that-nobody-registered' } })
    const browser = new TestBrowser()
    await browser.open(`${running.url}/onboarding`)
    expect(browser.page.status).toBe(502)
    expectPage(browser.page)
    expect(messagesOf(running)).toContain('OIDC_CLIENT_SECRET')
    expect(running.log.join('')).not.toContain('a-wrong-secret')
  })
})
