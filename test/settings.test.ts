import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { loadSettings, readSettings, settings } from '../src/settings/settings.ts'
import { faultsIn } from './helpers/settings-faults.ts'

const whole = {
  PUBLIC_URL: 'https://onramp.example',
  SERVICE_BASE_URL: 'https://svc.example/tenant/a/',
  OIDC_ISSUER: 'https://as.example/oauth2/default',
  OIDC_CLIENT_ID: 'onramp',
  OIDC_CLIENT_SECRET: 'client-secret',
  SESSION_SECRET: 'a'.repeat(32),
}
const faultsOf = (env: Record<string, string | undefined>) => faultsIn({ ...whole, ...env })

const keyOn = (namedCurve: string) =>
  String(generateKeyPairSync('ec', { namedCurve }).privateKey.export({ type: 'pkcs8', format: 'pem' })).trim()

const folder = mkdtempSync(join(tmpdir(), 'onramp-settings-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = (name: string, content: string | Buffer) => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

describe('the settings', () => {
  it('are read with their defaults', () => {
    expect(loadSettings(whole)).toMatchObject({
      PORT: 3000,
      PUBLIC_URL: 'https://onramp.example',
      SERVICE_BASE_URL: 'https://svc.example/tenant/a',
      TOKEN_ISSUED_BY: 'service',
      OIDC_SCOPE: 'openid email profile offline_access',
      SESSION_IDLE_MINUTES: 60,
      SESSION_MAX_HOURS: 12,
      ADVANCE: 'auto',
      CONFIRM_SECONDS: 90,
      LOG_LEVEL: 'info',
    })
  })

  it('name every fault at once, each by its setting and how to mend it, and no secret’s value', () => {
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

  it.each([
    ['PUBLIC_URL', 'http://onramp.example'],
    ['PUBLIC_URL', 'https://onramp.example/path'],
    ['PUBLIC_URL', 'https://user:pass@onramp.example'],
    ['PUBLIC_URL', 'onramp.example'],
    ['SERVICE_BASE_URL', 'http://169.254.169.254/'],
    ['SERVICE_BASE_URL', 'http://10.0.0.1'],
    ['SERVICE_BASE_URL', 'https://u:p@svc.example'],
    ['SERVICE_BASE_URL', 'https://svc.example/?x=1'],
    ['SERVICE_BASE_URL', 'https://svc.example/#x'],
    ['SERVICE_BASE_URL', 'ftp://svc.example'],
    ['OIDC_ISSUER', 'http://localhost.evil.example'],
    ['OIDC_ISSUER', 'http://127.0.0.1.evil.example'],
    ['OIDC_RESOURCE', 'javascript:alert(1)'],
    ['OIDC_PROMPT', 'none'],
    ['OIDC_PROMPT', 'none consent'],
    ['OIDC_PROMPT', 'Consent'],
    ['OIDC_PROMPT', 'login,consent'],
    ['OIDC_AUTHORIZATION_PARAMS', 'offline'],
    ['OIDC_AUTHORIZATION_PARAMS', 'a b=c'],
    ['OIDC_AUTHORIZATION_PARAMS', 'hd=a&hd=b'],
    ['PORT', '-1'],
    ['PORT', '3000x'],
    ['SESSION_MAX_HOURS', '0'],
    ['SESSION_IDLE_MINUTES', '1.5'],
    ['CONFIRM_SECONDS', '99999999999999999999'],
    ['RETURN_TO_ORIGINS', 'http://intranet.example'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', '1'],
    ['TRUST_PROXY', '10.0.0.0/99'],
    ['TRUST_PROXY', '10.0.0.0/'],
    ['TRUST_PROXY', '10.0.0.0/8/8'],
    ['REDIS_URL', 'localhost:6379'],
    ['REDIS_URL', 'http://localhost:6379'],
    ['HTTPS_PROXY', 'proxy.acme.example:3128'],
    ['HTTPS_PROXY', 'socks5://proxy.acme.example'],
    ['HTTP_PROXY', 'http://proxy.acme.example/path'],
    ['NO_PROXY', '10.0.0.0/99'],
    ['NO_PROXY', '10.1.*'],
    ['NO_PROXY', 'intranet-*.acme.example'],
    ['NO_PROXY', 'https://service.example'],
    ['SERVICE_HEADER_PREFIX', 'X-Service-'],
    ['SERVICE_HEADER_PREFIX', 'X Service'],
    ['SESSION_SECRET', `${'a'.repeat(32)},short`],
    ['SESSION_SECRET', `${'a'.repeat(32)},`],
  ])('%s does not take %s', (name, value) => {
    const faults = faultsOf({ [name]: value })
    expect(faults.length).toBeGreaterThan(0)
    for (const fault of faults) expect(fault).toMatch(new RegExp(`^${name} .{10,}`))
  })

  it.each([
    ['PUBLIC_URL', 'http://localhost:3000', 'http://localhost:3000'],
    ['PUBLIC_URL', 'https://onramp.example/', 'https://onramp.example'],
    ['SERVICE_BASE_URL', 'http://127.0.0.2:9000/t/', 'http://127.0.0.2:9000/t'],
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
    ['OIDC_PROMPT', 'login  consent login', 'login consent'],
    ['OIDC_AUTHORIZATION_PARAMS', 'access_type=offline&hd=a%26b', { access_type: 'offline', hd: 'a&b' }],
    ['CONFIRM_SECONDS', '0', 0],
  ])('%s takes %s', (name, value, expected) => {
    expect(loadSettings({ ...whole, [name]: value })).toMatchObject({ [name]: expected })
  })

  it.each([
    ['REDIS_URL', 'redis://:planted%zz@redis:6379'],
    ['REDIS_URL', 'rediss://plan%ted:word@redis:6379/2'],
    ['SMTP_URL', 'smtps://search:planted%@mail.acme.example'],
    ['SMTP_URL', 'smtp://search%40acme.example:100%planted@mail.acme.example:587'],
    ['REDIS_URL', 'redis://:planted%ff@redis:6379'],
    ['HTTPS_PROXY', 'http://onramp:planted%@proxy.acme.example:3128'],
  ])('whose user or password has a percent sign alone are refused, unseen: %s=%s', (name, value) => {
    const faults = faultsOf({ [name]: value })
    expect(faults).toEqual([expect.stringMatching(new RegExp(`^${name} .*write % as %25`))])
    expect(faults.join()).not.toContain('plan')
    const escaped = value.replace(/%(?!40)/g, '%25')
    expect(faultsOf({ [name]: escaped })).toEqual([])
  })

  it('that are empty are absent', () => {
    expect(loadSettings({ ...whole, REDIS_URL: '', PORT: ' ' })).toMatchObject({ PORT: 3000 })
    expect(loadSettings({ ...whole, REDIS_URL: '' })).not.toHaveProperty('REDIS_URL')
    expect(faultsOf({ PUBLIC_URL: '' })).toHaveLength(1)
  })

  it('refuse a key that can’t sign, and don’t quote it', () => {
    const signing = { OIDC_CLIENT_AUTH: 'private_key_jwt', OIDC_CLIENT_SECRET: '' }
    for (const namedCurve of ['P-384', 'P-256']) {
      const OIDC_CLIENT_KEY = keyOn(namedCurve)
      expect(faultsOf({ ...signing, OIDC_CLIENT_KEY })).toHaveLength(namedCurve === 'P-256' ? 0 : 1)
    }
    const [fault] = faultsOf({ ...signing, OIDC_CLIENT_KEY: 'sesame' })
    expect(fault).toContain('OIDC_CLIENT_KEY must be an RSA, P-256 or Ed25519 private key')
    expect(fault).not.toContain('sesame')
  })

  it('that belong together are missed together', () => {
    expect(faultsOf({ OIDC_CLIENT_SECRET: '' })[0]).toContain('OIDC_CLIENT_AUTH=private_key_jwt for a key')
    expect(faultsOf({ OIDC_CLIENT_SECRET: '', OIDC_CLIENT_AUTH: 'none' })).toEqual([])
    expect(faultsOf({ OIDC_CLIENT_AUTH: 'private_key_jwt' })[0]).toContain('OIDC_CLIENT_KEY')
  })
})

it('METRICS_PORT that Kubernetes sets for a service called metrics is told so', () => {
  expect(faultsOf({ METRICS_PORT: 'tcp://10.0.0.7:9464' })).toEqual([
    expect.stringMatching(
      /^METRICS_PORT is the address of a service, which Kubernetes sets: .*enableServiceLinks/,
    ),
  ])
})

describe('a secret', () => {
  const secrets = settings.filter((setting) => setting.secret).map((setting) => setting.name)

  it('says why nobody could sign in with OIDC_PROMPT=none', () => {
    expect(faultsOf({ OIDC_PROMPT: 'none' })).toEqual([
      expect.stringContaining('not signed in there already'),
    ])
  })

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
    // These are for one another.
    const oauth = { SMTP_OAUTH_ISSUER: 'https://as.example', SMTP_OAUTH_CLIENT_ID: 'mailer' }
    const others = name.startsWith('WEBHOOK_') ? addresses : name.startsWith('SMTP_OAUTH_') ? oauth : {}
    const loaded = loadSettings({ ...whole, ...others, [name]: undefined, [`${name}_FILE`]: path })
    expect([Reflect.get(loaded, name)].flat()).toEqual([value])
  })

  it.each(secrets)(
    '%s in both places, in a file that is empty or not there is a fault of its own',
    (name) => {
      const path = file(`${name}-both`, 'planted-in-a-file')
      const both = faultsOf({ [name]: 'planted-directly', [`${name}_FILE`]: path })
      const empty = faultsOf({ [name]: undefined, [`${name}_FILE`]: file(`${name}-empty`, ' \n') })
      const missing = faultsOf({ [name]: undefined, [`${name}_FILE`]: join(folder, 'nowhere') })
      expect(both[0]).toMatch(new RegExp(`^${name} and ${name}_FILE are both set`))
      expect(empty[0]).toMatch(new RegExp(`^${name}_FILE .*empty`))
      expect(missing[0]).toMatch(new RegExp(`^${name}_FILE .*cannot be read \\(ENOENT\\)`))
      expect([...both, ...empty, ...missing].join()).not.toContain('planted')
    },
  )

  it.each<[string, Buffer, isRead: boolean]>([
    [
      'UTF-16 with a mark, as PowerShell writes it',
      Buffer.from('\uFEFFplanted-in-a-file-of-a-secret-of-mine\n', 'utf16le'),
      false,
    ],
    ['UTF-16 without a mark', Buffer.from('planted-in-a-file-of-a-secret-of-mine', 'utf16le'), false],
    ['bytes of no text', Buffer.from([...Buffer.from('planted'), 0xff, 0xfe]), false],
    ['UTF-8 with a mark', Buffer.from('\uFEFFplanted-in-a-file-of-a-secret-of-mine\r\n'), true],
    ['UTF-8 beyond ASCII', Buffer.from('planted-in-a-file-of-a-secret-of-Zoë'), true],
  ])('in a file of %s is refused at the start, or right', (what, bytes, isRead) => {
    const env = { SESSION_SECRET: undefined, SESSION_SECRET_FILE: file(what, bytes) }
    const fault = 'SESSION_SECRET_FILE names a file that is not UTF-8 text: save it as UTF-8'
    expect(faultsOf(env)).toEqual(isRead ? [] : [fault])
    const secrets = isRead ? [bytes.toString().trim()] : undefined
    expect(readSettings({ ...whole, ...env }).settings.SESSION_SECRET).toEqual(secrets)
  })

  it('is nothing else: what is no secret has no file', () => {
    expect(faultsOf({ PUBLIC_URL: undefined, PUBLIC_URL_FILE: file('url', whole.PUBLIC_URL) })).toHaveLength(
      1,
    )
  })
})
