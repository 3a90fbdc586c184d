// Reading a person's address, name and admin groups from claims.
import { expect, it } from 'vitest'
import { createAdminCheck } from '../../src/admin/routes.ts'
import type { Settings } from '../../src/settings/settings.ts'
import { adminGroupsIn, isComplete, userFromClaims, adviceOn } from '../../src/sign-in/claims.ts'

const issuer = 'https://login.acme.example'
const email = 'ada@acme.example'
const byClaim = {
  OIDC_EMAIL_CLAIM: 'email',
  OIDC_EMAIL_TRUST: 'verified',
  OIDC_GROUPS_CLAIM: 'groups',
} as Settings
const always: Settings = { ...byClaim, OIDC_EMAIL_TRUST: 'always' }
const upn: Settings = { ...byClaim, OIDC_EMAIL_CLAIM: 'upn' }
const upnAlways: Settings = { ...upn, OIDC_EMAIL_TRUST: 'always' }

const userWith = (claims: Record<string, unknown>, rule = byClaim) =>
  userFromClaims(issuer, [{ sub: 'ada', ...claims }], rule)

it.each([
  ['verified', { email, email_verified: true }, true],
  ['verified by a string', { email, email_verified: 'true' }, true],
  ['denied', { email, email_verified: false }, false],
  ['neither verified nor denied', { email }, false],
  ['verified by nonsense', { email, email_verified: 1 }, false],
])('an address that is %s counts accordingly', (_what, claims, emailVerified) => {
  expect(userWith(claims)).toMatchObject({ email, emailVerified })
})

it.each(['\t', '\n', '\r', '\0', '\u007f', '\u0085'])(
  'an address with the control character %j counts as none',
  (control) => {
    for (const odd of [control + email, email + control, email.replace('@', `${control}@`)])
      expect(userWith({ email: odd, email_verified: true })).not.toHaveProperty('email')
  },
)

it('OIDC_EMAIL_TRUST=always trusts an address unless it is denied', () => {
  expect(userWith({ email }, always)).toMatchObject({ emailVerified: true })
  expect(userWith({ email, email_verified: false }, always)).toMatchObject({ emailVerified: false })
})

it('an address in another claim is not what email_verified speaks of', () => {
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
  ['of userinfo, verified in the id_token', { email_verified: true }, { email }, email, false],
])(
  'an address %s counts with the email_verified of its own source',
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

it('an address that is too long counts as none instead of being truncated', () => {
  expect(userWith({ email: `${email}${'x'.repeat(300)}`, email_verified: true }).email).toBeUndefined()
})

it('an address loses the spaces around it, and may have 254 characters', () => {
  const odd = '  ada  lovelace@acme.example  '
  expect(userWith({ email: odd }).email).toBe('ada  lovelace@acme.example')
  const longest = email.padStart(254, 'x')
  expect(userWith({ email: longest }).email).toBe(longest)
  expect(userWith({ email: `x${longest}` }).email).toBeUndefined()
})

it.each([
  ['of another one', { email: 'eve@acme.example', email_verified: false }, true],
  ['of an address that is not named', { email_verified: false }, false],
  ['of something that is no address', { email: 7, email_verified: false }, true],
])('the denial of another address does not count: %s', (_what, denial, emailVerified) => {
  const sources = [
    { sub: 'ada', email, email_verified: true },
    { sub: 'ada', ...denial },
  ] as const
  expect(userFromClaims(issuer, sources, byClaim)).toMatchObject({ email, emailVerified })
})

it('an address of another claim is denied by any spelling of it', () => {
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
])(
  'an email claim that is %s gives the address, or advice for the operator',
  (_what, claims, wanted, shape) => {
    const sources = [{ sub: 'ada', ...claims }] as const
    expect(userFromClaims(issuer, sources, byClaim).email).toBe(wanted)
    const [, found] =
      /^the claim email came as (.+) that is no address,/.exec(adviceOn(sources, byClaim).join()) ?? []
    expect(found).toBe(shape)
  },
)

it('email_verified counts for a list of one only under the claim that it is about', () => {
  expect(userWith({ emails: [email], email_verified: true })).toMatchObject({ emailVerified: false })
  for (const email_verified of [true, false])
    expect(userWith({ email: [email], email_verified }, always).emailVerified).toBe(email_verified)
  expect(userWith({ emails: [email], email_verified: false }, always).emailVerified).toBe(false)
  expect(userWith({ emails: [email] }, always)).toMatchObject({ email, emailVerified: true })
})

it('a person may have no address', () => {
  expect(userWith({ name: 'Ada' })).toEqual({ issuer, subject: 'ada', name: 'Ada' })
  expect(userWith({ email: ' ', email_verified: true })).toEqual({ issuer, subject: 'ada' })
})

const whole = { sub: 'ada', name: 'Ada', email, email_verified: true }

it.each([
  ['with a name and an address that is verified', whole, true],
  ['with an address that is not verified', { ...whole, email_verified: false }, true],
  ['with a user name alone', { ...whole, name: undefined, preferred_username: 'ada' }, true],
  ['without a name', { ...whole, name: ' ' }, false],
  ['without an address', { ...whole, email: undefined }, false],
  ['with an address without email_verified', { ...whole, email_verified: undefined }, false],
])('an id_token %s is enough without userinfo, or not', (_what, claims, leavesNothing) => {
  expect(isComplete(claims, byClaim)).toBe(leavesNothing)
})

it('an id_token without the address or groups that the settings need is not enough', () => {
  for (const claims of [whole, { ...whole, upn: 'other@acme.example' }])
    expect(isComplete(claims, upnAlways)).toBe(false)
  const wanting = { ...byClaim, ADMIN_GROUPS: ['Admins'] }
  expect(isComplete(whole, wanting)).toBe(false)
  expect(isComplete({ ...whole, groups: [] }, wanting)).toBe(true)
})

it.each(['', ' ', '\u200b', '\n'])('a sub that shows nothing (%j) signs no one in', (sub) => {
  const detail = 'the authorization server gives people an empty sub: let it name each by one of their own'
  expect(() => userWith({ sub })).toThrow(
    expect.objectContaining({ status: 502, code: 'sign_in_misconfigured', detail }),
  )
})

it.each(['Not supported currently. Use oid claim.', ' not supported'])(
  'a sub that says that there is none (%s) signs no one in',
  (sub) => {
    expect(() => userWith({ sub })).toThrow(
      expect.objectContaining({
        code: 'sign_in_misconfigured',
        detail: expect.stringContaining('everyone the same sub') as string,
      }),
    )
  },
)

it('a sub is kept unchanged, even with spaces', () => {
  expect(userWith({ sub: 'not supported-by-anyone'.slice(4) }).subject).toBe('supported-by-anyone')
  expect(userWith({ sub: ' ada ' }).subject).toBe(' ada ')
})

it('name and locale come from the first source that has them, truncated', () => {
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

it('a name cannot reverse the text beside it', () => {
  expect(userWith({ name: ' Ada\u202e\u2066 L\u0007 ' }).name).toBe('Ada L')
  expect(userWith({ name: '\u202e', preferred_username: 'ada' }).name).toBe('ada')
  expect(userWith({ given_name: 'Ada' }).givenName).toBe('Ada')
})

const BOTH = ['Search Admins', '/it/search']
const wanting: Settings = { ...byClaim, ADMIN_GROUPS: BOTH }

it.each<[string, unknown[], string[] | undefined]>([
  ['in a list', [['Everyone', 'Search Admins']], ['Search Admins']],
  ['in a string', ['/it/search'], ['/it/search']],
  ['in two sources', [['/it/search'], ['Search Admins']], ['Search Admins', '/it/search']],
  ['in other spellings', [['search admins', ' Search Admins', 'it/search']], []],
  ['in objects with a name', [[{ id: 1, name: 'Search Admins' }, { name: '/it/search' }]], BOTH],
  ['keyed by name', [{ 'Search Admins': { 2199: 'acme.example' }, other: {} }], ['Search Admins']],
  ['in anything but names', [[{ title: 'Search Admins' }, null, 7]], []],
  ['in a single object', [{ name: 'Search Admins' }], []],
  ['keyed beside lists', [{ 'Search Admins': ['x'] }], []],
  ['inside one name', ['Search Admins,/it/search'], []],
  ['without the claim', [undefined], undefined],
])('admin groups %s are found by their exact name', (_what, groupClaims, kept) => {
  const sources = groupClaims.map((groups) => ({ sub: 'ada', groups }))
  expect(adminGroupsIn(sources, wanting)).toEqual(kept)
  expect(adminGroupsIn(sources, byClaim)).toBeUndefined()
})

it.each<[string, string, Record<string, unknown>, string[] | undefined]>([
  ['inside another claim', 'realm_access.roles', { realm_access: { roles: BOTH } }, BOTH],
  ['two claims deep', 'a.b.c', { a: { b: { c: BOTH } } }, BOTH],
  ['in a claim with dots in its name', 'a.b', { 'a.b': BOTH, a: { b: [] } }, BOTH],
  ['inside a list', 'a.b', { a: ['b'] }, undefined],
  ['inside what every object has', 'a.constructor', { a: {} }, undefined],
  ['that is null', 'groups', { groups: null }, undefined],
])('a groups claim is found %s', (_where, claim, claims, kept) => {
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
])('a groups claim that is %s is explained with its type, without its content', (_what, groups, words) => {
  const [why] = adviceOn([{ sub: 'ada', groups }], wanting)
  expect(why).toContain(words)
  expect(why).not.toContain('Everyone')
})

it('a readable groups claim needs no advice', () => {
  for (const groups of [['x'], 'x', [], 'Search Admins', { x: {} }, [7, 'Search Admins']])
    expect(adviceOn([{ sub: 'ada', groups }], wanting)).toEqual([])
})

it('an admin whose group leaves the setting is no admin any more', () => {
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
  ['the claim is missing', {}, /without the claim groups/],
  ['one source has them', { groups: [] }, /^$/],
])('missing groups are explained to the operator if %s', (_why, claims, words) => {
  const sources = [{ sub: 'ada' }, { sub: 'ada', ...claims }]
  expect(adviceOn(sources, wanting).join()).toMatch(words)
  expect(adviceOn(sources, byClaim)).toEqual([])
})
