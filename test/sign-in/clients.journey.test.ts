// Each documented client authentication method, end to end, and clients with a certificate or another issuer's
// assertion.
import { execFileSync } from 'node:child_process'
import { createPrivateKey, createPublicKey, randomUUID } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose'
import type { ServerMetadata } from 'openid-client'
import { expect, it } from 'vitest'
import type { Settings } from '../../src/settings/settings.ts'
import { createClientAuth } from '../../src/sign-in/server/client-authentication.ts'
import { runDoctor } from '../doctor/setup.ts'
import { expectSignedIn, messagesOf } from '../helpers/signed-in.ts'
import { signIn, type Running } from '../helpers/running.ts'
import { faultsIn } from '../helpers/settings-faults.ts'
import { refreshesOf, runOnramp } from './at-plain-server.ts'
import { useFolder } from '../helpers/folder.ts'

const folder = useFolder()
const path = (name: string) => join(folder, name)
const readText = (name: string) => readFileSync(path(name), 'utf8')
const openssl = (...args: string[]) =>
  execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' }).toString()
for (const name of ['ours', 'other'])
  openssl(
    ...`req -x509 -nodes -newkey rsa:2048 -keyout ${name}.key -out ${name}.crt -subj /CN=onramp`.split(' '),
  )

const fingerprint =
  openssl('x509', '-in', 'ours.crt', '-noout', '-fingerprint', '-sha256').split('=')[1] ?? ''
const thumbprint = Buffer.from(fingerprint.replaceAll(/[:\s]/g, ''), 'hex').toString('base64url')
const jwks = { keys: [createPublicKey(readText('ours.key')).export({ format: 'jwk' })] }

const certificateSettings = {
  OIDC_CLIENT_SECRET: '',
  OIDC_CLIENT_AUTH: 'private_key_jwt',
  OIDC_CLIENT_KEY_FILE: path('ours.key'),
  OIDC_CLIENT_CERT_FILE: path('ours.crt'),
}
const OIDC_CLIENT_ASSERTION_FILE = path('token')
const assertionSettings = { OIDC_CLIENT_SECRET: '', OIDC_CLIENT_ASSERTION_FILE }

/** Starts onramp and a sandbox with this client authentication. */
async function startedWith(
  settings: Record<string, string>,
  method: Settings['OIDC_CLIENT_AUTH'] = 'private_key_jwt',
): Promise<Running> {
  const running = await runOnramp({ settings })
  running.sandbox.addClient({
    client_id: 'onramp',
    redirect_uris: [`${running.url}/sign-in/callback`],
    token_endpoint_auth_method: method,
    ...(method === 'private_key_jwt' && { jwks }),
    ...(method === 'client_secret_post' && { client_secret: running.env['OIDC_CLIENT_SECRET'] ?? '' }),
  })
  return running
}

it.each(['client_secret_post', 'none', 'private_key_jwt'] as const)(
  'people sign in, refresh and sign out with %s',
  async (method) => {
    const isSigning = method === 'private_key_jwt'
    const signing = { OIDC_CLIENT_KEY_FILE: path('ours.key'), OIDC_CLIENT_SECRET: '' }
    const running = await startedWith({ OIDC_CLIENT_AUTH: method, ...(isSigning && signing) }, method)
    const browser = await signIn(running, 'ada')
    running.sandbox.expireTokens()

    await expectSignedIn(running, browser)
    expect(refreshesOf(running)).toBe(1)
    await browser.submit('/sign-out', { follow: false })
    const requestsTo = (name: string) =>
      running.sandbox.requests.filter(({ operation }) => operation === name)
    expect(requestsTo('revocation').map(({ status }) => status)).toEqual([200, 200])

    const { body, headers } = requestsTo('token')[0] ?? {}
    expect(headers).not.toHaveProperty('authorization')
    expect(Object.hasOwn(body as object, 'client_secret')).toBe(method === 'client_secret_post')
    expect(Object.hasOwn(body as object, 'client_assertion')).toBe(isSigning)
  },
)

/** An assertion by another issuer. The sandbox accepts each once, for its client. */
async function replaceToken({ sandbox }: Running, key = 'ours.key'): Promise<void> {
  const token = await new SignJWT({ jti: randomUUID() })
    .setProtectedHeader({ alg: 'RS256' })
    .setIssuer('onramp')
    .setSubject('onramp')
    .setAudience(sandbox.urls.authorizationServer)
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(createPrivateKey(readText(key)))
  writeFileSync(OIDC_CLIENT_ASSERTION_FILE, `${token}\n`)
}

const assertionsOf = ({ sandbox }: Running): string[] =>
  sandbox.requests
    .filter(({ operation }) => operation === 'token')
    .map(({ body }) => String(Reflect.get(Object(body), 'client_assertion')))

/** The doctor's findings about the client. */
const clientFound = async ({ env }: Running) =>
  (await runDoctor(env)).findings.find(({ check }) => check === 'authorization-server.client')

const method = 'private_key_jwt' as const
const signing = { method, key: readText('ours.key'), certificate: readText('ours.crt') }

it.each([
  ['lists nothing', undefined, 'PS256'],
  ['lists PS256', ['RS256', 'PS256'], 'PS256'],
  ['lists RS256 alone', ['RS256'], 'RS256'],
])('a certificate is sent as its thumbprint to a server that %s', async (_title, listed, alg) => {
  const token_endpoint = 'https://as.example/token'
  const listing = { token_endpoint, token_endpoint_auth_signing_alg_values_supported: listed }
  const server = { issuer: 'https://as.example', ...listing } as ServerMetadata
  const [body, prove] = [new URLSearchParams(), await createClientAuth(signing)]
  await (prove(server, { client_id: 'us' }, body, new Headers()) as unknown as Promise<void>)
  const assertion = body.get('client_assertion') ?? ''
  expect(decodeProtectedHeader(assertion)).toEqual({ alg, typ: 'JWT', 'x5t#S256': thumbprint })
  expect(decodeJwt(assertion)).toMatchObject({ aud: token_endpoint, iss: 'us', sub: 'us' })
})

it('people sign in and refresh with a certificate, which the doctor tries', async () => {
  const running = await startedWith(certificateSettings)
  const browser = await signIn(running, 'ada')
  running.sandbox.expireTokens()
  await expectSignedIn(running, browser)
  expect(refreshesOf(running)).toBe(1)
  for (const assertion of assertionsOf(running))
    expect(decodeProtectedHeader(assertion)).toMatchObject({ 'x5t#S256': thumbprint })
  expect(await clientFound(running)).toMatchObject({ status: 'ok' })
  const other = { OIDC_CLIENT_KEY_FILE: path('other.key'), OIDC_CLIENT_CERT_FILE: path('other.crt') }
  Object.assign(running.env, other)
  expect(await clientFound(running)).toMatchObject({
    status: 'fail',
    settings: ['OIDC_CLIENT_ID', 'OIDC_CLIENT_KEY', 'OIDC_CLIENT_CERT', 'OIDC_CLIENT_AUTH'],
  })
})

it('people sign in with a workload’s assertion file, which is read again', async () => {
  const running = await startedWith(assertionSettings)
  await replaceToken(running)
  const browser = await signIn(running, 'ada')
  running.sandbox.expireTokens()

  await replaceToken(running)
  await expectSignedIn(running, browser)
  expect(refreshesOf(running)).toBe(1)
  expect(new Set(assertionsOf(running)).size).toBe(2)

  await replaceToken(running)
  expect(await clientFound(running)).toMatchObject({ status: 'ok' })
  await replaceToken(running, 'other.key')
  expect(await clientFound(running)).toMatchObject({
    status: 'fail',
    says: expect.stringContaining('rejected the token in OIDC_CLIENT_ASSERTION_FILE') as string,
  })
})

it('the log and the doctor name a missing assertion file', async () => {
  const running = await startedWith(assertionSettings)
  rmSync(OIDC_CLIENT_ASSERTION_FILE, { force: true })
  const browser = await signIn(running, 'ada')
  expect(browser.page.status).toBe(502)
  expect(messagesOf(running)).toContain(`${OIDC_CLIENT_ASSERTION_FILE} cannot be read (ENOENT)`)
  expect(await clientFound(running)).toMatchObject({
    status: 'fail',
    says: expect.stringContaining("can't be read") as string,
    settings: ['OIDC_CLIENT_ASSERTION_FILE'],
  })
})

// prettier-ignore
it.each<[Record<string, string>, string[]]>([
  [certificateSettings, []],
  [assertionSettings, []],
  [{ ...certificateSettings, OIDC_CLIENT_KEY_FILE: path('other.key') }, ['OIDC_CLIENT_CERT is not the certificate of']],
  [{ OIDC_CLIENT_SECRET: 'x', OIDC_CLIENT_CERT_FILE: path('ours.crt') }, ['OIDC_CLIENT_KEY is required']],
  [{ ...certificateSettings, OIDC_CLIENT_CERT_FILE: path('ours.key') }, ['OIDC_CLIENT_CERT must be a certificate']],
  [{ ...certificateSettings, OIDC_CLIENT_CERT: 'x' }, ['OIDC_CLIENT_CERT and OIDC_CLIENT_CERT_FILE are both set']],
  [{ ...assertionSettings, OIDC_CLIENT_SECRET: 'x' }, ['OIDC_CLIENT_ASSERTION_FILE excludes']],
  [{ ...assertionSettings, OIDC_CLIENT_KEY_FILE: path('ours.key') }, ['OIDC_CLIENT_ASSERTION_FILE excludes']],
  [{ ...assertionSettings, OIDC_CLIENT_ID: '' }, ['OIDC_CLIENT_ID is required']],
])('the settings of a client without a secret are validated: %j', (env, faults) => {
  const words = faults.map((fault) => expect.stringContaining(fault) as string)
  expect(faultsIn({ OIDC_CLIENT_ID: 'onramp', ...env })).toEqual(words)
})
