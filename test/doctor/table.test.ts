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
  machine,
  redis,
  refusedWith,
  service,
  sqlite,
  troubles,
  unusedWords,
  used,
  random,
} from './facts.ts'

describe('settings and the machine', () => {
  const key = { OIDC_CLIENT_AUTH: 'private_key_jwt' } as const
  it.each<[string, Partial<Machine>, Partial<Setup>, RegExp]>([
    ['a fault', {}, { faults: ['PORT is not a number: use 3000'] }, /^fail PORT: PORT is not a number\.$/],
    ['a mistyped name', {}, { env: { OIDC_ISUER: 'x' } }, /^warn OIDC_ISSUER: OIDC_ISUER is not a setting/],
    [
      'one beside',
      {},
      { env: { OIDC_ISUER: 'x', OIDC_ISSUER: 'y' } },
      /^warn OIDC_ISSUER: .*OIDC_ISSUER is one/,
    ],
    ['a name of ours', {}, { env: { OIDC_TENANT_NAME: 'x' } }, /^warn OIDC_TENANT_NAME: .* ignored\.$/],
    [
      'a file',
      {},
      { env: { PUBLIC_URL_FILE: '/x' } },
      /^warn PUBLIC_URL: .*only secrets are read from files/,
    ],
    ['an open file', { openFiles: ['REDIS_URL_FILE'] }, {}, /^warn REDIS_URL_FILE: .*every user/],
    ['quotes', {}, { env: { OIDC_CLIENT_SECRET: '"x"' } }, /^warn OIDC_CLIENT_SECRET: .*in quotes/],
    [
      'one address',
      {},
      { settings: { OIDC_ISSUER: 'https://onramp.acme.test/x' } },
      /^fail PUBLIC_URL: .*as OIDC_I/,
    ],
    [
      'an example',
      {},
      { settings: { PUBLIC_URL: 'https://a.example.com' } },
      /^warn PUBLIC_URL: .*example domain/,
    ],
    [
      'http',
      {},
      { settings: { PUBLIC_URL: 'http://localhost:3000' } },
      /^warn PUBLIC_URL: .*only works on this/,
    ],
    ['HOST', { hostError: 'EADDRNOTAVAIL' }, {}, /^fail HOST: .*\(EADDRNOTAVAIL\)/],
    [
      'a site',
      {},
      { settings: { RETURN_TO_ORIGINS: ['https://b.test'] } },
      /^warn PUBLIC_URL, RETURN_TO_ORIGINS: .*site/,
    ],
    [
      'a company',
      { company: { company: undefined, faults: ['a.yaml:1:1 x: y'] } },
      {},
      /^fail COMPANY_FILE: a\.yaml/,
    ],
    [
      'no company',
      { company: { company: undefined, faults: ['COMPANY_FILE names x'] } },
      {},
      /^fail COMPANY_FILE:/,
    ],
    ['wide trust', {}, { settings: { TRUST_PROXY: ['0.0.0.0/0'] } }, /^fail TRUST_PROXY: .*spoof/],
    ['no trust', {}, { settings: { TRUST_PROXY: [] } }, /^warn TRUST_PROXY: .*lists none/],
    ['authorities', { authority: 'expired' }, {}, /^warn NODE_EXTRA_CA_CERTS: .*has expired/],
    ['no authorities', { authority: "can't be read" }, {}, /^warn NODE_EXTRA_CA_CERTS: .*goes on without it/],
    [
      'lifetimes',
      {},
      { settings: { SESSION_IDLE_MINUTES: 900 } },
      /^warn SESSION_IDLE_MINUTES, SESSION_MAX_HOURS:/,
    ],
    ['an old Node', {}, { node: 'v24.2.0' }, /^fail : Node v24\.2\.0 is too old/],
    ['a key', { canSign: false }, { settings: key }, /^fail OIDC_CLIENT_KEY: .*can sign/],
    ['a key too many', { canSign: true }, {}, /^warn OIDC_CLIENT_AUTH: .*not used/],
  ])('with %s have one finding', (_what, facts, changed, expected) => {
    expect(troubles(settingsTable, machine(facts), changed)).toEqual([expect.stringMatching(expected)])
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
      /company file of Acme.*The service is reached through the proxy proxy:3128.*Anyone who reaches port 9464/s,
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
    [silent('unknown-name'), /^warn PUBLIC_URL: .*doesn't resolve from here \(onramp\.acme\.test\)/],
    [silent('certificate'), /^warn PUBLIC_URL: .*untrusted certificate/],
    [silent('refused'), /^skip : .*connection refused. Check again when the server is running/],
    [answer(200, '', { 'x-onramp': 'healthz' }), /^ok : onramp is responding/],
    [answer(502), /^skip : The reverse proxy/],
    [
      answer(301, '', { location: 'https://www.acme.test/healthz?x=1' }),
      /^fail PUBLIC_URL: .*to https:\/\/www\.acme\.test:/,
    ],
    [answer(302, '', { location: '/oauth2/start?rd=x' }), /^warn PUBLIC_URL: .*\/oauth2\/start:/],
    [answer(403), /^warn PUBLIC_URL: .*its own sign-in \(403\)/],
    [answer(200, '{"status":"ok"}'), /^fail PUBLIC_URL: .*is not onramp \(200/],
  ])('that answers %o', (reply, expected) => {
    expect(found(ownAddressTable, { url, reply })).toEqual([expect.stringMatching(expected)])
  })
})

describe('the embedded store', () => {
  it.each<[Partial<SqliteFacts>, RegExp]>([
    [{ folder: 'a file' }, /^fail DATA_DIR: DATA_DIR is a file/],
    [{ folder: 'not to be created' }, /^fail DATA_DIR: .*can't be created/],
    [{ unwritable: 'ENOSPC' }, /^fail DATA_DIR: The disk with DATA_DIR is full \(ENOSPC\)/],
    [{ unwritable: 'EACCES' }, /^fail DATA_DIR: DATA_DIR isn't writable \(EACCES\)/],
    [{ database: { kind: 'damaged', reason: 'x' } }, /^fail DATA_DIR: .*is not a database/],
    [
      { database: { kind: 'rights', reason: 'EACCES' } },
      /^fail DATA_DIR: .*can't be read and written \(EACCES\)/,
    ],
    [{ isOpenToAll: true }, /^warn DATA_DIR: .*readable by every user/],
    [{ isInMemory: true }, /^warn DATA_DIR: .*tmpfs/],
    [{ freeBytes: 1e6 }, /^warn DATA_DIR: Less than 100 MB/],
  ])('with %o', (facts, expected) => {
    expect(troubles(sqliteTable, sqlite(facts))).toEqual([expect.stringMatching(expected)])
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
  it.each<[Partial<RedisFacts>, RegExp]>([
    [{ info: { aof_last_write_status: 'err' } }, /can't save/],
    [{ appendfsync: 'no' }, /appendfsync no/],
    [{ info: snapshots }, /saves nothing: .*the ledger of sent invitations, and everyone is emailed again/],
    [{ save: '3600 1', info: snapshots }, /snapshots only/],
    [{ save: '3600 1', info: { ...snapshots, rdb_last_bgsave_status: 'err' } }, /can't save/],
    // The time of the last save is the time of the start where nothing was saved.
    [{ save: undefined, info: { ...started, rdb_last_save_time: '1799999900' } }, /doesn't report whether/],
    [{ save: undefined, info: { ...started, rdb_last_save_time: '1799999990' } }, /snapshots only/],
    [{ info: { maxmemory_policy: 'allkeys-lru' } }, /may evict sessions/],
  ])('is judged by %o', (facts, expected) => {
    expect(troubles(redisTable, redis(facts))).toEqual([expect.stringMatching(expected)])
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
  it.each<[Partial<ServiceFacts>, Partial<Setup>, RegExp]>([
    [{ madeUp: answered() }, sameOrigin, /^fail SERVICE_BASE_URL: .*accepted an invalid token/],
    [
      { madeUp: { kind: 'silent', why: 'refused' } },
      sameOrigin,
      /^fail SERVICE_BASE_URL: .*connection refused/,
    ],
    [{ madeUp: refusedWith('not-there', 404) }, sameOrigin, /^fail SERVICE_BASE_URL: .*not at .*\(404\)/],
    [
      { madeUp: refusedWith('scope', 403) },
      sameOrigin,
      /^warn SERVICE_BASE_URL: .*may not be the Client API.*403/,
    ],
    [{ madeUp: prefix, global: prefix }, sameOrigin, /^fail SERVICE_HEADER_PREFIX: .*begin with X-Acme/],
    [
      { madeUp: refusedWith('auth-type') },
      external,
      /^fail SERVICE_BASE_URL, SERVICE_HEADER_PREFIX: .*although onramp sent/,
    ],
    [
      {},
      { settings: { OIDC_ISSUER: 'https://acme.okta.com' } },
      /^fail TOKEN_ISSUED_BY: .*identity provider/,
    ],
    [{}, { settings: { OIDC_ISSUER: 'https://sso.acme.test/realms/acme' } }, /^fail TOKEN_ISSUED_BY: /],
    [{ madeUp: refusedWith('auth-type') }, {}, /^warn TOKEN_ISSUED_BY: .*Invalid Secret/],
    [
      { user: refusedWith('auth-type'), userAsAccessToken: answered() },
      sameOrigin,
      /^fail TOKEN_ISSUED_BY: SERVICE_USER_TOKEN/,
    ],
    [{ user: refusedWith('token') }, sameOrigin, /^fail SERVICE_USER_TOKEN: .*expired \(401\)/],
    [
      { global: refusedWith('act-as-refused', 400) },
      sameOrigin,
      /^fail SERVICE_GLOBAL_TOKEN: .*rejected the person/,
    ],
    [wayBack(refusedWith('request', 400)), sameOrigin, /^fail PUBLIC_URL: .*as a final_redirect_url \(400\)/],
    [
      wayBack(answered({ parameters: 1, namesRedirect: false })),
      sameOrigin,
      /^warn PUBLIC_URL: .*don't seem to contain/,
    ],
  ])('with %o', (facts, changed, expected) => {
    expect(troubles(serviceTable, service(facts), changed)).toEqual([expect.stringMatching(expected)])
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
    used.push(finding.says)
    expect(finding.settings[0]).toBe(setting)
    expect(finding.says).toContain(expected)
    const other = explain(refusedWith('act-as-missing') as never, {
      ...question,
      setting: 'SERVICE_GLOBAL_TOKEN',
    })
    used.push(other.says)
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
    [{ error: error('EAUTH', 535) }, /^fail SMTP_URL: .*rejected the username and password/],
    [
      { error: error('EAUTH', 454), words: 'the mail server x is busy' },
      /^fail SMTP_URL: The mail server x is busy\.$/,
    ],
    [{}, /^ok : .*accepts the username/],
    [{ hasUser: false }, /^ok : .*sign-in wasn't tested.*invite preview --to/],
  ])('by a mail server with %o', (facts, expected) => {
    expect(found(mailTable, smtp(facts), sender)).toEqual([expect.stringMatching(expected)])
  })

  it('without a sender are warned of', () => {
    expect(troubles(mailTable, smtp({}))).toEqual([expect.stringMatching(/^warn MAIL_FROM: /)])
  })

  it.each([
    [{ kind: 'taken' }, /^ok/],
    [
      { kind: 'refused', why: 'status 401', wait: undefined },
      /^fail WEBHOOK_SECRET, WEBHOOK_URL: .*status 401/,
    ],
    [{ kind: 'silent', why: 'refused' }, /^fail WEBHOOK_URL: .*connection refused/],
    [{ kind: 'silent', why: 'the proxy p refuses' }, /^fail HTTPS_PROXY, NO_PROXY, WEBHOOK_URL: /],
  ] as const)('of events to %o', (outcome, expected) => {
    expect(found(webhookTable, outcome)).toEqual([expect.stringMatching(expected)])
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
