// Each documented client authentication method, end to end.
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { expectSignedIn } from '../helpers/faulty.ts'
import { signIn, type Running } from '../helpers/running.ts'
import { started } from './at-plain-server.ts'
import { refreshesOf } from './two-processes.ts'

/** Signs someone in, refreshes, signs out: every request that a client authenticates. */
async function walkThrough(running: Running): Promise<void> {
  const browser = await signIn(running, 'ada')
  await expectSignedIn(running, browser)
  running.sandbox.expireTokens()
  await expectSignedIn(running, browser)
  expect(refreshesOf(running.sandbox)).toBe(1)
  await browser.submit('/sign-out', { follow: false })
  const revoked = running.sandbox.requests.filter(({ operation }) => operation === 'revocation')
  expect(revoked.map(({ status }) => status)).toEqual([200, 200])
}

it.each(['client_secret_post', 'none', 'private_key_jwt'] as const)(
  'a client that was registered by hand signs people in with %s',
  async (method) => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const folder = mkdtempSync(join(tmpdir(), 'onramp-key-'))
    const file = join(folder, 'key.pem')
    writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const signing = { OIDC_CLIENT_KEY_FILE: file, OIDC_CLIENT_SECRET: '' }
    const running = await started({
      settings: { OIDC_CLIENT_AUTH: method, ...(method === 'private_key_jwt' && signing) },
    })
    const { url, env, sandbox } = running
    sandbox.addClient({
      client_id: 'onramp',
      redirect_uris: [`${url}/sign-in/callback`],
      token_endpoint_auth_method: method,
      ...(method === 'client_secret_post' && { client_secret: env['OIDC_CLIENT_SECRET'] ?? '' }),
      ...(method === 'private_key_jwt' && { jwks: { keys: [publicKey.export({ format: 'jwk' })] } }),
    })
    await walkThrough(running)
    const { body, headers } = sandbox.requests.find(({ operation }) => operation === 'token') ?? {}
    expect(headers).not.toHaveProperty('authorization')
    expect(Object.hasOwn(body as object, 'client_secret')).toBe(method === 'client_secret_post')
    expect(Object.hasOwn(body as object, 'client_assertion')).toBe(method === 'private_key_jwt')
    rmSync(folder, { recursive: true })
  },
)
