// A person's address, name and admin groups, read from claims.
import { expect, it } from 'vitest'
import { createAdminCheck } from '../../src/admin/routes.ts'
import type { Settings } from '../../src/settings/settings.ts'
import { adminGroupsIn, hasEnoughClaims, userFromClaims, adviceOn } from '../../src/sign-in/claims.ts'

const issuer = 'https://login.acme.example'
const [email, eve] = ['ada@acme.example', 'eve@acme.example']
const byClaim = {
  OIDC_EMAIL_CLAIM: 'email',
  OIDC_EMAIL_TRUST: 'verified',
  OIDC_GROUPS_CLAIM: 'groups',
} as Settings
const always: Settings = { ...byClaim, OIDC_EMAIL_TRUST: 'always' }
const upn: Settings = { ...byClaim, OIDC_EMAIL_CLAIM: 'upn' }
const upnAlways: Settings = { ...upn, OIDC_EMAIL_TRUST: 'always' }

type Source = Record<string, unknown>
const userOf = (sources: Source[], rule = byClaim) =>
  userFromClaims(issuer, sources.map((claims) => ({ sub: 'ada', ...claims })) as never, rule)
const userWith = (claims: Source, rule = byClaim) => userOf([claims], rule)

const verified = { email, email_verified: true }
const denied = { email, email_verified: false }
const shouted = { email: ' Ada@ACME.example ', email_verified: 'false' }
const listed = { email: undefined, emails: [email] }
const beside = { upn: email, email: 'private@example.com', email_verified: true }

it.each<[string, Settings, Source[], string | undefined, boolean | undefined]>([
  ['verified', byClaim, [verified], email, true],
  ['verified by a string', byClaim, [{ email, email_verified: 'true' }], email, true],
  ['denied', byClaim, [denied], email, false],
  ['neither verified nor denied', byClaim, [{ email }], email, false],
  ['verified by nonsense', byClaim, [{ email, email_verified: 1 }], email, false],
  ['trusted by OIDC_EMAIL_TRUST=always', always, [{ email }], email, true],
  ['denied, and trusted otherwise', always, [denied], email, false],
  ['denied by nonsense', always, [{ email, email_verified: 'odd' }], email, false],
  ['not the one that email_verified is about', upn, [beside], email, false],
  ['in the claim, and in email too', upn, [{ ...beside, email }], email, true],
  ['in another claim that is trusted', upnAlways, [beside], email, true],
  ['denied by another spelling', upnAlways, [{ ...shouted, upn: email }], email, false],
  ['verified without being named', byClaim, [{ email }, { email_verified: true }], email, false],
  ['beside another one that is verified', byClaim, [{ email }, { ...verified, email: eve }], eve, true],
  ['verified by userinfo, which has it too', byClaim, [{ email }, verified], email, true],
  ['verified by the id_token, and denied by userinfo', byClaim, [verified, denied], email, false],
  ['denied in another spelling', byClaim, [verified, shouted], email, false],
  ['of userinfo alone', byClaim, [{}, verified], email, true],
  ['of userinfo, verified in the id_token', byClaim, [{ email_verified: true }, { email }], email, false],
  ['beside another one that is denied', byClaim, [verified, { ...denied, email: eve }], email, true],
  ['denied without being named', byClaim, [verified, { email_verified: false }], email, false],
  ['beside a denial of an invalid address', byClaim, [verified, { ...denied, email: 7 }], email, true],
  ['the only one of a list called emails', byClaim, [{ ...verified, ...listed }], email, false],
  ['the only one of a verified list', always, [{ ...verified, email: [email] }], email, true],
  ['the only one of a denied list', always, [{ ...denied, email: [email] }], email, false],
  ['denied as one of emails', always, [{ ...denied, ...listed }], email, false],
  ['trusted as one of emails', always, [listed], email, true],
  ['between spaces', byClaim, [{ email: '  ada  l@acme.example  ' }], 'ada  l@acme.example', false],
  ['of 254 characters', byClaim, [{ email: email.padStart(254, 'x') }], email.padStart(254, 'x'), false],
  ['longer', byClaim, [{ ...verified, email: email.padStart(255, 'x') }], undefined, undefined],
  ['only spaces', byClaim, [{ ...verified, email: ' ' }], undefined, undefined],
  ['missing', byClaim, [{ name: 'Ada' }], undefined, undefined],
])(
  'an address that is %s counts as verified, unverified or missing',
  (_what, rule, sources, wanted, emailVerified) => {
    const user = userOf(sources, rule)
    expect([user.email, user.emailVerified]).toEqual([wanted, emailVerified])
  },
)

it.each(['\t', '\n', '\r', '\0', '\u007f', '\u0085'])(
  'an address with the control character %j is ignored',
  (control) => {
    for (const odd of [control + email, email + control, email.replace('@', `${control}@`)])
      expect(userWith({ email: odd, email_verified: true })).not.toHaveProperty('email')
  },
)

it.each<[string, Source, string | undefined, string | undefined]>([
  ['a list of one', { email: [email], email_verified: true }, email, undefined],
  ['a list of one called emails', { emails: [email] }, email, undefined],
  ['email beside emails', { email, emails: [eve] }, email, undefined],
  ['a list of two', { emails: [email, eve] }, undefined, 'a list of several (string)'],
  ['an object', { email: { work: email } }, undefined, 'an object'],
  ['a number', { email: 7 }, undefined, 'a number'],
  ['a value that is too long', { email: email.padStart(255, 'x') }, undefined, 'a string'],
  ['nothing', { email: '' }, undefined, undefined],
  ['null', { email: null }, undefined, undefined],
])('an email claim with %s gives the address, or advice for the operator', (_what, claims, wanted, shape) => {
  expect(userWith(claims).email).toBe(wanted)
  const advice = adviceOn([{ sub: 'ada', ...claims }], byClaim).join()
  expect(/^the claim email is (.+), not an email address,/.exec(advice)?.[1]).toBe(shape)
})

it('a person may have no address', () => {
  expect(userWith({ name: 'Ada' })).toEqual({ issuer, subject: 'ada', name: 'Ada' })
})

const completeClaims = { sub: 'ada', name: 'Ada', ...verified }
const grouped: Settings = { ...byClaim, ADMIN_GROUPS: ['Admins'] }

it.each<[string, boolean, object, Settings?]>([
  ['with a name and an address that is verified', true, completeClaims],
  ['with an address that is not verified', true, { ...completeClaims, email_verified: false }],
  ['with a user name alone', true, { ...completeClaims, name: undefined, preferred_username: 'ada' }],
  ['without a name', false, { ...completeClaims, name: ' ' }],
  ['without an address', false, { ...completeClaims, email: undefined }],
  ['with an address without email_verified', false, { ...completeClaims, email_verified: undefined }],
  ['without the claim of the settings', false, completeClaims, upnAlways],
  ['with another address in that claim', false, { ...completeClaims, upn: eve }, upnAlways],
  ['without the groups of the settings', false, completeClaims, grouped],
  ['with groups', true, { ...completeClaims, groups: [] }, grouped],
])('an id_token %s is enough without userinfo: %s', (_what, isEnough, claims, rule = byClaim) => {
  expect(hasEnoughClaims(claims as typeof completeClaims, rule)).toBe(isEnough)
})

const EMPTY = 'the authorization server sends an empty sub: have it send a unique sub for each person'
const SAME = expect.stringContaining('the same sub') as string

it.each([
  ...['', ' ', '\u200b', '\n'].map((sub) => [sub, EMPTY]),
  ...['Not supported currently. Use oid claim.', ' not supported'].map((sub) => [sub, SAME]),
])('the unusable sub %j is rejected', (sub, detail) => {
  const problem = { status: 502, code: 'sign_in_misconfigured', detail }
  expect(() => userWith({ sub })).toThrow(expect.objectContaining(problem))
})

it('a sub is kept unchanged, even with spaces', () => {
  for (const sub of ['supported-by-anyone', ' ada ']) expect(userWith({ sub }).subject).toBe(sub)
})

it('name and locale come from the first source that has them, truncated', () => {
  const sources = [{ locale: 'd'.repeat(36) }, { name: 'A'.repeat(201), locale: 'fr' }]
  const user = { issuer, subject: 'ada', name: 'A'.repeat(200), locale: 'd'.repeat(35) }
  expect(userOf(sources)).toEqual(user)
})

it('a name can’t reverse the text beside it', () => {
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
  ['in other values than names', [[{ title: 'Search Admins' }, null, 7]], []],
  ['in a single object', [{ name: 'Search Admins' }], []],
  ['keyed beside lists', [{ 'Search Admins': ['x'] }], []],
  ['inside one name', ['Search Admins,/it/search'], []],
  ['in no claim', [undefined], undefined],
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
  ['inside an inherited member', 'a.constructor', { a: {} }, undefined],
  ['that is null', 'groups', { groups: null }, undefined],
])('a groups claim is found %s', (_where, claim, claims, kept) => {
  const rule = { ...wanting, OIDC_GROUPS_CLAIM: claim }
  expect(adminGroupsIn([{ sub: 'ada', ...claims }], rule)).toEqual(kept)
  expect(hasEnoughClaims({ sub: 'ada', name: 'Ada', email, email_verified: true, ...claims }, rule)).toBe(
    kept !== undefined,
  )
})

it.each<[string, unknown, string]>([
  ['a string with a comma', 'Everyone,Search Admins', 'is text with commas'],
  ['a string with a list', '[Search Admins]', 'is text with commas or brackets'],
  ['an object', { roles: BOTH }, 'is an object, '],
  ['a number', 7, 'is a number, '],
  ['objects without a name', [{ id: 1 }, { id: 2 }], 'is a list of several (object), '],
])('a groups claim that is %s is reported with its type, without its content', (_what, groups, words) => {
  const [why] = adviceOn([{ sub: 'ada', groups }], wanting)
  expect(why).toContain(words)
  expect(why).not.toContain('Everyone')
})

it('a readable groups claim needs no advice', () => {
  for (const groups of [['x'], 'x', [], 'Search Admins', { x: {} }, [7, 'Search Admins']])
    expect(adviceOn([{ sub: 'ada', groups }], wanting)).toEqual([])
})

it('a person whose group is removed from the setting is no longer an admin', () => {
  const user = { issuer, subject: 'ada', groups: ['Search Admins'] }
  expect(createAdminCheck([], ['Search Admins'])(user)).toBe(true)
  expect(createAdminCheck([], ['/it/search'])(user)).toBe(false)
  expect(createAdminCheck(['grace@acme.example'], [])(user)).toBe(false)
})

const TOO_MANY = /more groups than Microsoft Entra.*app roles/
it.each([
  ['Microsoft Entra leaves out a long list', { hasgroups: true }, TOO_MANY],
  ['they are in a distributed claim', { _claim_names: { groups: 'src1' } }, TOO_MANY],
  ['other claims are distributed', { _claim_names: { roles: 'src1' } }, /lacked the claim groups/],
  ['no claim is distributed', { _claim_names: null }, /lacked the claim groups/],
  ['the claim is missing', {}, /lacked the claim groups/],
  ['one source has the groups', { groups: [] }, /^$/],
])('missing groups may give advice to the operator: %s', (_why, claims, words) => {
  const sources = [{ sub: 'ada' }, { sub: 'ada', ...claims }]
  expect(adviceOn(sources, wanting).join()).toMatch(words)
  expect(adviceOn(sources, byClaim)).toEqual([])
})
