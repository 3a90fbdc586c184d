// Known identity providers by their metadata, and the traps that others have fallen into with them. Pure. From their
// documentation (docs/identity-providers.md names the sources): none of them runs in our tests, only their metadata does.
import type { ServerMetadata as Metadata } from 'openid-client'
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

type Traps = (typeof words)['authorization-server.provider']
type Trap = Exclude<keyof Traps, 'known' | 'ignored'>

const isExternal = ({ TOKEN_ISSUED_BY: by }: Partial<Settings>) => by === 'external-idp'
const isOffline = ({ OIDC_AUTHORIZATION_PARAMS: more }: Partial<Settings>) =>
  more?.['access_type'] === 'offline'

/** That fail without a word, or with words about something else. */
const TRAPS: [ProviderName, Trap, isIn: (settings: Partial<Settings>, metadata: Metadata) => boolean][] = [
  ['Google', 'google-offline', (settings) => !isOffline(settings)],
  // It gives a refresh token with consent alone, and none to someone who has consented before.
  [
    'Google',
    'google-consent',
    (settings) => isOffline(settings) && settings.OIDC_PROMPT?.includes('consent') !== true,
  ],
  [
    'Microsoft Entra ID',
    'entra-key',
    ({ OIDC_CLIENT_KEY: key, OIDC_CLIENT_CERT: certificate }) =>
      key !== undefined && certificate === undefined,
  ],
  [
    'Microsoft Entra ID',
    'entra-graph',
    (settings) => isExternal(settings) && settings.OIDC_SCOPE?.includes('/') !== true,
  ],
  // Anyone who administers another tenant chooses what its accounts have there; guests bring it along.
  [
    'Microsoft Entra ID',
    'entra-addresses',
    ({ OIDC_EMAIL_TRUST: trust, OIDC_EMAIL_CLAIM: claim = 'email' }) =>
      trust === 'always' && claim === 'email',
  ],
  ['Auth0', 'auth0-token', (settings) => isExternal(settings) && settings.OIDC_AUDIENCE === undefined],
  ['Auth0', 'auth0-sign-out', (_, metadata) => metadata.end_session_endpoint === undefined],
  ['Okta', 'okta-server', (settings, { issuer }) => isExternal(settings) && new URL(issuer).pathname === '/'],
]

/** RFC 8707 and `audience` are each understood by few; a parameter that is ignored leaves the token for someone else. */
const isIgnored = (name: ProviderName, setting: 'OIDC_RESOURCE' | 'OIDC_AUDIENCE') =>
  name !== 'Auth0' || setting === 'OIDC_RESOURCE'

export const providerTable: Table<{ metadata: Metadata }> = {
  'authorization-server.provider': [
    ({ metadata }, { settings }) => {
      const name = providerOf(metadata)
      if (name === undefined) return undefined
      const ignored = (['OIDC_RESOURCE', 'OIDC_AUDIENCE'] as const)
        .filter((setting) => settings[setting] !== undefined && isIgnored(name, setting))
        .join(', ')
      const traps = TRAPS.filter(([provider, , isIn]) => provider === name && isIn(settings, metadata))
      return [
        { is: 'known', name },
        ...(ignored === '' ? [] : [{ is: 'ignored' as const, name, names: ignored }]),
        ...traps.map(([, trap]) => trap),
      ]
    },
  ],
}
