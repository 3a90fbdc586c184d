// One authorization server: the service's own and the external identity provider are two of these.
// Rotating keys puts a new oidc-provider over the same store, so sessions and tokens live on.
import type { IncomingMessage } from 'node:http'
import { Provider, type KoaContextWithOIDC } from 'oidc-provider'
import type { Exchange } from '../http-server.ts'
import type { JournalEntry } from '../journal.ts'
import type { Person } from '../people.ts'
import { pathOf, providerConfiguration, type Issuer, type SandboxClient } from './configuration.ts'
import { applyFaults } from './faults.ts'
import { generateSigningKey } from './forgeries.ts'
import { endSessionAtOnce, endSessions } from './sessions.ts'
import { handleSignIn } from './sign-in-page.ts'
import { createProviderStore } from './store.ts'

type Given = Omit<Issuer, 'store' | 'logouts'> & {
  clients?: SandboxClient[]
  /** A few words about a person, shown below the name. */
  describe: (person: Person) => string
}

/** Creates an authorization server with a fresh signing key; it answers once a listener serves it. */
export async function createIdentityProvider(given: Given) {
  const store = createProviderStore()
  const server: Issuer = { ...given, store, logouts: [] }
  const mount = pathOf(server.issuer)

  const addClient = (client: SandboxClient): void => {
    const method = client.client_secret ? 'client_secret_basic' : client.jwks ? 'private_key_jwt' : 'none'
    store.put('Client', client.client_id, { token_endpoint_auth_method: method, ...client })
  }
  given.clients?.forEach(addClient)
  let provider = await createProvider(server)

  return {
    operation: (path: string, wholePath: string) => operationOf(path || wholePath),
    async handle(exchange: Exchange): Promise<void> {
      const { req, res, url, operation, entry } = exchange
      // RFC 8414 3.1 inserts the well-known part before the issuer's path.
      const path = mount && url.pathname === METADATA + mount ? METADATA : exchange.path
      if (!path) return void res.writeHead(404).end()
      entries.set(req, entry)
      Object.assign(req, { originalUrl: mount + path + url.search, url: path + url.search })
      if (operation === 'signIn') await handleSignIn(exchange, { ...given, provider })
      else await provider.callback()(req, res)
    },
    /** The id of the person that an access token stands for, while it is valid. */
    personOf: async (accessToken: string) => (await provider.AccessToken.find(accessToken))?.accountId,
    expireTokens: () => store.removeAll('AccessToken'),
    rotateKeys: async () => void (provider = await createProvider(server)),
    addClient,
    removeClient: (clientId: string) => store.remove('Client', clientId),
    endSessions: (personId?: string) => endSessions(provider, store, personId),
    logouts: server.logouts,
  }
}

/** The journal's entry of a request, for what only oidc-provider finds out about it. */
const entries = new WeakMap<IncomingMessage, JournalEntry>()

async function createProvider(server: Issuer): Promise<Provider> {
  const key = await generateSigningKey()
  const provider = new Provider(server.issuer, providerConfiguration(server, key))
  // TLS ends in front of it: its own addresses are those that it was asked by (X-Forwarded-Proto).
  provider.proxy = server.issuer.startsWith('https:')
  bendPrompts(provider, server)
  provider.use(async (ctx, answer) => {
    // oidc-provider adds `oidc` to every context.
    const context = ctx as unknown as KoaContextWithOIDC
    await answer()
    await applyFaults(context, server, key)
    await endSessionAtOnce(context, server.store)
    const { oidc } = context
    const entry = entries.get(ctx.req)
    const body = oidc?.body ?? oidc?.params
    if (entry && body) entry.body = { ...body }
    if (entry && oidc?.account) entry.person = oidc.account.accountId
  })
  return provider
}

/** The part of oidc-provider's context that is overridden below. */
declare class RequestContext {
  params?: { scope?: string }
  get prompts(): Set<string>
}

/** oidc-provider drops offline_access unless prompt=consent; most authorization servers do not. Also does the fault. */
function bendPrompts(provider: Provider, { switches }: Issuer): void {
  // The types do not show this getter.
  const Base = (provider as unknown as { OIDCContext: typeof RequestContext }).OIDCContext
  class FirstPartyContext extends Base {
    override get prompts(): Set<string> {
      const asked = switches.get().faults.prompt === 'ignored' ? new Set<string>() : super.prompts
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
  const start = Object.keys(operations).find((one) => one.endsWith('/') && path.startsWith(one)) ?? ''
  return operations[path] ?? operations[start] ?? 'other'
}
