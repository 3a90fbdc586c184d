// The signed-in person, read from the id_token, userinfo, introspection or the access token.
import { expect, it } from 'vitest'
import type { Settings } from '../../src/settings/settings.ts'
import { UserLookup } from '../../src/sign-in/user-lookup.ts'
import { answering, issuer } from './library-errors.ts'

const USERINFO = { userinfo_endpoint: `${issuer}/userinfo` }
const INTROSPECTION = { introspection_endpoint: `${issuer}/introspect` }
const completeClaims = { sub: 'ada', name: 'Ada', email: 'ada@acme.example', email_verified: true }

type Case = {
  claims?: { sub: string; [claim: string]: unknown }
  metadata?: object
  status?: number
  body?: unknown
  wanted?: string[]
  token?: string
}

function identifying({ claims, token = 'opaque', ...own }: Case) {
  const { metadata = {}, status = 200, body = {}, wanted: ADMIN_GROUPS = [] } = own
  const warned: [object, string][] = []
  const claimed = { OIDC_EMAIL_CLAIM: 'email', OIDC_GROUPS_CLAIM: 'groups' }
  const settings = { ...claimed, OIDC_EMAIL_TRUST: 'verified', ADMIN_GROUPS } as Settings
  const warn = (fields: object, words: string) => void warned.push([fields, words])
  const users = new UserLookup({ settings, log: { warn } as never, now: () => 0 })
  const configuration = answering(status, body, {}, metadata)
  const lookUp = () => users.find(configuration, token, claims)
  return { user: lookUp(), warned, again: lookUp }
}

const jwt = (payload: object) =>
  ['eyJhbGciOiJub25lIn0', Buffer.from(JSON.stringify(payload)).toString('base64url'), ''].join('.')

it('a complete id_token needs no userinfo', async () => {
  const { user, warned } = identifying({ claims: completeClaims, metadata: USERINFO, status: 500 })
  const { sub: subject, email_verified: emailVerified, ...others } = completeClaims
  expect(await user).toEqual({ issuer, subject, emailVerified, ...others })
  expect(warned).toEqual([])
})

it('userinfo completes an id_token', async () => {
  const claims = { sub: 'ada' }
  expect(await identifying({ claims, metadata: USERINFO, body: completeClaims }).user).toMatchObject({
    name: 'Ada',
  })
  expect(await identifying({ claims, body: completeClaims }).user).toEqual({ issuer, subject: 'ada' })
})

it('userinfo is fetched for groups that ADMIN_GROUPS needs', async () => {
  const wanted = ['Admins']
  const body = { sub: 'ada', groups: ['Admins'] }
  const requests = { claims: completeClaims, metadata: USERINFO, body }
  expect((await identifying({ ...requests, wanted }).user).groups).toEqual(['Admins'])
  expect(await identifying(requests).user).not.toHaveProperty('groups')
  const withGroups = { ...requests, wanted, claims: { ...completeClaims, groups: [] } }
  expect((await identifying(withGroups).user).groups).toEqual([])
})

it('failed userinfo is logged, and the sign-in continues', async () => {
  const failing = { metadata: USERINFO, status: 503, body: '<html>' }
  const { user, warned } = identifying({ claims: { sub: 'ada' }, ...failing })
  expect(await user).toEqual({ issuer, subject: 'ada' })
  const words =
    'the userinfo endpoint failed (status 503): onramp uses the id_token alone, which may lack an email address'
  expect(warned.map(([, message]) => message)).toEqual([words])
})

const ofAda = { claims: { sub: 'ada' }, metadata: USERINFO }
const bothResponses = { ...USERINFO, ...INTROSPECTION }
// prettier-ignore
it.each<[string, Case, string]>([
  ['userinfo is of another person', { ...ofAda, body: { sub: 'eve' } }, 'JSON_ATTRIBUTE_COMPARISON_FAILED'],
  ['the only userinfo fails', { metadata: bothResponses, status: 503, body: '<html>' }, 'RESPONSE_IS_NOT_CONFORM'],
  ['introspection gives no JSON', { metadata: INTROSPECTION, body: '<html>' }, 'RESPONSE_IS_NOT_JSON'],
])('no one is signed in if %s', async (_title, sources, code) => {
  await expect(identifying(sources).user).rejects.toMatchObject({ code: `OAUTH_${code}` })
})

it('an id_token for another client (azp) signs no one in', async () => {
  expect(await identifying({ claims: { ...completeClaims, azp: 'client' } }).user).toMatchObject({
    subject: 'ada',
  })
  const detail = 'the id_token was issued to another client (azp)'
  const problem = { status: 400, code: 'sign_in_failed', detail }
  await expect(identifying({ claims: { ...completeClaims, azp: 'other' } }).user).rejects.toMatchObject(
    problem,
  )
})

it('userinfo alone identifies a person without an id_token', async () => {
  const { user } = identifying({ metadata: USERINFO, body: completeClaims })
  expect(await user).toMatchObject({ subject: 'ada', name: 'Ada' })
})

const subjectOf = async (token: object, more: Case = {}) =>
  (await identifying({ metadata: INTROSPECTION, body: { active: true, ...token }, ...more }).user).subject
const UNKNOWN = expect.stringMatching(/^unknown:[\da-f-]{36}$/) as string

it.each([
  ['its subject', { sub: 'ada', username: 'x' }, 'ada'],
  ['a user name in place of the subject', { username: 'ada' }, 'username:ada'],
  ['an empty subject and a user name', { sub: '', username: 'ada' }, 'username:ada'],
  ['our issuer', { sub: 'ada', iss: issuer }, 'ada'],
])('introspection with %s identifies the person', async (_title, token, subject) => {
  expect(await subjectOf(token)).toBe(subject)
})

it.each([
  ['neither subject nor user name', {}],
  ['values that aren’t strings', { sub: 7, username: '' }],
  ['an expired token', { active: false, sub: 'ada' }],
  ['another issuer', { sub: 'ada', iss: `${issuer}.evil.example` }],
  ['the client itself', { sub: 'client' }],
])('introspection with %s identifies no one', async (_title, token) => {
  expect(await subjectOf(token)).toEqual(UNKNOWN)
})

it('introspection provides the display name', async () => {
  const body = { active: true, sub: 'ada', username: 'ada.l', email: 'ada@acme.example' }
  const userOf = (more: object) => identifying({ metadata: INTROSPECTION, body: { ...body, ...more } }).user
  expect(await userOf({})).toMatchObject({ name: 'ada.l', email: 'ada@acme.example' })
  expect(await userOf({ preferred_username: 'Ada' })).toMatchObject({ name: 'Ada' })
})

it.each([
  [400, 'unavailable to this client', UNKNOWN],
  [499, 'unavailable to this client', UNKNOWN],
  [429, 'a failure', 'ClientError'],
  [500, 'a failure', 'ClientError'],
  [302, 'a failure', 'ClientError'],
])('introspection with the status %i counts as %s', async (status, _title, expected) => {
  const { user } = identifying({ metadata: INTROSPECTION, status, body: '<html>' })
  const outcome = await user.then(
    ({ subject }) => subject,
    ({ name }: Error) => name,
  )
  expect(outcome).toEqual(expected)
})

it.each([
  ['of our issuer identifies the person', { iss: issuer, sub: 'ada', email: 'eve@acme.example' }, 'ada'],
  ['of another issuer is ignored', { iss: 'https://elsewhere.example', sub: 'ada' }, UNKNOWN],
  ['without an issuer is ignored', { sub: 'ada' }, UNKNOWN],
  ['about the client is ignored', { iss: issuer, sub: 'client' }, UNKNOWN],
  ['without a subject is ignored', { iss: issuer, sub: '' }, UNKNOWN],
])('a JWT access token %s', async (_title, payload, subject) => {
  const user = await identifying({ token: jwt(payload) }).user
  expect(user).toEqual({ issuer, subject })
})

it('without any subject, each sign-in is a new person', async () => {
  const [one, other] = [await identifying({}).user, await identifying({}).user]
  expect([one.subject, other.subject]).toEqual([UNKNOWN, UNKNOWN])
  expect(one.subject).not.toBe(other.subject)
})
