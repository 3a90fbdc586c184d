// What the doctor says of facts about everything but the authorization server: every rule applies to its own, and is silent
// about those of a set-up that is right.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { NetworkError } from '../../src/http/network-error.ts'
import { certificates } from '../../src/doctor/certificates.ts'
import { email, webhook } from '../../src/doctor/deliveries.ts'
import { machine } from '../../src/doctor/machine.ts'
import { ownAddress } from '../../src/doctor/own-address.ts'
import { redis } from '../../src/doctor/redis.ts'
import type { DoctorContext } from '../../src/doctor/findings.ts'
import { maskFor } from '../../src/doctor/secrets.ts'
import { explainServiceError } from '../../src/doctor/service-error.ts'
import { service } from '../../src/doctor/service.ts'
import { sqlite } from '../../src/doctor/sqlite.ts'
import { stored } from '../../src/doctor/stored.ts'
import { SAMPLE_PAGE } from '../../src/web/health.ts'
import {
  answer,
  answered,
  found,
  lines,
  machineFacts,
  containing,
  messages,
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
    ['PORT is not a number.', {}, { faults: ['PORT is not a number: use 3000'] }],
    ['is not a setting and is ignored; OIDC_ISSUER is one.', {}, { env: { OIDC_ISUER: 'x' } }],
    ['is not a setting and is ignored.', {}, { env: { OIDC_ISUER: 'x', OIDC_ISSUER: 'y' } }],
    ['is not a setting and is ignored.', {}, { env: { OIDC_TENANT_NAME: 'x' } }],
    // Long enough that no other program has it by chance, also beside the setting itself.
    ['ignored; SESSION_SECRET is one.', {}, { env: { SESION_SECRET: 'x' } }],
    ['ignored; SESSION_SECRET is one.', {}, { env: { SESION_SECRET: 'x', SESSION_SECRET: 'y' } }],
    ['is no longer a setting and is ignored', {}, { env: { HELP_URL: 'https://help.acme.test' } }],
    ['is no longer a setting and is ignored', {}, { env: { REQUESTS_PER_MINUTE: '9' } }],
    [
      'onramp keep would tell no one',
      {},
      { settings: { SMTP_URL: 'smtp://m.acme.test', SERVICE_GLOBAL_TOKEN: random } },
    ],
    ['is readable by every user on this machine', { openFiles: ['REDIS_URL_FILE'] }, {}],
    ['is in quotes, which are part of the secret', {}, { env: { OIDC_CLIENT_SECRET: '"x"' } }],
    [
      'only works on this machine, and the session',
      {},
      { settings: { PUBLIC_URL: 'http://localhost:3000' } },
    ],
    ['a.yaml:1:1 x: y.', { company: { company: undefined, faults: ['a.yaml:1:1 x: y'] } }, {}],
    ['TRUST_PROXY trusts almost every address, so', {}, { settings: { TRUST_PROXY: ['0.0.0.0/0'] } }],
    ['TRUST_PROXY lists none', {}, { settings: { TRUST_PROXY: [] } }],
  ])('have one finding where they lead to %s', (expected, facts, changed) => {
    expect(messages(judged(facts, changed))).toEqual(containing(expected))
  })

  it('that are right have none, and say where people come and what to register', () => {
    const facts = machineFacts({
      routes: [
        { server: 'The service', proxy: 'proxy:3128' },
        { server: 'The issuer', proxy: undefined },
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
      expect(messages(judged({}, { settings: { REPORT_TOKEN: secret } }))).toEqual(
        containing('looks like an example or repeats the same'),
      )
    expect(messages(judged({}, { settings: { SESSION_SECRET: [random, 'a'.repeat(34)] } }))).toEqual(
      containing('looks like an example or repeats the same'),
    )
    expect(judged({}, { settings: { SESSION_SECRET: [random], REPORT_TOKEN: random } })).toEqual([])
  })
})

describe('PUBLIC_URL', () => {
  const url = 'https://onramp.acme.test'
  const silent = (why: NetworkError) => ({ kind: 'silent', why }) as const
  it.each([
    [silent('unknown-name'), "The host name in PUBLIC_URL doesn't resolve"],
    [silent('its certificate has expired'), "PUBLIC_URL can't be used"],
    [silent('refused'), 'Check again when the server is running'],
    [answer(200, '', { 'x-onramp': 'healthz' }), 'onramp is responding at'],
    [answer(502), '). Check again when onramp is running'],
    [
      answer(301, '', { location: 'https://www.acme.test/healthz?x=1' }),
      'people would lose their cookie on the way',
    ],
    [answer(302, '', { location: '/oauth2/start?rd=x' }), 'answers in place of onramp'],
    [answer(403), 'answers in place of onramp'],
    [answer(200, '{"status":"ok"}'), 'The server at'],
  ])('that answers %o', (reply, expected) => {
    expect(messages(found(ownAddress, { url, page: reply, signIn: reply, server: undefined }))).toEqual(
      containing(expected),
    )
  })

  const reply = answer(200, '', { 'x-onramp': 'healthz' })
  const html = { 'x-onramp': 'healthz', 'content-type': 'text/html; charset=utf-8' }
  const page = answer(200, SAMPLE_PAGE, html)
  const LOGIN = 'https://login.acme.test'
  const to = (location: string) => answer(303, '', { location })
  const facts = { url, page, signIn: to(`${LOGIN}/a`), server: LOGIN }
  it.each<[string, Partial<FactsOf<typeof ownAddress>>, string[]]>([
    ['redirects that arrive as sent', {}, []],
    [
      'the host of the proxy in a redirect',
      { signIn: to(`${url}/authorize?state=x`) },
      ['changes its redirects'],
    ],
    [
      'the host of a server inside',
      { signIn: to('http://10.0.0.7:3000/authorize') },
      ['changes its redirects'],
    ],
    ['a server that is not known', { signIn: to(`${url}/x`), server: undefined }, []],
    ['no redirect, in an outage', { signIn: answer(503) }, []],
    [
      'a page with a script added',
      { page: answer(200, `${SAMPLE_PAGE}<script></script>`, html) },
      ['changes its pages'],
    ],
    [
      'a page whose address was replaced',
      { page: answer(200, '[email protected]', html) },
      ['changes its pages'],
    ],
    ['an earlier onramp, without that page', { page: reply }, []],
    [
      'a page of a proxy',
      { page: answer(200, '<p>Sign in</p>', { 'content-type': 'text/html' }) },
      ['The server at'],
    ],
  ])('with %s', (_what, changed, expected) => {
    expect(messages(troubles(found(ownAddress, { ...facts, ...changed })))).toEqual(containing(...expected))
  })
})

describe('the store', () => {
  it.each<[Partial<FactsOf<typeof sqlite>>, string]>([
    [{ isThere: false, unwritable: 'EACCES' }, "DATA_DIR doesn't exist and can't be created"],
    [{ isThere: false }, "DATA_DIR doesn't exist yet and will be"],
    [{}, 'The embedded store is writable (single'],
    [{ unwritable: 'ENOSPC' }, 'The disk with DATA_DIR is full'],
    [{ unwritable: 'EACCES' }, "DATA_DIR isn't writable"],
    [{ unwritable: 'ENOTDIR' }, 'DATA_DIR is a file, not a folder'],
    [{ database: { kind: 'damaged', reason: 'x' } }, 'onramp.sqlite in DATA_DIR is not a database'],
    [{ database: { kind: 'rights', reason: 'x' } }, "onramp.sqlite in DATA_DIR can't be read and"],
    [{ freeBytes: 1e6 }, 'Less than 100 MB are free on the disk with'],
    [{ fileSystem: 'memory' }, 'DATA_DIR is in memory (tmpfs): a restart'],
    [{ fileSystem: 'NFS' }, "), where SQLite's locks may not hold: the"],
  ])('in a folder with %o', (facts, expected) => {
    expect(messages(found(sqlite, sqliteFacts(facts))).at(-1)).toContain(expected)
  })

  it.each([
    [{}, 'Redis persistence is on (append-only file)'],
    [{ aof_last_write_status: 'err' }, "Redis can't save: after a restart the ledger"],
    [{ aof_enabled: '0' }, 'Redis has no append-only file: a crash or a'],
    [{ aof_enabled: '0', rdb_last_bgsave_status: 'err' }, "Redis can't save: after a restart the ledger"],
    [{ maxmemory_policy: 'allkeys-lru' }, 'Redis may evict sessions when memory is full'],
  ])('in a Redis with %o', (info, expected) => {
    expect(messages(found(redis, redisFacts(info))).join()).toContain(expected)
  })

  it('of Redis is not judged where it says nothing of itself', () => {
    expect(messages(found(redis, { ...redisFacts(), info: {} }))).toEqual(
      containing('Redis is reachable; onramp can write'),
    )
  })

  it('holds what a start relies on', () => {
    expect(messages(found(stored, { unreadable: 0 }))).toEqual(containing('All stored records can be read'))
    expect(lines(found(stored, { unreadable: 2 }))).toEqual([
      expect.stringMatching(/^warn REDIS_PREFIX: 2 records/),
    ])
    expect(messages(found(stored, { unreadable: undefined }))).toEqual(
      containing('The store belongs to an installation with'),
    )
  })
})

describe('the service', () => {
  const external = { settings: { TOKEN_ISSUED_BY: 'external-idp' } } as const
  const issuedBy = (OIDC_ISSUER: string) => ({ settings: { OIDC_ISSUER } })
  const sameOrigin = issuedBy('https://service.acme.test/realms/x')
  const prefix = refusedWith('auth-type-missing', 401, { otherPrefix: 'X-Acme' })
  type Facts = FactsOf<typeof service>
  const redirectTrial = (withRedirect: Facts['madeUp']) => ({
    redirectTrial: {
      redirect: 'https://onramp.acme.test/cb',
      without: answered({ parameters: 1, namesRedirect: false }),
      withRedirect,
    },
  })
  it.each<[Partial<Facts>, Partial<DoctorContext>, string]>([
    [{ madeUp: answered() }, sameOrigin, "accepted an invalid token; it doesn't look"],
    [{ madeUp: { kind: 'unreachable', why: 'refused' } }, sameOrigin, 'cannot be reached'],
    [{ madeUp: refusedWith('not-there', 404) }, sameOrigin, 'The Client API is not at'],
    [{ madeUp: refusedWith('scope', 403) }, sameOrigin, 'may not be the Client API: it responds to an'],
    [{ madeUp: prefix, global: prefix }, sameOrigin, "The service's headers begin with"],
    [{ madeUp: refusedWith('auth-type') }, external, "The service responds as if it hadn't received"],
    [{ madeUp: refusedWith('auth-type') }, {}, 'The service treats unknown tokens as its own'],
    [{ user: refusedWith('token') }, sameOrigin, 'is invalid or has expired (401)'],
    [{ global: refusedWith('act-as-refused', 400) }, sameOrigin, 'The service rejected the person'],
    [redirectTrial(refusedWith('request', 400)), sameOrigin, 'as a final_redirect_url'],
    [
      redirectTrial(answered({ parameters: 1, namesRedirect: false })),
      sameOrigin,
      "The service's connection links don't seem to",
    ],
  ])('with %o', (facts, changed, expected) => {
    expect(messages(troubles(found(service, serviceFacts(facts), changed)))).toEqual(containing(expected))
  })

  it('is not called wrong where only a sign-in shows who issues tokens', () => {
    expect(messages(found(service, serviceFacts()))).toEqual(
      containing('; it rejects invalid tokens', 'OIDC_ISSUER and the service have different'),
    )
    expect(messages(found(service, serviceFacts(), sameOrigin))).toEqual(
      containing('; it rejects invalid tokens'),
    )
    expect(messages(found(service, serviceFacts(), external))).toEqual(
      containing('; it rejects invalid tokens', '-Auth-Type: OAUTH with every access token'),
    )
  })

  it('in order says so of each token, and where a consent leads back to', () => {
    const tokens = { user: answered(), global: answered() }
    for (const named of [
      { parameters: 1, namesRedirect: true },
      { parameters: 2, namesRedirect: false },
    ])
      expect(
        lines(
          found(service, serviceFacts({ ...tokens, ...redirectTrial(answered(named)) }), sameOrigin),
        ).join(),
      ).toMatch(
        /SERVICE_USER_TOKEN works: that person has 0 apps.*SERVICE_GLOBAL_TOKEN works.*redirects back/,
      )
    const untried = { settings: { ...sameOrigin.settings, SERVICE_GLOBAL_TOKEN: random } }
    expect(messages(found(service, serviceFacts(), untried)).at(-1)).toContain('requires a person to look up')
  })

  it('that lists an app without a usable link says how many, and how to find it', () => {
    const left = ['attention', 'awaiting'].map((status) => ({ instance: 'evil_1', name: 'Evil', status }))
    const finding = found(service, serviceFacts({ global: { ...answered(), left } as never }), sameOrigin)
    expect(lines(finding).join()).toMatch(
      /that person has 2 apps left.*can't connect 1 app: the service lists/,
    )
    expect(finding.find(({ status }) => status === 'warn')?.fix).toContain('onramp status')
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
      explainServiceError(refusedWith(given, 403) as never, { ...question, setting: of })
    const finding = explained(reason, 'SERVICE_USER_TOKEN')
    expect(finding.settings[0]).toBe(setting)
    expect(finding.message).toContain(expected)
    expect(explained('act-as-missing', 'SERVICE_GLOBAL_TOKEN').message).toContain(
      "didn't receive X-Service-ActAs",
    )
  })
})

describe('the certificate of another server', () => {
  const DAY = 86_400_000
  it.each([
    [-1, []],
    [0, ['in less than 14 days']],
    [13.9, ['in less than 14 days']],
    [14, []],
    [NaN, []],
  ])('that ends in %d days', (days, expected) => {
    const endsAt = NOW + days * DAY
    expect(messages(found(certificates, [{ setting: 'SMTP_URL', host: 'm:465', endsAt }]))).toEqual(
      containing(...expected),
    )
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
    [{ trouble: 'the mail server x is busy' }, 'The mail server x is busy.'],
    [{ trouble: undefined }, 'The mail server in SMTP_URL is reachable, and'],
  ])('by a mail server with %o', (facts, expected) => {
    expect(messages(found(email, facts, sender))).toEqual(containing(expected))
    expect(messages(found(email, facts))).toEqual(
      containing(expected, "SMTP_URL is set, but MAIL_FROM isn't, so"),
    )
    // It is set, and its fault is told already.
    expect(messages(found(email, facts, { faults: ['MAIL_FROM must be like x'] }))).toEqual(
      containing(expected),
    )
  })

  it('by a mail server that refuses the sender are told with its reply', () => {
    const facts = { trouble: undefined, sender: '553 5.7.1 not yours' }
    expect(lines(troubles(found(email, facts, sender)))).toEqual([
      'fail MAIL_FROM, SMTP_URL: The mail server refuses search@acme.test as a sender: 553 5.7.1 not yours.',
    ])
  })

  it.each([
    [{ kind: 'delivered' }, 'took a signed test event'],
    [{ kind: 'rejected', why: 'status 401', wait: undefined }, 'refused a signed test event (status 401)'],
    [{ kind: 'unreachable', why: 'the proxy p refuses' }, "can't be reached: the proxy p refuses"],
  ] as const)('of events to %o', (outcome, expected) => {
    expect(messages(found(webhook, outcome))).toEqual(containing(expected))
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
