// Variables of other programs beside the settings, and addresses that only look right. No one is asked.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { examined, newFolder, newSecret, troubles } from './set-up.ts'

let folder: string
beforeAll(() => {
  folder = newFolder()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const found = async (changed: Record<string, string>) => {
  const env = {
    PUBLIC_URL: 'https://onramp.acme.test',
    SERVICE_BASE_URL: 'https://service.acme.test',
    OIDC_ISSUER: 'https://login.acme.test',
    SESSION_SECRET: newSecret() + newSecret(),
    TRUST_PROXY: '10.0.0.0/8',
    DATA_DIR: folder,
    ...changed,
  }
  return troubles(await examined(env, ['--offline']))
}

describe('the variables of other programs', () => {
  it.each([
    ['REDIS_PORT', 'tcp://10.0.0.1:6379', {}],
    ['SMTP_PORT', 'tcp://10.0.0.2:587', {}],
    ['REDIS_SERVICE_HOST', '10.0.0.1', {}],
    ['REDIS_SERVICE_PORT_REDIS', '6379', {}],
    ['SERVICE_BASE_SERVICE_PORT', '80', {}],
    ['SESSION_MANAGER', 'local/desk:@/tmp/.ICE-unix/1', {}],
    ['SMTP_USER', 'search', { SMTP_URL_FILE: 'mail', MAIL_FROM: 'search@acme.test' }],
    ['LOGLEVEL', 'debug', { LOG_LEVEL: 'warn' }],
    ['ADMIN_EMAIL', 'ops@acme.test', { ADMIN_EMAILS: 'ada@acme.test' }],
    ['REDIS_PORT', '', {}],
  ])('leave %s=%s to other programs', async (name, value, given) => {
    const file = join(folder, 'mail')
    writeFileSync(file, 'smtps://mail.acme.test', { mode: 0o600 })
    const isFile = 'SMTP_URL_FILE' in given
    expect(await found({ ...given, ...(isFile && { SMTP_URL_FILE: file }), [name]: value })).toEqual([])
  })

  it.each([
    ['LOGLEVEL', 'debug', 'LOG_LEVEL'],
    ['ADMIN_EMAIL', 'ada@acme.test', 'ADMIN_EMAILS'],
    ['REDIS_URI', 'redis://redis', 'REDIS_URL'],
  ])(
    'only warn of %s=%s where %s is not set, for another program may read it',
    async (name, value, meant) => {
      const fix = `if it was meant, rename ${name} to ${meant}`
      expect(await found({ [name]: value })).toMatchObject([{ status: 'warn', settings: [meant], fix }])
    },
  )
})

describe('a password in an address', () => {
  it.each(['REDIS_URL', 'SMTP_URL'])(
    'of %s with a percent sign alone is told, and not shown',
    async (name) => {
      for (const password of ['planted%zz', 'planted%ff']) {
        const url = `${name === 'REDIS_URL' ? 'redis' : 'smtps'}://search:${password}@host.acme.test`
        const findings = await found({ [name]: url })
        expect(findings).toMatchObject([{ check: 'settings.read', status: 'fail', settings: [name] }])
        expect(findings[0]?.fix).toBe('write % as %25')
        expect(JSON.stringify(findings)).not.toContain('planted')
      }
    },
  )
})
