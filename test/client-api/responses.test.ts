import { expect, it } from 'vitest'
import { readCheckResponse, readSearchResponse } from '../../src/client-api/responses.ts'
import { parseJsonObject } from '../../src/http/body.ts'

const check = (...entries: unknown[]) => readCheckResponse({ unauthorizedDatasourceInstances: entries })
const slack = {
  datasourceInstance: 'slack_1',
  displayName: 'Slack',
  authStatus: 'AWAITING_AUTH',
  authUrlRelativePath: '/auth/datasource/slack_1?token=t',
}

it('JSON is read behind a byte order mark (RFC 8259 8.1)', () => {
  expect(parseJsonObject('\ufeff{"a":1}')).toEqual({ a: 1 })
})

it('the list of apps is read as the contract shows it', () => {
  expect(check(slack)).toEqual([
    {
      instance: 'slack_1',
      name: 'Slack',
      status: 'awaiting',
      authUrlRelativePath: slack.authUrlRelativePath,
    },
  ])
  expect(check()).toEqual([])
})

it.each([
  undefined,
  null,
  [],
  [slack],
  {},
  { unauthorizedDatasourceInstances: null },
  { unauthorizedDatasourceInstances: {} },
  { UnauthorizedDatasourceInstances: [] },
  { unauthorizedDatasourceInstances: [null] },
  { unauthorizedDatasourceInstances: [[]] },
])('%j isn’t a list of apps, and never means that everything is connected', (json) => {
  expect(readCheckResponse(json)).toBeUndefined()
})

it.each([
  [{}, 'unnamed', 'unnamed'],
  [{ datasourceInstance: 7 }, 'unnamed', 'unnamed'],
  [{ datasourceInstance: ' \t', displayName: '\u200b' }, 'unnamed', 'unnamed'],
  [{ displayName: 'Nameless' }, 'Nameless', 'Nameless'],
])('an app without a name (%j) needs attention, and the others work', (entry, instance, name) => {
  const [other, odd] = check(slack, entry) ?? []
  expect(other).toMatchObject({ instance: 'slack_1', status: 'awaiting' })
  expect(odd).toMatchObject({ instance, name, status: 'attention' })
})

it.each([
  ['AWAITING_AUTH', 'awaiting'],
  [undefined, 'awaiting'],
  ['STALE_OAUTH', 'stale'],
  ['DISABLED', 'disabled'],
  ['AUTHORIZED', 'awaiting'],
  [7, 'awaiting'],
  ['Disabled', 'awaiting'],
  ['__proto__', 'awaiting'],
])('an app with authStatus %j is %s', (authStatus, status) => {
  expect(check({ ...slack, authStatus })?.[0]?.status).toBe(status)
})

it.each([undefined, null, '', 7, 'https://evil.example/', '/auth/datasource/other_1?token=t'])(
  'an app without a usable path (%j) needs attention, and the others work',
  (path) => {
    const other = { ...slack, datasourceInstance: 'b', authUrlRelativePath: '/auth/datasource/b?token=t' }
    const found = check({ ...slack, authUrlRelativePath: path }, other)
    expect(found?.map((entry) => entry.status)).toEqual(['attention', 'awaiting'])
  },
)

it.each([
  [{ authStatus: 'DISABLED' }, {}],
  [{}, { authStatus: 'DISABLED' }],
  [{ authUrlRelativePath: null }, {}],
  [{ authUrlRelativePath: null, authStatus: 'DISABLED' }, { authStatus: 'AUTHORIZED' }],
  [{}, { authStatus: 'STALE_OAUTH', authUrlRelativePath: `${slack.authUrlRelativePath}2` }],
])('of two entries of an app, the first one that can be connected counts: %j, %j', (one, other) => {
  const found = check({ ...slack, ...one }, { ...slack, ...other })
  expect(found).toMatchObject([{ instance: 'slack_1', status: 'awaiting' }])
  expect(found?.[0]?.authUrlRelativePath).toBe(slack.authUrlRelativePath)
})

it('an app without a visible name is shown by its identifier', () => {
  for (const displayName of [undefined, null, '', ' \n ', '\u200b', ' \u2060\u00ad', '\u3164', 7, {}])
    expect(check({ ...slack, displayName })?.[0]?.name).toBe('slack_1')
})

it('an identifier may have no number, or come from the path alone', () => {
  expect(check({ ...slack, datasourceInstance: 'sharepoint' })?.[0]?.instance).toBe('sharepoint')
  const { datasourceInstance: _, ...nameless } = slack
  expect(check({ ...nameless, authUrlRelativePath: '/auth/datasource/a%20b?token=t' })?.[0]?.instance).toBe(
    'a b',
  )
})

it('an app’s name can’t rearrange or break the text around it', () => {
  const name = (displayName: string) => check({ ...slack, displayName })?.[0]?.name ?? ''
  expect(name('a\u202etxt.exe\u2066b\u0000\nc')).toBe('a txt.exe b c')
  expect(name('👩‍👩‍👧‍👦 Asana')).toBe('👩‍👩‍👧‍👦 Asana')
  expect(name('half \ud83d').isWellFormed()).toBe(true)
})

it('an identifier can always be encoded in a URL', () => {
  const instance = check({ ...slack, datasourceInstance: 'half_\ud800_1' })?.[0]?.instance ?? ''
  expect(() => encodeURIComponent(instance)).not.toThrow()
})

it('search results are read in several shapes, and only web links are kept', () => {
  const answer = readSearchResponse({
    results: [
      { title: 'Plan', url: 'https://a.example', snippets: [{ text: 'words' }], datasource: 'slack' },
      { document: { title: 'Doc', url: 'javascript:alert(1)', datasource: 'gdrive' } },
      { name: 'Bare', url: 'not an address' },
      { url: 'https://b.example/x' },
      'nonsense',
    ],
    trackingToken: 't',
    requestID: 'r',
  })
  expect(answer?.results).toEqual([
    { title: 'Plan', url: 'https://a.example', snippet: 'words', datasource: 'slack' },
    { title: 'Doc', url: undefined, snippet: undefined, datasource: 'gdrive' },
    { title: 'Bare', url: undefined, snippet: undefined, datasource: undefined },
    { title: 'https://b.example/x', url: 'https://b.example/x', snippet: undefined, datasource: undefined },
  ])
  expect(answer?.requestId).toBe('r')
})

it.each([{ requestId: 'r' }, { requestID: 'r' }, { trackingToken: 't' }, { results: [], requestId: 'r' }])(
  'what a search finds is nothing in %j, as right after connecting',
  (json) => expect(readSearchResponse(json)?.results).toEqual([]),
)

it.each([undefined, null, {}, [], 'x', { results: null }, { results: {} }])(
  'what a search finds %j is no answer',
  (json) => {
    expect(readSearchResponse(json)).toBeUndefined()
  },
)
