// onramp doctor against the sandbox: findings for a correct configuration, and for wrong ones.
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { createKeyRing } from '../../src/records/data-key.ts'
import { createSqliteRecords } from '../../src/records/sqlite-records.ts'
import { Registration } from '../../src/sign-in/registration/registration.ts'
import { loadSettings } from '../../src/settings/settings.ts'
import { freePort, run } from '../helpers/running.ts'
import { runCommand } from '../cli/run-command.ts'
import { shared } from '../helpers/shared.ts'
import { runDoctor, newFolder, newSecret, setUpConfiguration, warningsAndFailures } from './setup.ts'

const AS_ADA = ['--as', 'ada@acme.example']

const ours = shared(setUpConfiguration)
afterEach(() => ours.sandbox.reset())

const folder = () => {
  const made = newFolder()
  onTestFinished(() => rmSync(made, { recursive: true }))
  return made
}

const findingsFor = async (check: string, changed: Record<string, string>, args: string[] = []) =>
  (await runDoctor({ ...ours.env, ...changed }, args)).findings.filter((finding) => finding.check === check)

it('a correct configuration has one warning: its invented host name', async () => {
  const report = await runDoctor(ours.env, AS_ADA)
  expect(warningsAndFailures(report).map(({ check }) => check)).toEqual(['settings.public-url-reached'])
  expect(report).toMatchObject({ exit: 0, result: 'warn' })
  expect(report.findings.map(({ says }) => says).join('\n')).toMatch(
    /Redirect URI: https:\/\/onramp\.acme\.test\/sign-in\/callback.*redirect URI is registered.*Client authentication accepted.*5 apps left.*redirects back/s,
  )
})

it('the doctor registers nothing, and signs no one in', async () => {
  ours.sandbox.clearRequests()
  await runDoctor({ ...ours.env, OIDC_CLIENT_ID: '', OIDC_CLIENT_SECRET: '' }, AS_ADA)
  const registrations = ours.sandbox.requests.filter(({ operation }) => operation === 'registration')
  expect(registrations.map(({ status }) => status)).toEqual([400])
  expect(ours.sandbox.count('checkdatasourceauth')).toBeLessThanOrEqual(5)
  expect(existsSync(join(ours.folder, 'onramp.sqlite'))).toBe(false)
})

it('with only the required settings missing, the doctor names only those', async () => {
  const env = { DATA_DIR: join(ours.folder, 'later') }
  const report = await runDoctor(env)
  const required = ['PUBLIC_URL', 'SERVICE_BASE_URL', 'OIDC_ISSUER', 'SESSION_SECRET']
  expect(warningsAndFailures(report).map(({ settings }) => settings[0])).toEqual(required)
  expect(report).toMatchObject({ exit: 1, counts: { skip: expect.any(Number) } })
  expect(report.counts['skip']).toBeGreaterThan(8)
  expect(report.findings.filter(({ status }) => status === 'skip')).toEqual([])
  expect((await runCommand(['doctor'], env)).out.match(/could not run/g)).toHaveLength(1)
})

it('the doctor counts warnings as failures only with --strict', async () => {
  const env = { ...ours.env, TRUST_PROXY: '' }
  expect((await runDoctor(env, ['--offline'])).exit).toBe(0)
  expect((await runDoctor(env, ['--offline', '--strict'])).exit).toBe(1)
})

const GONE = 'http://127.0.0.1:2'
const PATH_OF_API = { SERVICE_BASE_URL: 'https://service.acme.test/rest/api/v1' }
const OTHER_PREFIX = { SERVICE_HEADER_PREFIX: 'X-Acme', TOKEN_ISSUED_BY: 'external-idp' }
it.each<[string, Record<string, string>, RegExp]>([
  ['an unknown client', { OIDC_CLIENT_ID: 'onrmap' }, /^OIDC_CLIENT_ID.*invalid_client/],
  ['a wrong client secret', { OIDC_CLIENT_SECRET: newSecret() }, /OIDC_CLIENT_SECRET.*invalid_client/],
  ['an unsupported scope', { OIDC_SCOPE: 'openid offline_access groups' }, /^OIDC_SCOPE.*groups/],
  ['an unreachable issuer', { OIDC_ISSUER: GONE }, /^OIDC_ISSUER.*connection refused/],
  ['an unreachable service', { SERVICE_BASE_URL: GONE }, /^SERVICE_BASE_URL.*connection refused/],
  ['a rejected service token', { SERVICE_USER_TOKEN: newSecret() }, /^SERVICE_USER_TOKEN.*401/],
  ['a base address with an API path', PATH_OF_API, /^SERVICE_BASE_URL.*before \/rest\/api\/v1/],
  ['another prefix', OTHER_PREFIX, /^SERVICE_HEADER_PREFIX.*X-Service/],
  ['a missing company file', { COMPANY_FILE: '/nowhere.yaml' }, /^COMPANY_FILE.*ENOENT/],
])('the doctor finds %s, once', async (_title, changed, pattern) => {
  const report = await runDoctor({ ...ours.env, ...changed }, AS_ADA)
  const lines = warningsAndFailures(report).map((one) => `${one.settings.join(' ')} ${one.says}`)
  expect(lines.filter((line) => !line.includes('in PUBLIC_URL'))).toEqual([expect.stringMatching(pattern)])
  expect(report.exit).toBe(report.result === 'fail' ? 1 : 0)
})

it('the doctor finds a wrong clock, once', async () => {
  const report = await runDoctor(ours.env, [], { now: () => Date.now() + 600_000 })
  expect(warningsAndFailures(report).filter(({ check }) => check.endsWith('.clock'))).toMatchObject([
    { says: expect.stringContaining('10 minutes ahead'), fix: expect.stringContaining('NTP') },
  ])
})

it('the doctor finds a personal token in SERVICE_GLOBAL_TOKEN, also without a person to look up', async () => {
  const token = { SERVICE_GLOBAL_TOKEN: ours.sandbox.serviceTokens.user('bob') }
  for (const args of [[], AS_ADA])
    expect(await findingsFor('service.token', token, args)).toMatchObject([
      { status: 'fail', says: expect.stringContaining('holds a personal token') },
    ])
})

it('the doctor finds a final_redirect_url that the service rejects', async () => {
  const answer = { skip: 3, status: 400, body: 'not an allowed redirect' }
  ours.sandbox.switches.set({ answers: { checkdatasourceauth: answer } })
  expect(await findingsFor('service.final-redirect', {}, AS_ADA)).toMatchObject([
    { settings: ['PUBLIC_URL'] },
  ])
})

it('the doctor reports a rejected self-registered client, with a fix', async () => {
  const env = { ...ours.env, OIDC_CLIENT_ID: '', OIDC_CLIENT_SECRET: '', DATA_DIR: folder() }
  const [settings, records] = [loadSettings(env), createSqliteRecords(env.DATA_DIR)]
  const keyRing = createKeyRing(records, settings.SESSION_SECRET)
  const made = { client_id: 'onramp', client_secret: newSecret() }
  const method = { token_endpoint_auth_method: 'client_secret_basic' }
  await new Registration(settings, { records, keyRing, now: Date.now }).ensure(async () => ({
    ...made,
    ...method,
  }))
  records.close()

  expect(await findingsFor('authorization-server.client', env)).toMatchObject([
    {
      status: 'fail',
      says: expect.stringContaining('that onramp registered'),
      fix: expect.stringContaining('registration forget'),
    },
  ])
  // No new client was registered.
  expect(await findingsFor('authorization-server.registration', env)).toEqual([])
})

it('the doctor accepts a proxy that forwards people to onramp', async () => {
  const running = await run()
  onTestFinished(() => running.close())
  const { findings } = await runDoctor(running.env)
  const about = findings.filter(({ check }) => check.startsWith('settings.public-url-'))
  expect(about).toMatchObject([{ check: 'settings.public-url-reached', status: 'ok' }])
})

it('the doctor reports a proxy that rewrites redirects or page addresses', async () => {
  const port = await freePort('localhost')
  const running = await run({ port, settings: { PORT: String(await freePort('localhost')) } })
  onTestFinished(() => running.close())
  const proxy = createServer((req, res) => {
    void fetch(`http://localhost:${running.env['PORT']}${req.url}`, {
      headers: { accept: req.headers.accept ?? '*/*' },
      redirect: 'manual',
    }).then(async (response) => {
      const headers = Object.fromEntries(response.headers)
      delete headers['content-length']
      if (headers['location']?.startsWith('http'))
        headers['location'] = headers['location'].replace(/^https?:\/\/[^/]+/, running.url)
      res.writeHead(response.status, headers)
      res.end((await response.text()).replace(/\w+@[\w.]+/, '<a class="hidden">[email protected]</a>'))
    })
  }).listen(port, 'localhost')
  onTestFinished(() => void proxy.close())

  const { findings } = await runDoctor(running.env)
  const about = findings.filter(({ check }) => check.startsWith('settings.public-url-'))

  expect(about).toMatchObject([
    { check: 'settings.public-url-reached', status: 'ok' },
    {
      check: 'settings.public-url-redirects',
      status: 'fail',
      says: `Something in front of onramp changes its redirects: /sign-in leads to ${running.url} instead of ${running.sandbox.urls.authorizationServer}.`,
    },
    { check: 'settings.public-url-pages', status: 'warn' },
  ])
})

it('the doctor reports a secret’s file that every user can read', async () => {
  const file = join(folder(), 'secret')
  writeFileSync(file, ours.env['OIDC_CLIENT_SECRET'] ?? '')
  chmodSync(file, 0o644)
  const changed = { OIDC_CLIENT_SECRET: '', OIDC_CLIENT_SECRET_FILE: file }
  expect(await findingsFor('settings.files', changed, ['--offline'])).toMatchObject([{ status: 'warn' }])
  chmodSync(file, 0o600)
  expect(await findingsFor('settings.files', changed, ['--offline'])).toEqual([])
})

it.runIf(existsSync('/dev/shm'))('the doctor reports a DATA_DIR in memory', async () => {
  const made = mkdtempSync('/dev/shm/onramp-doctor-')
  onTestFinished(() => rmSync(made, { recursive: true }))
  const findings = await findingsFor('store.sqlite', { DATA_DIR: join(made, 'later') }, ['--offline'])
  expect(findings.map(({ says }) => says).join()).toContain('tmpfs')
})

it('the doctor reports a corrupt database as one finding', async () => {
  const broken = folder()
  writeFileSync(join(broken, 'onramp.sqlite'), 'this is not a database, however long it may be'.repeat(40))
  const { findings } = await runDoctor({ ...ours.env, DATA_DIR: broken })
  expect(findings.filter(({ group }) => group === 'Store')).toMatchObject([
    { check: 'store.sqlite', says: 'onramp.sqlite in DATA_DIR is not a database.' },
  ])
})

it.each([
  ['REDIS_URL', 'redis://search:planted%zz@h'],
  ['SMTP_URL', 'smtps://s:planted%ff@h'],
])('the doctor never shows a secret from a faulty %s', async (name, url) => {
  const report = await runDoctor({ ...ours.env, [name]: url }, ['--offline'])
  const fault = { check: 'settings.read', settings: [name], fix: 'write % as %25' }
  expect(warningsAndFailures(report)).toMatchObject([fault])
  expect(report.text).not.toContain('planted')
})
