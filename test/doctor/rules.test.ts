// The rules of all checks except the authorization server: each fault has one finding, and a correct configuration
// none.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { ProbeResult } from '../../src/client-api/client.ts'
import { certificatesCheck } from '../../src/doctor/certificates.ts'
import { emailCheck, webhookCheck } from '../../src/doctor/deliveries.ts'
import { applyRules, type DoctorContext } from '../../src/doctor/findings.ts'
import { machineCheck } from '../../src/doctor/machine.ts'
import { ownAddressCheck } from '../../src/doctor/own-address.ts'
import { redisCheck } from '../../src/doctor/redis.ts'
import { maskFor } from '../../src/doctor/run-checks.ts'
import { explainServiceError } from '../../src/doctor/service-error.ts'
import { serviceCheck } from '../../src/doctor/service.ts'
import { sqliteCheck } from '../../src/doctor/sqlite.ts'
import { recordsCheck } from '../../src/doctor/stored.ts'
import type { NetworkError } from '../../src/http/network-error.ts'
import type { Settings } from '../../src/settings/settings.ts'
import { HEALTH_SAMPLE } from '../../src/web/health.ts'
import { runCommand } from '../cli/run-command.ts'
import { REQUIRED } from '../helpers/settings-faults.ts'
import {
  response,
  accepted,
  machineFacts,
  linesMatching,
  NOW,
  problems,
  random,
  redisFacts,
  refusedWith,
  report,
  serviceFacts,
  contextWith,
  sqliteFacts,
  type FactsOf,
} from './facts.ts'
import { useFolder } from '../helpers/folder.ts'
import type { Report } from './setup.ts'

it('with --offline, the doctor runs no check that needs another server, and counts those', async () => {
  const servers = {
    ...REQUIRED,
    SERVICE_GLOBAL_TOKEN: 'global',
    SMTP_URL: 'smtp://mail.invalid',
    WEBHOOK_URL: 'https://hook.invalid',
    WEBHOOK_SECRET: `whsec_${random}`,
    REDIS_URL: 'redis://redis.invalid',
  }
  const doctor = ['doctor', '--offline', '--as', 'ada@acme.test']
  const printed = JSON.parse((await runCommand([...doctor, '--json'], servers)).out) as Report
  expect(
    printed.findings.map(({ check }) => check).filter((check) => !(check in machineCheck.rules)),
  ).toEqual([])
  expect((await runCommand(doctor, servers)).out).toMatch(
    /\n\d+ checks could not run: .*--offline is set\.\n/,
  )
})

const DAY = 86_400_000
const ABLE_TO_EMAIL = { SMTP_URL: 'smtp://m.acme.test', SERVICE_GLOBAL_TOKEN: random }

// prettier-ignore
it.each<[string, RegExp, Partial<DoctorContext>]>([
  ['a rejected setting', /^fail PORT: PORT is not a number\.$/, { faults: ['PORT is not a number: use 3000'] }],
  ['a misspelled setting', /^warn OIDC_ISUER: .* OIDC_ISSUER is one\.$/, { env: { OIDC_ISUER: 'x' } }],
  ['a misspelling beside the setting', /^warn OIDC_ISUER: .* and is ignored\.$/, { env: { OIDC_ISUER: 'x', OIDC_ISSUER: 'y' } }],
  ['an unknown setting', /^warn OIDC_TENANT_NAME: .* and is ignored\.$/, { env: { OIDC_TENANT_NAME: 'x' } }],
  // A name this long is no coincidence, also beside the setting itself.
  ['a misspelled long name', /^warn SESION_SECRET: .* SESSION_SECRET is one\.$/, { env: { SESION_SECRET: 'x' } }],
  ['a misspelled long name beside the setting', /^warn SESION_SECRET: .* SESSION_SECRET is one\.$/, { env: { SESION_SECRET: 'x', SESSION_SECRET: 'y' } }],
  ['a former setting', /^warn HELP_URL: .* no longer a setting/, { env: { HELP_URL: 'https://help.acme.test' } }],
  ['a value in quotes', /^warn OIDC_CLIENT_SECRET: .* in quotes/, { env: { OIDC_CLIENT_SECRET: '"x"' } }],
])('the doctor reports an environment with %s as %s', (_title, expected, changed) => {
  expect(problems(machineCheck, machineFacts(), changed)).toEqual(linesMatching(expected))
})

it.each([
  { REDIS_PORT: 'tcp://10.0.0.1:6379' },
  { REDIS_SERVICE_HOST: '10.0.0.1' },
  { SESSION_MANAGER: 'local/desk' },
  { LOGLEVEL: '', MAIL_FORM: '' },
])('the doctor ignores other programs’ variables %j', (env) => {
  expect(problems(machineCheck, machineFacts(), { env })).toEqual([])
})

// prettier-ignore
it.each([
  ['PUBLIC_URL must start with https:// (plain http is accepted for loopback addresses only)', 'use https://'],
  ['PORT must be between 1 and 65535', 'correct it'],
])('the rejection of a setting with %j has a fix: %s', (fault, fix) => {
  const found = applyRules(machineCheck.rules, machineFacts(), contextWith({ faults: [fault] }))
  expect(found.map((one) => one.fix).join()).toContain(fix)
})

const GUESSABLE = 'a'.repeat(34)
// prettier-ignore
it.each<[string, RegExp, Partial<Settings>]>([
  ['a loopback address', /^warn PUBLIC_URL: .* only works on this/, { PUBLIC_URL: 'http://localhost:3000' }],
  ['trust in everyone', /^fail TRUST_PROXY: .* almost every address/, { TRUST_PROXY: ['0.0.0.0/0'] }],
  ['trust in no proxy', /^warn TRUST_PROXY: .* lists none/, { TRUST_PROXY: [] }],
  ['trust in more than 10.0.0.0/8', /^fail TRUST_PROXY/, { TRUST_PROXY: ['10.0.0.0/7'] }],
  ['trust in more than an IPv6 /16', /^fail TRUST_PROXY/, { TRUST_PROXY: ['2001:db8::/15'] }],
  ['emails without an admin', /^warn ADMIN_EMAILS: onramp keep has no one to email/, ABLE_TO_EMAIL],
  ['a token with a usual word', /^warn REPORT_TOKEN: .* guess it/, { REPORT_TOKEN: 'Changeme-Q7vZk2LmX0aBcD4e' }],
  ['a guessable report token', /^warn REPORT_TOKEN/, { REPORT_TOKEN: GUESSABLE }],
  ['a guessable former session secret', /^warn SESSION_SECRET/, { SESSION_SECRET: [random, GUESSABLE] }],
  ['a guessable invitation secret', /^warn INVITE_SECRET/, { INVITE_SECRET: [GUESSABLE] }],
  ['a guessable metrics token', /^warn METRICS_TOKEN/, { METRICS_TOKEN: GUESSABLE }],
])('the doctor reports settings with %s as %s', (_title, expected, settings) => {
  expect(problems(machineCheck, machineFacts(), { settings })).toEqual(linesMatching(expected))
})

it.each<Partial<Settings>>([
  { TRUST_PROXY: ['10.0.0.0/8', '2001:db8::/16'] },
  { SMTP_URL: ABLE_TO_EMAIL.SMTP_URL },
  { SERVICE_GLOBAL_TOKEN: random },
  { ...ABLE_TO_EMAIL, ADMIN_EMAILS: ['grace@acme.test'] },
  { SESSION_SECRET: [random], REPORT_TOKEN: random, METRICS_TOKEN: random },
])('the doctor reports nothing about the settings %j', (settings) => {
  expect(problems(machineCheck, machineFacts(), { settings })).toEqual([])
})

it('a secret file that every user can read, and a faulty company file, are reported', () => {
  const company = { company: undefined, faults: ['a.yaml:1:1 x: y'] }
  expect(problems(machineCheck, machineFacts({ openFiles: ['REDIS_URL_FILE'], company }))).toEqual([
    'warn REDIS_URL_FILE: The file in REDIS_URL_FILE is readable by every user on this machine.',
    'fail COMPANY_FILE: a.yaml:1:1 x: y.',
  ])
})

it('correct settings are reported with the proxy and the addresses to register', () => {
  const routes = [
    { server: 'The service', proxy: 'proxy:3128' },
    { server: 'The issuer', proxy: undefined },
  ]
  const all = report(machineCheck, machineFacts({ routes, company: { company: undefined, faults: [] } }))
  expect(all.filter((line) => !line.startsWith('ok '))).toEqual([])
  expect(all.join('\n')).toMatch(
    /company file can be read.*through the proxy proxy:3128 \(HTTP_PROXY\).*Redirect URI: https:\/\/onramp\.acme\.test\/sign-in\/callback/s,
  )
})

const url = 'https://onramp.acme.test'
const LOGIN = 'https://login.acme.test'
const unreachable = (why: NetworkError) => ({ kind: 'no-response', why }) as const
const redirectTo = (location: string, status = 303) => response(status, '', { location })
const HTML = { 'x-onramp': 'healthz', 'content-type': 'text/html; charset=utf-8' }
const earlierOnramp = response(200, '', { 'x-onramp': 'healthz' })

// prettier-ignore
it.each([
  ['has an unknown name', /^warn PUBLIC_URL: The host name .* doesn't resolve/, unreachable('unknown-name')],
  ['has an expired certificate', /^warn PUBLIC_URL: .* can't be used/, unreachable('its certificate has expired')],
  ['refuses connections', /^skip .* when the server is running/, unreachable('refused')],
  ['belongs to onramp', /^ok : onramp is responding/, earlierOnramp],
  ['belongs to a proxy without onramp', /^skip .* when onramp is running/, response(502)],
  ['redirects to another host', /^fail PUBLIC_URL: .* lose their cookie/, redirectTo('https://www.acme.test/healthz?x=1', 301)],
  ['redirects to a sign-in', /^warn PUBLIC_URL: .* instead of onramp/, redirectTo('/oauth2/start?rd=x')],
  ['forbids access', /^warn PUBLIC_URL: .* instead of onramp/, response(403)],
  ['belongs to another server', /^fail PUBLIC_URL: .* is not onramp/, response(200, '{"status":"ok"}')],
])('a PUBLIC_URL that %s is reported as %s', (_title, expected, page) => {
  const all = report(ownAddressCheck, { url, page, signIn: page, server: undefined })
  expect(all).toEqual(linesMatching(expected))
})

const throughProxy = (changed: Partial<FactsOf<typeof ownAddressCheck>>) =>
  problems(ownAddressCheck, {
    url,
    page: response(200, HEALTH_SAMPLE.page, HTML),
    signIn: redirectTo(`${LOGIN}/a`),
    server: LOGIN,
    ...changed,
  })

// prettier-ignore
it.each([
  ['sends redirects to its own host', /^fail PUBLIC_URL: .* its redirects/, { signIn: redirectTo(`${url}/a?state=x`) }],
  ['sends redirects to an internal host', /^fail PUBLIC_URL: .* its redirects/, { signIn: redirectTo('http://10.0.0.7/a') }],
  ['adds a script to a page', /^warn PUBLIC_URL: .* its pages/, { page: response(200, `${HEALTH_SAMPLE.page}<i>`, HTML) }],
  ['replaces an address in a page', /^warn PUBLIC_URL: .* its pages/, { page: response(200, '[email]', HTML) }],
  ['returns another page', /^fail PUBLIC_URL: .* is not onramp/, { page: response(200, '<p>', { 'content-type': 'text/html' }) }],
])('a proxy that %s is reported as %s', (_title, expected, changed) => {
  expect(throughProxy(changed)).toEqual(linesMatching(expected))
})

it.each<[string, Partial<FactsOf<typeof ownAddressCheck>>]>([
  ['leaves redirects as they are', {}],
  ['redirects while the authorization server is unknown', { signIn: redirectTo(url), server: undefined }],
  ['redirects no one during an outage', { signIn: response(503) }],
  ['runs an earlier onramp without that page', { page: earlierOnramp }],
])('a host that %s is not reported', (_title, changed) => {
  expect(throughProxy(changed)).toEqual([])
})

// prettier-ignore
it.each<[string, RegExp, Partial<FactsOf<typeof sqliteCheck>>]>([
  ['is missing below a protected one', /^fail DATA_DIR: .* can't be created/, { isThere: false, unwritable: 'EACCES' }],
  ['is missing', /^ok : .* will be created/, { isThere: false }],
  ['can be written', /^ok : The embedded store is writable/, {}],
  ['is on a full disk', /^fail DATA_DIR: .* is full \(ENOSPC\)/, { unwritable: 'ENOSPC' }],
  ['is over its quota', /^fail DATA_DIR: .* is full/, { unwritable: 'EDQUOT' }],
  ['is protected', /^fail DATA_DIR: .* isn't writable/, { unwritable: 'EACCES' }],
  ['is a file', /^fail DATA_DIR: .* is a file/, { unwritable: 'ENOTDIR' }],
  ['has a damaged database', /^fail DATA_DIR: .* is not a database/, { database: { kind: 'damaged', reason: 'x' } }],
  ['has a protected database', /^fail DATA_DIR: .* can't be read and written \(x\)/, { database: { kind: 'rights', reason: 'x' } }],
  ['has a byte less than 100 MB', /^warn DATA_DIR: Less than 100 MB/, { freeBytes: 100 * 1024 * 1024 - 1 }],
  ['has 100 MB', /^ok : The embedded store is writable/, { freeBytes: 100 * 1024 * 1024 }],
  ['is in memory', /^warn DATA_DIR: .* in memory/, { fileSystem: 'memory' }],
  ['is on a network', /^warn DATA_DIR, REDIS_URL: .* network file system \(NFS\)/, { fileSystem: 'NFS' }],
])('an embedded store whose folder %s is reported as %s', (_title, expected, facts) => {
  expect(report(sqliteCheck, sqliteFacts(facts)).at(-1)).toMatch(expected)
})

it.each([
  ['saves every change', /ok : Redis persistence is on/, {}],
  ['can’t write its file', /warn REDIS_URL: Redis can't save/, { aof_last_write_status: 'err' }],
  ['has snapshots only', /warn REDIS_URL: Redis has no append-only file/, { aof_enabled: '0' }],
  ['fails to save', /warn REDIS_URL: Redis can't save/, { aof_enabled: '0', rdb_last_bgsave_status: 'err' }],
  ['drops keys', /warn REDIS_URL: Redis may evict sessions/, { maxmemory_policy: 'allkeys-lru' }],
])('a Redis that %s is reported as %s', (_title, expected, info) => {
  expect(report(redisCheck, redisFacts(info)).join('\n')).toMatch(expected)
})

it('a Redis without INFO is reported as reachable alone', () => {
  expect(report(redisCheck, { ...redisFacts(), info: {} })).toEqual(
    linesMatching(/^ok : Redis is reachable;/),
  )
})

it.each([
  ['readable records alone', /^ok : All stored records/, 0],
  ['one unreadable record', /^warn REDIS_PREFIX: One record that/, 1],
  ['two unreadable records', /^warn REDIS_PREFIX: 2 records that/, 2],
  ['an unreadable data key', /^fail SESSION_SECRET, .* another SESSION_SECRET/, undefined],
])('a store with %s is reported as %s', (_title, expected, unreadable) => {
  expect(report(recordsCheck, { unreadable })).toEqual(linesMatching(expected))
})

const folder = useFolder()

it('an app of the company file that matches none for a week is reported', () => {
  const COMPANY_FILE = join(folder, 'company.yaml')
  writeFileSync(COMPANY_FILE, 'datasources: { all: {}, slack: {}, jira_2: {}, slak: {}, box: {} }')
  const runDaysAgo = (days: number, instances = ['slack_1', 'jira_2']) => {
    const recordedApps = { instances: new Set(instances), since: NOW - days * DAY }
    return problems(recordsCheck, { unreadable: 0, recordedApps }, { settings: { COMPANY_FILE } })
  }
  expect(runDaysAgo(6.9)).toEqual([])
  expect(runDaysAgo(7)).toEqual(
    linesMatching(/datasources\.slak .* matches no app/, /datasources\.box .* matches no app/),
  )
  expect(runDaysAgo(7, ['slack_1', 'jira_2', 'slak_3', 'box'])).toEqual([])
  expect(runDaysAgo(7, ['slack_1', 'jira_1', 'slak_3', 'box'])).toHaveLength(1)
  expect(runDaysAgo(-Infinity)).toEqual([])
})

const byExternalIdp = { settings: { TOKEN_ISSUED_BY: 'external-idp' } } as const
const sameOrigin = { settings: { OIDC_ISSUER: 'https://service.acme.test/realms/x' } }
const otherPrefix = refusedWith('auth-type-missing', 401, { expectedHeaderPrefix: 'X-Acme' })
const plainPaths = { parameters: 1, namesRedirect: false }
const redirectTrial = (withRedirect: ProbeResult) => ({
  redirectTrial: { redirect: `${url}/cb`, without: accepted(plainPaths), withRedirect },
})

// prettier-ignore
it.each<[string, RegExp, Partial<FactsOf<typeof serviceCheck>>, Partial<DoctorContext>?]>([
  ['accepts any token', /^fail SERVICE_BASE_URL: .* accepted an invalid token/, { madeUp: accepted() }],
  ['refuses connections', /^fail SERVICE_BASE_URL: .*: connection refused\.$/, { madeUp: { kind: 'unreachable', why: 'refused' } }],
  ['has another path', /^fail SERVICE_BASE_URL: .* is not at .* \(404\)/, { madeUp: refusedWith('not-found', 404) }],
  ['lacks scopes instead of a token', /^warn SERVICE_BASE_URL: .* may not be the Client API/, { madeUp: refusedWith('scope', 403) }],
  ['has another header prefix', /^fail SERVICE_HEADER_PREFIX: .* X-Acme/, { madeUp: otherPrefix, global: otherPrefix }],
  ['doesn’t get the auth type', /^fail SERVICE_BASE_URL, .* hadn't received/, { madeUp: refusedWith('auth-type') }, byExternalIdp],
  ['may need the auth type', /^warn TOKEN_ISSUED_BY: .* another origin/, { madeUp: refusedWith('auth-type') }, {}],
  ['rejects the person’s token', /^fail SERVICE_USER_TOKEN: .* has expired \(401\)/, { user: refusedWith('token') }],
  ['rejects the person', /^fail SERVICE_GLOBAL_TOKEN: .* the person/, { global: refusedWith('act-as-refused', 400) }],
  ['rejects our address', /^fail PUBLIC_URL: .* as a final_redirect_url/, redirectTrial(refusedWith('request', 400))],
  ['drops our address', /^warn PUBLIC_URL: .* don't seem to contain/, redirectTrial(accepted(plainPaths))],
])('a service that %s is reported once, as %s', (_title, expected, facts, changed = sameOrigin) => {
  expect(problems(serviceCheck, serviceFacts(facts), changed)).toEqual(linesMatching(expected))
})

it('TOKEN_ISSUED_BY is never a failure, because only a sign-in shows the issuer of tokens', () => {
  const found = /^ok : Client API found/
  expect(report(serviceCheck, serviceFacts())).toEqual(linesMatching(found, /^skip : .* different origins/))
  expect(report(serviceCheck, serviceFacts(), sameOrigin)).toEqual(linesMatching(found))
  expect(report(serviceCheck, serviceFacts(), byExternalIdp)).toEqual(
    linesMatching(found, /OAUTH with every access token/),
  )
})

it.each([
  ['holds our address', { parameters: 1, namesRedirect: true }],
  ['has one more parameter', { parameters: 2, namesRedirect: false }],
])('a correct service passes with both tokens if its path %s', (_title, shape) => {
  const facts = serviceFacts({ user: accepted(), global: accepted(), ...redirectTrial(accepted(shape)) })
  expect(report(serviceCheck, facts, sameOrigin).join()).toMatch(
    /SERVICE_USER_TOKEN works: that person has 0 apps.*SERVICE_GLOBAL_TOKEN works.*redirects back/,
  )
})

it('a global token without a person to look up is reported as untested', () => {
  const settings = { ...sameOrigin.settings, SERVICE_GLOBAL_TOKEN: random }
  for (const global of [
    undefined,
    refusedWith('failing', 503),
    { kind: 'unreachable', why: 'refused' } as const,
  ])
    expect(report(serviceCheck, serviceFacts({ global }), { settings }).at(-1)).toMatch(
      /^skip .* requires a person/,
    )
})

it('apps without a usable link are counted', () => {
  const unconnected = ['attention', 'awaiting'].map((status) => ({
    instance: 'evil_1',
    name: 'Evil',
    status,
  }))
  const facts = serviceFacts({ global: { ...accepted(), unconnected } as never })
  expect(report(serviceCheck, facts, sameOrigin).join()).toMatch(
    /has 2 apps left.*warn : .* can't connect 1 app:/,
  )
})

it.each([
  ['intermediary', 'SERVICE_USER_TOKEN', 'SERVICE_BASE_URL', 'a firewall or login page'],
  ['scope', 'SERVICE_USER_TOKEN', 'SERVICE_USER_TOKEN', 'lacks a scope (403)'],
  ['auth-type-missing', 'SERVICE_USER_TOKEN', 'SERVICE_USER_TOKEN', "isn't a service token"],
  ['act-as-missing', 'SERVICE_USER_TOKEN', 'SERVICE_GLOBAL_TOKEN', 'is a global token'],
  ['act-as-missing', 'SERVICE_GLOBAL_TOKEN', 'SERVICE_BASE_URL', "didn't receive X-Service-ActAs"],
  ['busy', 'SERVICE_USER_TOKEN', 'SERVICE_BASE_URL', '(429)'],
  ['redirected', 'SERVICE_USER_TOKEN', 'SERVICE_BASE_URL', 'redirects (403)'],
  ['unreadable', 'SERVICE_USER_TOKEN', 'SERVICE_BASE_URL', "isn't the Client API"],
  ['failing', 'SERVICE_USER_TOKEN', 'SERVICE_BASE_URL', 'returned an error'],
  ['request', 'SERVICE_USER_TOKEN', 'SERVICE_BASE_URL', 'No reason was given'],
])('the error %s of a call with %s is about %s', (reason, setting, changed, message) => {
  const finding = explainServiceError(refusedWith(reason, 403) as never, { ...serviceFacts(), setting })
  expect([finding.settings[0], finding.message]).toEqual([changed, expect.stringContaining(message)])
})

it.each([
  ['that expired yesterday', 'not reported here', -1, 0],
  ['that expires now', 'reported', 0, 1],
  ['that expires in 13.9 days', 'reported', 13.9, 1],
  ['that expires in 14 days', 'not reported', 14, 0],
  ['without a date', 'not reported', NaN, 0],
])('a certificate %s is %s', (_title, _outcome, days, count) => {
  const certificate = { setting: 'SMTP_URL', host: 'm:465', endsAt: NOW + days * DAY }
  expect(report(certificatesCheck, [certificate])).toHaveLength(count)
})

const sender = { settings: { MAIL_FROM: { name: 'Search', address: 'search@acme.test' } } }
const NO_SENDER = /^warn MAIL_FROM: .* can't send invitations/

it.each([
  ['is busy', /^fail SMTP_URL: The mail server x is busy\.$/, { trouble: 'the mail server x is busy' }],
  ['gets no token', /^fail SMTP_OAUTH_CLIENT_ID, /, { trouble: 'the token is refused', hasNoToken: true }],
  ['can be reached', /^ok : The mail server in SMTP_URL is reachable/, { trouble: undefined }],
])('a mail server that %s is reported as %s', (_title, expected, facts) => {
  expect(report(emailCheck, facts, sender)).toEqual(linesMatching(expected))
  expect(report(emailCheck, facts)).toEqual(linesMatching(expected, NO_SENDER))
  // A faulty MAIL_FROM already has a finding.
  expect(report(emailCheck, facts, { faults: ['MAIL_FROM must be like x'] })).toEqual(linesMatching(expected))
})

// prettier-ignore
it.each([
  ['accepts a test', /^ok : .* accepted a signed test event/, { kind: 'delivered' }],
  ['rejects it', /^fail WEBHOOK_SECRET, .* \(status 401\)/, { kind: 'rejected', why: 'status 401', wait: undefined }],
  ['can’t be reached', /^fail WEBHOOK_URL: .* connection refused/, { kind: 'unreachable', why: 'refused' }],
] as const)('a receiver of events that %s is reported as %s', (_title, expected, outcome) => {
  expect(report(webhookCheck, outcome)).toEqual(linesMatching(expected))
})

it('secrets are masked in every form, also those of faulty settings', () => {
  const env = {
    REDIS_URL: 'redis://user:p%40ssw0rd-long@h',
    SESSION_SECRET: 'first-secret-of-all,second-secret-of-all',
    OIDC_CLIENT_SECRET_FILE: '/run/secrets/client',
    https_proxy: 'socks://user:of-the-proxy@proxy',
  }
  const mask = maskFor(env, { OIDC_CLIENT_SECRET: 'from/the=file' })
  const all =
    'p@ssw0rd-long p%40ssw0rd-long second-secret-of-all from/the=file from%2Fthe%3Dfile of-the-proxy'
  expect(mask(all)).toBe(Array(6).fill('[secret]').join(' '))
  expect(mask('/run/secrets/client')).toBe('/run/secrets/client')
  expect(maskFor({ OIDC_CLIENT_SECRET: 'a\\b(c[d' }, {})('x a\\b(c[d x')).toBe('x [secret] x')
})

it.each([
  ['after', { SESSION_SECRET: 'planted', REPORT_TOKEN: 'planted-and-longer' }],
  ['before', { SESSION_SECRET: 'planted-and-longer', REPORT_TOKEN: 'planted' }],
])('a secret that contains another one is masked as a whole, also %s it', (_title, env) => {
  expect(maskFor(env, {})('planted-and-longer planted')).toBe('[secret] [secret]')
})
