// What can be wrong with the settings alone; nobody is asked.
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadSettings, readSettings, settings } from '../../src/settings/settings.ts'

import { examined, newFolder, newSecret, troubles } from './set-up.ts'

let folder: string
beforeAll(() => {
  folder = newFolder()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const healthy = (): Record<string, string> => ({
  PUBLIC_URL: 'https://onramp.acme.test',
  SERVICE_BASE_URL: 'https://service.acme.test',
  OIDC_ISSUER: 'https://login.acme.test',
  OIDC_CLIENT_ID: 'onramp',
  OIDC_CLIENT_SECRET: newSecret(),
  SESSION_SECRET: newSecret() + newSecret(),
  TRUST_PROXY: '10.0.0.0/8',
  DATA_DIR: folder,
})

const found = async (changed: Record<string, string>) =>
  troubles(await examined({ ...healthy(), ...changed }, ['--offline']))

describe('the settings alone', () => {
  it('are in order when they are', async () => {
    const report = await examined(healthy(), ['--offline'])
    expect(troubles(report)).toEqual([])
    expect(report).toMatchObject({ exit: 0, result: 'ok' })
  })

  it('are all examined although one of them is faulty, and every fault is told', async () => {
    const faults = await found({
      PUBLIC_URL: 'onramp.acme.test',
      CONFIRM_SECONDS: 'soon',
      SESSION_SECRET: '',
    })
    expect(faults.map(({ check, settings }) => [check, ...settings])).toEqual([
      ['settings.read', 'PUBLIC_URL'],
      ['settings.read', 'SESSION_SECRET'],
      ['settings.read', 'CONFIRM_SECONDS'],
    ])
  })

  it('may have everything missing, as before the first start', async () => {
    const report = await examined({ DATA_DIR: join(folder, 'later') })
    expect(report.exit).toBe(1)
    expect(troubles(report).map(({ settings }) => settings[0])).toEqual([
      'PUBLIC_URL',
      'SERVICE_BASE_URL',
      'OIDC_ISSUER',
      'SESSION_SECRET',
    ])
  })

  const seeds: [string, Record<string, string>, string, string, RegExp][] = [
    [
      'a mistyped name',
      { OIDC_ISUER: 'https://x.test' },
      'settings.names',
      'OIDC_ISSUER',
      /remove OIDC_ISUER/,
    ],
    [
      'a mistyped name in place of the right one',
      { OIDC_ISUER: 'https://x.test', OIDC_ISSUER: '' },
      'settings.names',
      'OIDC_ISSUER',
      /rename OIDC_ISUER to OIDC_ISSUER/,
    ],
    [
      'a name of ours that is no setting',
      { OIDC_TENANT_NAME: 'x' },
      'settings.names',
      'OIDC_TENANT_NAME',
      /remove/,
    ],
    [
      'a file for what is no secret',
      { PUBLIC_URL_FILE: '/x' },
      'settings.names',
      'PUBLIC_URL',
      /value itself/,
    ],
    [
      'a path in PUBLIC_URL',
      { PUBLIC_URL: 'https://acme.test/onramp' },
      'settings.read',
      'PUBLIC_URL',
      /origin/,
    ],
    [
      'plain http for people',
      { PUBLIC_URL: 'http://onramp.acme.test' },
      'settings.read',
      'PUBLIC_URL',
      /https/,
    ],
    [
      'an address for this machine only',
      { PUBLIC_URL: 'http://localhost:3000' },
      'settings.public-url',
      'PUBLIC_URL',
      /https/,
    ],
    [
      "the service's address as PUBLIC_URL",
      { PUBLIC_URL: 'https://service.acme.test' },
      'settings.public-url',
      'PUBLIC_URL',
      /own URL/,
    ],
    [
      'a secret from an example',
      { OIDC_CLIENT_SECRET: 'change-me-please-1' },
      'settings.secrets',
      'OIDC_CLIENT_SECRET',
      /new one/,
    ],
    [
      'a repeating secret',
      { SESSION_SECRET: 'ab'.repeat(20) },
      'settings.secrets',
      'SESSION_SECRET',
      /openssl/,
    ],
    ['trust in every proxy', { TRUST_PROXY: '0.0.0.0/0' }, 'settings.proxy', 'TRUST_PROXY', /own addresses/],
    ['https without a known proxy', { TRUST_PROXY: '' }, 'settings.proxy', 'TRUST_PROXY', /proxy/],
    [
      'metrics on the port of the pages',
      { METRICS_PORT: '3000' },
      'settings.read',
      'METRICS_PORT',
      /another port/,
    ],
    ['a short token for metrics', { METRICS_TOKEN: 'short' }, 'settings.read', 'METRICS_TOKEN', /openssl/],
    [
      'lifetimes the wrong way round',
      { SESSION_IDLE_MINUTES: '900' },
      'settings.session',
      'SESSION_IDLE_MINUTES',
      /shorter/,
    ],
    [
      'a file of certificate authorities that is not there',
      { NODE_EXTRA_CA_CERTS: '/nowhere/ca.pem' },
      'settings.authorities',
      'NODE_EXTRA_CA_CERTS',
      /PEM/,
    ],
    [
      'a key that cannot sign',
      { OIDC_CLIENT_AUTH: 'private_key_jwt', OIDC_CLIENT_KEY: 'not a key' },
      'authorization-server.client-key',
      'OIDC_CLIENT_KEY',
      /PEM/,
    ],
  ]

  it.each(seeds)('finds %s', async (_title, changed, check, setting, fix) => {
    const findings = (await found(changed)).filter((finding) => finding.check === check)
    expect(findings).toHaveLength(1)
    expect(findings[0]?.settings).toContain(setting)
    expect(`${findings[0]?.says} ${findings[0]?.fix}`).toMatch(fix)
  })

  it.each([
    [{}, 'No one can read /metrics: METRICS_PORT and METRICS_TOKEN are not set.'],
    [{ METRICS_TOKEN: 't0-P7-kd93-hU42-xx' }, 'Reading /metrics takes METRICS_TOKEN.'],
    [
      { METRICS_PORT: '9464' },
      'Anyone who reaches port 9464 can read /metrics; keep it inside your network.',
    ],
    [
      { METRICS_PORT: '9464', METRICS_TOKEN: 't0-P7-kd93-hU42-xx' },
      'Reading /metrics takes METRICS_TOKEN on port 9464, and nowhere else.',
    ],
  ])('says who can read /metrics with %j', async (changed, says) => {
    const { findings } = await examined({ ...healthy(), ...changed })
    expect(findings.filter(({ check }) => check === 'settings.metrics')).toMatchObject([
      { status: 'ok', says },
    ])
  })

  it('finds a secret that is given twice, as itself and as a file', async () => {
    const findings = await found({ SESSION_SECRET_FILE: join(folder, 'none') })
    expect(findings).toMatchObject([{ check: 'settings.read', status: 'fail', settings: ['SESSION_SECRET'] }])
    expect(findings[0]?.says).toContain('SESSION_SECRET_FILE')
  })

  it('finds a file with a secret that everybody on the machine can read', async () => {
    const file = join(folder, 'secret')
    writeFileSync(file, newSecret())
    chmodSync(file, 0o644)
    const changed = { OIDC_CLIENT_SECRET: '', OIDC_CLIENT_SECRET_FILE: file }
    expect(await found(changed)).toMatchObject([
      { check: 'settings.files', status: 'warn', settings: ['OIDC_CLIENT_SECRET_FILE'] },
    ])
    chmodSync(file, 0o600)
    expect(await found(changed)).toEqual([])
  })

  it('finds the same secret in two settings', async () => {
    const secret = newSecret() + newSecret()
    const findings = await found({ SESSION_SECRET: secret, OIDC_CLIENT_SECRET: secret })
    expect(findings).toMatchObject([
      { check: 'settings.secrets', settings: ['SESSION_SECRET', 'OIDC_CLIENT_SECRET'] },
    ])
  })

  it('finds nothing wrong with an earlier secret that reads what is there', async () => {
    const [secret, newer] = [newSecret() + newSecret(), newSecret() + newSecret()]
    expect(await found({ SESSION_SECRET: secret, INVITE_SECRET: `${newer},${secret}` })).toEqual([])
    expect(await found({ SESSION_SECRET: `${secret},${secret}` })).toEqual([])
  })

  it('finds a folder that is a file, and a database that is none', async () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    expect(await found({ DATA_DIR: file })).toMatchObject([{ check: 'store.sqlite', settings: ['DATA_DIR'] }])
    const broken = join(folder, 'broken')
    mkdirSync(broken, { mode: 0o700 })
    writeFileSync(join(broken, 'onramp.sqlite'), 'this is not a database, however long it may be'.repeat(40))
    expect(await found({ DATA_DIR: broken })).toMatchObject([
      { check: 'store.sqlite', status: 'fail', says: 'onramp.sqlite in DATA_DIR is not a database.' },
    ])
  })

  it('counts warnings as failures only when told to', async () => {
    const env = { ...healthy(), TRUST_PROXY: '' }
    expect((await examined(env, ['--offline'])).exit).toBe(0)
    expect((await examined(env, ['--offline', '--strict'])).exit).toBe(1)
  })
})

describe('reading settings one by one', () => {
  it('reads what start-up reads', () => {
    const env = { ...healthy(), SESSION_SECRET: `${newSecret()}${newSecret()},${newSecret()}${newSecret()}` }
    expect(readSettings(env)).toEqual({ settings: loadSettings(env), faults: [] })
  })

  it.each(settings.map(({ name }) => name))('reads all the others whatever %s is', (name) => {
    const env = healthy()
    const without = (read: object) => Object.entries(read).filter(([other]) => other !== name)
    const read = readSettings({ ...env, [name]: '\u0000' })
    expect(without(read.settings)).toEqual(without(loadSettings(env)))
  })
})
