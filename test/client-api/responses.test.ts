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

it('what the service lists is read as the contract shows it', () => {
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
])('what the service lists is not understood from %j: that is never “all connected”', (json) => {
  expect(readCheckResponse(json)).toBeUndefined()
})

it.each([
  [{}, 'unnamed', 'unnamed'],
  [{ datasourceInstance: 7 }, 'unnamed', 'unnamed'],
  [{ datasourceInstance: ' \t', displayName: '\u200b' }, 'unnamed', 'unnamed'],
  [{ displayName: 'Nameless' }, 'Nameless', 'Nameless'],
])(
  'what the service lists names nothing in %j: that needs attention, and the others work',
  (entry, instance, name) => {
    const [other, odd] = check(slack, entry) ?? []
    expect(other).toMatchObject({ instance: 'slack_1', status: 'awaiting' })
    expect(odd).toMatchObject({ instance, name, status: 'attention' })
  },
)

it.each([
  ['AWAITING_AUTH', 'awaiting'],
  [undefined, 'awaiting'],
  ['STALE_OAUTH', 'stale'],
  ['DISABLED', 'disabled'],
  ['AUTHORIZED', 'awaiting'],
  [7, 'awaiting'],
  ['Disabled', 'awaiting'],
  ['__proto__', 'awaiting'],
])('what the service lists with the status %j is %s', (authStatus, status) => {
  expect(check({ ...slack, authStatus })?.[0]?.status).toBe(status)
})

it.each([undefined, null, '', 7, 'https://evil.example/', '/auth/datasource/other_1?token=t'])(
  'what the service lists without an address to start from (%j) needs attention, and the others are as they are',
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
])(
  'what the service lists counts as something to connect if one of two entries says so: %j, %j',
  (one, other) => {
    const found = check({ ...slack, ...one }, { ...slack, ...other })
    expect(found).toMatchObject([{ instance: 'slack_1', status: 'awaiting' }])
    expect(found?.[0]?.authUrlRelativePath).toBe(slack.authUrlRelativePath)
  },
)

it('what the service lists is called by its identifier where it has no name for people', () => {
  for (const displayName of [undefined, null, '', ' \n ', '\u200b', ' \u2060\u00ad', '\u3164', 7, {}])
    expect(check({ ...slack, displayName })?.[0]?.name).toBe('slack_1')
})

it('what the service lists may have an identifier without a number, or only the one in its path', () => {
  expect(check({ ...slack, datasourceInstance: 'sharepoint' })?.[0]?.instance).toBe('sharepoint')
  const { datasourceInstance: _, ...nameless } = slack
  expect(check({ ...nameless, authUrlRelativePath: '/auth/datasource/a%20b?token=t' })?.[0]?.instance).toBe(
    'a b',
  )
})

it('what the service lists has a name that rearranges and breaks nothing', () => {
  const name = (displayName: string) => check({ ...slack, displayName })?.[0]?.name ?? ''
  expect(name('a\u202etxt.exe\u2066b\u0000\nc')).toBe('a txt.exe b c')
  expect(name('👩‍👩‍👧‍👦 Asana')).toBe('👩‍👩‍👧‍👦 Asana')
  expect(name('half \ud83d').isWellFormed()).toBe(true)
})

it('what the service lists has an identifier that can stand in an address', () => {
  const instance = check({ ...slack, datasourceInstance: 'half_\ud800_1' })?.[0]?.instance ?? ''
  expect(() => encodeURIComponent(instance)).not.toThrow()
})

it('what a search finds is read from several shapes, and a link leads to the web or nowhere', () => {
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
