// Settings of the environment and of files: defaults, faults and secrets.
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import express from 'express'
import { expect, it } from 'vitest'
import { loadSettings, readSettings, settingDefinitions } from '../src/settings/settings.ts'
import { faultsIn } from './helpers/settings-faults.ts'
import { useFolder } from './helpers/folder.ts'

const validSettings = {
  PUBLIC_URL: 'https://onramp.example',
  SERVICE_BASE_URL: 'https://svc.example/tenant/a/',
  OIDC_ISSUER: 'https://as.example/oauth2/default',
  OIDC_CLIENT_ID: 'onramp',
  OIDC_CLIENT_SECRET: 'client-secret',
  SESSION_SECRET: 'a'.repeat(32),
}
const DN = 'CN=Search Admins,OU=Groups,DC=acme'
const faultsOf = (env: Record<string, string | undefined>) => faultsIn({ ...validSettings, ...env })

const keyOn = (namedCurve: string) =>
  String(generateKeyPairSync('ec', { namedCurve }).privateKey.export({ type: 'pkcs8', format: 'pem' })).trim()

const folder = useFolder()
const file = (name: string, content: string | Buffer) => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

it('settings have these defaults, and no others', () => {
  expect(loadSettings(validSettings)).toEqual({
    ...validSettings,
    SERVICE_BASE_URL: 'https://svc.example/tenant/a',
    SESSION_SECRET: [validSettings.SESSION_SECRET],
    PORT: 3000,
    TOKEN_ISSUED_BY: 'service',
    OIDC_CLIENT_AUTH: 'client_secret_basic',
    OIDC_SCOPE: 'openid email profile offline_access',
    OIDC_EMAIL_CLAIM: 'email',
    OIDC_EMAIL_TRUST: 'verified',
    OIDC_GROUPS_CLAIM: 'groups',
    SESSION_IDLE_MINUTES: 60,
    SESSION_MAX_HOURS: 12,
    REDIS_PREFIX: 'onramp:',
    REDIS_SENTINEL_NAME: 'mymaster',
    REDIS_CLUSTER: 'no',
    DATA_DIR: './data',
    SERVICE_HEADER_PREFIX: 'X-Service',
    ADVANCE: 'auto',
    CONFIRM_SECONDS: 90,
    SIGN_INS_PER_MINUTE: 3000,
    DRAIN_SECONDS: 2,
    INVITE_RETENTION_DAYS: 90,
    LOG_LEVEL: 'info',
    REQUEST_LOG: 'no',
  })
})

it('all faults are reported at once with corrections, and without secrets', () => {
  const faulty = {
    PUBLIC_URL: undefined,
    SERVICE_BASE_URL: 'svc.example',
    OIDC_ISSUER: 'http://as.example',
    TOKEN_ISSUED_BY: 'somebody',
    SESSION_SECRET: 'planted-and-too-short',
    REDIS_URL: 'planted://user:password@redis',
    PORT: '99999',
    CONFIRM_SECONDS: 'soon',
    ADVANCE: 'maybe',
    LOG_LEVEL: 'loud',
    RETURN_TO_ORIGINS: 'https://ok.example, https://intranet.example/path',
    OIDC_CLIENT_SECRET: undefined,
  }
  const faults = faultsOf(faulty)

  for (const name of Object.keys(faulty))
    // prettier-ignore
    expect(faults.filter((fault) => fault.startsWith(`${name} `)), name).toHaveLength(1)
  expect(faults.join('\n')).not.toContain('planted')
})

const HTTPS = 'must start with https://'
const ADDRESS = 'is not an address: write it like https://name.example'
// prettier-ignore
const REJECTED: [name: string, correction: string, ...values: string[]][] = [
  ['PUBLIC_URL', HTTPS, 'http://onramp.example'],
  ['PUBLIC_URL', 'must be an origin without a path, like https://onramp.example', 'https://onramp.example/path'],
  ['PUBLIC_URL', 'must not contain a username or password', 'https://user:pass@onramp.example'],
  ['PUBLIC_URL', ADDRESS, 'onramp.example', 'https://*.example', 'https://a..example', 'https://a;b.example'],
  ['SERVICE_BASE_URL', HTTPS, 'http://169.254.169.254/', 'http://10.0.0.1'],
  ['SERVICE_BASE_URL', 'must not contain a username or password', 'https://u:p@svc.example'],
  ['SERVICE_BASE_URL', 'must not contain a query or a fragment', 'https://svc.example/?x=1', 'https://svc.example/#x'],
  ['SERVICE_BASE_URL', ADDRESS, 'ftp://svc.example'],
  ['OIDC_ISSUER', HTTPS, 'http://localhost.evil.example', 'http://127.0.0.1.evil.example'],
  ['OIDC_RESOURCE', ADDRESS, 'javascript:alert(1)'],
  ['OIDC_RESOURCE', 'must not contain a fragment', 'https://api.example/#part'],
  ['OIDC_SCOPE', 'must be names separated by spaces, without quotes', 'openid "x"', 'a\\b', 'openid é'],
  ['OIDC_INITIAL_ACCESS_TOKEN', 'has characters that no header can carry', 'planted é', 'planted\nline'],
  ['SMTP_OAUTH_SCOPE', 'must be names separated by spaces, without quotes', 'a "b"'],
  ['OIDC_PROMPT', 'must not be `none`', 'none', 'none consent'],
  ['OIDC_PROMPT', 'must be `consent`, `login` or `select_account`', 'Consent', 'login,consent'],
  ['OIDC_AUTHORIZATION_PARAMS', 'must be like access_type=offline', 'offline', 'a b=c'],
  ['OIDC_AUTHORIZATION_PARAMS', 'has a parameter twice', 'hd=a&hd=b'],
  ['PORT', 'is not a whole number', '-1', '3000x'],
  ['SESSION_MAX_HOURS', 'must be between 1 and 720', '0', '721'],
  ['SESSION_IDLE_MINUTES', 'is not a whole number', '1.5'],
  ['CONFIRM_SECONDS', 'is not a whole number', '99999999999999999999'],
  ['RETURN_TO_ORIGINS', HTTPS, 'http://intranet.example'],
  ['RETURN_TO_ORIGINS', ADDRESS, 'https://*.example', 'https://a.example,https://*.b.example', ','],
  ['TRUST_PROXY', 'must hold addresses like 10.0.0.1 or ranges', 'true', '1', '10.0.0.0/99', '10.0.0.0/', '10.0.0.0/8/8', ','],
  ['TRUST_PROXY', 'must hold addresses like 10.0.0.1 or ranges', '::10.0.0.1', 'fd00::10.0.0.1/96', 'fe80::1%en0.1'],
  ['TRUST_PROXY', 'must not end in /0, which trusts every address', '0.0.0.0/0', '10.0.0.1, ::/0', '10.0.0.0/00'],
  ['HTTPS_PROXY', 'must be like http://proxy.', 'proxy.acme.example:3128', 'socks5://proxy.acme.example'],
  ['HTTP_PROXY', 'must be like http://proxy.', 'http://proxy.acme.example/path'],
  ['NO_PROXY', 'must hold hosts like', '10.0.0.0/99', '10.1.*', 'intranet-*.acme.example', 'https://service.example'],
  ['SERVICE_HEADER_PREFIX', 'must be the beginning of a header name', 'X-Service-', 'X Service'],
  ['SESSION_SECRET', 'needs 32 characters or more', `${'a'.repeat(32)},short`, `${'a'.repeat(32)},`],
  ['REDIS_URL', 'is not a Redis address', 'localhost:6379', 'http://localhost:6379', 'redis:///3'],
  ['REDIS_URL', 'must end with the number of a database', 'redis://u:planted@a/cache', 'redis://a?db=3', 'redis://a/3#x'],
  ['REDIS_PREFIX', 'must be plain characters without spaces', 'a b', 'a\tb', 'ö:'],
  ['REDIS_PREFIX', 'must not hold quotes or any of', 'on*', 'on?', '[on]', '{on}:', 'o\\n'],
  ['REDIS_PREFIX', 'is in quotes, which are part of the value', '"on:"', "'on:'"],
  ['REDIS_PREFIX', 'must have 64 characters or fewer', 'x'.repeat(65)],
  ['REPORT_TOKEN', 'needs 16 characters or more', 'short'],
  ['REPORT_TOKEN', 'has characters that are invalid in a bearer token', 'planted words that are long enough'],
  ['OIDC_GROUPS_CLAIM', 'must be the name of a claim', 'my groups'],
  ['WEBHOOK_URL', HTTPS, 'http://hooks.acme.example/planted'],
  ['WEBHOOK_URL', 'must not contain a username or password', 'https://ada:planted@hooks.acme.example'],
  ['WEBHOOK_URL', 'must not contain a fragment', 'https://hooks.acme.example/#planted'],
  ['WEBHOOK_SECRET', 'must be `whsec_` and 24 to 64 bytes', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_c2hvcnQ=', ','],
  ['WEBHOOK_SECRET', 'must be `whsec_` and 24 to 64 bytes', `whsec_${'A'.repeat(32)},whsec_planted`, `whsec_${'A'.repeat(100)}`],
  ['ADMIN_EMAILS', 'must hold email addresses', ',', 'Ada <ada@acme.example>'],
  ['ADMIN_EMAILS', 'can hold no pattern like *@acme.example', '*@acme.example', 'ada@acme.example,*@b.example'],
  ['REDIS_SENTINELS', 'must hold entries like name:26379', ', ,'],
  ['ADMIN_GROUPS', 'holds no name', ',', ' , ,'],
  ['ADMIN_GROUPS', 'has a name with commas or quotes', DN, `Search Admins,${DN}`, `"${DN},x`, `a"b`, `"a"b`],
  ['ADMIN_GROUPS', 'is in quotes, which are part of the value', '"Search Admins,/it/search"'],
]

it.each(
  REJECTED.flatMap(([name, correction, ...values]) =>
    values.map((value) => [name, value, correction] as const),
  ),
)('%s rejects %j with its correction, and without secrets', (name, value, correction) => {
  const faults = faultsOf({ [name]: value }).filter((fault) => fault.startsWith(`${name} `))
  expect(faults[0]).toContain(`${name} ${correction}`)
  expect(faults.join()).not.toContain('planted')
})

it.each<readonly [string, string, unknown]>([
  ['PUBLIC_URL', 'http://localhost:3000', 'http://localhost:3000'],
  ['PUBLIC_URL', 'https://onramp.example/', 'https://onramp.example'],
  ['PUBLIC_URL', 'https://On_ramp-1.bücher.example.', 'https://on_ramp-1.xn--bcher-kva.example.'],
  ['SERVICE_BASE_URL', 'http://127.0.0.2:9000/t/', 'http://127.0.0.2:9000/t'],
  ['SERVICE_BASE_URL', 'https://svc.example//', 'https://svc.example'],
  ['OIDC_ISSUER', 'http://[::1]:9000', 'http://[::1]:9000'],
  [
    'RETURN_TO_ORIGINS',
    'https://a.example/, https://b.example:8443',
    ['https://a.example', 'https://b.example:8443'],
  ],
  ['TRUST_PROXY', 'loopback, 10.0.0.0/8 fd00::/8', ['loopback', '10.0.0.0/8', 'fd00::/8']],
  ['SESSION_SECRET', ` ${'a'.repeat(32)}, ${'b'.repeat(32)} `, ['a'.repeat(32), 'b'.repeat(32)]],
  ['NO_PROXY', '.acme.example,10.0.0.0/8 *', ['.acme.example', '10.0.0.0/8', '*']],
  ['NO_PROXY', '*.corp,*.corp:8443', ['*.corp', '*.corp:8443']],
  ['SERVICE_HEADER_PREFIX', 'X-Acme', 'X-Acme'],
  ['OIDC_SCOPE', '  openid   email ', 'openid email'],
  ['OIDC_RESOURCE', 'https://api.example/x?y=1', 'https://api.example/x?y=1'],
  ['OIDC_PROMPT', 'login  consent login', 'login consent'],
  ['OIDC_AUTHORIZATION_PARAMS', 'access_type=offline&hd=a%26b', { access_type: 'offline', hd: 'a&b' }],
  ['CONFIRM_SECONDS', '0', 0],
  ...['', '/', '/0', '/3'].map((path) => {
    const url = `redis://node.example:6379${path}`
    return ['REDIS_URL', url, url] as const
  }),
  ['ADMIN_GROUPS', 'Search Admins, /it/search,,Search Admins ', ['Search Admins', '/it/search']],
  ['ADMIN_GROUPS', `"${DN}", /it/search ,"Search Admins"`, [DN, '/it/search', 'Search Admins']],
  ['ADMIN_GROUPS', `${DN}\n/it/search\n\n"a, b"\n`, [DN, '/it/search', 'a, b']],
  ['ADMIN_GROUPS', 'CN=Search Admins', ['CN=Search Admins']],
  ['ADMIN_GROUPS', `"${DN}"`, [DN]],
])('%s accepts %j', (name, value, expected) => {
  expect(loadSettings({ ...validSettings, [name]: value })).toMatchObject({ [name]: expected })
})

// prettier-ignore
it.each([
  'loopback, linklocal, uniquelocal', '10.0.0.1', '10.0.0.0/1', '10.0.0.0/08', '10.0.0.1/32', 'fd00::/1', '::1/128',
  '::ffff:10.0.0.0/104', '0:0:0:0:0:ffff:10.0.0.1', 'fe80::1%eth0', 'fe80::1%1/64', 'FD00:DB8::/32',
])('Express accepts the trusted proxies %s', (value) => {
  const { TRUST_PROXY } = loadSettings({ ...validSettings, TRUST_PROXY: value })
  expect(() => express().set('trust proxy', TRUST_PROXY)).not.toThrow()
})

it.each([
  ['REDIS_URL', 'redis://:planted%zz@redis:6379'],
  ['REDIS_URL', 'rediss://plan%ted:word@redis:6379/2'],
  ['SMTP_URL', 'smtps://search:planted%@mail.acme.example'],
  ['SMTP_URL', 'smtp://search%40acme.example:100%planted@mail.acme.example:587'],
  ['REDIS_URL', 'redis://:planted%ff@redis:6379'],
  ['HTTPS_PROXY', 'http://onramp:planted%@proxy.acme.example:3128'],
])('a user name or password with a lone percent sign is rejected: %s=%s', (name, value) => {
  const faults = faultsOf({ [name]: value })
  expect(faults).toEqual([expect.stringMatching(new RegExp(`^${name} .*write % as %25`))])
  expect(faults.join()).not.toContain('plan')
  const escaped = value.replace(/%(?!40)/g, '%25')
  expect(faultsOf({ [name]: escaped })).toEqual([])
})

it('an empty variable counts as absent', () => {
  expect(loadSettings({ ...validSettings, REDIS_URL: '', PORT: ' ' })).toMatchObject({ PORT: 3000 })
  expect(loadSettings({ ...validSettings, REDIS_URL: '' })).not.toHaveProperty('REDIS_URL')
  expect(faultsOf({ PUBLIC_URL: '' })).toHaveLength(1)
})

const signing = { OIDC_CLIENT_AUTH: 'private_key_jwt', OIDC_CLIENT_SECRET: '' }
it.each([
  ['P-384', 1],
  ['P-256', 0],
])('a key on the curve %s has %i faults', (namedCurve, count) => {
  expect(faultsOf({ ...signing, OIDC_CLIENT_KEY: keyOn(namedCurve) })).toHaveLength(count)
})

it('a key that can’t sign is rejected, and not quoted', () => {
  const [fault] = faultsOf({ ...signing, OIDC_CLIENT_KEY: 'sesame' })
  expect(fault).toContain('OIDC_CLIENT_KEY must be an RSA, P-256 or Ed25519 private key')
  expect(fault).not.toContain('sesame')
})

const REDIS_URL = 'rediss://user:pass@redis.example:6380/2'
const REDIS_SENTINELS = 'one.example:26379,[::1]:26380'
const WEBHOOK_URL = 'https://hooks.acme.example/?code=x'
const WEBHOOK_SECRET = `whsec_${'A'.repeat(32)}`
it.each<[Record<string, string>]>([
  [{ OIDC_CLIENT_SECRET: '', OIDC_CLIENT_AUTH: 'none' }],
  [{ REDIS_URL }],
  [{ REDIS_URL, REDIS_SENTINELS }],
  [{ REDIS_URL: 'redis://node.example:6379/0', REDIS_CLUSTER: 'yes' }],
  [{ WEBHOOK_URL, WEBHOOK_SECRET: `${WEBHOOK_SECRET},${WEBHOOK_SECRET}` }],
])('the settings %j are complete', (env) => {
  expect(faultsOf(env)).toEqual([])
})

it.each<[Record<string, string>, RegExp]>([
  [{ OIDC_CLIENT_SECRET: '' }, /OIDC_CLIENT_AUTH=private_key_jwt for a key/],
  [{ OIDC_CLIENT_AUTH: 'private_key_jwt' }, /OIDC_CLIENT_KEY/],
  [{ REDIS_SENTINELS }, /REDIS_URL is required with REDIS_SENTINELS/],
  [{ REDIS_CLUSTER: 'yes' }, /REDIS_URL is required with REDIS_CLUSTER=yes/],
  [{ REDIS_URL: 'redis://a', REDIS_SENTINELS, REDIS_CLUSTER: 'yes' }, /exclude each other/],
  [{ REDIS_URL, REDIS_CLUSTER: 'yes' }, /has only database 0/],
  [{ REDIS_URL, REDIS_SENTINELS: 'one.example' }, /REDIS_SENTINELS must hold/],
  [{ WEBHOOK_URL }, /^WEBHOOK_SECRET is required/],
  [{ WEBHOOK_SECRET }, /^WEBHOOK_URL is required/],
])('the settings %j have the one fault %s', (env, fault) => {
  const faults = faultsOf(env)
  expect(faults).toEqual([expect.stringMatching(fault)])
  expect(faults.join()).not.toContain('pass@')
})

it('Sentinels are read with hosts and ports', () => {
  expect(loadSettings({ ...validSettings, REDIS_URL, REDIS_SENTINELS })).toMatchObject({
    REDIS_SENTINEL_NAME: 'mymaster',
    REDIS_SENTINELS: [
      { host: 'one.example', port: 26_379 },
      { host: '::1', port: 26_380 },
    ],
  })
})

it('a METRICS_PORT that Kubernetes sets for a service called metrics is explained', () => {
  expect(faultsOf({ METRICS_PORT: 'tcp://10.0.0.7:9464' })).toEqual([
    expect.stringMatching(
      /^METRICS_PORT is the address of a service, which Kubernetes sets: .*enableServiceLinks/,
    ),
  ])
})

const secrets = settingDefinitions.filter((setting) => setting.secret).map((setting) => setting.name)

it.each(secrets)('%s may come from a file', (name) => {
  const addresses: Record<string, string> = {
    REDIS_URL: 'redis://redis:6379',
    SMTP_URL: 'smtps://mail.acme.example',
    WEBHOOK_URL: 'https://hooks.acme.example/onramp?code=x',
    WEBHOOK_SECRET: `whsec_${'A'.repeat(43)}=`,
    HTTPS_PROXY: 'http://user:password@proxy.acme.example:3128',
    HTTP_PROXY: 'https://proxy.acme.example',
    OIDC_CLIENT_KEY: keyOn('P-256'),
  }
  const value = addresses[name.replace('SMTP_OAUTH', 'OIDC')] ?? 'x'.repeat(40)
  const path = file(name, `${value}\n`)
  // These settings require each other.
  const oauth = { SMTP_OAUTH_ISSUER: 'https://as.example', SMTP_OAUTH_CLIENT_ID: 'mailer' }
  const others = name.startsWith('WEBHOOK_') ? addresses : name.startsWith('SMTP_OAUTH_') ? oauth : {}
  const loaded = loadSettings({ ...validSettings, ...others, [name]: undefined, [`${name}_FILE`]: path })

  expect([Reflect.get(loaded, name)].flat()).toEqual([value])
})

it.each(secrets)('%s in both places, or in an empty or missing file, is a fault', (name) => {
  const path = file(`${name}-both`, 'planted-in-a-file')
  const both = faultsOf({ [name]: 'planted-directly', [`${name}_FILE`]: path })
  const empty = faultsOf({ [name]: undefined, [`${name}_FILE`]: file(`${name}-empty`, ' \n') })
  const missing = faultsOf({ [name]: undefined, [`${name}_FILE`]: join(folder, 'nowhere') })
  expect(both[0]).toMatch(new RegExp(`^${name} and ${name}_FILE are both set`))
  expect(empty[0]).toMatch(new RegExp(`^${name}_FILE .*empty`))
  expect(missing[0]).toMatch(new RegExp(`^${name}_FILE .*cannot be read \\(ENOENT\\)`))
  expect([...both, ...empty, ...missing].join()).not.toContain('planted')
})

// prettier-ignore
it.each<[string, Buffer]>([
  ['UTF-16 with a mark, as PowerShell writes it', Buffer.from('\uFEFFplanted-in-a-file-of-a-secret-of-mine\n', 'utf16le')],
  ['UTF-16 without a mark', Buffer.from('planted-in-a-file-of-a-secret-of-mine', 'utf16le')],
  ['bytes of no text', Buffer.from([...Buffer.from('planted'), 0xff, 0xfe])],
])('a secret in a file of %s is rejected', (encoding, bytes) => {
  const env = { SESSION_SECRET: undefined, SESSION_SECRET_FILE: file(encoding, bytes) }
  expect(faultsOf(env)).toEqual(['SESSION_SECRET_FILE names a file that is not UTF-8 text: save it as UTF-8'])
  expect(readSettings({ ...validSettings, ...env }).settings.SESSION_SECRET).toBeUndefined()
})

it.each([
  ['with a mark', '\uFEFFplanted-in-a-file-of-a-secret-of-mine\r\n', 'planted-in-a-file-of-a-secret-of-mine'],
  ['beyond ASCII', 'planted-in-a-file-of-a-secret-of-Zoë', 'planted-in-a-file-of-a-secret-of-Zoë'],
])('a secret in a file of UTF-8 %s is read', (encoding, text, secret) => {
  const env = { SESSION_SECRET: undefined, SESSION_SECRET_FILE: file(encoding, text) }
  expect(loadSettings({ ...validSettings, ...env }).SESSION_SECRET).toEqual([secret])
})

it('a short secret in quotes is called too short if it comes from a file', () => {
  const env = { SESSION_SECRET: undefined, SESSION_SECRET_FILE: file('quoted', '"planted"') }
  expect(faultsOf(env)).toEqual([expect.stringMatching(/^SESSION_SECRET .*32 characters/)])
  expect(faultsOf({ SESSION_SECRET: '"planted"' })).toEqual([expect.stringContaining('is in quotes')])
})

it('only secrets can come from a file', () => {
  expect(
    faultsOf({ PUBLIC_URL: undefined, PUBLIC_URL_FILE: file('url', validSettings.PUBLIC_URL) }),
  ).toHaveLength(1)
})
