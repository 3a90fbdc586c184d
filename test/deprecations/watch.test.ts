// The watch over a client's own calls: its findings, and calls and responses stay unchanged.
import { Request as OtherRequest } from 'undici'
import { expect, it, vi } from 'vitest'
import { publishedSchedule } from '../../packages/deprecations/src/schedule/published-schedule.ts'
import { createWatch, watchDeprecations } from '../../packages/deprecations/src/watch/watch.ts'

type WatchOptions = NonNullable<Parameters<typeof createWatch>[1]>
type Notice = Parameters<NonNullable<WatchOptions['log']>>[0]

type Observed = Parameters<ReturnType<typeof createWatch>['observe']>[0]

const now = () => Date.parse('2026-11-21T12:00:00Z')
const call = { method: 'POST', url: 'https://a/rest/api/v1/search', status: 200, headers: {} }
const noticing = () => {
  const logged: Notice[] = []
  const counted: Notice[] = []
  const log = (notice: Notice) => logged.push(notice)
  const count = (notice: Notice) => counted.push(notice)
  return { logged, counted, options: { log, count, now, seen: new Set<string>() } }
}
const noticesOf = (observed: Partial<Observed>) => {
  const { logged, options } = noticing()
  createWatch(publishedSchedule, options).observe({ ...call, ...observed })
  return logged
}

it('a call is logged once per process and item, and counted every time', () => {
  const { logged, counted, options } = noticing()
  const [one, other] = [createWatch(publishedSchedule, options), createWatch(publishedSchedule, options)]
  const used = { ...call, url: '/rest/api/v1/insights', request: '{"searchSessionSatisfaction":7}' }
  for (const watch of [one, one, other]) watch.observe(used)
  expect(counted).toHaveLength(3)
  expect(logged).toMatchObject([{ item: 'insights.searchSessionSatisfaction', by: 'use' }])
  expect(logged[0]?.message).toContain('removal on 2027-01-15, 55 days left, fix by 2027-01-14')
})

it('a call with a match by name only may be a use', () => {
  const url = '/rest/api/v1/createannouncement'
  const request = { permissions: { role: 1 }, author: { role: 1 } }
  const item = 'createannouncement.role'
  expect(noticesOf({ url, request })).toMatchObject([{ item, by: 'possible' }])
  expect(noticesOf({ url, request: { ...request, role: 1 } })).toMatchObject([{ by: 'use' }])
})

it.each(['{"a":{"citations":1}}\n{"citations":1}', '{"citations":1}\n{"a":{"citations":1}}'])(
  'a call is a use wherever the field itself is found: %j',
  (request) => expect(noticesOf({ url: '/rest/api/v1/chat', request })).toMatchObject([{ by: 'use' }]),
)

it('a call whose response has a deprecated field may be a use', () => {
  const url = '/rest/api/v1/chat'
  const response = { citations: [], a: { citations: [] } }
  expect(noticesOf({ url, response })).toMatchObject([
    { by: 'possible', message: expect.stringContaining('may be in use (the service sends it') as string },
  ])
  expect(noticesOf({ url, request: { citations: [] }, response })).toMatchObject([
    { by: 'use', message: expect.stringContaining('is in use: ') as string },
  ])
})

it('a 410 is explained by the schedule', () => {
  const messageAt = (url: string) =>
    noticesOf({ url, status: 410 }).findLast(({ by }) => by === 'gone')?.message
  expect(messageAt('/api/index/v1/getusercount')).toMatch(
    /410; the published schedule: removed on 2026-10-15, 37 days ago; no replacement/,
  )
  expect(messageAt('/rest/api/v1/getanswer')).toMatch(
    /410; .+ has only fields of it: trackingToken \(2027-01-15\)$/,
  )
  expect(messageAt('/v2/x/4711')).toBe('POST /v2/x/{…} returned 410; it is not on the published schedule')
})

const sunset = 'Fri, 15 Jan 2027 00:00:00 GMT'
const removal = 'a removal on 2027-01-15'
it.each<[Observed['headers'], string, string]>([
  [{ Deprecation: '@1777000000' }, 'deprecation', 'a deprecation'],
  [{ deprecation: 'true' }, 'deprecation', 'a deprecation'],
  [{ deprecation: 'Sun, 11 Nov 2018 23:59:59 GMT', sunset }, 'deprecation', removal],
  [[['Sunset', `${sunset}, ${sunset}`]], 'sunset', removal],
  [{ warning: ['110 - "stale"', '299 - "This API is deprecated, SECRET"'] }, 'warning', 'a deprecation'],
  [{ 'X-Service-Deprecation-Date': '2027-01-15' }, 'x-service-deprecation-date', 'a deprecation'],
])('a response with the headers %j announces a deprecation', (headers, header, what) => {
  const item = 'POST /v2/x/{…}'
  const message = `the ${header} header of ${item} announces ${what}; it is not on the published schedule`
  expect(noticesOf({ headers, url: 'https://a/v2/x/4711?t=SECRET' })).toEqual([
    { item, operation: item, by: 'announced', message },
  ])
})

it.each([
  {},
  { deprecation: 'false' },
  { deprecation: '?0' },
  { sunset: 'soon' },
  { warning: '110 - "Response is stale"' },
  { warning: '199 - "deprecated"' },
  { 'x-request-id': 'deprecated' },
  { 'x-deprecated': 'false' },
])('a response with the headers %j announces no deprecation', (headers: Observed['headers']) =>
  expect(noticesOf({ headers })).toEqual([]),
)

it('a sunset of an operation that only loses fields is explained by the schedule', () => {
  const headers = { sunset: 'Thu, 15 Oct 2026 00:00:00 GMT' }
  const item = 'POST /rest/api/v1/chat'
  const message =
    `the sunset header of ${item} announces a removal on 2026-10-15; ` +
    'the published schedule has only fields of it: citations (2026-10-15)'
  expect(noticesOf({ url: '/rest/api/v1/chat', headers })).toMatchObject([{ item, message }])
})

it('errors of the log, the counter or headers, and rejected promises, never reach the caller', async () => {
  const fail = vi.fn<() => never>(() => {
    throw new Error('full')
  })
  const watch = createWatch(publishedSchedule, { log: fail, count: fail, seen: new Set() })
  watch.observe({ ...call, status: 410 })
  watch.observe({ ...call, headers: undefined as unknown as [] })
  expect(fail).toHaveBeenCalledTimes(2)
  const rejecting = vi.fn<() => Promise<never>>(() => Promise.reject(new Error('full')))
  const hooks = { log: rejecting, count: rejecting, seen: new Set<string>() }
  const fetch = watchDeprecations(() => Promise.resolve(new Response('')), publishedSchedule, hooks)
  // An unhandled rejection fails the test run.
  await fetch('https://a/rest/api/v1/listanswers', { method: 'POST' })
  await expect.poll(() => rejecting.mock.calls.length).toBe(2)
})

/** Sends a body with a fetch that returns this response. The header is announced last, after all checks. */
const sending = async (path: string, init: RequestInit & { duplex?: string }, body: string) => {
  const { logged, options } = noticing()
  const response = new Response(body, { headers: { deprecation: 'true' } })
  const fetch = watchDeprecations(() => Promise.resolve(response), publishedSchedule, options)
  expect(await fetch(`https://a${path}`, { method: 'POST', ...init })).toBe(response)
  await expect.poll(() => logged.at(-1)?.by).toBe('announced')
  expect(JSON.stringify(logged)).not.toContain('SECRET')
  return { response, items: logged.slice(0, -1).map(({ item, by }) => `${by} ${item}`) }
}
const chat = async (body: string) => (await sending('/rest/api/v1/chat', { body: '{}' }, body)).items
const possible = ['possible chat.citations']

it('a watched fetch returns the same response, and fails as before', async () => {
  const body = '{"a":"SECRET"}\n{"messages":[{"citations":["SECRET"]}]}\n'
  const { response, items } = await sending('/rest/api/v1/chat?token=SECRET', { body: '{"m":1}' }, body)
  expect([await response.text(), items]).toEqual([body, possible])
  const failing = watchDeprecations(() => Promise.reject(new Error('down')), publishedSchedule)
  await expect(failing('https://a/rest/api/v1/chat', { method: 'POST' })).rejects.toThrow('down')
})

it.each<[string, NonNullable<RequestInit['body']>]>([
  ['a text', '{"boardId":"SECRET"}'],
  ['a Blob', new Blob(['{"boardId":"SECRET"}'])],
  ['bytes', new TextEncoder().encode('{"boardId":"SECRET"}')],
])('a watched fetch reads %s in the request', async (_title, body) => {
  const { items } = await sending('/rest/api/v1/createannouncement', { body }, '{}')
  expect(items).toEqual(['use createannouncement.boardId'])
})

it.each([
  ['the global fetch', Request],
  ['undici', OtherRequest as unknown as typeof Request],
])('a watched fetch reads a Request of %s without consuming it', async (_title, Kind) => {
  const { logged, options } = noticing()
  const answer = (_input: Request) => Promise.resolve(new Response('{}'))
  const request = new Kind('https://a/rest/api/v1/chat', { method: 'POST', body: '{"citations":1}' })
  await watchDeprecations(answer, publishedSchedule, options)(request)
  await expect.poll(() => logged).toMatchObject([{ item: 'chat.citations', by: 'use' }])
  expect(await request.text()).toBe('{"citations":1}')
})

it('a watched fetch counts a Request with the method and body of the options', async () => {
  const { logged, options } = noticing()
  const answer = (_input: Request, _init?: RequestInit) => Promise.resolve(new Response('{}'))
  const fetch = watchDeprecations(answer, publishedSchedule, options)
  await fetch(new Request('https://a/rest/api/v1/chat'), { method: 'POST', body: '{"citations":1}' })
  await expect.poll(() => logged).toMatchObject([{ item: 'chat.citations', by: 'use' }])
})

it('a watched fetch doesn’t read a stream in the request', async () => {
  const body = new Blob(['{"citations":1}']).stream()
  const { items } = await sending('/rest/api/v1/chat', { body, duplex: 'half' }, '{}')
  expect([items, body.locked]).toEqual([[], false])
})

it.each([
  ['of more than 1 MiB', `${'{"a":"x"}\n'.repeat(150_000)}{"citations":1}`, []],
  ['of less than 1 MiB', `${'{"a":"x"}\n'.repeat(90_000)}{"citations":1}`, possible],
  ['that is cut off after a field', '{"citations":1}\n{"b', possible],
  ['in another form', '<a>SECRET</a>', []],
  ['with JSON in a string', '{"raw":"{\\"citations\\":\\"SECRET\\"}"}', possible],
  ['that is nested too deeply', `${'[{"a":'.repeat(9_000)}1${'}]'.repeat(9_000)}`, []],
])('a watched fetch survives a response %s', async (_title, answer, items) =>
  expect(await chat(answer)).toEqual(items),
)
