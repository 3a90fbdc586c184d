// What metadata has to have, and may not have, to be used at all.
import { describe, expect, it } from 'vitest'
import {
  deniesRefreshTokens,
  refuseIncomplete,
  refuseUnsafeEndpoints,
} from '../../src/sign-in/server/metadata-rules.ts'

const issuer = 'https://as.example'

describe('a server’s list of grants', () => {
  it.each([
    [undefined, false],
    [['authorization_code', 'refresh_token'], false],
    [['authorization_code'], true],
    [['implicit', 'authorization_code'], false],
    [['authorization_code', 'implicit'], false],
    ['authorization_code', false],
    [[], true],
  ])('%j denies refresh tokens: %s', (grants, denies) => {
    expect(deniesRefreshTokens({ grant_types_supported: grants as string[] })).toBe(denies)
  })
})

describe('metadata', () => {
  const endpoints = {
    authorization_endpoint: `${issuer}/a`,
    token_endpoint: `${issuer}/t`,
    jwks_uri: `${issuer}/k`,
  }

  it.each([
    [['authorization_endpoint'], 'openid', 'no authorization_endpoint: see OIDC_ISSUER'],
    [
      ['token_endpoint', 'authorization_endpoint'],
      'a',
      'no authorization_endpoint and no token_endpoint: see OIDC_ISSUER',
    ],
    [
      ['jwks_uri'],
      'a openid',
      'no jwks_uri: no id_token could be verified; for plain OAuth 2.1, leave openid out of OIDC_SCOPE',
    ],
  ])('without %j can’t be used for %j', (missing, scope, words) => {
    const metadata = {
      issuer,
      ...Object.fromEntries(Object.entries(endpoints).filter(([name]) => !missing.includes(name))),
    }
    expect(() => refuseIncomplete(metadata, scope)).toThrow(
      expect.objectContaining({ status: 503, detail: `the authorization server's metadata has ${words}` }),
    )
  })

  it('is whole without keys where no id_token is asked for', () => {
    const { jwks_uri: _keys, ...without } = endpoints
    expect(() => refuseIncomplete({ issuer, ...without }, 'a')).not.toThrow()
    expect(() => refuseIncomplete({ issuer, ...endpoints }, 'openid')).not.toThrow()
  })

  it.each(['token_endpoint', 'jwks_uri', 'odd_endpoint'])('may name no unsafe address as %s', (name) => {
    for (const address of ['http://as.example/x', 'ftp://as.example', 'x'])
      expect(() => refuseUnsafeEndpoints({ issuer, [name]: address })).toThrow(
        expect.objectContaining({
          status: 503,
          detail: `the authorization server's metadata names an unsafe ${name}: see OIDC_ISSUER`,
        }),
      )
    for (const address of ['https://as.example/x', 'http://127.0.0.1:1/x', 7])
      expect(() => refuseUnsafeEndpoints({ issuer, [name]: address })).not.toThrow()
  })

  it('may say what it likes of other addresses', () => {
    const others = { service_documentation: 'http://as.example', jwks_uri_of_old: 'x', endpoint: 'x' }
    expect(() => refuseUnsafeEndpoints({ issuer, ...others })).not.toThrow()
  })
})
