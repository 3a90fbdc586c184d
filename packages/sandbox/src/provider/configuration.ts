// How the authorization servers are configured: OpenID Connect, code with PKCE, refresh tokens that rotate,
// dynamic registration, revocation, PAR, RP-initiated and back-channel logout. Consent is never asked for.
import type { JWK } from 'jose'
import { interactionPolicy, type Configuration, type ErrorOut, type KoaContextWithOIDC } from 'oidc-provider'
import type { SwitchesControl } from '../control/switches.ts'
import { document, html, Html } from '../pages.ts'
import { personWithId, type Person } from '../people.ts'
import { sendLogout, type SentLogout } from './sessions.ts'
import type { ProviderStore } from './store.ts'

const day = 24 * 60 * 60
const scopes = ['openid', 'offline_access', 'profile', 'email']

export type ProviderOptions = {
  /** Address of the issuer, without a trailing slash. */
  issuer: string
  /** Shown on its pages, for example "Sign in to the service". */
  site: string
  /** Keeps the cookies of servers that share a host apart. */
  cookiePrefix: string
  people: Person[]
  store: ProviderStore
  switches: SwitchesControl
  /** Signs tokens. */
  key: JWK
  cookieKey: string
  /** Every logout token that was sent is put here. */
  logouts: SentLogout[]
  /** Present: dynamic registration asks for it. */
  initialAccessToken?: string
}

/** The path of an address, '' for none. */
export const pathOf = (address: string) => new URL(address).pathname.replace(/\/$/, '')

/** The configuration for oidc-provider. */
export function providerConfiguration(options: ProviderOptions): Configuration {
  const { cookiePrefix, people, store, switches } = options
  return {
    adapter: store.adapter,
    jwks: { keys: [options.key] },
    scopes,
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'preferred_username'] },
    conformIdTokenClaims: false,
    findAccount: (_ctx, id) => accountOf(personWithId(people, id)),
    interactions: { policy: policy(), url: (_ctx, { uid }) => `${pathOf(options.issuer)}/sign-in/${uid}` },
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
    cookies: {
      keys: [options.cookieKey],
      names: {
        session: `${cookiePrefix}_session`,
        interaction: `${cookiePrefix}_interaction`,
        resume: `${cookiePrefix}_resume`,
      },
    },
    ttl: {
      AccessToken: () => switches.get().accessTokenSeconds,
      Grant: 14 * day,
      IdToken: 3600,
      Interaction: 3600,
      RefreshToken: 14 * day,
      Session: 14 * day,
    },
    features: features(options),
    fetch: fetchFromLoopback(options),
    renderError: (ctx, out) => render(ctx, options.site, 'Something went wrong', reasonOf(out)),
  }
}

/**
 * oidc-provider guards its own requests against loopback addresses, but the sandbox's clients are there. Logout tokens
 * are sent as the switches say.
 */
function fetchFromLoopback({ switches, key, logouts }: ProviderOptions): typeof fetch {
  return async (input, init) => {
    const { dispatcher: _guard, ...unguarded } = (init ?? {}) as RequestInit & { dispatcher?: unknown }
    const { body } = unguarded
    const token = body instanceof URLSearchParams ? body.get('logout_token') : null
    if (token === null || typeof input !== 'string') return await fetch(input, unguarded)
    const sent = await sendLogout(input, token, { fault: switches.get().faults.logoutToken, key })
    logouts.push(sent)
    return new Response(null, { status: sent.status })
  }
}

function features({ site, initialAccessToken }: ProviderOptions): Configuration['features'] {
  const ofOwnTokens = { enabled: true, allowedPolicy: isOwnToken }
  return {
    devInteractions: { enabled: false },
    backchannelLogout: { enabled: true },
    registration: { enabled: true, initialAccessToken: initialAccessToken ?? false },
    registrationManagement: { enabled: true },
    revocation: ofOwnTokens,
    introspection: ofOwnTokens,
    resourceIndicators: {
      enabled: true,
      defaultResource: () => [],
      getResourceServerInfo: (_ctx, resource) => {
        return { scope: scopes.join(' '), audience: resource, accessTokenFormat: 'opaque' }
      },
    },
    rpInitiatedLogout: {
      enabled: true,
      logoutSource: (ctx, form) => render(ctx, site, 'Sign out?', signOutForm(form)),
      postLogoutSuccessSource: (ctx) =>
        render(ctx, site, 'You are signed out', html`<p>You can close this page.</p>`),
    },
  }
}

type Owned = { clientId?: string | undefined }
const isOwnToken = async (_ctx: unknown, client: Owned, token: Owned) => token.clientId === client.clientId

function reasonOf({ error, error_description: reason }: ErrorOut): Html {
  return html`<p>${reason ?? error}</p>
    <p class="note">${error}</p>`
}

function signOutForm(form: string): Html {
  return html`${new Html(form)}
    <button class="first" type="submit" form="op.logoutForm" name="logout" value="yes">Sign out</button>
    <button type="submit" form="op.logoutForm">Stay signed in</button>`
}

function render(ctx: KoaContextWithOIDC, site: string, title: string, body: Html): void {
  ctx.type = 'html'
  ctx.body = document({ title, site, body })
}

function policy() {
  const { base, Prompt } = interactionPolicy
  const prompts = base()
  prompts.add(new Prompt({ name: 'select_account', requestable: true }), 0)
  prompts.get('consent')?.checks.clear()
  return prompts
}

function accountOf(person: Person | undefined) {
  if (!person) return undefined
  const { id: sub, email, name } = person
  const claims = { sub, email, email_verified: true, name, preferred_username: email }
  return { accountId: sub, claims: async () => claims }
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
