// What is around onramp, and what the doctor says of it: the address that people use, where it listens, the intranet, the
// disk, and quotes that a file of settings kept.
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { isSameSite, siteOf } from '../../src/doctor/settings/public-url.ts'
import { faultsIn } from '../helpers/settings-faults.ts'
import { freePort, run } from '../helpers/running.ts'
import { examined, newFolder, newSecret, selfSigned, startFaulty } from './set-up.ts'

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close()
})

const folder = () => {
  const made = newFolder()
  open.push(() => rmSync(made, { recursive: true }))
  return made
}

const healthy = (): Record<string, string> => ({
  PUBLIC_URL: 'https://onramp.acme.test',
  SERVICE_BASE_URL: 'https://service.acme.test',
  OIDC_ISSUER: 'https://login.acme.test',
  OIDC_CLIENT_ID: 'onramp',
  OIDC_CLIENT_SECRET: newSecret(),
  SESSION_SECRET: newSecret() + newSecret(),
  TRUST_PROXY: '10.0.0.0/8',
  DATA_DIR: folder(),
})

const found = async (check: string, changed: Record<string, string>, args: string[] = []) =>
  (await examined({ ...healthy(), ...changed }, args)).findings.filter((finding) => finding.check === check)

describe('PUBLIC_URL', () => {
  const reached = async (url: string) => (await found('settings.public-url-reached', { PUBLIC_URL: url }))[0]
  const answering = async (answer: Parameters<typeof startFaulty>[0]) => {
    const server = await startFaulty(answer)
    open.push(() => server.close())
    return server.url
  }

  it('that leads to onramp is in order', async () => {
    const running = await run()
    open.push(() => running.close())
    expect(await reached(running.url)).toMatchObject({
      status: 'ok',
      says: expect.stringContaining('onramp is responding'),
    })
  })

  it('that leads to something else is a failure, also where that says it is well', async () => {
    const other = await answering((_req, res) => res.end('{"status":"ok"}'))
    expect(await reached(other)).toMatchObject({
      status: 'fail',
      says: expect.stringContaining('is not onramp (200'),
      settings: ['PUBLIC_URL'],
    })
    const missing = await answering((_req, res) => res.writeHead(404).end())
    expect((await reached(missing))?.status).toBe('fail')
  })

  it('that leads on to another address names that one', async () => {
    const moved = await answering((_req, res) =>
      res.writeHead(301, { location: 'https://www.onramp.acme.test/healthz?x=1' }).end(),
    )
    expect(await reached(moved)).toMatchObject({
      status: 'fail',
      fix: expect.stringContaining('https://www.onramp.acme.test,'),
    })
    const gate = await answering((_req, res) => res.writeHead(302, { location: '/oauth2/start?rd=x' }).end())
    expect((await reached(gate))?.status).toBe('warn')
  })

  it('behind something that asks for a sign-in of its own is warned of', async () => {
    for (const status of [401, 403]) {
      const gate = await answering((_req, res) => res.writeHead(status).end())
      expect(await reached(gate)).toMatchObject({
        status: 'warn',
        says: expect.stringContaining(`its own sign-in (${status})`),
      })
    }
  })

  it('with a certificate that nothing vouches for is warned of', async () => {
    const server = createTlsServer(selfSigned(folder()), (_req, res) => res.end()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    open.push(() => server.close())
    const { port } = server.address() as AddressInfo
    expect(await reached(`https://127.0.0.1:${port}`)).toMatchObject({
      status: 'warn',
      says: expect.stringContaining('untrusted certificate'),
    })
  })

  it('at which nothing answers yet, as before the first start, is no fault', async () => {
    expect((await reached(`http://127.0.0.1:${await freePort()}`))?.status).toBe('skip')
    const early = await answering((_req, res) => res.writeHead(502).end())
    expect((await reached(early))?.status).toBe('skip')
  })

  it('whose name does not resolve is a warning, and never part of "all checks passed"', async () => {
    expect(await reached('https://onramp.acme.test')).toMatchObject({
      status: 'warn',
      says: "The host name in PUBLIC_URL doesn't resolve from here (onramp.acme.test).",
    })
  })
})

describe('HOST', () => {
  it('that is no address of this machine is a failure', async () => {
    const [finding] = await found('settings.host', { HOST: '203.0.113.7' }, ['--offline'])
    expect(finding).toMatchObject({
      status: 'fail',
      settings: ['HOST'],
      says: expect.stringContaining('EADDRNOTAVAIL'),
    })
    const [name] = await found('settings.host', { HOST: 'no-such-host.invalid' }, ['--offline'])
    expect(name?.status).toBe('fail')
  })

  it.each(['127.0.0.1', 'localhost', '0.0.0.0'])('%s is in order', async (host) => {
    expect((await found('settings.host', { HOST: host }, ['--offline']))[0]?.status).toBe('ok')
  })
})

describe('the intranet', () => {
  it('on another site cannot show the state of a person, which is warned of', async () => {
    const origins = 'https://intranet.acme.test, https://acme.sharepoint.com'
    const [finding] = await found('settings.intranet', { RETURN_TO_ORIGINS: origins }, ['--offline'])
    expect(finding).toMatchObject({ status: 'warn', settings: ['PUBLIC_URL', 'RETURN_TO_ORIGINS'] })
    expect(finding?.says).toMatch(/^https:\/\/acme\.sharepoint\.com: not the same site/)
  })

  it('that is not named is not judged', async () => {
    expect((await found('settings.intranet', {}, ['--offline']))[0]?.status).toBe('skip')
  })

  it('on the same site is in order', async () => {
    const origins = { RETURN_TO_ORIGINS: 'https://intranet.acme.test' }
    expect((await found('settings.intranet', origins, ['--offline']))[0]?.status).toBe('ok')
  })

  it.each([
    ['onramp.acme.com', 'acme.com'],
    ['a.b.acme.co.uk', 'acme.co.uk'],
    ['onramp.acme.com.au', 'acme.com.au'],
    ['acme.github.io', 'acme.github.io'],
    ['localhost', 'localhost'],
    ['10.1.2.3', '10.1.2.3'],
    ['onramp.acme.de', 'acme.de'],
  ])('%s belongs to the site %s', (host, site) => expect(siteOf(host)).toBe(site))

  it('over another scheme is another site', () => {
    expect(isSameSite('http://a.acme.test', 'https://b.acme.test')).toBe(false)
    expect(isSameSite('https://a.acme.test:8443', 'https://b.acme.test')).toBe(true)
  })
})

describe('DATA_DIR', () => {
  it.runIf(existsSync('/dev/shm'))(
    'in memory loses the ledger at a restart, which is warned of',
    async () => {
      const made = mkdtempSync('/dev/shm/onramp-doctor-')
      open.push(() => rmSync(made, { recursive: true }))
      for (const dataDir of [made, join(made, 'later')]) {
        const findings = await found('store.sqlite', { DATA_DIR: dataDir }, ['--offline'])
        expect(findings.filter(({ status }) => status === 'warn')).toMatchObject([
          { says: expect.stringMatching(/tmpfs.*ledger of sent invitations/), settings: ['DATA_DIR'] },
        ])
      }
    },
  )

  it('with a database that this user may not read is no reason to move it away', async () => {
    // For the user root, who may read everything, the nearest is a folder of that name.
    const barred = folder()
    mkdirSync(join(barred, 'onramp.sqlite'))
    const [finding] = await found('store.sqlite', { DATA_DIR: barred }, ['--offline'])
    expect(finding?.says).toMatch(/^onramp.sqlite in DATA_DIR can't be read and written \(.+\)\.$/)
    expect(finding?.fix).toContain('keep the file')
  })
})

describe('a value in quotes', () => {
  it('that is the scope is told once, and no scope without a name is missed at the server', async () => {
    const running = await run()
    open.push(() => running.close())
    const env = { OIDC_ISSUER: running.sandbox.urls.authorizationServer, OIDC_SCOPE: '"openid email"' }
    const said = await found('authorization-server.abilities', env)
    expect(said.filter(({ settings }) => settings.includes('OIDC_SCOPE'))).toEqual([])
    expect(said).toContainEqual(expect.objectContaining({ status: 'skip' }))
  })

  const faults = (changed: Record<string, string>) => faultsIn({ ...healthy(), ...changed })

  it.each([
    ['PUBLIC_URL', '"https://onramp.acme.test"'],
    ['OIDC_ISSUER', "'https://login.acme.test'"],
    ['OIDC_CLIENT_ID', '"onramp"'],
    ['PORT', '"3000"'],
    ['OIDC_SCOPE', '"openid email"'],
    ['REDIS_URL', '"redis://:hunter2@127.0.0.1"'],
  ])('is refused at the start, with the quotes named (%s)', async (name, value) => {
    const found = faults({ [name]: value })
    expect(found).toEqual([`${name} is in quotes, which are part of the value: leave them out`])
    const report = await examined({ ...healthy(), [name]: value }, ['--offline'])
    expect(report.findings).toContainEqual(
      expect.objectContaining({ check: 'settings.read', settings: [name], fix: 'leave them out' }),
    )
    expect(report.findings).toContainEqual(
      expect.objectContaining({ check: 'settings.quotes', status: 'ok' }),
    )
  })

  it('that is a secret can be meant, so the doctor warns of it', async () => {
    const secret = `"${newSecret()}"`
    expect(faults({ OIDC_CLIENT_SECRET: secret })).toEqual([])
    const [finding] = await found('settings.quotes', { OIDC_CLIENT_SECRET: secret }, ['--offline'])
    expect(finding).toMatchObject({ status: 'warn', settings: ['OIDC_CLIENT_SECRET'] })
    expect(JSON.stringify(finding)).not.toContain(secret.slice(1, -1))
  })

  it('only at one end is left alone', () => {
    expect(faults({ OIDC_AUDIENCE: '"api', OIDC_CLIENT_ID: "'" })).toEqual([])
  })
})
