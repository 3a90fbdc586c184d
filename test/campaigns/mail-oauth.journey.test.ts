// A mailbox without a password: a real authorization server (oidc-provider) issues the access tokens, and a mail server
// (smtp-server) introspects each.
import { execFileSync } from 'node:child_process'
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { decodeProtectedHeader, jwtVerify, SignJWT } from 'jose'
import { Provider, type ClientMetadata } from 'oidc-provider'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { useFolder } from '../helpers/folder.ts'
import { createTokenProvider } from '../../src/campaigns/mail/access-token.ts'
import { runDoctor } from '../doctor/setup.ts'
import { startPlainServer } from '../helpers/plain-authorization-server.ts'
import { faultsIn } from '../helpers/settings-faults.ts'
import { useCompany } from './command.ts'
import { startSmtpServer } from './smtp-server.ts'

const { company, send, list } = useCompany()

const MAILBOX = 'search@acme.example'
const SCOPE = 'https://mail.acme.example/.default'
const LIFE_SECONDS = 600
const secret = randomBytes(24).toString('base64url')

const folder = useFolder()
const path = (name: string) => join(folder, name)
const readText = (name: string) => readFileSync(path(name), 'utf8')
const request = 'req -x509 -nodes -newkey rsa:2048 -keyout key -out crt -subj /CN=onramp'
execFileSync('openssl', request.split(' '), { cwd: folder, stdio: 'pipe' })
const jwk = createPublicKey(readText('key')).export({ format: 'jwk' })

const client = (client_id: string, more: Partial<ClientMetadata>): ClientMetadata => ({
  client_id,
  grant_types: ['client_credentials'],
  response_types: [],
  redirect_uris: [],
  scope: SCOPE,
  ...more,
})

let issuer: string
let provider: Provider
/** The bodies of token requests. */
const tokenRequests: URLSearchParams[] = []
const http = createServer((req, res) => {
  if (req.method === 'POST') {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => tokenRequests.push(new URLSearchParams(Buffer.concat(chunks).toString())))
  }
  void provider.callback()(req, res)
})

beforeAll(async () => {
  await once(http.listen(0, '127.0.0.1'), 'listening')
  issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const withKey = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [jwk] } } as const
  provider = new Provider(issuer, {
    scopes: ['openid', SCOPE],
    features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
    ttl: { ClientCredentials: LIFE_SECONDS },
    clients: [
      client('with-secret', { client_secret: secret, token_endpoint_auth_method: 'client_secret_post' }),
      client('with-key', withKey),
    ],
  })
})
afterAll(async () => {
  http.closeAllConnections()
  await new Promise((resolve) => http.close(resolve))
})

/** A mail server that accepts only an access token of the mailbox. */
async function startMailbox(
  isGood = async (token: string) => (await provider.ClientCredentials.find(token)) !== undefined,
) {
  const recipients: string[] = []
  const server = new SMTPServer({
    authMethods: ['XOAUTH2'],
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    onAuth({ method, username, accessToken = '' }, _session, done) {
      void isGood(accessToken).then((isKnown) => {
        if (method === 'XOAUTH2' && username === MAILBOX && isKnown) done(null, { user: username })
        else done(new Error('5.7.3 Authentication unsuccessful'))
      })
    },
    onRcptTo({ address }, _session, done) {
      recipients.push(address)
      done()
    },
  })
  server.on('error', () => {})
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => new Promise<void>((done) => server.close(() => done())))
  const { port } = server.server.address() as AddressInfo
  return { recipients, SMTP_URL: `smtp://${encodeURIComponent(MAILBOX)}@127.0.0.1:${port}` }
}

const withClient = (id: string, credential: Record<string, string>) => ({
  SMTP_OAUTH_ISSUER: issuer,
  SMTP_OAUTH_CLIENT_ID: id,
  SMTP_OAUTH_SCOPE: SCOPE,
  ...credential,
})
const withSecret = () => withClient('with-secret', { SMTP_OAUTH_CLIENT_SECRET: secret })

const sendWith = (env: Record<string, string>) => send([list('ada@acme.example\n')], { env })

/** The doctor's findings about the mail server. */
async function findingsFor(env: Record<string, string>) {
  const { findings } = await runDoctor({ ...company().env, PUBLIC_URL: 'https://onramp.example', ...env })
  return findings.filter(({ check }) => check === 'settings.mail')
}

/** An assertion as a platform writes it; the provider accepts each once. */
async function writeAssertion(): Promise<void> {
  const assertion = await new SignJWT({ jti: randomUUID() })
    .setProtectedHeader({ alg: 'RS256' })
    .setIssuer('with-key')
    .setSubject('with-key')
    .setAudience(issuer)
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(createPrivateKey(readText('key')))
  writeFileSync(path('token'), assertion)
}

it.each<[string, () => Record<string, string>]>([
  ['a secret', withSecret],
  [
    'a secret, at a server with a configured token endpoint',
    () => {
      const { SMTP_OAUTH_ISSUER, ...others } = withSecret()
      return { ...others, SMTP_OAUTH_TOKEN_URL: `${SMTP_OAUTH_ISSUER}/token` }
    },
  ],
  [
    'a certificate',
    () => {
      const files = { SMTP_OAUTH_CLIENT_KEY_FILE: path('key'), SMTP_OAUTH_CLIENT_CERT_FILE: path('crt') }
      return withClient('with-key', files)
    },
  ],
  [
    'an assertion of its platform',
    () => withClient('with-key', { SMTP_OAUTH_CLIENT_ASSERTION_FILE: path('token') }),
  ],
])('emails are sent with an access token of a client with %s', async (_title, settings) => {
  await writeAssertion()
  const { recipients, SMTP_URL } = await startMailbox()
  tokenRequests.length = 0
  expect(await sendWith({ SMTP_URL, ...settings() })).toMatchObject({ code: 0 })
  expect(recipients).toEqual(['ada@acme.example'])
  expect(tokenRequests.map((body) => [body.get('grant_type'), body.get('scope')])).toContainEqual([
    'client_credentials',
    SCOPE,
  ])
  const assertions = tokenRequests.flatMap((body) => body.get('client_assertion') ?? [])
  const withThumbprint = assertions.filter((assertion) => 'x5t#S256' in decodeProtectedHeader(assertion))
  expect(withThumbprint).toHaveLength('SMTP_OAUTH_CLIENT_CERT_FILE' in settings() ? assertions.length : 0)
})

it('a rejected client sends no email, and the message quotes the authorization server', async () => {
  const { recipients, SMTP_URL } = await startMailbox()
  const planted = `planted-${secret}`
  const env = { SMTP_URL, ...withSecret(), SMTP_OAUTH_CLIENT_SECRET: planted }

  const { code, stderr } = await sendWith(env)

  expect([code, recipients]).toEqual([1, []])
  expect(stderr).toMatch(
    /no access token for the mailbox from 127\.0\.0\.1:\d+ \(it responded invalid_client with status 401/,
  )
  expect(stderr).toContain('see SMTP_OAUTH_CLIENT_ID and SMTP_OAUTH_SCOPE')
  expect(stderr).not.toContain(planted)
  expect(await findingsFor(env)).toMatchObject([
    {
      status: 'fail',
      says: expect.stringContaining('invalid_client') as string,
      settings: ['SMTP_OAUTH_CLIENT_ID', 'SMTP_OAUTH_SCOPE', 'SMTP_OAUTH_ISSUER'],
    },
  ])
})

it.each([
  ['http://127.0.0.1:1', 'cannot be discovered'],
  ['http://127.0.0.1:1/x', 'see SMTP_OAUTH_ISSUER'],
])('the error about an unreachable issuer %s names its setting', async (SMTP_OAUTH_ISSUER, words) => {
  const { SMTP_URL } = await startMailbox()
  const { stderr } = await sendWith({ SMTP_URL, ...withSecret(), SMTP_OAUTH_ISSUER })
  expect(stderr).toContain(words)
  expect(stderr).not.toContain('OIDC_ISSUER')
})

it('a mail server that rejects the access token is reported, also by the doctor', async () => {
  const good = await startMailbox()
  const env = { ...withSecret(), MAIL_FROM: 'search@acme.example' }
  expect(await findingsFor({ ...env, SMTP_URL: good.SMTP_URL })).toMatchObject([{ status: 'ok' }])
  const { SMTP_URL } = await startMailbox(async () => false)
  const { stderr } = await sendWith({ ...env, SMTP_URL })
  expect(stderr).toContain('rejects the access token (reply: 535 5.7.3 Authentication unsuccessful)')
  expect(await findingsFor({ ...env, SMTP_URL })).toMatchObject([
    { status: 'fail', says: expect.stringContaining('rejects the access token') as string },
  ])
})

it('a mail server without passwords (550 5.7.30 Basic authentication is not supported) is explained', async () => {
  const server = await startSmtpServer(({ stage, line }) => {
    if (stage === 'EHLO') return '250-mail.acme.example\r\n250 AUTH LOGIN PLAIN XOAUTH2'
    if (line.startsWith('AUTH'))
      return '550 5.7.30 Basic authentication is not supported for Client Submission.'
    return undefined
  })
  onTestFinished(() => server.close())
  const SMTP_URL = server.url.replace('//', '//search%40acme.example:letmein@')

  const { stderr } = await sendWith({ SMTP_URL })

  for (const line of [stderr, (await findingsFor({ SMTP_URL }))[0]?.says]) {
    expect(line).toContain(
      'rejects this kind of sign-in (reply: 550 5.7.30 Basic authentication is not supported',
    )
    expect(line).toContain('set SMTP_OAUTH_ISSUER')
    expect(line).not.toContain('letmein')
  }
})

const tokenOf = (provide: ReturnType<typeof createTokenProvider>, renew = false) =>
  new Promise<string>((resolve, reject) => {
    provide(MAILBOX, renew, (error, token) => (error === null ? resolve(token) : reject(error)))
  })

it('an access token is requested once, and renewed near its expiry or after a rejection', async () => {
  let now = 0
  const tokens = createTokenProvider(withSecret(), () => now)
  const [first, same] = await Promise.all([tokenOf(tokens), tokenOf(tokens)])
  expect(same).toBe(first)
  now = LIFE_SECONDS * 900 - 1
  expect(await tokenOf(tokens)).toBe(first)
  now++
  const second = await tokenOf(tokens)
  expect(second).not.toBe(first)
  expect(await tokenOf(tokens, true)).not.toBe(second)
})

it('a server that lists only the JWT grant gets an assertion about the mailbox', async () => {
  const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
  const bodies: object[] = []
  const server = await startPlainServer(
    {
      '/token': ({ body, res }) => {
        bodies.push(body)
        server.json(res, { access_token: 'ya29.x', token_type: 'Bearer', expires_in: 3599 })
      },
    },
    () => ({ grant_types_supported: ['authorization_code', 'refresh_token', jwtBearer] }),
  )
  onTestFinished(() => server.close())
  const tokens = createTokenProvider({
    SMTP_OAUTH_ISSUER: server.url,
    SMTP_OAUTH_CLIENT_ID: 'onramp@acme.iam.gserviceaccount.com',
    SMTP_OAUTH_CLIENT_KEY: readText('key'),
    SMTP_OAUTH_SCOPE: 'https://mail.google.com/',
  })

  expect(await tokenOf(tokens)).toBe('ya29.x')
  expect(bodies).toEqual([{ grant_type: jwtBearer, assertion: expect.any(String) as string }])
  const assertion = String(Reflect.get(bodies[0] ?? {}, 'assertion'))
  const { payload } = await jwtVerify(assertion, createPublicKey(readText('key')), { algorithms: ['RS256'] })
  expect(payload).toEqual({
    iss: 'onramp@acme.iam.gserviceaccount.com',
    sub: MAILBOX,
    scope: 'https://mail.google.com/',
    aud: `${server.url}/token`,
    iat: expect.any(Number) as number,
    exp: (payload.iat ?? 0) + 300,
  })
})

const wholeSettings = {
  SMTP_URL: 'smtp://search%40acme.example@smtp.office365.com',
  SMTP_OAUTH_ISSUER: 'https://as.example',
  SMTP_OAUTH_CLIENT_ID: 'mailer',
  SMTP_OAUTH_CLIENT_SECRET: 'x',
}
const certificateSettings = { SMTP_OAUTH_CLIENT_SECRET: '', SMTP_OAUTH_CLIENT_CERT_FILE: path('crt') }
const { privateKey: otherKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
writeFileSync(path('other'), otherKey.export({ type: 'pkcs8', format: 'pem' }))
const together = 'SMTP_OAUTH_CLIENT_ID belongs together with'
it.each<[Record<string, string>, string[]]>([
  [{}, []],
  [{ SMTP_OAUTH_ISSUER: '', SMTP_OAUTH_TOKEN_URL: 'https://as.example/token' }, []],
  [{ SMTP_OAUTH_CLIENT_SECRET: '', SMTP_OAUTH_CLIENT_ASSERTION_FILE: '/token' }, []],
  [{ SMTP_OAUTH_TOKEN_URL: 'https://as.example/token' }, [together]],
  [{ SMTP_OAUTH_ISSUER: '' }, [together]],
  [{ SMTP_OAUTH_CLIENT_ID: '' }, [together]],
  [{ SMTP_OAUTH_CLIENT_SECRET: '' }, [together]],
  [{ SMTP_OAUTH_CLIENT_KEY_FILE: path('key') }, [together]],
  [{ SMTP_OAUTH_CLIENT_CERT_FILE: path('crt') }, ['SMTP_OAUTH_CLIENT_KEY is required']],
  [{ ...certificateSettings, SMTP_OAUTH_CLIENT_KEY_FILE: path('key') }, []],
  [
    { ...certificateSettings, SMTP_OAUTH_CLIENT_KEY_FILE: path('other') },
    ['SMTP_OAUTH_CLIENT_CERT is not the certificate'],
  ],
  [{ SMTP_OAUTH_ISSUER: 'http://as.example' }, ['SMTP_OAUTH_ISSUER must start with https://', together]],
  [{ SMTP_URL: 'smtp://smtp.office365.com' }, ['SMTP_URL needs the mailbox']],
])('the settings of a mailbox with access tokens are validated: %j', (env, faults) => {
  expect(faultsIn({ ...wholeSettings, ...env })).toEqual(
    faults.map((fault) => expect.stringContaining(fault) as string),
  )
})
