// What the doctor says of facts about everything but the authorization server: every rule applies to its own, and is silent
// about those of a set-up that is right.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { NetworkError } from '../../src/http/network-error.ts'
import { certificates } from '../../src/doctor/certificates.ts'
import { mail, webhook } from '../../src/doctor/deliveries.ts'
import { machine } from '../../src/doctor/machine.ts'
import { ownAddress } from '../../src/doctor/own-address.ts'
import { redis } from '../../src/doctor/redis.ts'
import type { DoctorContext } from '../../src/doctor/rule.ts'
import { maskFor } from '../../src/doctor/secrets.ts'
import { explain, service } from '../../src/doctor/service.ts'
import { sqlite } from '../../src/doctor/sqlite.ts'
import { stored } from '../../src/doctor/stored.ts'
import { SAMPLE_PAGE } from '../../src/web/health.ts'
import {
  answer,
  answered,
  found,
  lines,
  machineFacts,
  names,
  NOW,
  random,
  redisFacts,
  refusedWith,
  serviceFacts,
  sqliteFacts,
  troubles,
  type FactsOf,
} from './facts.ts'

describe('settings and the machine', () => {
  const judged = (facts: Partial<FactsOf<typeof machine>>, changed: Partial<DoctorContext> = {}) =>
    troubles(found(machine, machineFacts(facts), changed))
  it.each<[string, Partial<FactsOf<typeof machine>>, Partial<DoctorContext>]>([
    ['fault', {}, { faults: ['PORT is not a number: use 3000'] }],
    ['mistyped', {}, { env: { OIDC_ISUER: 'x' } }],
    ['unknown', {}, { env: { OIDC_ISUER: 'x', OIDC_ISSUER: 'y' } }],
    ['unknown', {}, { env: { OIDC_TENANT_NAME: 'x' } }],
    // Long enough that no other program has it by chance, also beside the setting itself.
    ['mistyped', {}, { env: { SESION_SECRET: 'x' } }],
    ['mistyped', {}, { env: { SESION_SECRET: 'x', SESSION_SECRET: 'y' } }],
    ['removed', {}, { env: { HELP_URL: 'https://help.acme.test' } }],
    ['removed', {}, { env: { REQUESTS_PER_MINUTE: '9' } }],
    ['none', {}, { settings: { SMTP_URL: 'smtp://m.acme.test', SERVICE_GLOBAL_TOKEN: random } }],
    ['open', { openFiles: ['REDIS_URL_FILE'] }, {}],
    ['quoted', {}, { env: { OIDC_CLIENT_SECRET: '"x"' } }],
    ['local', {}, { settings: { PUBLIC_URL: 'http://localhost:3000' } }],
    ['fault', { company: { company: undefined, faults: ['a.yaml:1:1 x: y'] } }, {}],
    ['wide', {}, { settings: { TRUST_PROXY: ['0.0.0.0/0'] } }],
    ['none', {}, { settings: { TRUST_PROXY: [] } }],
  ])('have one finding where they lead to %s', (expected, facts, changed) => {
    expect(names(judged(facts, changed))).toEqual([expected])
  })

  it('that are right have none, and say where people come and what to register', () => {
    const facts = machineFacts({
      ways: [
        { who: 'The service', proxy: 'proxy:3128' },
        { who: 'The issuer', proxy: undefined },
      ],
      company: { company: undefined, faults: [] },
    })
    const findings = found(machine, facts)
    expect(findings.filter(({ status }) => status !== 'ok')).toEqual([])
    expect(lines(findings).join('\n')).toMatch(
      /company file can be read.*through the proxy proxy:3128 \(HTTP_PROXY\).*Redirect URI: https:\/\/onramp\.acme\.test\/sign-in\/callback/s,
    )
  })

  it.each([
    ['REDIS_PORT', 'tcp://10.0.0.1:6379'],
    ['REDIS_SERVICE_HOST', '10.0.0.1'],
    ['SESSION_MANAGER', 'local/desk'],
    ['LOGLEVEL', ''],
    ['MAIL_FORM', ''],
  ])('leave the variables of other programs alone: %s=%s', (name, value) => {
    expect(judged({}, { env: { [name]: value } })).toEqual([])
  })

  it('need no admin where no run of onramp keep could email anyone, or one is named', () => {
    const able = { SMTP_URL: 'smtp://m.acme.test', SERVICE_GLOBAL_TOKEN: random }
    for (const settings of [
      {},
      { SMTP_URL: able.SMTP_URL },
      { SERVICE_GLOBAL_TOKEN: random },
      { ...able, ADMIN_EMAILS: ['grace@acme.test'] },
    ])
      expect(judged({}, { settings })).toEqual([])
  })

  it('have a poor secret where others could guess it', () => {
    for (const secret of ['Changeme-Q7vZk2LmX0aBcD4e', 'your-secret-here-1234567890', 'a'.repeat(34)])
      expect(names(judged({}, { settings: { REPORT_TOKEN: secret } }))).toEqual(['poor'])
    expect(names(judged({}, { settings: { SESSION_SECRET: [random, 'a'.repeat(34)] } }))).toEqual(['poor'])
    expect(judged({}, { settings: { SESSION_SECRET: [random], REPORT_TOKEN: random } })).toEqual([])
  })
})

describe('PUBLIC_URL', () => {
  const url = 'https://onramp.acme.test'
  const silent = (why: NetworkError) => ({ kind: 'silent', why }) as const
  it.each([
    [silent('unknown-name'), 'unknown'],
    [silent('its certificate has expired'), 'certificate'],
    [silent('refused'), 'not-yet'],
    [answer(200, '', { 'x-onramp': 'healthz' }), 'reached'],
    [answer(502), 'behind'],
    [answer(301, '', { location: 'https://www.acme.test/healthz?x=1' }), 'moved'],
    [answer(302, '', { location: '/oauth2/start?rd=x' }), 'gated'],
    [answer(403), 'gated'],
    [answer(200, '{"status":"ok"}'), 'other'],
  ])('that answers %o', (reply, expected) => {
    expect(names(found(ownAddress, { url, page: reply, signIn: reply, server: undefined }))).toEqual([
      expected,
    ])
  })

  const reply = answer(200, '', { 'x-onramp': 'healthz' })
  const html = { 'x-onramp': 'healthz', 'content-type': 'text/html; charset=utf-8' }
  const page = answer(200, SAMPLE_PAGE, html)
  const LOGIN = 'https://login.acme.test'
  const to = (location: string) => answer(303, '', { location })
  const facts = { url, page, signIn: to(`${LOGIN}/a`), server: LOGIN }
  it.each<[string, Partial<FactsOf<typeof ownAddress>>, string[]]>([
    ['redirects that arrive as sent', {}, []],
    ['the host of the proxy in a redirect', { signIn: to(`${url}/authorize?state=x`) }, ['rewritten']],
    ['the host of a server inside', { signIn: to('http://10.0.0.7:3000/authorize') }, ['rewritten']],
    ['a server that is not known', { signIn: to(`${url}/x`), server: undefined }, []],
    ['no redirect, in an outage', { signIn: answer(503) }, []],
    [
      'a page with a script added',
      { page: answer(200, `${SAMPLE_PAGE}<script></script>`, html) },
      ['changed'],
    ],
    ['a page whose address was replaced', { page: answer(200, '[email protected]', html) }, ['changed']],
    ['an earlier onramp, without that page', { page: reply }, []],
    [
      'a page of a proxy',
      { page: answer(200, '<p>Sign in</p>', { 'content-type': 'text/html' }) },
      ['other'],
    ],
  ])('with %s', (_what, changed, expected) => {
    expect(names(troubles(found(ownAddress, { ...facts, ...changed })))).toEqual(expected)
  })
})

describe('the store', () => {
  it.each<[Partial<FactsOf<typeof sqlite>>, string]>([
    [{ isThere: false, unwritable: 'EACCES' }, 'no-folder'],
    [{ isThere: false }, 'later'],
    [{}, 'fine'],
    [{ unwritable: 'ENOSPC' }, 'full'],
    [{ unwritable: 'EACCES' }, 'unwritable'],
    [{ unwritable: 'ENOTDIR' }, 'file'],
    [{ database: { kind: 'damaged', reason: 'x' } }, 'damaged'],
    [{ database: { kind: 'rights', reason: 'x' } }, 'unusable'],
    [{ freeBytes: 1e6 }, 'space'],
    [{ fileSystem: 'memory' }, 'memory'],
    [{ fileSystem: 'NFS' }, 'network'],
  ])('in a folder with %o', (facts, expected) => {
    expect(names(found(sqlite, sqliteFacts(facts))).at(-1)).toEqual(expected)
  })

  it.each([
    [{}, 'fine'],
    [{ aof_last_write_status: 'err' }, 'failing'],
    [{ aof_enabled: '0' }, 'snapshots'],
    [{ aof_enabled: '0', rdb_last_bgsave_status: 'err' }, 'failing'],
    [{ maxmemory_policy: 'allkeys-lru' }, 'evicting'],
  ])('in a Redis with %o', (info, expected) => {
    expect(names(found(redis, redisFacts(info)))).toContain(expected)
  })

  it('of Redis is not judged where it says nothing of itself', () => {
    expect(names(found(redis, { ...redisFacts(), info: {} }))).toEqual(['fine'])
  })

  it('holds what a start relies on', () => {
    expect(names(found(stored, { unreadable: 0 }))).toEqual(['fine'])
    expect(lines(found(stored, { unreadable: 2 }))).toEqual([
      expect.stringMatching(/^warn REDIS_PREFIX: 2 records/),
    ])
    expect(names(found(stored, { unreadable: undefined }))).toEqual(['other-secret'])
  })
})

describe('the service', () => {
  const external = { settings: { TOKEN_ISSUED_BY: 'external-idp' } } as const
  const issuedBy = (OIDC_ISSUER: string) => ({ settings: { OIDC_ISSUER } })
  const sameOrigin = issuedBy('https://service.acme.test/realms/x')
  const prefix = refusedWith('auth-type-missing', 401, { otherPrefix: 'X-Acme' })
  type Facts = FactsOf<typeof service>
  const wayBack = (withRedirect: Facts['madeUp']) => ({
    wayBack: {
      redirect: 'https://onramp.acme.test/cb',
      without: answered({ parameters: 1, namesRedirect: false }),
      withRedirect,
    },
  })
  it.each<[Partial<Facts>, Partial<DoctorContext>, string]>([
    [{ madeUp: answered() }, sameOrigin, 'credulous'],
    [{ madeUp: { kind: 'unreachable', why: 'refused' } }, sameOrigin, 'silent'],
    [{ madeUp: refusedWith('not-there', 404) }, sameOrigin, 'not-there'],
    [{ madeUp: refusedWith('scope', 403) }, sameOrigin, 'doubtful'],
    [{ madeUp: prefix, global: prefix }, sameOrigin, 'prefix'],
    [{ madeUp: refusedWith('auth-type') }, external, 'header'],
    [{}, issuedBy('https://acme.okta.com'), 'provider'],
    [{}, issuedBy('https://sso.acme.test/realms/acme'), 'provider'],
    [{ madeUp: refusedWith('auth-type') }, {}, 'own'],
    [{ user: refusedWith('token') }, sameOrigin, 'token'],
    [{ global: refusedWith('act-as-refused', 400) }, sameOrigin, 'act-as-refused'],
    [wayBack(refusedWith('request', 400)), sameOrigin, 'refused'],
    [wayBack(answered({ parameters: 1, namesRedirect: false })), sameOrigin, 'ignored'],
  ])('with %o', (facts, changed, expected) => {
    expect(names(troubles(found(service, serviceFacts(facts), changed)))).toEqual([expected])
  })

  it('is not called wrong where only a sign-in shows who issues tokens', () => {
    expect(names(found(service, serviceFacts()))).toEqual(['fine', 'elsewhere'])
    expect(names(found(service, serviceFacts(), sameOrigin))).toEqual(['fine'])
    expect(names(found(service, serviceFacts(), external))).toEqual(['fine', 'external'])
  })

  it('in order says so of each token, and where a consent leads back to', () => {
    const tokens = { user: answered(), global: answered() }
    for (const named of [
      { parameters: 1, namesRedirect: true },
      { parameters: 2, namesRedirect: false },
    ])
      expect(
        lines(found(service, serviceFacts({ ...tokens, ...wayBack(answered(named)) }), sameOrigin)).join(),
      ).toMatch(
        /SERVICE_USER_TOKEN works: that person has 0 apps.*SERVICE_GLOBAL_TOKEN works.*redirects back/,
      )
    const untried = { settings: { ...sameOrigin.settings, SERVICE_GLOBAL_TOKEN: random } }
    expect(names(found(service, serviceFacts(), untried))).toContain('no-person')
  })

  it('that lists an app without a usable link says how many, and how to find it', () => {
    const left = ['attention', 'awaiting'].map((status) => ({ instance: 'evil_1', name: 'Evil', status }))
    const finding = found(service, serviceFacts({ global: { ...answered(), left } as never }), sameOrigin)
    expect(lines(finding).join()).toMatch(
      /that person has 2 apps left.*can't connect 1 app: the service lists/,
    )
    expect(finding.find(({ is }) => is === 'no-address')?.fix).toContain('onramp status')
    expect(names(finding)).toContain('no-address')
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
    const question = { baseUrl: 'https://s.test', prefix: 'X-Service' }
    const explained = (given: string, of: string) =>
      explain(refusedWith(given, 403) as never, { ...question, setting: of })
    const finding = explained(reason, 'SERVICE_USER_TOKEN')
    expect(finding.settings[0]).toBe(setting)
    expect(finding.says).toContain(expected)
    expect(explained('act-as-missing', 'SERVICE_GLOBAL_TOKEN').says).toContain(
      "didn't receive X-Service-ActAs",
    )
  })
})

describe('the certificate of another server', () => {
  const DAY = 86_400_000
  it.each([
    [-1, []],
    [0, ['ending']],
    [13.9, ['ending']],
    [14, []],
    [NaN, []],
  ])('that ends in %d days', (days, expected) => {
    const endsAt = NOW + days * DAY
    expect(names(found(certificates, [{ setting: 'SMTP_URL', host: 'm:465', endsAt }]))).toEqual(expected)
  })
})

describe('an app in the company file', () => {
  const DAY = 86_400_000
  const folder = mkdtempSync(join(tmpdir(), 'onramp-company-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const COMPANY_FILE = join(folder, 'company.yaml')
  writeFileSync(COMPANY_FILE, 'datasources: { all: {}, slack: {}, jira_2: {}, slak: {}, box: {} }')
  const after = (days: number, instances = ['slack_1', 'jira_2']) =>
    lines(
      found(
        stored,
        { unreadable: 0, seen: { instances: new Set(instances), since: NOW - days * DAY } },
        { settings: { COMPANY_FILE } },
      ),
    ).filter((line) => line.startsWith('warn'))

  it('is named where it matches nothing that anyone had in a week', () => {
    expect(after(6.9)).toEqual([])
    expect(after(7)).toEqual([
      expect.stringContaining('datasources.slak in the company file matches no app'),
      expect.stringContaining('datasources.box in the company file matches no app'),
    ])
    expect(after(7, ['slack_1', 'jira_2', 'slak_3', 'box'])).toEqual([])
    expect(after(7, ['slack_1', 'jira_1', 'slak_3', 'box'])).toHaveLength(1)
    expect(after(-Infinity)).toEqual([])
  })
})

describe('deliveries', () => {
  const sender = { settings: { MAIL_FROM: { name: 'Search', address: 'search@acme.test' } } }
  it.each([
    [{ trouble: 'the mail server x is busy' }, 'unusable'],
    [{ trouble: undefined }, 'fine'],
  ])('by a mail server with %o', (facts, expected) => {
    expect(names(found(mail, facts, sender))).toEqual([expected])
    expect(names(found(mail, facts))).toEqual([expected, 'none'])
    // It is set, and its fault is told already.
    expect(names(found(mail, facts, { faults: ['MAIL_FROM must be like x'] }))).toEqual([expected])
  })

  it('by a mail server that refuses the sender are told with its reply', () => {
    const facts = { trouble: undefined, sender: '553 5.7.1 not yours' }
    expect(lines(troubles(found(mail, facts, sender)))).toEqual([
      'fail MAIL_FROM, SMTP_URL: The mail server refuses search@acme.test as a sender: 553 5.7.1 not yours.',
    ])
  })

  it.each([
    [{ kind: 'taken' }, 'taken'],
    [{ kind: 'refused', why: 'status 401', wait: undefined }, 'refused'],
    [{ kind: 'silent', why: 'the proxy p refuses' }, 'silent'],
  ] as const)('of events to %o', (outcome, expected) => {
    expect(names(found(webhook, outcome))).toEqual([expected])
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
