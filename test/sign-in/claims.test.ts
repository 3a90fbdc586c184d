// Who signed in, as claims say it: whose address it is, and which groups of theirs count.
import { describe, expect, it } from 'vitest'
import { createAdminCheck } from '../../src/admin/routes.ts'
import {
  adminGroupsIn,
  isComplete,
  userFromClaims,
  adviceOn,
  type ClaimSettings,
} from '../../src/sign-in/claims.ts'

const issuer = 'https://login.acme.example'
const email = 'ada@acme.example'
const byClaim: ClaimSettings = {
  OIDC_EMAIL_CLAIM: 'email',
  OIDC_EMAIL_TRUST: 'verified',
  OIDC_GROUPS_CLAIM: 'groups',
  ADMIN_GROUPS: undefined,
}
const always: ClaimSettings = { ...byClaim, OIDC_EMAIL_TRUST: 'always' }
const upn: ClaimSettings = { ...byClaim, OIDC_EMAIL_CLAIM: 'upn' }
const upnAlways: ClaimSettings = { ...upn, OIDC_EMAIL_TRUST: 'always' }

const userWith = (claims: Record<string, unknown>, rule = byClaim) =>
  userFromClaims(issuer, [{ sub: 'ada', ...claims }], rule)

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
    expect(userWith({ email }, always)).toMatchObject({ emailVerified: true })
    expect(userWith({ email, email_verified: false }, always)).toMatchObject({ emailVerified: false })
  })

  it('can stand in another claim, of which email_verified says nothing', () => {
    const claims = { upn: email, email: 'private@example.com', email_verified: true }
    expect(userWith(claims, upn)).toMatchObject({ email, emailVerified: false })
    expect(userWith({ ...claims, email }, upn)).toMatchObject({ email, emailVerified: true })
    expect(userWith(claims, upnAlways)).toMatchObject({ email, emailVerified: true })
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
      const user = userFromClaims(
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
    expect(userFromClaims(issuer, sources, byClaim)).toMatchObject({ email, emailVerified })
  })

  it('of another claim that a source denies in so many words doesn’t count', () => {
    const denied = { upn: email, email: ` ${email.toUpperCase()}`, email_verified: false }
    expect(userWith(denied, upnAlways)).toMatchObject({ emailVerified: false })
    expect(userWith({ email, email_verified: 'odd' }, always)).toMatchObject({ emailVerified: false })
  })

  it.each<[string, Record<string, unknown>, string | undefined, string | undefined]>([
    ['a list of one', { email: [email], email_verified: true }, email, undefined],
    ['a list of one called emails', { emails: [email] }, email, undefined],
    ['email beside emails', { email, emails: ['eve@acme.example'] }, email, undefined],
    ['a list of two', { emails: [email, 'eve@acme.example'] }, undefined, 'a list of several (string)'],
    ['an object', { email: { work: email } }, undefined, 'an object'],
    ['a number', { email: 7 }, undefined, 'a number'],
    ['what is too long', { email: email.padStart(255, 'x') }, undefined, 'a string'],
    ['nothing', { email: '' }, undefined, undefined],
    ['null', { email: null }, undefined, undefined],
  ])('that comes as %s is that address, or is told', (_what, claims, wanted, shape) => {
    const sources = [{ sub: 'ada', ...claims }] as const
    expect(userFromClaims(issuer, sources, byClaim).email).toBe(wanted)
    const [, told] =
      /^the claim email came as (.+) that is no address,/.exec(adviceOn(sources, byClaim).join()) ?? []
    expect(told).toBe(shape)
  })

  it('of a list of one is verified or denied by what is said of that claim, and not of another one', () => {
    expect(userWith({ emails: [email], email_verified: true })).toMatchObject({ emailVerified: false })
    for (const email_verified of [true, false])
      expect(userWith({ email: [email], email_verified }, always).emailVerified).toBe(email_verified)
    expect(userWith({ emails: [email], email_verified: false }, always).emailVerified).toBe(false)
    expect(userWith({ emails: [email] }, always)).toMatchObject({ email, emailVerified: true })
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
    expect(isComplete(claims, byClaim)).toBe(leavesNothing)
  })

  it('leaves userinfo to be asked about the claim which holds the address, and about groups', () => {
    for (const claims of [whole, { ...whole, upn: 'other@acme.example' }])
      expect(isComplete(claims, upnAlways)).toBe(false)
    const wanting = { ...byClaim, ADMIN_GROUPS: ['Admins'] }
    expect(isComplete(whole, wanting)).toBe(false)
    expect(isComplete({ ...whole, groups: [] }, wanting)).toBe(true)
  })
})

describe('a subject', () => {
  it.each(['', ' ', '\u200b', '\n'])('that shows nothing (%j) is no one', (sub) => {
    const detail = 'the authorization server gives people an empty sub: let it name each by one of their own'
    expect(() => userWith({ sub })).toThrow(
      expect.objectContaining({ status: 502, code: 'sign_in_misconfigured', detail }),
    )
  })

  it.each(['Not supported currently. Use oid claim.', ' not supported'])(
    'that says that there is none (%s) is no one',
    (sub) => {
      expect(() => userWith({ sub })).toThrow(
        expect.objectContaining({
          code: 'sign_in_misconfigured',
          detail: expect.stringContaining('everyone the same sub') as string,
        }),
      )
    },
  )

  it('is taken as it is, also with spaces in it', () => {
    expect(userWith({ sub: 'not supported-by-anyone'.slice(4) }).subject).toBe('supported-by-anyone')
    expect(userWith({ sub: ' ada ' }).subject).toBe(' ada ')
  })
})

describe('a name', () => {
  it('and a language are taken from the source that has them, and not without end', () => {
    const sources = [
      { sub: 'ada', locale: 'd'.repeat(36) },
      { sub: 'ada', name: 'A'.repeat(201), locale: 'fr' },
    ] as const
    expect(userFromClaims(issuer, sources, byClaim)).toEqual({
      issuer,
      subject: 'ada',
      name: 'A'.repeat(200),
      locale: 'd'.repeat(35),
    })
  })

  it('turns around no words beside it', () => {
    expect(userWith({ name: ' Ada\u202e\u2066 L\u0007 ' }).name).toBe('Ada L')
    expect(userWith({ name: '\u202e', preferred_username: 'ada' }).name).toBe('ada')
    expect(userWith({ given_name: 'Ada' }).givenName).toBe('Ada')
  })
})

describe('the groups of a person', () => {
  const BOTH = ['Search Admins', '/it/search']
  const wanting: ClaimSettings = { ...byClaim, ADMIN_GROUPS: BOTH }

  it.each<[string, unknown[], string[] | undefined]>([
    ['of a list', [['Everyone', 'Search Admins']], ['Search Admins']],
    ['of one name', ['/it/search'], ['/it/search']],
    ['of two sources', [['/it/search'], ['Search Admins']], ['Search Admins', '/it/search']],
    ['in other spellings', [['search admins', ' Search Admins', 'it/search']], []],
    ['that are objects with a name', [[{ id: 1, name: 'Search Admins' }, { name: '/it/search' }]], BOTH],
    ['keyed by name', [{ 'Search Admins': { 2199: 'acme.example' }, other: {} }], ['Search Admins']],
    ['that are no names', [[{ title: 'Search Admins' }, null, 7]], []],
    ['of an object that is one of them', [{ name: 'Search Admins' }], []],
    ['keyed by what isn’t a name', [{ 'Search Admins': ['x'] }], []],
    ['that are part of one name', ['Search Admins,/it/search'], []],
    ['of a sign-in without the claim', [undefined], undefined],
  ])('%s are kept where ADMIN_GROUPS names them', (_what, said, kept) => {
    const sources = said.map((groups) => ({ sub: 'ada', groups }))
    expect(adminGroupsIn(sources, wanting)).toEqual(kept)
    expect(adminGroupsIn(sources, byClaim)).toBeUndefined()
  })

  it.each<[string, string, Record<string, unknown>, string[] | undefined]>([
    ['inside another claim', 'realm_access.roles', { realm_access: { roles: BOTH } }, BOTH],
    ['two claims deep', 'a.b.c', { a: { b: { c: BOTH } } }, BOTH],
    ['in a claim with dots in its name', 'a.b', { 'a.b': BOTH, a: { b: [] } }, BOTH],
    ['inside nothing', 'a.b', { a: ['b'] }, undefined],
    ['inside what every object has', 'a.constructor', { a: {} }, undefined],
    ['that are null', 'groups', { groups: null }, undefined],
  ])('%s are found', (_where, claim, claims, kept) => {
    const rule = { ...wanting, OIDC_GROUPS_CLAIM: claim }
    expect(adminGroupsIn([{ sub: 'ada', ...claims }], rule)).toEqual(kept)
    expect(isComplete({ sub: 'ada', name: 'Ada', email, email_verified: true, ...claims }, rule)).toBe(
      kept !== undefined,
    )
  })

  it.each<[string, unknown, string]>([
    ['a text with a comma', 'Everyone,Search Admins', 'came as one text with commas'],
    ['a text with a list', '[Search Admins]', 'came as one text with commas, brackets'],
    ['an object', { roles: BOTH }, 'came as an object, '],
    ['a number', 7, 'came as a number, '],
    ['objects without a name', [{ id: 1 }, { id: 2 }], 'came as a list of several (object), '],
  ])('that come as %s are told with that shape', (_what, groups, words) => {
    const [why] = adviceOn([{ sub: 'ada', groups }], wanting)
    expect(why).toContain(words)
    expect(why).not.toContain('Everyone')
  })

  it('are not told of where they were read, or where no more than names came', () => {
    for (const groups of [['x'], 'x', [], 'Search Admins', { x: {} }, [7, 'Search Admins']])
      expect(adviceOn([{ sub: 'ada', groups }], wanting)).toEqual([])
  })

  it('count no longer once the setting drops them', () => {
    const user = { issuer, subject: 'ada', groups: ['Search Admins'] }
    expect(createAdminCheck([], ['Search Admins'])(user)).toBe(true)
    expect(createAdminCheck([], ['/it/search'])(user)).toBe(false)
    expect(createAdminCheck(['grace@acme.example'], [])(user)).toBe(false)
  })

  it.each([
    ['Microsoft Entra left out too many', { hasgroups: true }, /more groups than Microsoft Entra.*app roles/],
    ['it keeps them elsewhere', { _claim_names: { groups: 'src1' } }, /more groups than Microsoft Entra/],
    ['it keeps other ones elsewhere', { _claim_names: { roles: 'src1' } }, /without the claim groups/],
    ['it has nothing elsewhere', { _claim_names: null }, /without the claim groups/],
    ['nothing is said', {}, /without the claim groups/],
    ['one source has them', { groups: [] }, /^$/],
  ])('are explained to the operator where they are missing: %s', (_why, claims, words) => {
    const sources = [{ sub: 'ada' }, { sub: 'ada', ...claims }]
    expect(adviceOn(sources, wanting).join()).toMatch(words)
    expect(adviceOn(sources, byClaim)).toEqual([])
  })
})
