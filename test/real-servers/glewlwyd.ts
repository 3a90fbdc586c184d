// Debian's Glewlwyd (C), as the package has it, on a database and a configuration of its own. It is set up as its
// admin would: through the API behind its pages.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { spawnOne, until } from '../helpers/processes.ts'
import { freePort } from '../helpers/running.ts'
import { acceptedAtUserinfo, type Addresses, type RealServer } from './installation.ts'

export const GLEWLWYD = '/usr/bin/glewlwyd'
export const PASSWORD = randomBytes(12).toString('base64url')

const SHARE = '/usr/share/glewlwyd'
const SCHEMA = '/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3'
const TYPES = { html: 'text/html', css: 'text/css', js: 'application/javascript', json: 'application/json' }

/** The life of an access token. */
export const SECONDS = 2

const configuration = (folder: string, port: number) => `
port=${port}
bind_address="127.0.0.1"
external_url="http://127.0.0.1:${port}"
static_files_path="${folder}/webapp/"
login_url="login.html"
api_prefix="api"
log_mode="console"
log_level="INFO"
cookie_secure=0
session_expiration=3600
session_key="GLEWLWYD2_SESSION_ID"
allow_multiple_user_per_session=true
login_api_enabled=true
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="/usr/lib/glewlwyd/user"
client_module_path="/usr/lib/glewlwyd/client"
user_auth_scheme_module_path="/usr/lib/glewlwyd/scheme"
plugin_module_path="/usr/lib/glewlwyd/plugin"
use_secure_connection=false
secure_connection_key_file="unused"
secure_connection_pem_file="unused"
secure_connection_ca_file="unused"
hash_algorithm="SHA512"
database={ type="sqlite3" path="${folder}/database" }
static_files_mime_types=(${Object.entries(TYPES)
  .map(([ending, type]) => `{ extension=".${ending}" mime_type="${type}" }`)
  .join(',')})
`

/** The pages with their settings, which Debian's package puts where the pages do not find them. */
function layPages(folder: string): void {
  const filter = (source: string) => !source.endsWith('config.json')
  cpSync(`${SHARE}/webapp`, folder, { recursive: true, dereference: true, filter })
  copyFileSync(`${SHARE}/templates/config.json`, join(folder, 'config.json'))
}

function layDatabase(file: string): void {
  const database = new DatabaseSync(file)
  database.exec(`PRAGMA synchronous=OFF; BEGIN; ${readFileSync(SCHEMA, 'utf8')}; COMMIT`)
  database.close()
}

/** The plugin for OpenID Connect, with everything on that onramp can use. */
function openIdConnect(issuer: string) {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = { ...privateKey.export({ format: 'jwk' }), alg: 'RS256', kid: 'one', use: 'sig' }
  return {
    iss: issuer,
    'oauth-as-iss-id': true,
    'jwks-private': JSON.stringify({ keys: [key] }),
    'jwt-type': 'rsa',
    'jwt-key-size': '256',
    'access-token-duration': SECONDS,
    'refresh-token-duration': 3600,
    'code-duration': 60,
    'refresh-token-rolling': true,
    'refresh-token-one-use': 'always',
    'auth-type-code-enabled': true,
    'auth-type-refresh-enabled': true,
    'subject-type': 'public',
    'name-claim': 'mandatory',
    'email-claim': 'mandatory',
    'allowed-scope': ['openid'],
    'pkce-allowed': true,
    'pkce-required': true,
    'introspection-revocation-allowed': true,
    'register-client-allowed': true,
    'register-client-auth-scope': [],
    'register-client-management-allowed': true,
    'register-client-token-one-use': false,
    'session-management-allowed': true,
    'session-cookie-name': 'GLEWLWYD2_OIDC_SID',
    'session-cookie-expiration': 3600,
    'front-channel-logout-allowed': true,
    'back-channel-logout-allowed': true,
    'oauth-par-request_uri-prefix': 'urn:ietf:params:oauth:request_uri:',
    'oauth-par-allowed': true,
    'oauth-par-duration': 90,
  }
}

type ClientModule = { parameters: { 'data-format': Record<string, object> } }

export type Glewlwyd = RealServer & {
  /** The sid of the session that was made last. */
  newestSession(): string
  /** As its admin. */
  call(method: string, path: string, body?: object): Promise<unknown>
}

export async function startGlewlwyd({
  redirectUri,
  postLogoutRedirectUri,
  backChannelLogoutUri,
}: Addresses): Promise<Glewlwyd> {
  const folder = mkdtempSync(join(tmpdir(), 'onramp-glewlwyd-'))
  const port = await freePort()
  const api = `http://127.0.0.1:${port}/api`
  layPages(`${folder}/webapp`)
  layDatabase(`${folder}/database`)
  writeFileSync(`${folder}/glewlwyd.conf`, configuration(folder, port))
  const server = spawnOne(GLEWLWYD, ['-c', `${folder}/glewlwyd.conf`])
  let cookie = ''
  async function call(method: string, path: string, body?: object): Promise<unknown> {
    const headers = { cookie, 'content-type': 'application/json' }
    const response = await fetch(api + path, { method, headers, body: body ? JSON.stringify(body) : null })
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
  await until(
    () =>
      call('POST', '/auth/', { username: 'admin', password: 'password' }).then(
        () => true,
        () => {
          if (server.hasEnded()) throw new Error(server.output())
          return false
        },
      ),
    'Glewlwyd',
  )
  const issuer = `${api}/oidc`
  const secret = randomBytes(24).toString('base64url')
  const plugin = { module: 'oidc', name: 'oidc', display_name: 'OpenID Connect', enabled: true }
  await call('POST', '/mod/plugin/', { ...plugin, parameters: openIdConnect(issuer) })
  // Without it, Debian's clients have no post-logout addresses, and its page to sign out on fails.
  const clients = (await call('GET', '/mod/client/database')) as ClientModule
  clients.parameters['data-format']['post_logout_redirect_uris'] = { multiple: true, read: true, write: true }
  await call('PUT', '/mod/client/database', clients)
  await call('PUT', '/mod/client/database/reset')
  await call('POST', '/user/', {
    username: 'ada',
    name: 'Ada Lovelace',
    email: 'ada@acme.example',
    password: PASSWORD,
    scope: ['g_profile', 'openid'],
    enabled: true,
  })
  await call('POST', '/client/', {
    client_id: 'onramp',
    name: 'Onramp',
    client_secret: secret,
    confidential: true,
    enabled: true,
    redirect_uri: [redirectUri],
    authorization_type: ['code', 'refresh_token'],
    token_endpoint_auth_method: ['client_secret_basic'],
    scope: [],
    post_logout_redirect_uris: [postLogoutRedirectUri],
    backchannel_logout_uri: backChannelLogoutUri,
  })
  return {
    issuer,
    settings: { OIDC_CLIENT_ID: 'onramp', OIDC_CLIENT_SECRET: secret, OIDC_SCOPE: 'openid' },
    newestSession() {
      const database = new DatabaseSync(`${folder}/database`, { readOnly: true })
      const row = database.prepare('SELECT gpoc_sid AS sid FROM gpo_code ORDER BY gpoc_id DESC').get()
      database.close()
      return String(row?.['sid'])
    },
    call,
    isValid: acceptedAtUserinfo(`${issuer}/userinfo`),
    async close() {
      await server.end('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
