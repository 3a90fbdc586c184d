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
const unverifiedUser = { email, email_verified: false }
const upperCaseUser = { email: ' Ada@ACME.example ', email_verified: 'false' }
const userWithEmails = { email: undefined, emails: [email] }
const userWithUpn = { upn: email, email: 'private@example.com', email_verified: true }

it.each<[string, Settings, Source[], address?: string]>([
  ['verified', byClaim, [verified]],
  ['verified by a string', byClaim, [{ email, email_verified: 'true' }]],
  ['trusted by OIDC_EMAIL_TRUST=always', always, [{ email }]],
  ['in the claim, and in email too', upn, [{ ...userWithUpn, email }]],
  ['in another claim that is trusted', upnAlways, [userWithUpn]],
  ['beside another one that is verified', byClaim, [{ email }, { ...verified, email: eve }], eve],
  ['verified by userinfo, which has it too', byClaim, [{ email }, verified]],
  ['of userinfo alone', byClaim, [{}, verified]],
  ['beside another one that is denied', byClaim, [verified, { ...unverifiedUser, email: eve }]],
  ['beside a denial of an invalid address', byClaim, [verified, { ...unverifiedUser, email: 7 }]],
  ['the only one of a verified list', always, [{ ...verified, email: [email] }]],
  ['trusted as one of emails', always, [userWithEmails]],
])('an address that is %s counts as verified', (_title, rule, sources, address = email) => {
  const user = userOf(sources, rule)
  expect([user.email, user.emailVerified]).toEqual([address, true])
})

it.each<[string, Settings, Source[], address?: string]>([
  ['denied', byClaim, [unverifiedUser]],
  ['neither verified nor denied', byClaim, [{ email }]],
  ['verified by nonsense', byClaim, [{ email, email_verified: 1 }]],
  ['denied, and trusted otherwise', always, [unverifiedUser]],
  ['denied by nonsense', always, [{ email, email_verified: 'odd' }]],
  ['not the one that email_verified is about', upn, [userWithUpn]],
  ['denied by another spelling', upnAlways, [{ ...upperCaseUser, upn: email }]],
  ['verified without being named', byClaim, [{ email }, { email_verified: true }]],
  ['verified by the id_token, and denied by userinfo', byClaim, [verified, unverifiedUser]],
  ['denied in another spelling', byClaim, [verified, upperCaseUser]],
  ['of userinfo, verified in the id_token', byClaim, [{ email_verified: true }, { email }]],
  ['denied without being named', byClaim, [verified, { email_verified: false }]],
  ['the only one of a list called emails', byClaim, [{ ...verified, ...userWithEmails }]],
  ['the only one of a denied list', always, [{ ...unverifiedUser, email: [email] }]],
  ['denied as one of emails', always, [{ ...unverifiedUser, ...userWithEmails }]],
  ['between spaces', byClaim, [{ email: '  ada  l@acme.example  ' }], 'ada  l@acme.example'],
  ['as long as 254 characters', byClaim, [{ email: email.padStart(254, 'x') }], email.padStart(254, 'x')],
])('an address that is %s counts as unverified', (_title, rule, sources, address = email) => {
  const user = userOf(sources, rule)
  expect([user.email, user.emailVerified]).toEqual([address, false])
})

it.each<[string, Settings, Source[]]>([
  ['longer than 254 characters', byClaim, [{ ...verified, email: email.padStart(255, 'x') }]],
  ['only spaces', byClaim, [{ ...verified, email: ' ' }]],
  ['missing', byClaim, [{ name: 'Ada' }]],
])('an address that is %s is not taken', (_title, rule, sources) => {
  const user = userOf(sources, rule)
  expect([user.email, user.emailVerified]).toEqual([undefined, undefined])
})

it.each(['\t', '\n', '\r', '\0', '\u007f', '\u0085'])(
  'an address with the control character %j is ignored',
  (control) => {
    for (const odd of [control + email, email + control, email.replace('@', `${control}@`)])
      expect(userWith({ email: odd, email_verified: true })).not.toHaveProperty('email')
  },
)

/** The shape of the claim that the advice names. */
const emailAdvice = (claims: Source) => {
  const advice = adviceOn([{ sub: 'ada', ...claims }], byClaim).join()
  return /^the claim email is (.+), not an email address,/.exec(advice)?.[1]
}

it.each<[string, Source]>([
  ['a list of one', { email: [email], email_verified: true }],
  ['a list of one called emails', { emails: [email] }],
  ['email beside emails', { email, emails: [eve] }],
])('an email claim with %s gives the address', (_title, claims) => {
  expect(userWith(claims).email).toBe(email)
  expect(emailAdvice(claims)).toBeUndefined()
})

it.each<[string, Source, string]>([
  ['a list of two', { emails: [email, eve] }, 'a list of several (string)'],
  ['an object', { email: { work: email } }, 'an object'],
  ['a number', { email: 7 }, 'a number'],
  ['a value that is too long', { email: email.padStart(255, 'x') }, 'a string'],
])('an email claim with %s gives no address, but advice for the operator', (_title, claims, shape) => {
  expect(userWith(claims).email).toBeUndefined()
  expect(emailAdvice(claims)).toBe(shape)
})

it.each(['', null])('an email claim with %j gives neither an address nor advice', (value) => {
  expect(userWith({ email: value }).email).toBeUndefined()
  expect(emailAdvice({ email: value })).toBeUndefined()
})

it('a person may have no address', () => {
  expect(userWith({ name: 'Ada' })).toEqual({ issuer, subject: 'ada', name: 'Ada' })
})

const completeClaims = { sub: 'ada', name: 'Ada', ...verified }
const grouped: Settings = { ...byClaim, ADMIN_GROUPS: ['Admins'] }

// prettier-ignore
it.each<[string, string, boolean, object, Settings?]>([
  ['with a name and an address that is verified', 'enough', true, completeClaims],
  ['with an address that is not verified', 'enough', true, { ...completeClaims, email_verified: false }],
  ['with a user name alone', 'enough', true, { ...completeClaims, name: undefined, preferred_username: 'ada' }],
  ['without a name', 'not enough', false, { ...completeClaims, name: ' ' }],
  ['without an address', 'not enough', false, { ...completeClaims, email: undefined }],
  ['with an address without email_verified', 'not enough', false, { ...completeClaims, email_verified: undefined }],
  ['without the claim of the settings', 'not enough', false, completeClaims, upnAlways],
  ['with another address in the claim of the settings', 'not enough', false, { ...completeClaims, upn: eve }, upnAlways],
  ['without the groups of the settings', 'not enough', false, completeClaims, grouped],
  ['with groups', 'enough', true, { ...completeClaims, groups: [] }, grouped],
])('an id_token %s is %s without userinfo', (_title, _outcome, isEnough, claims, rule = byClaim) => {
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

/** @param groupClaims the claim in each source */
const adminGroupsOf = (groupClaims: unknown[], rule: Settings) =>
  adminGroupsIn(
    groupClaims.map((groups) => ({ sub: 'ada', groups })),
    rule,
  )

it.each<[string, unknown[], string[]]>([
  ['in a list', [['Everyone', 'Search Admins']], ['Search Admins']],
  ['in a string', ['/it/search'], ['/it/search']],
  ['in two sources', [['/it/search'], ['Search Admins']], ['Search Admins', '/it/search']],
  ['in objects with a name', [[{ id: 1, name: 'Search Admins' }, { name: '/it/search' }]], BOTH],
  ['keyed by name', [{ 'Search Admins': { 2199: 'acme.example' }, other: {} }], ['Search Admins']],
])('admin groups %s are found', (_title, groupClaims, found) => {
  expect(adminGroupsOf(groupClaims, wanting)).toEqual(found)
  expect(adminGroupsOf(groupClaims, byClaim)).toBeUndefined()
})

it.each<[string, unknown]>([
  ['in other spellings', ['search admins', ' Search Admins', 'it/search']],
  ['in other values than names', [{ title: 'Search Admins' }, null, 7]],
  ['in a single object', { name: 'Search Admins' }],
  ['keyed beside lists', { 'Search Admins': ['x'] }],
  ['inside one name', 'Search Admins,/it/search'],
])('admin groups %s are not found', (_title, groups) => {
  expect(adminGroupsOf([groups], wanting)).toEqual([])
  expect(adminGroupsOf([groups], byClaim)).toBeUndefined()
})

it('admin groups are unknown without a claim', () => {
  expect(adminGroupsOf([undefined], wanting)).toBeUndefined()
})

const withGroupsClaim = (claim: string): Settings => ({ ...wanting, OIDC_GROUPS_CLAIM: claim })
const complete = { sub: 'ada', name: 'Ada', email, email_verified: true }

it.each([
  ['inside another claim', 'realm_access.roles', { realm_access: { roles: BOTH } }],
  ['two claims deep', 'a.b.c', { a: { b: { c: BOTH } } }],
  ['in a claim with dots in its name', 'a.b', { 'a.b': BOTH, a: { b: [] } }],
])('a groups claim is found %s', (_title, claim, claims) => {
  expect(adminGroupsIn([{ sub: 'ada', ...claims }], withGroupsClaim(claim))).toEqual(BOTH)
  expect(hasEnoughClaims({ ...complete, ...claims }, withGroupsClaim(claim))).toBe(true)
})

it.each([
  ['inside a list', 'a.b', { a: ['b'] }],
  ['inside an inherited member', 'a.constructor', { a: {} }],
  ['in null', 'groups', { groups: null }],
])('no groups claim is found %s', (_title, claim, claims) => {
  expect(adminGroupsIn([{ sub: 'ada', ...claims }], withGroupsClaim(claim))).toBeUndefined()
  expect(hasEnoughClaims({ ...complete, ...claims }, withGroupsClaim(claim))).toBe(false)
})

it.each<[string, unknown, string]>([
  ['a string with a comma', 'Everyone,Search Admins', 'is text with commas'],
  ['a string with a list', '[Search Admins]', 'is text with commas or brackets'],
  ['an object', { roles: BOTH }, 'is an object, '],
  ['a number', 7, 'is a number, '],
  ['objects without a name', [{ id: 1 }, { id: 2 }], 'is a list of several (object), '],
])('a groups claim that is %s is reported with its type, without its content', (_title, groups, words) => {
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
// prettier-ignore
it.each([
  ['that Microsoft Entra left out as too many are called too many', { hasgroups: true }, TOO_MANY],
  ['in a distributed claim are called too many', { _claim_names: { groups: 'src1' } }, TOO_MANY],
  ['beside other distributed claims are called missing', { _claim_names: { roles: 'src1' } }, /lacked the claim groups/],
  ['without a distributed claim are called missing', { _claim_names: null }, /lacked the claim groups/],
  ['without their claim are called missing', {}, /lacked the claim groups/],
  ['in one of two sources are not reported', { groups: [] }, /^$/],
])('groups %s', (_title, claims, words) => {
  const sources = [{ sub: 'ada' }, { sub: 'ada', ...claims }]
  expect(adviceOn(sources, wanting).join()).toMatch(words)
  expect(adviceOn(sources, byClaim)).toEqual([])
})
