// What onramp asks for when it registers itself, and what it goes without when that is refused.
import { describe, expect, it } from 'vitest'
import type { Settings } from '../../src/settings/settings.ts'
import {
  isAboutTheRequest,
  listedScope,
  registeredScope,
  wishesOf,
  withoutOne,
  type Refusal,
} from '../../src/sign-in/registration/wishes.ts'

const issuer = 'https://as.example'
const settings = {
  PUBLIC_URL: 'https://onramp.example',
  OIDC_SCOPE: 'openid offline_access',
  OIDC_CLIENT_AUTH: 'client_secret_basic',
} as Settings

describe('the scope that is asked for', () => {
  it.each([
    ['a b', undefined, 'a b'],
    ['openid a b', ['b'], 'openid b'],
    ['a b', ['c'], 'a b'],
    ['openid a', [], 'openid'],
  ])('%j where %j are listed is %j', (scope, listed, asked) => {
    expect(listedScope(scope, listed)).toBe(asked)
  })

  it.each([
    ['openid a b', undefined, 'openid a b'],
    ['openid a b', 'openid b', 'openid b'],
    ['openid a b', 'x y', 'openid a b'],
    ['a b', 'b', 'b'],
  ])('%j where %j is registered is %j', (scope, registered, asked) => {
    expect(registeredScope(scope, registered)).toBe(asked)
  })
})

describe('a registration', () => {
  const whole = {
    client_name: 'Onramp',
    client_uri: 'https://onramp.example',
    application_type: 'web',
    redirect_uris: ['https://onramp.example/sign-in/callback'],
    post_logout_redirect_uris: ['https://onramp.example/signed-out'],
    backchannel_logout_uri: 'https://onramp.example/sign-out/backchannel',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    scope: 'openid offline_access',
    token_endpoint_auth_method: 'client_secret_basic',
  }

  it('asks for all that signing in and out needs', () => {
    expect(wishesOf(settings, { issuer }, undefined)).toEqual(whole)
  })

  it('is of a native client on this machine, has the key, and no more than the server lists', () => {
    const here = { ...settings, PUBLIC_URL: 'http://localhost:3000' }
    const server = { issuer, scopes_supported: ['openid'], grant_types_supported: ['authorization_code'] }
    expect(wishesOf(here, server, { keys: [] })).toMatchObject({
      application_type: 'native',
      grant_types: ['authorization_code'],
      scope: 'openid',
      jwks: { keys: [] },
    })
  })

  /** What is left out, time after time, where the server refuses with `refusal`. */
  function leftOut(refusal: Refusal, wishes = wishesOf(settings, { issuer }, undefined)): string[] {
    const less = withoutOne(wishes, refusal)
    if (less === undefined) return []
    expect(less.wishes).not.toHaveProperty(less.leftOut)
    expect(Object.keys(less.wishes)).toHaveLength(Object.keys(wishes).length - 1)
    return [less.leftOut, ...leftOut(refusal, less.wishes)]
  }

  it('that is refused without a word goes without one thing after the other', () => {
    expect(leftOut({ status: 400 })).toEqual([
      'backchannel_logout_uri',
      'application_type',
      'scope',
      'client_uri',
      'post_logout_redirect_uris',
      'grant_types',
      'token_endpoint_auth_method',
    ])
  })

  it('of a client without a secret keeps how it proves itself', () => {
    const wishes = wishesOf({ ...settings, OIDC_CLIENT_AUTH: 'none' }, { issuer }, undefined)
    expect(leftOut({ status: 400 }, wishes)).not.toContain('token_endpoint_auth_method')
    const { token_endpoint_auth_method: _method, ...silent } = wishes
    expect(leftOut({ status: 400 }, silent)).toHaveLength(6)
  })

  it.each([
    ['token_endpoint_auth_method is unknown', 'token_endpoint_auth_method'],
    ['Token Endpoint Auth Method is unknown', 'token_endpoint_auth_method'],
    ['the Back Channel address', 'backchannel_logout_uri'],
    ['no back-channel here', 'backchannel_logout_uri'],
    ['no backchannel here', 'backchannel_logout_uri'],
    ['post-logout addresses', 'post_logout_redirect_uris'],
    ['postlogout addresses', 'post_logout_redirect_uris'],
    ['Post Logout addresses', 'post_logout_redirect_uris'],
    ['the grant type is unknown', 'grant_types'],
    ['granttypes', 'grant_types'],
    ['refresh_token is not allowed', 'grant_types'],
    ['the scope a is unknown', 'scope'],
    ['the client URI must be ours', 'backchannel_logout_uri'],
    ['client_uri must be ours', 'client_uri'],
    ['your application is odd', 'backchannel_logout_uri'],
    ['', 'backchannel_logout_uri'],
  ])('refused with %j goes without %s first', (description, first) => {
    const wishes = wishesOf(settings, { issuer }, undefined)
    expect(withoutOne(wishes, { status: 400, description })?.leftOut).toBe(first)
    expect(withoutOne(wishes, { status: 400, error: description })?.leftOut).toBe(first)
  })

  it.each<[Refusal, boolean]>([
    [{ status: 400 }, true],
    [{ status: 422 }, true],
    [{ status: 401 }, false],
    [{ status: 403, error: 'invalid_request' }, false],
    [{ status: 400, error: 'invalid_client_metadata' }, true],
    [{ status: 400, error: 'invalid_redirect_uri' }, true],
    [{ status: 400, error: 'invalid_redirect_uris' }, true],
    [{ status: 400, error: 'invalid_request' }, true],
    [{ status: 400, error: 'invalid_scope' }, true],
    [{ status: 422, error: 'invalid_client_uri' }, true],
    [{ status: 400, error: 'unsupported_response_type' }, true],
    [{ status: 400, error: 'unsupported_' }, false],
    [{ status: 400, error: 'invalid_token' }, false],
    [{ status: 400, error: 'not invalid_request' }, false],
    [{ status: 400, error: 'invalid_request now' }, false],
    [{ status: 400, error: 'unapproved_software_statement' }, false],
  ])('refused with %j is about the request: %s', (refusal, isIt) => {
    expect(isAboutTheRequest(refusal)).toBe(isIt)
  })
})
