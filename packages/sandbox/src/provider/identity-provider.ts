// An authorization server: OpenID Connect, PKCE, rotating refresh tokens, dynamic registration, PAR, revocation
// and both logouts. The sandbox has two: the service's own and the external identity provider.
import { randomBytes, randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import { interactionPolicy, Provider } from 'oidc-provider'
import type { AdapterPayload, ClientMetadata, Configuration, KoaContextWithOIDC } from 'oidc-provider'
import type { Exchange, RequestHandler } from '../http-server.ts'
import { document, html, Html } from '../pages.ts'
import { applyFaults } from './faults.ts'
import { handleSignIn } from './sign-in-page.ts'
import { ProviderStore, type IssuerConfig } from './store.ts'

/** A client without a secret and keys is public. */
export type SandboxClient = ClientMetadata & { redirect_uris: string[] }

export class IdentityProvider implements RequestHandler {
  readonly operation = operationOf
  readonly store = new ProviderStore()
  private readonly issuer: IssuerConfig
  /** Set by the first `rotateKeys`, before any request. */
  private provider!: Provider

  constructor(issuer: IssuerConfig, clients: SandboxClient[] = []) {
    this.issuer = issuer
    for (const client of clients) this.addClient(client)
  }

  /** Starts a new provider with a new key over the same store, so sessions and tokens stay valid. */
  async rotateKeys(): Promise<void> {
    const { issuer, store } = this
    const key = await generateSigningKey()
    const provider = new Provider(issuer.issuer, configuration(issuer, store, key))
    // Behind a TLS proxy, URLs depend on X-Forwarded-Proto.
    provider.proxy = issuer.issuer.startsWith('https:')
    overridePrompts(provider, issuer)
    provider.use(async (ctx, next) => {
      // oidc-provider adds `oidc` to every context.
      const context = ctx as unknown as KoaContextWithOIDC
      await next()
      await applyFaults(context, issuer, key)
      await endSessionWithoutConfirmation(context, store)
      const { oidc } = context
      const { entry } = ctx.req as { entry?: Exchange['entry'] }
      const body = oidc?.body ?? oidc?.params
      if (entry && body) entry.body = { ...body }
      if (entry && oidc?.account) entry.person = oidc.account.accountId
    })
    this.provider = provider
  }

  async handle(exchange: Exchange): Promise<void> {
    const { req, res, url, path, operation, entry } = exchange
    const originalUrl = issuerPath(this.issuer) + path + url.search
    // The middleware adds facts to the entry that only oidc-provider knows.
    Object.assign(req, { originalUrl, url: path + url.search, entry })
    if (operation === 'signIn') await handleSignIn(exchange, this.issuer, this.provider)
    else await this.provider.callback()(req, res)
  }

  addClient(client: SandboxClient): void {
    const method = client.client_secret ? 'client_secret_basic' : client.jwks ? 'private_key_jwt' : 'none'
    this.store.put('Client', client.client_id, { token_endpoint_auth_method: method, ...client })
  }

  /** The id of the person of a valid access token. */
  async personOf(accessToken: string): Promise<string | undefined> {
    return (await this.provider.AccessToken.find(accessToken))?.accountId
  }

  /** Ends sessions from outside, as an admin would. */
  async endSessions(personId?: string): Promise<void> {
    for (const session of this.store.list('Session'))
      if (session.accountId && [undefined, session.accountId].includes(personId))
        await endSession(this.provider, this.store, session)
  }
}

/** An RS256 key with its private part. */
async function generateSigningKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return { ...(await exportJWK(privateKey)), kid: randomUUID(), use: 'sig', alg: 'RS256' }
}

/** Keeps offline_access, which oidc-provider drops without prompt=consent. Also applies the fault `prompt`. */
function overridePrompts(provider: Provider, { switches }: IssuerConfig): void {
  // The library's types don't have this class.
  const { OIDCContext } = provider as unknown as { OIDCContext: { prototype: object } }
  Object.defineProperty(OIDCContext.prototype, 'prompts', {
    get(this: { params?: { prompt?: string; scope?: string } }) {
      const { prompt, scope } = this.params ?? {}
      const prompts = new Set(switches.get().faults.prompt === 'ignored' ? [] : prompt?.split(' '))
      const offline = scope?.split(' ').includes('offline_access')
      return offline && !prompts.has('none') ? prompts.add('consent') : prompts
    },
  })
}

/** A path with a trailing slash is a prefix. */
const operations: Record<string, string> = {
  '/.well-known/openid-configuration': 'discovery',
  '/.well-known/oauth-authorization-server': 'oauthMetadata',
  '/sign-in/': 'signIn',
  '/auth': 'authorization',
  '/auth/': 'resume',
  '/token': 'token',
  '/token/revocation': 'revocation',
  '/me': 'userinfo',
  '/jwks': 'jwks',
  '/reg': 'registration',
  '/reg/': 'registrationManagement',
  '/request': 'par',
  '/session/end': 'endSession',
  '/session/end/': 'endSession',
}

function operationOf(path: string): string {
  const start = Object.keys(operations).find((key) => key.endsWith('/') && path.startsWith(key)) ?? ''
  return operations[path] ?? operations[start] ?? 'other'
}

const DAY = 24 * 60 * 60
const grants = ['authorization_code', 'refresh_token']
const scopes = ['openid', 'offline_access', 'profile', 'email']
const cookieKey = randomBytes(32).toString('base64url')

const issuerPath = ({ issuer }: IssuerConfig) => new URL(issuer).pathname.replace(/\/$/, '')

function configuration(issuer: IssuerConfig, store: ProviderStore, key: JWK): Configuration {
  const { people, switches } = issuer
  // Servers on one host share its cookies.
  const cookie = (name: string) => `sandbox_${new URL(issuer.issuer).port}_${name}`
  const policy = interactionPolicy.base()
  policy.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }), 0)
  policy.get('consent')?.checks.clear()
  return {
    adapter: (model) => store.adapter(model),
    jwks: { keys: [key] },
    scopes,
    claims: { email: ['email', 'email_verified'], profile: ['name', 'given_name', 'preferred_username'] },
    conformIdTokenClaims: false,
    findAccount: (_ctx, id) => accountOf(people.find((person) => person.id === id)),
    interactions: { policy, url: (_ctx, { uid }) => `${issuerPath(issuer)}/sign-in/${uid}` },
    loadExistingGrant,
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    clientDefaults: { grant_types: grants, backchannel_logout_session_required: true },
    pkce: { required: () => true },
    responseTypes: ['code'],
    rotateRefreshToken: true,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    cookies: {
      keys: [cookieKey],
      names: { session: cookie('session'), interaction: cookie('interaction'), resume: cookie('resume') },
    },
    ttl: {
      AccessToken: () => switches.get().accessTokenSeconds,
      Grant: 14 * DAY,
      IdToken: 3600,
      Interaction: 3600,
      RefreshToken: 14 * DAY,
      Session: 14 * DAY,
    },
    features: featuresOf(issuer),
    fetch: async (input, init) => {
      // The dispatcher refuses loopback addresses, at which the sandbox's clients are, so it is removed.
      const { dispatcher: _guard, ...unguarded } = (init ?? {}) as RequestInit & { dispatcher?: unknown }
      const { body } = unguarded
      const response = await fetch(input, unguarded)
      if (body instanceof URLSearchParams && body.has('logout_token'))
        store.logouts.push({ status: response.status })
      return response
    },
    renderError: (ctx, { error, error_description: reason = error }) => {
      const body = html`<p>${reason}</p>
        <p class="note">${error}</p>`
      showPage(ctx, issuer, 'Something went wrong', body)
    },
  }
}

function featuresOf(issuer: IssuerConfig): Configuration['features'] {
  return {
    devInteractions: { enabled: false },
    backchannelLogout: { enabled: true },
    jwtUserinfo: { enabled: true },
    registration: { enabled: true },
    registrationManagement: { enabled: true },
    revocation: {
      enabled: true,
      allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId,
    },
    resourceIndicators: { enabled: false },
    rpInitiatedLogout: {
      enabled: true,
      logoutSource: (ctx, form) => showPage(ctx, issuer, 'Sign out?', signOutForm(form)),
      postLogoutSuccessSource: (ctx) =>
        showPage(ctx, issuer, 'You are signed out', html`<p>You can close this page.</p>`),
    },
  }
}

const signOutForm = (form: string) =>
  html`${new Html(form)}
    <button class="first" type="submit" form="op.logoutForm" name="logout" value="yes">Sign out</button>
    <button type="submit" form="op.logoutForm">Stay signed in</button>`

function showPage(ctx: KoaContextWithOIDC, { site }: IssuerConfig, title: string, body: Html): void {
  ctx.type = 'html'
  ctx.body = document({ title, site, body })
}

function accountOf(person: IssuerConfig['people'][number] | undefined) {
  if (!person) return undefined
  const { id: sub, email, name } = person
  const [given_name] = name.split(' ')
  const claims = { sub, email, email_verified: true, name, given_name, preferred_username: email }
  return { accountId: sub, claims: async () => claims }
}

async function loadExistingGrant(ctx: KoaContextWithOIDC) {
  const { client, params, provider, session, account } = ctx.oidc
  if (!client || !account) return undefined
  const known = session?.grantIdFor(client.clientId)
  const existingGrant = known ? await provider.Grant.find(known) : undefined
  const grant =
    existingGrant ?? new provider.Grant({ accountId: account.accountId, clientId: client.clientId })
  grant.addOIDCScope(typeof params?.['scope'] === 'string' ? params['scope'] : '')
  await grant.save()
  return grant
}

/** Missing from oidc-provider's types. */
type Notified = {
  backchannelLogoutUri?: string
  backchannelLogout: (sub: string, sid?: string) => Promise<void>
}

/** Skips oidc-provider's confirmation after a valid id_token_hint, or if no one was signed in. */
async function endSessionWithoutConfirmation(ctx: KoaContextWithOIDC, store: ProviderStore) {
  const { oidc } = ctx
  if (oidc?.route !== 'end_session' || ctx.status !== 200 || !oidc.session) return
  const { session, provider, params } = oidc
  if (!('IdTokenHint' in oidc.entities) && session.accountId) return
  await endSession(provider, store, session)
  const { post_logout_redirect_uri: uri, state } = params ?? {}
  const destination = new URL(typeof uri === 'string' ? uri : oidc.urlFor('end_session_success'))
  if (typeof uri === 'string' && typeof state === 'string') destination.searchParams.set('state', state)
  ctx.redirect(destination.href)
  ctx.status = 303
}

type Session = Pick<AdapterPayload, 'jti' | 'accountId' | 'authorizations'>

async function endSession(provider: Provider, store: ProviderStore, session: Session): Promise<void> {
  const { jti = '', accountId, authorizations = {} } = session
  store.remove('Session', jti)
  for (const [clientId, { sid, grantId, persistsLogout }] of Object.entries(authorizations)) {
    if (grantId && !persistsLogout) store.revokeGrant(grantId)
    const client = (await provider.Client.find(clientId)) as Notified | undefined
    if (client?.backchannelLogoutUri && accountId !== undefined)
      await client.backchannelLogout(accountId, sid).catch(() => undefined)
  }
}
