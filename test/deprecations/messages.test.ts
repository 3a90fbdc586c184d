// Recorders write a whole message in the place of a body, often without one: a message is never taken for the body itself.
import { describe, expect, test } from 'vitest'
import { readRecord } from '../../packages/deprecations/src/input/ndjson.ts'
import { createMatcher } from '../../packages/deprecations/src/matching/deprecated-use.ts'
import { publishedSchedule } from '../../packages/deprecations/src/schedule/published-schedule.ts'
import type { Side } from '../../packages/deprecations/src/schedule/schedule.ts'
import { ndjson } from '../helpers/deprecations.ts'
import { check } from './checking.ts'

const matcher = createMatcher(publishedSchedule)
const url = 'https://a/rest/api/v1/createannouncement'
const length = { 'content-length': '812' }

/** The confidences with which fields were found: of the request by createannouncement, of the answer by chat. */
const foundIn = (side: Side, recorded: unknown): string[] => {
  const path = side === 'request' ? url : '/rest/api/v1/chat'
  const record = { method: 'POST', url: path, request: {}, response: {}, [side]: recorded }
  const reading = readRecord({ text: JSON.stringify(record), value: record })
  const found = new Set<string>()
  if ('call' in reading) matcher.eachUse(reading.call, ({ confidence }) => found.add(confidence))
  return [...found]
}

describe('a request that is written as a message', () => {
  test.each<[string, object]>([
    ['a HAR', { method: 'POST', url, headers: [], queryString: [], cookies: [], bodySize: 812 }],
    ['Postman', { method: 'POST', header: [], body: { mode: 'file', file: { src: '/a' } } }],
    ['a HAR with nothing in postData', { method: 'POST', url, postData: { mimeType: 'a' } }],
    ['Kong', { uri: '/x', url, size: '812', querystring: {}, headers: length, method: 'POST' }],
    ['express-winston', { url: '/x', headers: {}, method: 'POST', originalUrl: '/x', query: {} }],
    ['pino', { id: 1, method: 'POST', url: '/x', params: {}, headers: {}, remotePort: 4 }],
    ['hapi', { method: 'post', path: '/x', remoteAddress: '::1' }],
    ['fetch', { method: 'POST', headers: {}, mode: 'cors', credentials: 'include' }],
    ['axios', { url, method: 'post', headers: {}, timeout: 0 }],
    ['Charles', { sizes: { headers: 10, body: 812 }, header: { headers: [] }, charset: null }],
    ['Sentry', { size: 812, headers: {}, _meta: { warnings: ['URL_SKIPPED'] } }],
    ['Sentry with a cut body', { headers: {}, body: { a: 1 }, _meta: { warnings: ['JSON_TRUNCATED'] } }],
    ['ECS', { id: 'a', method: 'POST', body: { bytes: 812 }, referrer: 'x' }],
    ['flattened ECS', { id: 'a', 'body.bytes': 812 }],
    ['a proxy with sizes', { id: 'a', body_sha256: 'ab12' }],
    ['Envoy', { headers: [], body: { truncated: true, as_bytes: '' } }],
    ['Envoy with a cut body', { headers: [], body: { truncated: true, as_string: '{"title":"x"' } }],
    ['VCR', { method: 'post', uri: url, body: { encoding: 'UTF-8', string: '' }, headers: length }],
    ['a trace of the body', { body: { size: 812 } }],
    ['a trace in headers', { headers: {}, body: { redacted: true } }],
    ['a remark', { headers: {}, body: { message: '[REDACTED]' } }],
    ['a remark in a text', { headers: {}, body: '{"message":"[REDACTED]"}' }],
    ['nothing in a wrapper', { body: { status: 200, body: null } }],
    ['bytes that were cut', { headers: {}, body: { a: 1 }, truncatedBytes: 100 }],
  ])('by %s is not all', (_recorder, request) => {
    expect(foundIn('request', request)).toEqual(['endpoint'])
  })
})

describe('an answer that is written as a message', () => {
  test.each<[string, object]>([
    ['a HAR', { status: 200, headers: [], cookies: [], content: { size: 812, mimeType: 'a' }, bodySize: -1 }],
    ['Kong', { status: 200, size: '812', headers: {}, latency: 3 }],
    ['pino', { statusCode: 200, responseTime: 3 }],
    ['axios', { status: 200, headers: {}, config: {}, data: null }],
    ['fetch', { type: 'basic', url, status: 200, ok: true, headers: {}, body: {}, bodyUsed: false }],
    ['the protocol of Chromium', { url, status: 200, headers: {}, mimeType: 'a', encodedDataLength: 812 }],
    ['requests', { status_code: 200 }],
    ['a status that is a text', { status: '200', ms: 3 }],
    ['ECS', { http: { response: { status_code: 200, body: { bytes: 812 } } } }],
    ['Traefik', { DownstreamStatus: 200, Duration: 3 }],
    ['GoReplay', { id: 'a', raw: 'HTTP/1.1 200 OK\r\nContent-Length: 812\r\n\r\n' }],
    ['a HAR of a stream', { status: 200, headers: [], content: { size: 0, mimeType: 'a' } }],
    ['a client that has a stream', { status: 200, headers: {}, data: { _readableState: {} } }],
    ['Postman', { id: 'a', status: 'OK', code: 200, header: [], responseTime: 3 }],
  ])('by %s is not all', (_recorder, response) => {
    expect(foundIn('response', response)).toEqual(['endpoint'])
  })
})

describe('nothing is missing of', () => {
  test.each<[string, Side, object]>([
    ['a message with its body', 'request', { id: 1, method: 'POST', url: '/x', headers: {}, body: { a: 1 } }],
    ['one with its body as a text', 'response', { status: 200, headers: length, ms: 3, body: '{"a":1}' }],
    [
      'one with a body that is empty',
      'request',
      { method: 'POST', cookies: {}, headers: { 'content-length': 0 } },
    ],
    ['one that has none by right', 'response', { status: 204, headers: {}, responseTime: 3 }],
    ['an answer of axios', 'response', { status: 200, headers: {}, config: {}, data: { a: 1 } }],
    ['a body with a state', 'response', { status: 'DONE', method: 'fast', header: 'a', size: 'L' }],
    [
      'the protocol of Chromium',
      'response',
      { body: Buffer.from('{"a":1}').toString('base64'), base64Encoded: true },
    ],
    ['an error', 'response', { type: 'about:blank', title: 'Not found', status: 404, detail: 'no chat' }],
    ['a wrapper around one', 'response', { status: 404, headers: {}, body: { status: 404, error: 'a' } }],
  ])('%s', (_what, side, recorded) => {
    expect(foundIn(side, recorded)).toEqual([])
  })
})

test('a deep or odd record is read without a fault of the program', async () => {
  const deep = (from: string, to: string) => from.repeat(20_000) + to
  const chat = '{"method":"POST","url":"/rest/api/v1/chat"'
  for (const more of [
    `"requestBody":${deep('[', ']'.repeat(20_000))}`,
    `"response":${deep('{"http":', `1${'}'.repeat(20_000)}`)}`,
    `"request":${deep('{"body":', `1${'}'.repeat(20_000)}`)}`,
    '"status":{"toString":1},"request":{"body":"","size":{"toString":1},"headers":{}}',
    '"response":{"method":{"toString":1},"status":[{"toString":1}],"truncated":{"toString":1}}',
  ])
    expect((await check(`${chat},${more}}\n`)).report.requests).toBe(1)
  expect((await check(ndjson({ method: 'POST', url, request: {}, response: {} }))).code).toBe(0)
})
