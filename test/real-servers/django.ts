// Debian's Django with Django OAuth Toolkit (Python), on a database of its own.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnOne, statusOf, until } from '../helpers/processes.ts'
import { freePort } from '../helpers/running.ts'
import { acceptedAtUserinfo, type Addresses, type RealServer } from './installation.ts'

/** Debian's packages are for its own Python. */
const PYTHON = '/usr/bin/python3'
export const TOOLKIT = '/usr/lib/python3/dist-packages/oauth2_provider/__init__.py'
export const PASSWORD = randomBytes(12).toString('base64url')

/** The life of an access token. */
export const SECONDS = 2

export async function startDjango({ redirectUri }: Addresses): Promise<RealServer> {
  const folder = mkdtempSync(join(tmpdir(), 'onramp-django-'))
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}/o`
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const clientSecret = randomBytes(24).toString('hex')
  const given = {
    port,
    redirectUri,
    clientSecret,
    database: join(folder, 'database'),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    password: PASSWORD,
    seconds: SECONDS,
    secret: randomBytes(32).toString('base64url'),
  }
  const file = new URL('django/server.py', import.meta.url).pathname
  // Isolated: no module of this folder, and none of another Python.
  const server = spawnOne(PYTHON, ['-I', file, JSON.stringify(given)])
  await until(
    async () => {
      if (server.hasEnded()) throw new Error(`Django ended: ${server.output()}`)
      return (await statusOf(`${issuer}/.well-known/openid-configuration/`)) === 200
    },
    'Django',
    50_000,
  )
  return {
    issuer,
    settings: { OIDC_CLIENT_ID: 'onramp', OIDC_CLIENT_SECRET: clientSecret, OIDC_SCOPE: 'openid email' },
    isValid: acceptedAtUserinfo(`${issuer}/userinfo/`),
    async close() {
      await server.end('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
