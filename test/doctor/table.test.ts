// What the doctor says of facts about everything but the authorization server: every rule applies to its own, and is silent
// about those of a set-up that is right.
import { describe, expect, it } from 'vitest'
import { mailTable, webhookTable, type MailFacts } from '../../src/doctor/deliveries.ts'
import { ownAddressTable } from '../../src/doctor/own-address.ts'
import { redisTable, type RedisFacts } from '../../src/doctor/redis.ts'
import type { Setup } from '../../src/doctor/rule.ts'
import { maskFor } from '../../src/doctor/secrets.ts'
import { explain, serviceTable, type ServiceFacts } from '../../src/doctor/service.ts'
import { isSameSite, settingsTable } from '../../src/doctor/settings-table.ts'
import { sqliteTable, type SqliteFacts } from '../../src/doctor/sqlite.ts'
import { storedTable } from '../../src/doctor/stored.ts'
import type { Machine } from '../../src/doctor/machine.ts'
import type { Settings } from '../../src/settings/settings.ts'
import {
  answer,
  answered,
  found,
  named,
  machine,
  redis,
  refusedWith,
  service,
  sqlite,
  troubles,
  unusedWords,
  came,
  random,
} from './facts.ts'

describe('settings and the machine', () => {
  const key = { OIDC_CLIENT_AUTH: 'private_key_jwt' } as const
  it.each<[string, Partial<Machine>, Partial<Setup>]>([
    ['fault', {}, { faults: ['PORT is not a number: use 3000'] }],
    ['mistyped', {}, { env: { OIDC_ISUER: 'x' } }],
    ['beside', {}, { env: { OIDC_ISUER: 'x', OIDC_ISSUER: 'y' } }],
    ['unknown', {}, { env: { OIDC_TENANT_NAME: 'x' } }],
    ['no-file', {}, { env: { PUBLIC_URL_FILE: '/x' } }],
    ['open', { openFiles: ['REDIS_URL_FILE'] }, {}],
    ['quoted', {}, { env: { OIDC_CLIENT_SECRET: '"x"' } }],
    ['shared', {}, { settings: { OIDC_ISSUER: 'https://onramp.acme.test/x' } }],
    ['example', {}, { settings: { PUBLIC_URL: 'https://a.example.com' } }],
    ['local', {}, { settings: { PUBLIC_URL: 'http://localhost:3000' } }],
    ['foreign', { hostError: 'EADDRNOTAVAIL' }, {}],
    ['elsewhere', {}, { settings: { RETURN_TO_ORIGINS: ['https://b.test'] } }],
    ['fault', { company: { company: undefined, faults: ['a.yaml:1:1 x: y'] } }, {}],
    ['unread', { company: { company: undefined, faults: ['COMPANY_FILE names x'] } }, {}],
    ['wide', {}, { settings: { TRUST_PROXY: ['0.0.0.0/0'] } }],
    ['none', {}, { settings: { TRUST_PROXY: [] } }],
    ['expired', { authority: 'expired' }, {}],
    ['unread', { authority: "can't be read" }, {}],
    ['idle', {}, { settings: { SESSION_IDLE_MINUTES: 900 } }],
    ['old', {}, { node: 'v24.2.0' }],
    ['unusable', { canSign: false }, { settings: key }],
    ['unused', { canSign: true }, {}],
  ])('have one finding where they lead to %s', (expected, facts, changed) => {
    expect(named(troubles(settingsTable, machine(facts), changed))).toEqual([expected])
  })

  it('that are right have none, and say where people come and what to register', () => {
    const lines = found(settingsTable, machine({ authority: 'usable', canSign: true }), { settings: key })
    expect(lines.filter((line) => !line.startsWith('ok'))).toEqual([])
    expect(lines).toContain('ok : Redirect URI: https://onramp.acme.test/sign-in/callback')
    const ways = [
      { who: 'The service', proxy: 'proxy:3128' },
      { who: 'The issuer', proxy: undefined },
    ]
    const company = { name: 'Acme', languages: [], datasources: new Map() }
    const more = { ways, company: { company, faults: [] } } as unknown as Partial<Machine>
    expect(found(settingsTable, machine(more), { settings: { METRICS_PORT: 9464 } }).join('\n')).toMatch(
      /company file of Acme.*The service is reached through the proxy proxy:3128 \(HTTP_PROXY\).*Anyone who reaches port 9464/s,
    )
  })

  it.each([
    ['REDIS_PORT', 'tcp://10.0.0.1:6379'],
    ['REDIS_SERVICE_HOST', '10.0.0.1'],
    ['SESSION_MANAGER', 'local/desk'],
    ['LOGLEVEL', ''],
  ])('leave the variables of other programs alone: %s=%s', (name, value) => {
    expect(troubles(settingsTable, machine(), { env: { [name]: value } })).toEqual([])
  })

  it.each([
    'Test-Secret-2024-Onramp',
    'Changeme-Q7vZk2LmX0aBcD4eFgH5iJkN6oPqR8sTuV1wY',
    'your-secret-here-1234567890',
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
    'abcabcabcabcabcabcabcabc',
    'tooshort1',
  ])('call %s a poor secret', (secret) => {
    expect(troubles(settingsTable, machine(), { settings: { REPORT_TOKEN: secret } })).toHaveLength(1)
  })

  it('compare secrets across settings: of a list the first, of WEBHOOK_SECRET each', () => {
    const [one, two] = [`whsec_${random}`, `whsec_${random.toLowerCase()}X`]
    const judged = (settings: Partial<Settings>) => troubles(settingsTable, machine(), { settings })
    expect(judged({ REPORT_TOKEN: two, WEBHOOK_SECRET: [one, two] })).toEqual([
      'warn WEBHOOK_SECRET, REPORT_TOKEN: WEBHOOK_SECRET is the same secret as REPORT_TOKEN.',
    ])
    expect(judged({ REPORT_TOKEN: two, SESSION_SECRET: [one, two] })).toEqual([])
  })

  it.each([
    ['https://a.acme.co.uk', 'https://b.acme.co.uk', true],
    ['https://a.acme.test:8443', 'https://b.acme.test', true],
    ['https://acme.github.io', 'https://other.github.io', false],
    ['http://a.acme.test', 'https://b.acme.test', false],
    ['https://10.1.2.3', 'https://10.1.2.4', false],
  ])('know whether %s and %s are one site: %s', (one, other, expected) => {
    expect(isSameSite(one, other)).toBe(expected)
  })

  it('are warned of an announced end ninety days before, and fail afterwards', () => {
    const judged = (removal: string) =>
      troubles(settingsTable, machine(), {
        deadlines: [{ what: 'POST /x', replacement: 'use POST /y', removal }],
      })
    expect(judged('2026-12-24')).toEqual([])
    expect(judged('2026-10-15')).toEqual([
      expect.stringMatching(/^warn : POST \/x will be removed.*in 87 days/),
    ])
    expect(judged('2026-07-20')).toEqual([expect.stringMatching(/^fail : POST \/x was removed/)])
  })
})

describe('PUBLIC_URL', () => {
  const url = 'https://onramp.acme.test'
  const silent = (why: 'unknown-name' | 'refused' | 'certificate') => ({ kind: 'silent', why }) as const
  it.each([
    [silent('unknown-name'), 'unknown'],
    [silent('certificate'), 'certificate'],
    [silent('refused'), 'not-yet'],
    [answer(200, '', { 'x-onramp': 'healthz' }), 'reached'],
    [answer(502), 'behind'],
    [answer(301, '', { location: 'https://www.acme.test/healthz?x=1' }), 'moved'],
    [answer(302, '', { location: '/oauth2/start?rd=x' }), 'redirected'],
    [answer(403), 'gated'],
    [answer(200, '{"status":"ok"}'), 'other'],
  ])('that answers %o', (reply, expected) => {
    expect(named(found(ownAddressTable, { url, reply }))).toEqual([expected])
  })
})

describe('the embedded store', () => {
  it.each<[Partial<SqliteFacts>, string]>([
    [{ folder: 'a file' }, 'file'],
    [{ folder: 'not to be created' }, 'no-folder'],
    [{ unwritable: 'ENOSPC' }, 'full'],
    [{ unwritable: 'EACCES' }, 'unwritable'],
    [{ database: { kind: 'damaged', reason: 'x' } }, 'damaged'],
    [{ database: { kind: 'rights', reason: 'EACCES' } }, 'unusable'],
    [{ isOpenToAll: true }, 'open'],
    [{ isInMemory: true }, 'memory'],
    [{ freeBytes: 1e6 }, 'space'],
  ])('with %o', (facts, expected) => {
    expect(named(troubles(sqliteTable, sqlite(facts)))).toEqual([expected])
  })

  it('that is writable, or to be created, is in order', () => {
    expect(found(sqliteTable, sqlite())).toEqual([expect.stringMatching(/^ok : .*is writable/)])
    expect(found(sqliteTable, sqlite({ folder: 'to be created' }))).toEqual([
      expect.stringMatching(/^ok : .*will be created/),
    ])
  })

  it('holds what a start relies on', () => {
    const stored = { isOfOtherSecret: false, unreadable: 0, client: undefined }
    expect(found(storedTable, stored)).toEqual([expect.stringMatching(/^ok/)])
    expect(found(storedTable, { ...stored, unreadable: 2 })).toEqual([
      expect.stringMatching(/^warn REDIS_PREFIX: 2 records/),
    ])
    expect(found(storedTable, { ...stored, isOfOtherSecret: true })).toEqual([
      expect.stringMatching(/^fail SESSION_SECRET, REDIS_PREFIX, DATA_DIR: .*another SESSION_SECRET/),
    ])
  })
})

describe('what survives a restart of Redis', () => {
  const snapshots = { aof_enabled: '0', rdb_last_bgsave_status: 'ok' }
  const started = { ...snapshots, uptime_in_seconds: '100', server_time_usec: '1800000000000000' }
  it.each<[Partial<RedisFacts>, string]>([
    [{ info: { aof_last_write_status: 'err' } }, 'failing'],
    [{ appendfsync: 'no' }, 'unsynced'],
    [{ info: snapshots }, 'nothing'],
    [{ save: '3600 1', info: snapshots }, 'snapshots'],
    [{ save: '3600 1', info: { ...snapshots, rdb_last_bgsave_status: 'err' } }, 'failing'],
    // The time of the last save is the time of the start where nothing was saved.
    [{ save: undefined, info: { ...started, rdb_last_save_time: '1799999900' } }, 'unknown'],
    [{ save: undefined, info: { ...started, rdb_last_save_time: '1799999990' } }, 'snapshots'],
    [{ info: { maxmemory_policy: 'allkeys-lru' } }, 'evicting'],
  ])('is judged by %o', (facts, expected) => {
    expect(named(troubles(redisTable, redis(facts)))).toEqual([expected])
  })

  it('is everything with an append-only file, and is not said where it is not known', () => {
    expect(found(redisTable, redis())).toEqual([
      'ok : Redis 8.0.1 is reachable; onramp can write, read, expire and delete records and run scripts.',
      'ok : Redis persistence is on (append-only file).',
    ])
    expect(found(redisTable, { ...redis({ save: undefined }), info: {} })).toHaveLength(1)
  })
})

describe('the service', () => {
  const external = { settings: { TOKEN_ISSUED_BY: 'external-idp' } } as const
  const sameOrigin = { settings: { OIDC_ISSUER: 'https://service.acme.test/realms/x' } }
  const prefix = refusedWith('auth-type-missing', 401, { otherPrefix: 'X-Acme' })
  const redirect = 'https://onramp.acme.test/cb'
  const wayBack = (withRedirect: Reply, parameters = 1) => ({
    wayBack: { redirect, without: answered({ parameters, namesRedirect: false }), withRedirect },
  })
  type Reply = ServiceFacts['madeUp']
  it.each<[Partial<ServiceFacts>, Partial<Setup>, string]>([
    [{ madeUp: answered() }, sameOrigin, 'credulous'],
    [{ madeUp: { kind: 'silent', why: 'refused' } }, sameOrigin, 'silent'],
    [{ madeUp: refusedWith('not-there', 404) }, sameOrigin, 'not-there'],
    [{ madeUp: refusedWith('scope', 403) }, sameOrigin, 'doubtful'],
    [{ madeUp: prefix, global: prefix }, sameOrigin, 'prefix'],
    [{ madeUp: refusedWith('auth-type') }, external, 'header'],
    [{}, { settings: { OIDC_ISSUER: 'https://acme.okta.com' } }, 'provider'],
    [{}, { settings: { OIDC_ISSUER: 'https://sso.acme.test/realms/acme' } }, 'provider'],
    [{ madeUp: refusedWith('auth-type') }, {}, 'own'],
    [{ user: refusedWith('auth-type'), userAsAccessToken: answered() }, sameOrigin, 'access-token'],
    [{ user: refusedWith('token') }, sameOrigin, 'token'],
    [{ global: refusedWith('act-as-refused', 400) }, sameOrigin, 'act-as-refused'],
    [wayBack(refusedWith('request', 400)), sameOrigin, 'refused'],
    [wayBack(answered({ parameters: 1, namesRedirect: false })), sameOrigin, 'ignored'],
  ])('with %o', (facts, changed, expected) => {
    expect(named(troubles(serviceTable, service(facts), changed))).toEqual([expected])
  })

  it('is not called wrong where only a sign-in shows who issues tokens', () => {
    expect(found(serviceTable, service())).toContainEqual(
      expect.stringMatching(/^skip : .*TOKEN_ISSUED_BY to external-idp/),
    )
    expect(found(serviceTable, service(), sameOrigin)).toHaveLength(1)
    expect(found(serviceTable, service(), external)).toContainEqual(
      expect.stringContaining('with every access token'),
    )
  })

  it('in order says so of each token, and where a consent leads back to', () => {
    const facts = service({
      user: answered(),
      global: answered(),
      ...wayBack(answered({ parameters: 2, namesRedirect: true })),
    })
    expect(found(serviceTable, facts, sameOrigin).join('\n')).toMatch(
      /SERVICE_USER_TOKEN works: that person has 0 apps.*SERVICE_GLOBAL_TOKEN works.*redirects to https:\/\/onramp\.acme\.test\/cb/s,
    )
    const encoded = service(wayBack(answered({ parameters: 2, namesRedirect: false })))
    expect(found(serviceTable, encoded, sameOrigin)).toContainEqual(
      expect.stringContaining('encoded in its path'),
    )
    const untried = { settings: { ...sameOrigin.settings, SERVICE_GLOBAL_TOKEN: random } }
    expect(found(serviceTable, service(), untried)).toContainEqual(
      expect.stringMatching(/^skip : .*--as EMAIL/),
    )
  })

  it.each([
    ['in-front', 'SERVICE_BASE_URL', 'a firewall, or a login'],
    ['scope', 'SERVICE_USER_TOKEN', 'lacks a scope (403)'],
    ['auth-type-missing', 'SERVICE_USER_TOKEN', "isn't a service token"],
    ['auth-type', 'SERVICE_USER_TOKEN', "isn't a service token"],
    ['act-as-missing', 'SERVICE_GLOBAL_TOKEN', 'is a global token'],
    ['busy', 'SERVICE_BASE_URL', '(429)'],
    ['redirected', 'SERVICE_BASE_URL', 'redirects (403)'],
    ['unreadable', 'SERVICE_BASE_URL', "isn't the Client API"],
    ['failing', 'SERVICE_BASE_URL', 'returned an error'],
    ['request', 'SERVICE_BASE_URL', 'It gave no reason'],
  ])('that refuses a token for %s names %s', (reason, setting, expected) => {
    const question = {
      setting: 'SERVICE_USER_TOKEN',
      baseUrl: 'https://s.test',
      prefix: 'X-Service',
      naming: 'EMAIL',
    }
    const finding = explain(refusedWith(reason, 403) as never, question)
    came.add(`service.refusals ${finding.is}`)
    expect(finding.settings[0]).toBe(setting)
    expect(finding.says).toContain(expected)
    const other = explain(refusedWith('act-as-missing') as never, {
      ...question,
      setting: 'SERVICE_GLOBAL_TOKEN',
    })
    came.add(`service.refusals ${other.is}`)
    expect(other.says).toContain("didn't receive X-Service-ActAs")
  })
})

describe('deliveries', () => {
  const smtp = (changed: Partial<MailFacts>): MailFacts => ({
    error: undefined,
    words: '',
    hasUser: true,
    ...changed,
  })
  const error = (code: string, responseCode?: number) =>
    Object.assign(new Error('x'), {
      code,
      ...(responseCode && { responseCode, response: `${responseCode} no` }),
    })
  const sender = { settings: { MAIL_FROM: { name: 'Search', address: 'search@acme.test' } } }
  it.each([
    [{ error: error('EAUTH', 535) }, 'password'],
    [{ error: error('EAUTH', 454), words: 'the mail server x is busy' }, 'unusable'],
    [{}, 'fine'],
    [{ hasUser: false }, 'no-user'],
  ])('by a mail server with %o', (facts, expected) => {
    expect(named(found(mailTable, smtp(facts), sender))).toEqual([expected])
  })

  it('without a sender are warned of', () => {
    expect(troubles(mailTable, smtp({}))).toEqual([expect.stringMatching(/^warn MAIL_FROM: /)])
  })

  it.each([
    [{ kind: 'taken' }, 'taken'],
    [{ kind: 'refused', why: 'status 401', wait: undefined }, 'refused'],
    [{ kind: 'silent', why: 'refused' }, 'silent'],
    [{ kind: 'silent', why: 'the proxy p refuses' }, 'silent'],
  ] as const)('of events to %o', (outcome, expected) => {
    expect(named(found(webhookTable, outcome))).toEqual([expected])
  })
})

describe('the mask', () => {
  it('takes secrets out in every form, whatever is wrong with them', () => {
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
})

// The last one of this file, as it counts what the others have led to.
it('has a case for every finding', () => {
  expect(unusedWords(['settings.', 'service.', 'store.'], ['store.redis', 'service.clock'])).toEqual([])
})
