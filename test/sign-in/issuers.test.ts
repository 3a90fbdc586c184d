// Where the metadata of an issuer is looked for, and whose metadata may count as its own.
import { describe, expect, it } from 'vitest'
import { isAccepted, isOfEveryTenant, isSameIssuer, placesOf } from '../../src/sign-in/server/discovery.ts'

const ISSUER = 'https://as.example'
const OPENID = `${ISSUER}/.well-known/openid-configuration`
const OAUTH = `${ISSUER}/.well-known/oauth-authorization-server`

describe('the places', () => {
  it.each([
    [ISSUER, ISSUER, false, [`oidc ${OPENID}`, `oauth2 ${OAUTH}`]],
    [`${ISSUER}/`, `${ISSUER}/`, false, [`oidc ${OPENID}`, `oauth2 ${OAUTH}`]],
    [
      `${ISSUER}/a`,
      `${ISSUER}/a`,
      false,
      [`oidc ${ISSUER}/a/.well-known/openid-configuration`, `oauth2 ${OAUTH}/a`],
    ],
    [
      `${ISSUER}/a/`,
      `${ISSUER}/a/`,
      false,
      [`oidc ${ISSUER}/a/.well-known/openid-configuration`, `oauth2 ${OAUTH}/a`],
    ],
    [OPENID, `${ISSUER}/`, true, [`oidc ${OPENID}`]],
    [
      `${ISSUER}/a/.well-known/openid-configuration?x=y#z`,
      `${ISSUER}/a`,
      true,
      [`oidc ${ISSUER}/a/.well-known/openid-configuration?x=y#z`],
    ],
    [`${OAUTH}/a/b`, `${ISSUER}/a/b`, true, [`oauth2 ${OAUTH}/a/b`]],
    [`${OAUTH}/a/`, `${ISSUER}/a`, true, [`oauth2 ${OAUTH}/a/`]],
  ])(
    'of %s are known, and the issuer that has to be named there',
    (setting, expected, isFullAddress, places) => {
      const found = placesOf(setting)
      expect({ ...found, places: found.places.map(({ how, url }) => `${how} ${url.href}`) }).toEqual({
        expected,
        isFullAddress,
        places,
      })
    },
  )
})

describe('an issuer', () => {
  it.each([
    [ISSUER, ISSUER, false, true],
    [`${ISSUER}/`, ISSUER, false, true],
    [`${ISSUER}/a`, `${ISSUER}/a/`, false, false],
    [`${ISSUER}/a`, `${ISSUER}/a/`, true, true],
    [`${ISSUER}/a/`, `${ISSUER}/a`, true, true],
    [`${ISSUER}/a`, `${ISSUER}/b`, true, false],
    ['as.example', ISSUER, false, false],
  ])(
    '%s where %s is expected (full address: %s) is the same: %s',
    (said, expected, isFullAddress, isSame) => {
      expect(isSameIssuer(said, { expected, isFullAddress })).toBe(isSame)
    },
  )

  it.each([
    ['https://login.microsoftonline.com/x/v2.0', 'oidc', true],
    ['https://x.b2clogin.com/x', 'oidc', true],
    ['https://b2clogin.com.example/x', 'oidc', false],
    ['https://login.microsoftonline.com/x', 'oauth2', false],
    ['https://elsewhere.example', 'oidc', false],
  ] as const)('of a tenant at %s (%s) may have another name: %s', (address, how, isTaken) => {
    const url = new URL(address)
    const where = { expected: address, isFullAddress: false, places: [] }
    expect(isAccepted('https://sts.example/tenant', where, { how, url })).toBe(isTaken)
    expect(isAccepted(address, where, { how, url })).toBe(true)
    expect(isAccepted('https://sts.example/{tenantid}', where, { how, url })).toBe(false)
  })

  it('of every tenant is told', () => {
    expect(['https://x/{tenantid}/v2.0', 'https://x/tenantid'].map(isOfEveryTenant)).toEqual([true, false])
  })
})
