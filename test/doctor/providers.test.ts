// Identity providers by their metadata, which is from public copies of their documents, and the traps that are warned of.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Subject } from '../../src/doctor/check.ts'
import type { Finding } from '../../src/doctor/finding.ts'
import { abilities } from '../../src/doctor/server/abilities.ts'
import type { Metadata } from '../../src/doctor/server/discovered.ts'
import { provider, providerOf, type ProviderName } from '../../src/doctor/server/providers.ts'
import type { Settings } from '../../src/settings/settings.ts'

const file = new URL('../fixtures/identity-providers.json', import.meta.url)
const documents = JSON.parse(readFileSync(file, 'utf8')) as Record<ProviderName, Metadata>

const standard: Partial<Settings> = {
  OIDC_SCOPE: 'openid email profile offline_access',
  TOKEN_ISSUED_BY: 'external-idp',
}

const flat = (found: unknown): Finding[] => [found].flat(3).filter((one) => one !== undefined) as Finding[]

const troubles = (name: ProviderName, settings: Partial<Settings>, changed: Partial<Metadata> = {}) =>
  flat(provider({ ...documents[name], ...changed }, { ...standard, ...settings }))
    .filter(({ status }) => status === 'warn' || status === 'fail')
    .map(({ settings: [setting], status, says }) => `${status} ${setting}: ${says}`)

/** Settings that docs/identity-providers.md leads to. */
const right: Record<ProviderName, Partial<Settings>> = {
  Keycloak: {},
  Okta: {},
  'Microsoft Entra ID': {
    OIDC_SCOPE: 'openid email profile offline_access api://0b7a1f6e/search',
    OIDC_EMAIL_CLAIM: 'upn',
    OIDC_EMAIL_TRUST: 'always',
  },
  Auth0: { OIDC_AUDIENCE: 'https://search.acme.example' },
  Google: {
    OIDC_SCOPE: 'openid email profile',
    OIDC_PROMPT: 'consent',
    OIDC_AUTHORIZATION_PARAMS: { access_type: 'offline' },
  },
}
const rightMetadata: Partial<Record<ProviderName, Partial<Metadata>>> = {
  Okta: { issuer: 'https://acme.okta.com/oauth2/default' },
  Auth0: { end_session_endpoint: 'https://acme.us.auth0.com/oidc/logout' },
}

describe('identity providers', () => {
  it.each(Object.entries(documents))(
    '%s is recognized, with right settings without a warning',
    (key, metadata) => {
      const name = key as ProviderName
      expect(providerOf(metadata)).toBe(name)
      expect(flat(provider(metadata, standard))[0]?.says).toContain(name)
      expect(troubles(name, right[name], rightMetadata[name])).toEqual([])
    },
  )

  it('are recognized behind a name of the company’s own', () => {
    const behind = (name: ProviderName) =>
      JSON.parse(
        JSON.stringify(documents[name]).replaceAll(/acme\.(us\.auth0|okta)\.com/g, 'login.acme.example'),
      ) as Metadata
    expect(providerOf(behind('Okta'))).toBe('Okta')
    expect(providerOf(behind('Auth0'))).toBe('Auth0')
  })

  it('that are none of these are told nothing about', () => {
    const other = {
      issuer: 'https://login.acme.example',
      authorization_endpoint: 'https://login.acme.example/auth',
    }
    expect(provider(other, standard)).toBeUndefined()
    expect(providerOf({ issuer: 'no address' })).toBeUndefined()
  })

  const resource = { OIDC_RESOURCE: 'https://search.acme.example' }
  const audience = { OIDC_AUDIENCE: 'search' }
  const trusting = { OIDC_EMAIL_TRUST: 'always' } as const
  it.each<[ProviderName, Partial<Settings>, RegExp]>([
    ['Keycloak', resource, /^warn OIDC_RESOURCE: Keycloak ignores/],
    ['Keycloak', audience, /^warn OIDC_AUDIENCE: Keycloak ignores/],
    ['Okta', { ...resource, ...audience }, /ignores OIDC_RESOURCE and OIDC_AUDIENCE/],
    ['Okta', {}, /^warn OIDC_ISSUER: .*org authorization server/],
    ['Microsoft Entra ID', resource, /^fail OIDC_RESOURCE: .*AADSTS901002/],
    ['Microsoft Entra ID', {}, /^warn OIDC_SCOPE: .*Microsoft Graph/],
    ['Microsoft Entra ID', trusting, /^warn OIDC_EMAIL_CLAIM: .*a guest may have/],
    ['Microsoft Entra ID', audience, /^warn OIDC_AUDIENCE: /],
    ['Auth0', {}, /^warn OIDC_AUDIENCE: .*only Auth0 itself/],
    ['Auth0', resource, /^warn OIDC_RESOURCE: .*Compatibility Profile/],
    ['Auth0', {}, /^warn OIDC_ISSUER: .*signing out/],
    ['Google', {}, /^fail OIDC_SCOPE: .*offline_access/],
    ['Google', {}, /^warn OIDC_AUTHORIZATION_PARAMS: .*sign in again hourly/],
    ['Google', { OIDC_AUTHORIZATION_PARAMS: { access_type: 'offline' } }, /^warn OIDC_PROMPT: .*consents/],
    ['Google', resource, /^warn OIDC_RESOURCE: /],
    ['Microsoft Entra ID', { OIDC_CLIENT_AUTH: 'private_key_jwt' }, /^fail OIDC_CLIENT_AUTH: .*thumbprint/],
  ])('%s with %j is warned of', (name, settings, expected) => {
    expect(troubles(name, settings).filter((one) => expected.test(one))).toHaveLength(1)
  })

  it('are not warned of what only matters when they issue the tokens', () => {
    for (const name of ['Okta', 'Microsoft Entra ID'] as const)
      expect(troubles(name, { TOKEN_ISSUED_BY: 'service' })).toEqual([])
  })

  it('that do not advertise PKCE, as Entra, are not told to turn it on', () => {
    const subject = { settings: standard } as Subject
    const pkce = flat(abilities(documents['Microsoft Entra ID'], subject)).filter(({ says }) =>
      says.includes('PKCE'),
    )
    expect(pkce.map(({ status }) => status)).toEqual(['ok'])
  })
})
