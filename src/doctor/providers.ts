// Known identity providers by their metadata, and the traps that others have fallen into with them. Pure. From their
// documentation (docs/identity-providers.md names the sources): none of them runs in our tests, only their metadata does.
import type { AuthorizationServer as Metadata } from 'oauth4webapi'
import type { Settings } from '../settings/settings.ts'
import type { Table } from './rule.ts'
import type words from './words.json'

type ProviderName = 'Keycloak' | 'Okta' | 'Microsoft Entra ID' | 'Auth0' | 'Google'

/** By what no custom domain changes, where there is such a thing; the first that fits. */
const PROVIDERS: Record<ProviderName, (issuer: URL, authorization: URL, metadata: Metadata) => boolean> = {
  Google: ({ host }) => host === 'accounts.google.com',
  'Microsoft Entra ID': ({ hostname }, _, metadata) =>
    /^(login\.microsoftonline\.(com|us)|login\.partner\.microsoftonline\.cn|sts\.windows\.net)$|\.ciamlogin\.com$/.test(
      hostname,
    ) || 'msgraph_host' in metadata,
  Auth0: ({ hostname }, _, metadata) =>
    hostname.endsWith('.auth0.com') || 'mfa_challenge_endpoint' in metadata,
  Okta: ({ hostname }, { pathname }) =>
    /\.okta(preview|-emea)?\.com$/.test(hostname) || /^\/oauth2(\/\w+)?\/v1\/authorize$/.test(pathname),
  Keycloak: (_, { pathname }) => /\/realms\/[^/]+\/protocol\/openid-connect\/auth$/.test(pathname),
}

/** @returns undefined for any other server, and for a provider that hides behind addresses of its customer's own */
export function providerOf(metadata: Metadata): ProviderName | undefined {
  const { issuer, authorization_endpoint: authorization = issuer } = metadata
  if (!URL.canParse(issuer) || !URL.canParse(authorization)) return undefined
  const found = Object.entries(PROVIDERS).find(([, isAt]) =>
    isAt(new URL(issuer), new URL(authorization), metadata),
  )
  return found?.[0] as ProviderName | undefined
}

type Trap = Exclude<keyof (typeof words)['authorization-server.provider'], 'known' | 'ignored'>

/** Which traps of each provider the settings are in. */
function trapsIn(settings: Partial<Settings>, metadata: Metadata) {
  const { OIDC_AUTHORIZATION_PARAMS: more = {}, OIDC_PROMPT: prompt = '' } = settings
  const isExternal = settings.TOKEN_ISSUED_BY === 'external-idp'
  const scopes = settings.OIDC_SCOPE?.split(' ') ?? []
  const isOffline = more['access_type'] === 'offline'
  const hasResource = settings.OIDC_RESOURCE !== undefined
  const traps: Record<ProviderName, Partial<Record<Trap, boolean>>> = {
    Google: {
      'google-scope': scopes.includes('offline_access'),
      // It gives a refresh token with consent alone, and none to someone who has consented before.
      'google-offline': !isOffline,
      'google-consent': isOffline && !prompt.split(' ').includes('consent'),
    },
    'Microsoft Entra ID': {
      'entra-key': settings.OIDC_CLIENT_AUTH === 'private_key_jwt',
      'entra-resource': hasResource,
      'entra-graph': isExternal && !scopes.some((scope) => scope.includes('/')),
      // Anyone who administers another tenant chooses what its accounts have there; guests bring it along.
      'entra-addresses':
        settings.OIDC_EMAIL_TRUST === 'always' && (settings.OIDC_EMAIL_CLAIM ?? 'email') === 'email',
    },
    Auth0: {
      'auth0-token': isExternal && settings.OIDC_AUDIENCE === undefined,
      'auth0-resource': hasResource,
      'auth0-sign-out': metadata.end_session_endpoint === undefined,
    },
    Okta: { 'okta-server': isExternal && new URL(metadata.issuer).pathname === '/' },
    Keycloak: {},
  }
  return traps
}

const BOTH = ['OIDC_RESOURCE', 'OIDC_AUDIENCE'] as const

/** RFC 8707 and `audience` are each understood by few; a parameter that is ignored leaves the token for someone else. */
const IGNORED: Partial<Record<ProviderName, readonly (typeof BOTH)[number][]>> = {
  Google: BOTH,
  'Microsoft Entra ID': ['OIDC_AUDIENCE'],
  Okta: BOTH,
  Keycloak: BOTH,
}

export const providerTable: Table<{ metadata: Metadata }> = {
  'authorization-server.provider': [
    ({ metadata }, { settings }) => {
      const name = providerOf(metadata)
      if (name === undefined) return undefined
      const ignored = (IGNORED[name] ?? []).filter((one) => settings[one] !== undefined).join(', ')
      const traps = Object.entries(trapsIn(settings, metadata)[name]).filter(([, isIn]) => isIn)
      return [
        { is: 'known', name },
        ...(ignored === '' ? [] : [{ is: 'ignored' as const, name, names: ignored }]),
        ...traps.map(([trap]) => trap as Trap),
      ]
    },
  ],
}
