// One authorization server: the service's own and the external identity provider are two of these.
// Rotating keys puts a new oidc-provider over the same store, so sessions and tokens live on.
import type { IncomingMessage } from 'node:http'
import type { JWK } from 'jose'
import { errors, Provider, type ClientMetadata, type KoaContextWithOIDC } from 'oidc-provider'
import { endSessionAtOnce, endSessions } from './end-session.ts'
import type { Faults } from '../control/fault-switches.ts'
import { withFaults } from '../faults.ts'
import type { SentLogout } from './faulty-logout-tokens.ts'
import type { Behaviour, Exchange } from '../http-server.ts'
import type { JournalEntry } from '../journal.ts'
import type { Person } from '../people.ts'
import { createCookieKey, providerConfiguration, type ProviderOptions } from './configuration.ts'
import { createProviderStore } from './store.ts'
import { handleSignIn } from './sign-in-page.ts'
import { generateSigningKey } from './signing-keys.ts'

/** A client known from the start; without secret and keys it is a public one. */
export type SandboxClient = {
  client_id: string
  client_secret?: string
  redirect_uris: string[]
  post_logout_redirect_uris?: string[]
  token_endpoint_auth_method?: 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none'
  jwks?: { keys: JWK[] }
  backchannel_logout_uri?: string
}

export type IdentityProvider = Behaviour & {
  /** The id of the person an access token stands for, while it is valid. */
  personOf: (accessToken: string) => Promise<string | undefined>
  expireTokens: () => void
  rotateKeys: () => Promise<void>
  addClient: (client: SandboxClient) => void
  removeClient: (clientId: string) => void
  endSessions: (personId?: string) => Promise<number>
  /** Logout tokens that were sent to clients, and what they answered. */
  logouts: SentLogout[]
}

export type IdentityProviderOptions = Omit<ProviderOptions, 'store' | 'keys' | 'cookieKey' | 'logouts'> & {
  issuer: string
  describe: (person: Person) => string
}

/** The journal's entry of a request, for what only oidc-provider finds out about it. */
const entries = new WeakMap<IncomingMessage, JournalEntry>()

const operations: Record<string, string> = {
  '/.well-known/openid-configuration': 'discovery',
  '/.well-known/oauth-authorization-server': 'oauthMetadata',
  '/auth': 'authorization',
  '/token': 'token',
  '/token/revocation': 'revocation',
  '/token/introspection': 'introspection',
  '/me': 'userinfo',
  '/jwks': 'jwks',
  '/reg': 'registration',
  '/request': 'par',
  '/session/end': 'endSession',
}

/** Creates an authorization server with a fresh signing key; it answers once a listener serves it. */
export async function createIdentityProvider(options: IdentityProviderOptions): Promise<IdentityProvider> {
  const store = createProviderStore()
  const cookieKey = createCookieKey()
  const logouts: SentLogout[] = []
  const build = async () => {
    const key = await generateSigningKey()
    return createProvider({ ...options, store, cookieKey, logouts, keys: [key] }, options.issuer, key)
  }
  let provider = await build()
  return {
    operation: (path, wholePath) => operationOf(path || wholePath),
    handle: (exchange) => handle(exchange, provider, options),
    personOf: async (accessToken) => (await provider.AccessToken.find(accessToken))?.accountId,
    expireTokens: () => store.forget('AccessToken'),
    rotateKeys: async () => void (provider = await build()),
    addClient: (client) => store.put('Client', client.client_id, metadataOf(client)),
    removeClient: (clientId) => store.remove('Client', clientId),
    endSessions: (personId) => endSessions(provider, store, personId),
    logouts,
  }
}

function createProvider(options: ProviderOptions, issuer: string, key: JWK): Provider {
  const provider = new Provider(issuer, providerConfiguration(options))
  bendPrompts(provider, () => options.switches.get().faults.prompt)
  provider.use(async (ctx, next) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- oidc-provider adds `oidc` to every context
    const context = ctx as unknown as KoaContextWithOIDC
    const { store, switches } = options
    const holderOf = async (token: string) => {
      const found = await provider.AccessToken.find(token)
      return options.people.find(({ id }) => id === found?.accountId)
    }
    await withFaults(context, { faults: switches.get().faults, key, store, holderOf, answer: next })
    await endSessionAtOnce(context, store)
    writeDown(context)
  })
  return provider
}

function writeDown({ req, oidc }: KoaContextWithOIDC): void {
  const entry = entries.get(req)
  if (!entry || !oidc) return
  const body = oidc.body ?? oidc.params
  if (body) entry.body = { ...body }
  if (oidc.account) entry.person = oidc.account.accountId
}

/** The part of oidc-provider's context that is overridden below. */
declare class RequestContext {
  params?: { scope?: string }
  get prompts(): Set<string>
}

/** oidc-provider drops offline_access unless prompt=consent; most authorization servers do not. And faults. */
function bendPrompts(provider: Provider, fault: () => Faults['prompt']): void {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types do not show this getter
  const Base = (provider as unknown as { OIDCContext: typeof RequestContext }).OIDCContext
  class FirstPartyContext extends Base {
    override get prompts(): Set<string> {
      const asked = super.prompts
      if (fault() === 'selectAccountRefused' && asked.has('select_account'))
        throw new errors.InvalidRequest('unsupported prompt value requested')
      if (fault() === 'ignored') asked.clear()
      const offline = this.params?.scope?.split(' ').includes('offline_access')
      return offline && !asked.has('none') ? asked.add('consent') : asked
    }
  }
  Object.defineProperty(provider, 'OIDCContext', { value: FirstPartyContext })
}

function metadataOf(client: SandboxClient): ClientMetadata {
  const method = client.client_secret ? 'client_secret_basic' : client.jwks ? 'private_key_jwt' : 'none'
  return { token_endpoint_auth_method: method, ...client }
}

function operationOf(path: string): string {
  if (path.startsWith('/.well-known/oauth-authorization-server/')) return 'oauthMetadata'
  if (path.startsWith('/sign-in/')) return 'signIn'
  if (path.startsWith('/auth/')) return 'resume'
  if (path.startsWith('/reg/')) return 'registrationManagement'
  return operations[path] ?? (path.startsWith('/session/end') ? 'endSession' : 'other')
}

async function handle(
  exchange: Exchange,
  provider: Provider,
  options: IdentityProviderOptions,
): Promise<void> {
  const { req, res, url } = exchange
  const inserted = `/.well-known/oauth-authorization-server${options.mount}`
  const path =
    options.mount && url.pathname === inserted ? '/.well-known/oauth-authorization-server' : exchange.path
  if (!path) {
    res.writeHead(404).end()
    return
  }
  entries.set(req, exchange.entry)
  const target = Object.assign(req, {
    originalUrl: `${options.mount}${path}${url.search}`,
    url: `${path}${url.search}`,
  })
  if (exchange.operation === 'signIn') await handleSignIn(exchange, { ...options, provider })
  else await provider.callback()(target, res)
}
