// Responses of the service in the contract's shape, and in odd ones.
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

it('JSON is read after a byte order mark (RFC 8259 8.1)', () => {
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
  { unauthorizedDatasourceInstances: ['slack_1'] },
  { unauthorizedDatasourceInstances: [[]] },
])('%j isn’t a list of apps, and never means that everything is connected', (json) => {
  expect(readCheckResponse(json)).toBeUndefined()
})

it.each([
  [{}, 'unnamed', 'unnamed'],
  [{ datasourceInstance: 7 }, 'unnamed', 'unnamed'],
  [{ datasourceInstance: ' \t', displayName: '\u200b' }, 'unnamed', 'unnamed'],
  [{ displayName: 'Nameless' }, 'Nameless', 'Nameless'],
  [{ authUrlRelativePath: '/x/auth/datasource/y_1' }, 'unnamed', 'unnamed'],
])('an app without a name (%j) needs attention, and the other apps work', (entry, instance, name) => {
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
])('an app with the authStatus %j is %s', (authStatus, status) => {
  expect(check({ ...slack, authStatus })?.[0]?.status).toBe(status)
})

it.each([undefined, null, '', 7, 'https://evil.example/', '/auth/datasource/other_1?token=t'])(
  'an app without a usable path (%j) needs attention, and the other apps work',
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
])('the first connectable of two entries of an app counts: %j, %j', (one, other) => {
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
  const response = readSearchResponse({
    results: [
      { title: 'Plan', url: 'https://a.example', snippets: [{ text: 'words' }], datasource: 'slack' },
      { document: { title: 'Doc', url: 'javascript:alert(1)', datasource: 'gdrive' } },
      { name: 'Bare', url: 'not an address', snippets: [] },
      { url: 'https://b.example/x' },
      { document: { name: 'Named', url: 'http://c.example/' }, snippets: [{ snippet: 'older words' }] },
      {
        title: 'One',
        name: 'Two',
        document: { title: 'Three', name: 'Four', datasource: 'jira' },
        snippet: 'own',
      },
      {
        name: 'Two',
        document: { title: 'Three', url: 'xhttps://d.example' },
        datasource: 'slack',
        snippets: 7,
      },
      { url: 'httpsx://d.example' },
      'nonsense',
    ],
    trackingToken: 't',
    requestID: 'r',
  })

  expect(response?.results).toEqual([
    { title: 'Plan', url: 'https://a.example', snippet: 'words', datasource: 'slack' },
    { title: 'Doc', url: undefined, snippet: undefined, datasource: 'gdrive' },
    { title: 'Bare', url: undefined, snippet: undefined, datasource: undefined },
    { title: 'https://b.example/x', url: 'https://b.example/x', snippet: undefined, datasource: undefined },
    { title: 'Named', url: 'http://c.example/', snippet: 'older words', datasource: undefined },
    { title: 'One', url: undefined, snippet: 'own', datasource: 'jira' },
    { title: 'Three', url: undefined, snippet: undefined, datasource: 'slack' },
    { title: '', url: undefined, snippet: undefined, datasource: undefined },
  ])
  expect(response?.requestId).toBe('r')
})

it.each([
  { requestId: 'r' },
  { requestID: 'r' },
  { trackingToken: 't' },
  { results: [], requestId: 'r' },
  { results: null, requestId: 'r' },
])('the search response %j, as right after connecting, has no results', (json) =>
  expect(readSearchResponse(json)?.results).toEqual([]),
)

it.each([undefined, null, {}, [], 'x', { results: null }, { results: {} }])(
  'the search response %j is rejected',
  (json) => {
    expect(readSearchResponse(json)).toBeUndefined()
  },
)

/** Oversized responses cost only their reading, and no truncated app counts as connected. */
const entry = (datasourceInstance: string, displayName = datasourceInstance) => ({
  ...slack,
  datasourceInstance,
  displayName,
  authUrlRelativePath: `/auth/datasource/${encodeURIComponent(datasourceInstance)}?token=t`,
})
const many = (count: number) => Array.from({ length: count }, (_, index) => entry(`app${index}_1`))

it('an identifier over 200 characters hides no app, but can’t be connected', () => {
  const instance = `${'a'.repeat(198)}_1`
  expect(check(entry(instance))).toMatchObject([{ instance, status: 'awaiting' }])
  const found = check(entry('a'.repeat(900_000)), entry('slack_1')) ?? []
  expect(found).toHaveLength(2)
  expect(found[0]?.instance.length).toBeLessThanOrEqual(200)
  expect(found[0]).toMatchObject({ status: 'attention', authUrlRelativePath: undefined })
  expect(found[1]).toMatchObject({ instance: 'slack_1', status: 'awaiting' })
  expect(JSON.stringify(found).length).toBeLessThan(1_000)
})

it('a truncated identifier is stable, and differs from another with the same beginning', () => {
  const [one, other] = ['a'.repeat(900) + '1', 'a'.repeat(900) + '2']
  const first = check(entry(one), entry(other)) ?? []
  expect(new Set(first.map(({ instance }) => instance)).size).toBe(2)
  expect(check(entry(one), entry(other))).toEqual(first)
})

const nameFor = (displayName: string) => check(entry('slack_1', displayName))?.[0]?.name ?? ''

function expectCut(name: string): void {
  expect(name.length).toBeLessThanOrEqual(201)
  expect(name).toMatch(/…$/u)
  expect(name.isWellFormed()).toBe(true)
}

it.each([
  ['of 900,000 letters', 'a'.repeat(900_000)],
  ['of emoji of many parts', '👩‍👩‍👧‍👦'.repeat(400)],
  ['of letters with marks', 'é'.normalize('NFD').repeat(400)],
])('a name %s is cut between visible characters', (_title, displayName) => {
  const name = nameFor(displayName)
  expectCut(name)
  const segments = (text: string) => [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment)
  const shown = segments(name.slice(0, -1))
  expect(shown).toEqual(segments(displayName.slice(0, 2_000)).slice(0, shown.length))
})

it('a name of one letter with very many marks is cut within them', () => {
  const name = nameFor(`a${'\u0301'.repeat(100_000)}`)
  expectCut(name)
  expect(name.startsWith('a\u0301')).toBe(true)
})

it('a name over 200 characters is cut between two words', () => {
  expect(nameFor('a'.repeat(200))).toBe('a'.repeat(200))
  expect(nameFor(`${'a'.repeat(150)} ${'b'.repeat(90)}`)).toBe(`${'a'.repeat(150)}…`)
  expect(nameFor(`${'a'.repeat(199)} b${'c'.repeat(90)}`)).toBe(`${'a'.repeat(199)}…`)
  expect(nameFor(`${'a'.repeat(20)} ${'b'.repeat(300)}`)).toBe(`${'a'.repeat(20)} ${'b'.repeat(179)}…`)
})

it('a list of a thousand apps is read, and a longer one is rejected', () => {
  expect(check(...many(1_000))).toHaveLength(1_000)
  expect(check(...many(1_001))).toBeUndefined()
  const excess: string[] = []
  for (const list of [[entry('a'.repeat(201)), slack, entry('b')], many(1_001)])
    readCheckResponse({ unauthorizedDatasourceInstances: list }, (sentence) => excess.push(sentence))
  expect(excess).toMatchObject(
    [/200 characters/, /more than 1000/].map((part) => expect.stringMatching(part) as string),
  )
})

it('a search response is limited in the number and length of its results', () => {
  const resultWith = (extra: number) => ({
    title: 't'.repeat(300 + extra),
    url: `https://wiki.example/${'u'.repeat(4_075 + extra)}`,
    snippet: 's'.repeat(1_000 + extra),
  })
  const found = readSearchResponse({ results: [0, ...Array<number>(60).fill(1)].map(resultWith) })?.results
  expect(found).toHaveLength(50)
  expect(found?.[0]).toEqual({ ...resultWith(0), datasource: undefined })
  expect(found?.[49]).toMatchObject({
    title: `${'t'.repeat(300)}…`,
    url: undefined,
    snippet: `${'s'.repeat(1_000)}…`,
  })
})
