// One authorization server: the service's own and the external identity provider are two of these.
// Rotating keys puts a new oidc-provider over the same store, so sessions and tokens live on.
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { errors, Provider, type ClientMetadata, type KoaContextWithOIDC } from 'oidc-provider'
import type { Faults } from '../control/fault-switches.ts'
import type { Exchange } from '../http-server.ts'
import type { JournalEntry } from '../journal.ts'
import type { Person } from '../people.ts'
import { pathOf, providerConfiguration, type ProviderOptions } from './configuration.ts'
import { withFaults } from './faults.ts'
import { generateSigningKey } from './forgeries.ts'
import { endSessionAtOnce, endSessions, type SentLogout } from './sessions.ts'
import { handleSignIn } from './sign-in-page.ts'
import { createProviderStore } from './store.ts'

/** A client known from the start; without secret and keys it is a public one. */
export type SandboxClient = ClientMetadata & { redirect_uris: string[] }

export type IdentityProvider = Awaited<ReturnType<typeof createIdentityProvider>>

type IdentityProviderOptions = Omit<ProviderOptions, 'store' | 'key' | 'cookieKey' | 'logouts'> & {
  clients?: SandboxClient[]
  /** A few words about a person, shown below the name. */
  describe: (person: Person) => string
}

/** Creates an authorization server with a fresh signing key; it answers once a listener serves it. */
export async function createIdentityProvider(options: IdentityProviderOptions) {
  const store = createProviderStore()
  const cookieKey = randomBytes(32).toString('base64url')
  const logouts: SentLogout[] = []
  const build = async () =>
    createProvider({ ...options, store, cookieKey, logouts, key: await generateSigningKey() })

  const addClient = (client: SandboxClient): void => {
    const method = client.client_secret ? 'client_secret_basic' : client.jwks ? 'private_key_jwt' : 'none'
    store.put('Client', client.client_id, { token_endpoint_auth_method: method, ...client })
  }

  options.clients?.forEach(addClient)
  let provider = await build()
  return {
    operation: (path: string, wholePath: string) => operationOf(path || wholePath),
    handle: (exchange: Exchange) => handle(exchange, provider, options),
    /** The id of the person that an access token stands for, while it is valid. */
    personOf: async (accessToken: string) => (await provider.AccessToken.find(accessToken))?.accountId,
    /** Every access token expires now; refresh tokens live on. */
    expireTokens: () => store.forget('AccessToken'),
    /** Makes a new signing key; the old one is gone. */
    rotateKeys: async () => void (provider = await build()),
    addClient,
    /** Also forgets clients that registered themselves. */
    removeClient: (clientId: string) => store.remove('Client', clientId),
    /** Ends the sessions of one person, or of all, with back-channel logout. @returns how many */
    endSessions: (personId?: string) => endSessions(provider, store, personId),
    /** The logout tokens that clients were sent, oldest first, and what they answered. */
    logouts: () => logouts,
  }
}

function createProvider(options: ProviderOptions): Provider {
  const { key, store, switches, people } = options
  const provider = new Provider(options.issuer, providerConfiguration(options))
  // TLS ends in front of it: its own addresses are those that it was asked by (X-Forwarded-Proto).
  provider.proxy = options.issuer.startsWith('https:')
  bendPrompts(provider, () => switches.get().faults.prompt)
  provider.use(async (ctx, answer) => {
    // oidc-provider adds `oidc` to every context.
    const context = ctx as unknown as KoaContextWithOIDC
    await withFaults(context, { faults: switches.get().faults, key, store, people, provider, answer })
    await endSessionAtOnce(context, store)
    writeDown(context)
  })
  return provider
}

/** The journal's entry of a request, for what only oidc-provider finds out about it. */
const entries = new WeakMap<IncomingMessage, JournalEntry>()

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

/** oidc-provider drops offline_access unless prompt=consent; most authorization servers do not. Also does the faults. */
function bendPrompts(provider: Provider, fault: () => Faults['prompt']): void {
  // The types do not show this getter.
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

const METADATA = '/.well-known/oauth-authorization-server'

/** By path; one that ends with a slash is the start of many. */
const operations: Record<string, string> = {
  '/.well-known/openid-configuration': 'discovery',
  [METADATA]: 'oauthMetadata',
  [`${METADATA}/`]: 'oauthMetadata',
  '/sign-in/': 'signIn',
  '/auth': 'authorization',
  '/auth/': 'resume',
  '/token': 'token',
  '/token/revocation': 'revocation',
  '/token/introspection': 'introspection',
  '/me': 'userinfo',
  '/jwks': 'jwks',
  '/reg': 'registration',
  '/reg/': 'registrationManagement',
  '/request': 'par',
  '/session/end': 'endSession',
  '/session/end/': 'endSession',
}

function operationOf(path: string): string {
  const starts = Object.keys(operations).filter((start) => start.endsWith('/') && path.startsWith(start))
  return operations[path] ?? operations[starts[0] ?? ''] ?? 'other'
}

async function handle(exchange: Exchange, provider: Provider, options: IdentityProviderOptions) {
  const { req, res, url } = exchange
  const mount = pathOf(options.issuer)
  // RFC 8414 3.1 inserts the well-known part before the issuer's path.
  const path = mount && url.pathname === METADATA + mount ? METADATA : exchange.path
  if (!path) return void res.writeHead(404).end()
  entries.set(req, exchange.entry)
  Object.assign(req, { originalUrl: mount + path + url.search, url: path + url.search })
  if (exchange.operation === 'signIn') await handleSignIn(exchange, { ...options, provider })
  else await provider.callback()(req, res)
}
