// A request that may be any is reported: its method and its address have to be there in full, in every format.
import { expect, test } from 'vitest'
import { ndjson } from '../helpers/deprecations.ts'
import { check, idsOf } from './checking.ts'

const listanswers = '/rest/api/v1/listanswers'
const harOf = (request: object) => JSON.stringify({ log: { entries: [{ request, response: {} }] } })
test.each<[string, object]>([
  ['axios', { baseURL: 'https://a/rest/api/v1', url: '/listanswers' }],
  ['axios without a slash', { baseURL: 'https://a/rest/api/v1/', url: 'listanswers' }],
  ['Express', { baseUrl: '/rest/api/v1', originalUrl: listanswers, url: '/listanswers' }],
  ['Express in the middle', { baseUrl: '/rest/api', url: '/v1/listanswers' }],
  ['a client by host', { url: 'https://a', path: listanswers }],
  ['a route', { url: '/', fullUrl: `https://a${listanswers}?q=1` }],
  ['no url', { url: '', originalUrl: listanswers }],
])('an address as %s has it is read from all that the record states', async (_what, addresses) => {
  const { report } = await check(ndjson({ method: 'POST', ...addresses, request: {}, response: {} }))
  expect([idsOf(report.inUse), report.faults]).toEqual([['listanswers'], 0])
})

test.each<[string, string]>([
  ...['', 'https://a', 'https://a?b=/c', '[REDACTED]', 'https://a/[path]', 'listanswers', '***'].map(
    (url): [string, string] => ['POST', url],
  ),
  ...[
    '/rest/api/v1/listanswers HTTP/1.1',
    `POST ${listanswers}`,
    '/%5BREDACTED%5D',
    'https://a/redacted',
  ].map((url): [string, string] => ['POST', url]),
  ...['/rest/api/v1/lista...', '/rest/api/v1/lista…', '/.../listanswers', '/rest/***'].map(
    (url): [string, string] => ['POST', url],
  ),
  ...['*', 'ANY', 'UNKNOWN', 'METHOD_POST', 'P', '', 'HTTP POST'].map((method): [string, string] => [
    method,
    listanswers,
  ]),
])('the request "%s %s" may be any, so it is reported', async (method, url) => {
  const { code, report } = await check(ndjson({ method, url, referrer: 'https://a/b', contentType: 'a/b' }))
  expect([code, report.faults, report.requests]).toEqual([1, 1, 0])
})

test.each<[string, string]>([
  ...['https://a/[REDACTED]', '/***', '', 'https://a', `POST ${listanswers}`].map((url): [string, string] => [
    'POST',
    url,
  ]),
  ['***', listanswers],
])('the request "%s %s" in a HAR may be any as well', async (method, url) => {
  const { code, report } = await check(harOf({ method, url }), 'a.har')
  expect([code, report.faults, report.requests]).toEqual([1, 1, 0])
})

test.each(['data:image/svg+xml,<svg a b>', 'about:blank', 'https://a/web/*/b/c', 'https://a/users/:id'])(
  'the address "%s" in a HAR is another one',
  async (url) => {
    expect((await check(harOf({ method: 'GET', url }), 'a.har')).report).toMatchObject({
      faults: 0,
      inUse: [],
    })
  },
)

test.each(['/rest/api/v1/:op', '/rest/api/v1/{op}', '/v1/<op>', '/rest/*', '/rest/api/:v/listanswers'])(
  'the route %s may be any operation, so it is reported',
  async (url) => {
    const record = { method: 'POST', url, request: {}, response: {} }
    expect((await check(ndjson(record))).report).toMatchObject({ faults: 1, inUse: [] })
    expect((await check(harOf(record), 'a.har')).report).toMatchObject({ faults: 1, inUse: [] })
  },
)

test('a route that ends as one operation does is that one', async () => {
  const { report } = await check(ndjson({ method: 'POST', url: `/:tenant${listanswers}` }))
  expect([idsOf(report.inUse), report.faults]).toEqual([['listanswers'], 0])
})

test.each<[string, string]>([
  ['PROPFIND', '/x'],
  ['get', 'https://[::1]:8080/compare/main...dev?a[]=…'],
  ['M-SEARCH', '/a...b/b[1]'],
])('the request "%s %s" is another one', async (method, url) => {
  const { report } = await check(ndjson({ method, url, host: 'a', referer: `https://a${listanswers}` }))
  expect([report.requests, report.faults, report.inUse]).toEqual([1, 0, []])
})

test.each([
  '/rest/api/v1/listanswers;jsessionid=1',
  '/rest/api/v1/x/../listanswers',
  '/rest/./api/v1/listanswers',
  String.raw`https:\\a\rest\api\v1\listanswers`,
  ' /rest/api/v1/listanswers ',
  '/rest%2Fapi%2fv1/listanswers',
])('the address "%s" is of the operation that a server takes it for', async (url) => {
  const record = { method: ' post ', url }
  for (const { report } of [await check(ndjson(record)), await check(harOf(record), 'a.har')])
    expect(idsOf(report.inUse)).toEqual(['listanswers'])
})
