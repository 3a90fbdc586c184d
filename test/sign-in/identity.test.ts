import { Configuration, type TokenEndpointResponse } from 'openid-client'
import { describe, expect, it } from 'vitest'
import { createIdentify } from '../../src/sign-in/identify.ts'
import { saysEverything, userOf, type EmailRule } from '../../src/sign-in/identity.ts'

const issuer = 'https://login.acme.example'
const email = 'ada@acme.example'
const byClaim: EmailRule = { claim: 'email', trust: 'verified' }

const userWith = (claims: Record<string, unknown>, rule: EmailRule = byClaim) =>
  userOf(issuer, [{ sub: 'ada', ...claims }], rule)

describe('the address of a person', () => {
  it.each([
    ['said to be verified', { email, email_verified: true }, true],
    ['said so in a text', { email, email_verified: 'true' }, true],
    ['said not to be', { email, email_verified: false }, false],
    ['of which nothing is said', { email }, false],
    ['of which nonsense is said', { email, email_verified: 1 }, false],
  ])('that is %s counts accordingly', (_what, claims, emailVerified) => {
    expect(userWith(claims)).toMatchObject({ email, emailVerified })
  })

  it.each(['\t', '\n', '\r', '\0', '\u007f', '\u0085'])(
    'is none with a control character %j anywhere',
    (control) => {
      for (const odd of [control + email, email + control, email.replace('@', `${control}@`)])
        expect(userWith({ email: odd, email_verified: true })).not.toHaveProperty('email')
    },
  )

  it('counts without a word where the company gives out the addresses, but not against one', () => {
    const rule: EmailRule = { claim: 'email', trust: 'always' }
    expect(userWith({ email }, rule)).toMatchObject({ emailVerified: true })
    expect(userWith({ email, email_verified: false }, rule)).toMatchObject({ emailVerified: false })
  })

  it('can stand in another claim, of which email_verified says nothing', () => {
    const upn: EmailRule = { claim: 'upn', trust: 'verified' }
    const claims = { upn: email, email: 'private@example.com', email_verified: true }
    expect(userWith(claims, upn)).toMatchObject({ email, emailVerified: false })
    expect(userWith({ ...claims, email }, upn)).toMatchObject({ email, emailVerified: true })
    expect(userWith(claims, { claim: 'upn', trust: 'always' })).toMatchObject({ email, emailVerified: true })
  })

  it.each([
    ['verified elsewhere without saying which', { email }, { email_verified: true }, email, false],
    [
      'beside another one that is verified',
      { email },
      { email: 'eve@acme.example', email_verified: true },
      'eve@acme.example',
      true,
    ],
    ['verified by userinfo, which has it too', { email }, { email, email_verified: true }, email, true],
    [
      'verified by the id_token, and denied by userinfo',
      { email, email_verified: true },
      { email, email_verified: false },
      email,
      false,
    ],
    [
      'verified by the id_token, and denied by userinfo in another spelling',
      { email, email_verified: true },
      { email: ' Ada@ACME.example ', email_verified: 'false' },
      email,
      false,
    ],
    ['of userinfo alone', {}, { email, email_verified: true }, email, true],
    ['of userinfo, said of in the id_token alone', { email_verified: true }, { email }, email, false],
  ])(
    'that is %s is taken with the word of its own source',
    (_what, idToken, userinfo, wanted, emailVerified) => {
      const user = userOf(
        issuer,
        [
          { sub: 'ada', ...idToken },
          { sub: 'ada', ...userinfo },
        ],
        byClaim,
      )
      expect(user).toMatchObject({ email: wanted, emailVerified })
    },
  )

  it('that is too long is none, and is not cut into one of someone else', () => {
    expect(userWith({ email: `${email}${'x'.repeat(300)}`, email_verified: true }).email).toBeUndefined()
  })

  it('is what is left without spaces around it, up to the longest that there are', () => {
    const odd = '  ada  lovelace@acme.example  '
    expect(userWith({ email: odd }).email).toBe('ada  lovelace@acme.example')
    const longest = email.padStart(254, 'x')
    expect(userWith({ email: longest }).email).toBe(longest)
    expect(userWith({ email: `x${longest}` }).email).toBeUndefined()
  })

  it.each([
    ['of another one', { email: 'eve@acme.example', email_verified: false }, true],
    ['of none that is named', { email_verified: false }, false],
    ['of what is no address', { email: 7, email_verified: false }, true],
  ])('counts in spite of a denial of another one: %s', (_what, denial, emailVerified) => {
    const sources = [
      { sub: 'ada', email, email_verified: true },
      { sub: 'ada', ...denial },
    ] as const
    expect(userOf(issuer, sources, byClaim)).toMatchObject({ email, emailVerified })
  })

  it('of another claim that a source denies in so many words doesn’t count', () => {
    const upn: EmailRule = { claim: 'upn', trust: 'always' }
    expect(
      userWith({ upn: email, email: ` ${email.toUpperCase()}`, email_verified: false }, upn),
    ).toMatchObject({
      emailVerified: false,
    })
    expect(userWith({ email, email_verified: 'odd' }, { claim: 'email', trust: 'always' })).toMatchObject({
      emailVerified: false,
    })
  })

  it('may be missing', () => {
    expect(userWith({ name: 'Ada' })).toEqual({ issuer, subject: 'ada', name: 'Ada' })
    expect(userWith({ email: ' ', email_verified: true })).toEqual({ issuer, subject: 'ada' })
  })
})

describe('an id_token', () => {
  const whole = { sub: 'ada', name: 'Ada', email, email_verified: true }

  it.each([
    ['with a name and an address that is verified', whole, true],
    ['with an address that is not verified', { ...whole, email_verified: false }, true],
    ['with a user name alone', { ...whole, name: undefined, preferred_username: 'ada' }, true],
    ['without a name', { ...whole, name: ' ' }, false],
    ['without an address', { ...whole, email: undefined }, false],
    ['with an address of which nothing is said', { ...whole, email_verified: undefined }, false],
  ])('%s is judged by whether it leaves anything to ask userinfo', (_what, claims, leavesNothing) => {
    expect(saysEverything(claims, byClaim)).toBe(leavesNothing)
  })

  it('that says nothing about the claim which holds the address leaves userinfo to be asked', () => {
    const upn: EmailRule = { claim: 'upn', trust: 'always' }
    expect(saysEverything(whole, upn)).toBe(false)
    expect(saysEverything({ ...whole, upn: 'other@acme.example' }, upn)).toBe(false)
  })
})

describe('a subject', () => {
  it.each(['', ' ', '\u200b', '\n'])('that shows nothing (%j) is no one', (sub) => {
    const detail = 'the authorization server gives people an empty sub: let it name each by one of their own'
    expect(() => userWith({ sub })).toThrow(
      expect.objectContaining({ status: 502, code: 'sign_in_misconfigured', detail }),
    )
  })

  it('is taken as it is, also with spaces in it', () => {
    expect(userWith({ sub: ' ada ' }).subject).toBe(' ada ')
  })
})

describe('a name', () => {
  it('and a language are taken from the source that has them, and not without end', () => {
    const sources = [
      { sub: 'ada', locale: 'd'.repeat(36) },
      { sub: 'ada', name: 'A'.repeat(201), locale: 'fr' },
    ] as const
    expect(userOf(issuer, sources, byClaim)).toEqual({
      issuer,
      subject: 'ada',
      name: 'A'.repeat(200),
      locale: 'd'.repeat(35),
    })
  })

  it('turns around no words beside it', () => {
    expect(userWith({ name: ' Ada\u202e\u2066 L\u0007 ' }).name).toBe('Ada L')
    expect(userWith({ name: '\u202e', preferred_username: 'ada' }).name).toBe('ada')
  })
})

describe('an id_token', () => {
  const groupRule = { claim: 'groups', wanted: [] }
  const identify = createIdentify({ emailRule: byClaim, groupRule, log: { warn: () => {} } })
  const identified = (azp?: string) => {
    const claims = { sub: 'ada', ...(azp !== undefined && { azp }) }
    const configuration = new Configuration({ issuer }, 'onramp')
    return identify(configuration, { tokens: {} as TokenEndpointResponse, claims })
  }

  it('that was issued to another client signs no one in', async () => {
    await expect(identified('other')).rejects.toMatchObject({ code: 'sign_in_failed' })
    expect(await identified('onramp')).toMatchObject({ subject: 'ada' })
    expect(await identified()).toMatchObject({ subject: 'ada' })
  })
})
