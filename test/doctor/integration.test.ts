// What the doctor says of the groups of admins, and of the receiver of webhooks.
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { Webhook } from 'standardwebhooks'
import { afterAll, describe, expect, it } from 'vitest'
import { useProxy } from '../../src/client-api/proxy.ts'
import { groups } from '../../src/doctor/server/groups.ts'
import type { Metadata } from '../../src/doctor/server/discovered.ts'
import { stubProxy } from '../client-api/stub-proxy.ts'
import { freePort } from '../helpers/running.ts'
import { examined, newFolder, newSecret, startFaulty } from './set-up.ts'

const issuer = 'https://login.acme.example'
const GUID = '0b7a1f6e-3c3f-4d0a-9a62-1c52d9b6a001'
const ENTRA = `https://login.microsoftonline.com/${GUID}/v2.0`

describe('groups for /admin', () => {
  it.each<[string, Partial<Metadata>, Record<string, unknown>, object]>([
    ['that are sent', { claims_supported: ['sub', 'groups'] }, {}, { status: 'ok' }],
    ['of which nothing is said', {}, {}, { status: 'warn', settings: ['OIDC_GROUPS_CLAIM', 'ADMIN_GROUPS'] }],
    [
      'that have a scope of their own',
      { scopes_supported: ['openid', 'groups'], claims_supported: ['groups'] },
      { OIDC_SCOPE: 'openid email' },
      { status: 'warn', settings: ['OIDC_SCOPE'] },
    ],
    ['of Google', { issuer: 'https://accounts.google.com' }, {}, { fix: 'use ADMIN_EMAILS' }],
    ['of Entra, by name', { issuer: ENTRA }, {}, { says: expect.stringContaining('by their object ID') }],
    [
      'of Entra',
      { issuer: ENTRA },
      { ADMIN_GROUPS: [GUID] },
      { says: expect.stringMatching(/200 groups\.$/) },
    ],
    [
      'as app roles of Entra',
      { issuer: ENTRA, claims_supported: ['roles'] },
      { OIDC_GROUPS_CLAIM: 'roles' },
      { status: 'ok' },
    ],
  ])('%s are judged so', (_what, metadata, settings, expected) => {
    expect(groups({ issuer, ...metadata }, { ADMIN_GROUPS: ['Search Admins'], ...settings })).toMatchObject(
      expected,
    )
  })

  it('are not asked about where there are none', () => {
    expect(groups({ issuer }, {})).toBeUndefined()
  })
})

describe('the receiver of webhooks', () => {
  const folder = newFolder()
  afterAll(() => rmSync(folder, { recursive: true }))
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const found = async (url: string, more: Record<string, string> = {}) => {
    const env = {
      PUBLIC_URL: 'https://onramp.acme.test',
      SESSION_SECRET: newSecret() + newSecret(),
      DATA_DIR: folder,
      WEBHOOK_URL: url,
      WEBHOOK_SECRET: secret,
      ...more,
    }
    const { findings, text } = await examined(env)
    expect(text).not.toContain('planted')
    return findings.find(({ check }) => check === 'settings.webhooks')
  }

  it('is asked with a signed event about no one', async () => {
    let verified: unknown
    const receiver = await startFaulty((req, res) => {
      req.on('data', (body: Buffer) => {
        verified = new Webhook(secret).verify(body.toString(), req.headers as Record<string, string>)
        res.writeHead(204).end()
      })
    })
    expect(await found(`${receiver.url}/hooks?code=planted`)).toMatchObject({ status: 'ok' })
    expect(verified).toMatchObject({ type: 'webhook.test', data: {} })
    await receiver.close()
  })

  it('that refuses, or is not there, is told with what to do', async () => {
    const receiver = await startFaulty((_req, res) => void res.writeHead(401).end())
    expect(await found(receiver.url)).toMatchObject({
      status: 'fail',
      settings: ['WEBHOOK_SECRET', 'WEBHOOK_URL'],
    })
    await receiver.close()
    expect(await found(`http://127.0.0.1:${await freePort()}`)).toMatchObject({
      status: 'fail',
      says: expect.stringContaining('connection refused'),
      settings: ['WEBHOOK_URL'],
    })
  })

  it('that the proxy does not let through is told with the settings of the proxy', async () => {
    const proxy = await stubProxy('HTTP/1.1 403 No\r\n\r\n')
    const HTTPS_PROXY = `http://${proxy.name}`
    expect(await found('https://hooks.acme.example/?code=planted', { HTTPS_PROXY })).toMatchObject({
      status: 'fail',
      says: expect.stringContaining(`the proxy ${proxy.name} refuses to connect to hooks.acme.example (403)`),
      settings: ['HTTPS_PROXY', 'NO_PROXY', 'WEBHOOK_URL'],
    })
    useProxy({})
    proxy.close()
  })
})
