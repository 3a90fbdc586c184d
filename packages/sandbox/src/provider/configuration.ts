// How the authorization servers are configured: OpenID Connect, code with PKCE, refresh tokens that rotate,
// dynamic registration, revocation, PAR, RP-initiated and back-channel logout. Consent is never asked for.
import { randomBytes } from 'node:crypto'
import type { JWK } from 'jose'
import {
  interactionPolicy,
  type ClientMetadata,
  type Configuration,
  type KoaContextWithOIDC,
} from 'oidc-provider'
import { document, html, Html } from '../pages.ts'
import { personWithId, type Person } from '../people.ts'
import type { SwitchesControl } from '../switches.ts'
import { sendLogout, type SentLogout } from './sessions.ts'
import type { ProviderStore } from './store.ts'

const DAY = 24 * 60 * 60
const scopes = ['openid', 'offline_access', 'profile', 'email']

export type Issuer = {
  /** Without a trailing slash. */
  issuer: string
  /** Shown on its pages, for example "Sign in to the service". */
  site: string
  people: Person[]
  switches: SwitchesControl
  /** Present: dynamic registration asks for it. */
  initialAccessToken?: string
  store: ProviderStore
  /** Every logout token that was sent is put here. */
  logouts: SentLogout[]
}

/** A client known from the start; without secret and keys it is a public one. */
export type SandboxClient = ClientMetadata & { redirect_uris: string[] }

const cookieKey = randomBytes(32).toString('base64url')

/** The path of an address, '' for none. */
export const pathOf = (address: string) => new URL(address).pathname.replace(/\/$/, '')

/** The configuration for oidc-provider. @param key signs tokens */
export function providerConfiguration(server: Issuer, key: JWK): Configuration {
  const { issuer, site, people, store, switches } = server
  // Servers that share a host share its cookies.
  const cookie = (name: string) => `sandbox_${new URL(issuer).port}_${name}`
  const show = (ctx: KoaContextWithOIDC, title: string, body: Html): void => {
    ctx.type = 'html'
    ctx.body = document({ title, site, body })
  }
  const policy = interactionPolicy.base()
  policy.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }), 0)
  policy.get('consent')?.checks.clear()
  const ofOwnTokens = {
    enabled: true,
    allowedPolicy: async (_ctx: unknown, client: Owned, token: Owned) => token.clientId === client.clientId,
  }
  return {
    adapter: store.adapter,
    jwks: { keys: [key] },
    scopes,
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'preferred_username'] },
    conformIdTokenClaims: false,
    findAccount: (_ctx, id) => accountOf(personWithId(people, id)),
    interactions: { policy, url: (_ctx, { uid }) => `${pathOf(issuer)}/sign-in/${uid}` },
    loadExistingGrant,
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      backchannel_logout_session_required: true,
    },
    clientBasedCORS: () => false,
    pkce: { required: () => true },
    responseTypes: ['code'],
    rotateRefreshToken: () => !switches.get().faults.keepRefreshToken,
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
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      registration: { enabled: true, initialAccessToken: server.initialAccessToken ?? false },
      registrationManagement: { enabled: true },
      revocation: ofOwnTokens,
      introspection: ofOwnTokens,
      resourceIndicators: {
        enabled: true,
        defaultResource: () => [],
        getResourceServerInfo: (_ctx, audience) => {
          return { scope: scopes.join(' '), audience, accessTokenFormat: 'opaque' }
        },
      },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx, form) =>
          show(
            ctx,
            'Sign out?',
            html`${new Html(form)}
              <button class="first" type="submit" form="op.logoutForm" name="logout" value="yes">
                Sign out
              </button>
              <button type="submit" form="op.logoutForm">Stay signed in</button>`,
          ),
        postLogoutSuccessSource: (ctx) =>
          show(ctx, 'You are signed out', html`<p>You can close this page.</p>`),
      },
    },
    // oidc-provider guards its own requests against loopback addresses, but the sandbox's clients are there.
    fetch: async (input, init) => {
      const { dispatcher: _guard, ...unguarded } = (init ?? {}) as RequestInit & { dispatcher?: unknown }
      const { body } = unguarded
      const token = body instanceof URLSearchParams ? body.get('logout_token') : null
      if (token === null || typeof input !== 'string') return await fetch(input, unguarded)
      const sent = await sendLogout(input, token, key, switches.get().faults.logoutToken)
      server.logouts.push(sent)
      return new Response(null, { status: sent.status })
    },
    renderError: (ctx, { error, error_description: reason = error }) =>
      show(
        ctx,
        'Something went wrong',
        html`<p>${reason}</p>
          <p class="note">${error}</p>`,
      ),
  }
}

type Owned = { clientId?: string | undefined }

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
  for (const resource of [params?.['resource']].flat())
    if (typeof resource === 'string') grant.addResourceScope(resource, asked)
  await grant.save()
  return grant
}
