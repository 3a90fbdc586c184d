// Known identity providers by their metadata, and the traps that others have fallen into with them. Pure. From their
// documentation (docs/identity-providers.md names the sources): none of them runs in our tests, only their metadata does.
import type { Settings } from '../../settings/settings.ts'
import { fail, ok, warn, type Finding, type Findings } from '../finding.ts'
import type { Metadata } from './discovered.ts'

export type ProviderName = 'Keycloak' | 'Okta' | 'Microsoft Entra ID' | 'Auth0' | 'Google'

type Trap = (metadata: Metadata, settings: Partial<Settings>) => Finding | undefined

type Provider = {
  name: ProviderName
  /** By what no custom domain changes, where there is such a thing. */
  isAt: (issuer: URL, authorization: URL, metadata: Metadata) => boolean
  traps: readonly Trap[]
}

const scopesOf = ({ OIDC_SCOPE: scope = '' }: Partial<Settings>) => scope.split(' ')
const isExternal = ({ TOKEN_ISSUED_BY: by }: Partial<Settings>) => by === 'external-idp'

/** RFC 8707 and `audience` are each understood by few; a parameter that is ignored leaves the token for someone else. */
const ignores =
  (names: readonly ('OIDC_RESOURCE' | 'OIDC_AUDIENCE')[], provider: ProviderName, fix: string): Trap =>
  (_, settings) => {
    const set = names.filter((name) => settings[name] !== undefined)
    return set.length === 0
      ? undefined
      : warn(`${provider} ignores ${set.join(' and ')}.`, { settings: set, fix })
  }

const EITHER = ['OIDC_RESOURCE', 'OIDC_AUDIENCE'] as const

const keycloakAddresses: Trap = (_, { ADMIN_EMAILS: admins, OIDC_EMAIL_TRUST: trust }) =>
  admins === undefined || trust === 'always'
    ? undefined
    : ok(
        'Keycloak sends email_verified without listing it. It is false for people from LDAP or another identity provider until "Trust Email" is on there.',
      )

const oktaServer: Trap = ({ issuer }, settings) =>
  new URL(issuer).pathname !== '/' || !isExternal(settings)
    ? undefined
    : warn("Only Okta itself can read the access tokens of Okta's org authorization server.", {
        settings: ['OIDC_ISSUER'],
        fix: 'use a custom authorization server, like https://NAME.okta.com/oauth2/default, unless the service accepts tokens of the org authorization server',
      })

const entraResource: Trap = (_, { OIDC_RESOURCE: resource }) =>
  resource === undefined
    ? undefined
    : fail('Microsoft Entra refuses sign-ins with a resource parameter (AADSTS901002).', {
        settings: ['OIDC_RESOURCE', 'OIDC_SCOPE'],
        fix: "unset it, and add a scope of the service's application to OIDC_SCOPE, like api://APPLICATION_ID/SCOPE",
      })

const entraToken: Trap = (_, settings) =>
  !isExternal(settings) || scopesOf(settings).some((scope) => scope.includes('/'))
    ? undefined
    : warn('Without a scope of its own, the access token of Microsoft Entra is for Microsoft Graph.', {
        settings: ['OIDC_SCOPE'],
        fix: "add a scope of the service's application, like api://APPLICATION_ID/SCOPE, unless the service asks for Graph's",
      })

/** Anyone who administers another tenant chooses what its accounts have there; guests bring it along. */
const entraAddresses: Trap = (_, { OIDC_EMAIL_TRUST: trust, OIDC_EMAIL_CLAIM: claim = 'email' }) =>
  trust !== 'always' || claim !== 'email'
    ? undefined
    : warn("Microsoft Entra doesn't verify the email claim: a guest may have anyone's address in it.", {
        settings: ['OIDC_EMAIL_CLAIM'],
        fix: 'set it to upn, and add that optional claim to the ID token there; or require assignment and assign no guests',
      })

const auth0Token: Trap = (_, settings) =>
  !isExternal(settings) || settings.OIDC_AUDIENCE !== undefined
    ? undefined
    : warn('Without an audience, only Auth0 itself can read its access tokens.', {
        settings: ['OIDC_AUDIENCE'],
        fix: "set it to the identifier of the service's API in Auth0",
      })

const auth0Resource: Trap = (_, { OIDC_RESOURCE: resource, OIDC_AUDIENCE: audience }) =>
  resource === undefined
    ? undefined
    : warn(
        `Auth0 ignores OIDC_RESOURCE ${audience === undefined ? 'unless its Resource Parameter Compatibility Profile is on' : 'beside OIDC_AUDIENCE'}.`,
        { settings: ['OIDC_RESOURCE', 'OIDC_AUDIENCE'], fix: 'use OIDC_AUDIENCE alone' },
      )

const auth0SignOut: Trap = ({ end_session_endpoint: end }) =>
  end !== undefined
    ? undefined
    : warn("Auth0 doesn't say where to sign out, so signing out of onramp leaves people signed in there.", {
        settings: ['OIDC_ISSUER'],
        fix: 'turn on "RP-Initiated Logout End Session Endpoint Discovery" in the tenant\'s advanced settings',
      })

const googleScope: Trap = (_, settings) =>
  scopesOf(settings).includes('offline_access')
    ? fail('Google refuses sign-ins with the scope offline_access (invalid_scope).', {
        settings: ['OIDC_SCOPE'],
        fix: 'set it to openid email profile',
      })
    : undefined

/** It gives one with consent alone; someone who has consented before gets none, however often they sign in. */
const googleRefresh: Trap = (_, { OIDC_AUTHORIZATION_PARAMS: more = {}, OIDC_PROMPT: prompt = '' }) => {
  if (more['access_type'] !== 'offline')
    return warn('Google issues no refresh token, so people sign in again hourly.', {
      settings: ['OIDC_AUTHORIZATION_PARAMS'],
      fix: 'set it to access_type=offline, and OIDC_PROMPT to consent',
    })
  if (prompt.split(' ').includes('consent')) return undefined
  return warn('Google issues a refresh token only when someone consents: at their first sign-in.', {
    settings: ['OIDC_PROMPT'],
    fix: 'set it to consent',
  })
}

const entraKey: Trap = (_, { OIDC_CLIENT_AUTH: method }) =>
  method !== 'private_key_jwt'
    ? undefined
    : fail("Microsoft Entra refuses a key without its certificate's thumbprint, which onramp doesn't send.", {
        settings: ['OIDC_CLIENT_AUTH'],
        fix: 'use a client secret: unset it and OIDC_CLIENT_KEY, and set OIDC_CLIENT_SECRET',
      })

/** In the order of recognition: the first that fits. */
const providers: readonly Provider[] = [
  {
    name: 'Google',
    isAt: ({ host }) => host === 'accounts.google.com',
    traps: [
      googleScope,
      googleRefresh,
      ignores(EITHER, 'Google', 'unset what is set: the token is for Google'),
    ],
  },
  {
    name: 'Microsoft Entra ID',
    isAt: ({ hostname }, _, metadata) =>
      /^(login\.microsoftonline\.(com|us)|login\.partner\.microsoftonline\.cn|sts\.windows\.net)$|\.ciamlogin\.com$/.test(
        hostname,
      ) || 'msgraph_host' in metadata,
    traps: [
      entraKey,
      entraResource,
      entraToken,
      entraAddresses,
      ignores(['OIDC_AUDIENCE'], 'Microsoft Entra ID', 'unset it: OIDC_SCOPE says whom the token is for'),
    ],
  },
  {
    name: 'Auth0',
    isAt: ({ hostname }, _, metadata) =>
      hostname.endsWith('.auth0.com') || 'mfa_challenge_endpoint' in metadata,
    traps: [auth0Token, auth0Resource, auth0SignOut],
  },
  {
    name: 'Okta',
    isAt: ({ hostname }, { pathname }) =>
      /\.okta(preview|-emea)?\.com$/.test(hostname) || /^\/oauth2(\/\w+)?\/v1\/authorize$/.test(pathname),
    traps: [
      oktaServer,
      ignores(EITHER, 'Okta', 'unset what is set: the custom authorization server has the audience'),
    ],
  },
  {
    name: 'Keycloak',
    isAt: (_, { pathname }) => /\/realms\/[^/]+\/protocol\/openid-connect\/auth$/.test(pathname),
    traps: [
      ignores(
        EITHER,
        'Keycloak',
        "add an audience mapper to the client's scope there; with its feature resource-indicators on, OIDC_RESOURCE counts",
      ),
      keycloakAddresses,
    ],
  },
]

const known = (metadata: Metadata): Provider | undefined => {
  const { issuer, authorization_endpoint: authorization = issuer } = metadata
  if (!URL.canParse(issuer) || !URL.canParse(authorization)) return undefined
  return providers.find(({ isAt }) => isAt(new URL(issuer), new URL(authorization), metadata))
}

/** @returns undefined for any other server, and for a provider that hides behind addresses of its customer's own */
export const providerOf = (metadata: Metadata): ProviderName | undefined => known(metadata)?.name

/** What it is, and each trap that the settings are in. */
export function provider(metadata: Metadata, settings: Partial<Settings>): Findings {
  const found = known(metadata)
  if (found === undefined) return undefined
  const what = ok(`The server is ${found.name}: docs/identity-providers.md has its setup and its traps.`)
  return [what, ...found.traps.map((trap) => trap(metadata, settings))]
}
