// No secret appears in any output: all secrets are planted, every server echoes its requests, and all output is
// searched.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startScriptedServer } from '../doctor/setup.ts'
import { shared } from '../helpers/shared.ts'
import { runCommand } from './run-command.ts'

const CANARY = 'canary7e1f'
const canary = (name: string) => `${CANARY}-${name}-0123456789abcdefghijklmnopqrstuvwxyz`

/** It echoes every request, and adds secrets of its own. */
const echo = shared(() =>
  startScriptedServer((req, res, url) => {
    let body = ''
    req.on('data', (chunk) => (body += String(chunk)))
    req.on('end', () => {
      const all = JSON.stringify({ headers: req.headers, body, url: req.url, own: canary('answer') })
      const metadata = {
        issuer: `${url}/${canary('issuer')}?${canary('query')}`,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        registration_endpoint: `${url}/register`,
        jwks_uri: `${url}/keys`,
        scopes_supported: [canary('scope')],
        token_endpoint_auth_methods_supported: [canary('method')],
      }
      if (req.url?.startsWith('/.well-known')) res.writeHead(200).end(JSON.stringify(metadata))
      else if (req.url?.startsWith('/authorize'))
        res
          .writeHead(302, { location: `https://onramp.acme.test/sign-in/callback?error=${canary('error')}` })
          .end()
      else
        res
          .writeHead(400, {
            'content-type': 'application/json',
            'www-authenticate': `Basic ${canary('realm')}`,
          })
          .end(JSON.stringify({ error: canary('code'), error_description: all, message: all }))
    })
  }),
)

const planted = (): Record<string, string> => ({
  PUBLIC_URL: 'https://onramp.acme.test',
  SERVICE_BASE_URL: echo.url,
  OIDC_ISSUER: echo.url,
  OIDC_CLIENT_ID: 'onramp',
  OIDC_CLIENT_SECRET: canary('client-secret'),
  OIDC_INITIAL_ACCESS_TOKEN: canary('initial'),
  SESSION_SECRET: `${canary('session')},${canary('old-session')}`,
  SERVICE_GLOBAL_TOKEN: canary('global'),
  SERVICE_USER_TOKEN: canary('user'),
  REDIS_URL: `redis://someone:${canary('redis')}@127.0.0.1:1/0`,
  OIDC_CLIENT_SECRTE: canary('mistyped'),
})

const broken: [string, Record<string, string>][] = [
  ['as it is', {}],
  ['with a key that is none', { OIDC_CLIENT_KEY: canary('key') }],
  ['without a client', { OIDC_CLIENT_ID: '', OIDC_CLIENT_SECRET: '' }],
  ['with a key', { OIDC_CLIENT_AUTH: 'private_key_jwt' }],
  [
    'with values that cannot be read',
    { SERVICE_GLOBAL_TOKEN: `${canary('global')} é`, SESSION_SECRET: CANARY, REDIS_URL: canary('redis') },
  ],
  [
    'with secrets where paths should be',
    {
      OIDC_CLIENT_SECRET: '',
      OIDC_CLIENT_SECRET_FILE: canary('file'),
      SERVICE_USER_TOKEN: '',
      SERVICE_USER_TOKEN_FILE: canary('file'),
    },
  ],
  [
    'with a password in an address',
    { SERVICE_BASE_URL: `https://${canary('name')}:${canary('password')}@acme.test` },
  ],
]

// The issuer's path is public: the only planted value that may be shown.
const searched = (text: string) => text.replaceAll(canary('issuer'), '')

it.each(broken)('doctor and status print no secret: %s', async (_title, changed) => {
  const env = { ...planted(), ...changed }
  for (const args of [
    ['doctor', '--as', 'ada@acme.example'],
    ['doctor', '--json', '--as', 'ada@acme.example'],
    ['status', 'ada@acme.example'],
    ['status', '--json'],
  ]) {
    const { out, err } = await runCommand(args, env)
    expect(out + err).not.toBe('')
    expect(searched(out + err)).not.toContain(CANARY)
  }
})

it('the server logs no secret at any debug setting', async () => {
  const root = join(import.meta.dirname, '../..')
  const node = join(root, 'node_modules/.bin/node')
  const env = { ...planted(), PATH: process.env['PATH'], NODE_DEBUG: 'http,net,undici,fetch', DEBUG: '*' }
  const text = await new Promise<string>((resolve) => {
    execFile(
      node,
      [join(root, 'src/cli/main.ts'), 'status', 'ada@acme.example'],
      { env },
      (_error, out, err) => resolve(out + err),
    )
  })
  expect(text).toContain('onramp status:')
  expect(text.split('\n').filter((line) => line.includes(CANARY))).toEqual([])
})

it('only the command line and the doctor use the service tokens', () => {
  const root = join(import.meta.dirname, '../../src')
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  const naming = files
    .filter((file) => file.endsWith('.ts') && !/^(cli|doctor|settings)\//.test(file))
    .filter((file) =>
      /SERVICE_(GLOBAL|USER)_TOKEN|kind: '(global|user)-token'/.test(readFileSync(join(root, file), 'utf8')),
    )
  // These two use the client's probe.
  expect(naming).toEqual(['client-api/client.ts', 'client-api/credentials.ts'])
})
