// How the authorization servers are configured: OpenID Connect, code with PKCE, refresh tokens that rotate,
// dynamic registration, revocation, PAR, RP-initiated and back-channel logout. Consent is never asked for.
import { randomBytes } from 'node:crypto'
import type { JWK } from 'jose'
import { interactionPolicy, type Configuration, type KoaContextWithOIDC } from 'oidc-provider'
import { sendLogout, type SentLogout } from './faulty-logout-tokens.ts'
import { document, Html, html } from '../pages.ts'
import type { Person } from '../people.ts'
import type { ProviderStore } from './store.ts'
import type { SwitchesControl } from '../control/switches.ts'

const day = 24 * 60 * 60
const scopes = ['openid', 'offline_access', 'profile', 'email']

export type ProviderOptions = {
  /** Shown on its pages, for example "Sign-in of the service". */
  site: string
  /** Set apart the cookies of servers that share a host. */
  cookiePrefix: string
  /** Path part of the issuer, '' for none. */
  mount: string
  people: Person[]
  store: ProviderStore
  switches: SwitchesControl
  keys: JWK[]
  cookieKey: string
  /** Every logout token that was sent is put here. */
  logouts: SentLogout[]
  initialAccessToken?: string
}

/** A key for signing cookies. */
export const createCookieKey = () => randomBytes(32).toString('base64url')

/** The configuration for oidc-provider. */
export function providerConfiguration(options: ProviderOptions): Configuration {
  const { cookiePrefix, store, switches } = options
  return {
    adapter: store.adapter,
    jwks: { keys: options.keys },
    scopes,
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'preferred_username'] },
    conformIdTokenClaims: false,
    findAccount: (_ctx, id) => accountOf(options.people, id),
    interactions: { policy: policy(), url: (_ctx, { uid }) => `${options.mount}/sign-in/${uid}` },
    loadExistingGrant,
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      backchannel_logout_session_required: true,
    },
    clientBasedCORS: () => false,
    pkce: { required: () => true },
    responseTypes: ['code'],
    rotateRefreshToken: () => !switches.get().faults.token?.keepRefreshToken,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: async (_ctx, { scopes: granted }) => !granted.has('offline_access'),
    cookies: {
      keys: [options.cookieKey],
      names: {
        session: `${cookiePrefix}_session`,
        interaction: `${cookiePrefix}_interaction`,
        resume: `${cookiePrefix}_resume`,
      },
    },
    ttl: timesToLive(switches),
    features: features(options),
    fetch: fetchFromLoopback(options),
    renderError: (ctx, out) => renderError(ctx, options.site, out),
  }
}

/**
 * oidc-provider guards its own requests against loopback addresses; here the clients are on loopback. Logout tokens
 * are sent as the switches say.
 */
function fetchFromLoopback({ switches, keys, logouts }: ProviderOptions): typeof fetch {
  return async (input, init) => {
    const { dispatcher: _guard, ...unguarded } = (init ?? {}) as RequestInit & { dispatcher?: unknown }
    const { body } = unguarded
    const token = body instanceof URLSearchParams ? body.get('logout_token') : null
    const [key] = keys
    if (token === null || key === undefined || typeof input !== 'string') return await fetch(input, unguarded)
    const fault = switches.get().faults.logoutToken
    const sent = await sendLogout(input, token, { fault, key })
    logouts.push(sent)
    return new Response(null, { status: sent.status })
  }
}

function timesToLive(switches: SwitchesControl): NonNullable<Configuration['ttl']> {
  const accessToken = () => switches.get().accessTokenSeconds
  return {
    AccessToken: accessToken,
    AuthorizationCode: 60,
    Grant: 14 * day,
    IdToken: 3600,
    Interaction: 3600,
    RefreshToken: 14 * day,
    Session: 14 * day,
  }
}

function features(options: ProviderOptions): NonNullable<Configuration['features']> {
  return {
    devInteractions: { enabled: false },
    backchannelLogout: { enabled: true },
    pushedAuthorizationRequests: { enabled: true },
    registration: { enabled: true, initialAccessToken: options.initialAccessToken ?? false },
    registrationManagement: { enabled: true },
    revocation: {
      enabled: true,
      allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId,
    },
    introspection: {
      enabled: true,
      allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId,
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => [],
      getResourceServerInfo: (_ctx, resource) => {
        return { scope: scopes.join(' '), audience: resource, accessTokenFormat: 'opaque' }
      },
    },
    rpInitiatedLogout: {
      enabled: true,
      logoutSource: (ctx, form) => renderSignOut(ctx, options.site, form),
      postLogoutSuccessSource: (ctx) => {
        render(ctx, options.site, 'You are signed out', html`<p>You can close this page.</p>`)
      },
    },
    userinfo: { enabled: true },
  }
}

function policy() {
  const { base, Prompt } = interactionPolicy
  const prompts = base()
  prompts.add(new Prompt({ name: 'select_account', requestable: true }), 0)
  prompts.get('consent')?.checks.clear()
  return prompts
}

function accountOf(people: Person[], id: string) {
  const person = people.find((one) => one.id === id)
  if (!person) return undefined
  const { email, name } = person
  return {
    accountId: id,
    claims: async () => ({ sub: id, email, email_verified: true, name, preferred_username: email }),
  }
}

async function loadExistingGrant(ctx: KoaContextWithOIDC) {
  const { client, params, provider, session, account } = ctx.oidc
  if (!client || !account) return undefined
  const known = session?.grantIdFor(client.clientId)
  const found = known ? await provider.Grant.find(known) : undefined
  const grant = found ?? new provider.Grant({ accountId: account.accountId, clientId: client.clientId })
  const asked = typeof params?.['scope'] === 'string' ? params['scope'] : ''
  if (asked) grant.addOIDCScope(asked)
  for (const resource of [params?.['resource']].flat()) {
    if (typeof resource === 'string') grant.addResourceScope(resource, asked)
  }
  await grant.save()
  return grant
}

function renderError(
  ctx: KoaContextWithOIDC,
  site: string,
  out: { error: string; error_description?: string | undefined },
) {
  const reason = out.error_description ?? out.error
  render(
    ctx,
    site,
    'This did not work',
    html`<p>${reason}</p>
      <p class="note">${out.error}</p>`,
  )
}

function renderSignOut(ctx: KoaContextWithOIDC, site: string, form: string) {
  const buttons = html`${new Html(form)}
    <button class="first" type="submit" form="op.logoutForm" name="logout" value="yes">Sign out</button>
    <button type="submit" form="op.logoutForm">Stay signed in</button>`
  render(ctx, site, 'Sign out?', buttons)
}

function render(ctx: KoaContextWithOIDC, site: string, title: string, body: ReturnType<typeof html>) {
  ctx.type = 'html'
  ctx.body = document({ title, site, body })
}
