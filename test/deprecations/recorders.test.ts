// Recorders write bodies in their own ways. What they left out, encoded or wrapped is never taken for a clean body.
import { describe, expect, test } from 'vitest'
import { ndjson } from '../helpers/deprecations.ts'
import { chat, check, idsOf, possibleWith, standingOf } from './checking.ts'

const chatOf = (response: unknown, more: object = {}) => ndjson({ ...chat, request: {}, response, ...more })

describe('a body that a recorder did not keep as it was', () => {
  test.each<[string, string]>([
    ['base64 with padding, which looks like a form', Buffer.from('{"citations":12}').toString('base64')],
    ['base64 of spread JSON', Buffer.from(`{\n  "citations": 1 }`).toString('base64')],
    ['hex', Buffer.from('{"citations":1}').toString('hex')],
    ['(binary)', '(binary)'],
    ['REDACTED', 'REDACTED'],
    ['body omitted', 'response body omitted'],
    ['too large', 'too large'],
    ['stars', '***'],
    ...(
      'stream|[stream]|ReadableStream|skipped|unavailable|Blob|elided|see file|OK|Accepted|data|…|<Buffer 7b 22>|"word"|' +
      'application/json|chunked|true|0|null|[...]|[DONE]|sha256:abcdef|s3://bucket/key|/var/log/1.json|https://logs/x|' +
      '7b22c6de-1f0e-4c3a-9c3e-0d6f1c2b3a44|eyJjaXRhdGlvbnMiOltdfQ|0x7b7d|citations messages|["messages","citations"]'
    )
      .split('|')
      .map((words): [string, string] => [words, words]),
  ])('%s is reported, and the item may be in use', async (_what, response) => {
    expect(await standingOf(chatOf(response), 'a.ndjson')).toEqual(possibleWith(1))
  })

  test.each([
    ['incomplete: true', { incomplete: true }],
    ['incomplete: "response"', { incomplete: 'response' }],
    ['truncated: true', { truncated: true }],
    ['requestBody', { requestBody: { citations: [] } }],
    ['response_body', { response_body: '{"citations":[]}' }],
  ])('one that has %s beside may bear more', async (_what, mark) => {
    expect(await standingOf(chatOf({}, mark), 'a.ndjson')).toEqual(possibleWith(0))
  })

  test.each([
    ['a form', 'email=a%40b.example'],
    ['a stream of words', 'data: Accepted\n\n'],
    ['an empty list', '[]'],
  ])('%s hides nothing', async (_what, response) => {
    expect((await check(chatOf(response))).report).toMatchObject({ mayBeInUse: [], faults: 0 })
  })

  test('an empty body beside one that was kept says nothing', async () => {
    const beside = { requestBody: {}, responseBody: '', response_data: null, requestId: 'x' }
    expect((await check(chatOf({}, beside))).report).toMatchObject({ mayBeInUse: [], faults: 0 })
  })

  test('the words of an error may speak of what is too large', async () => {
    for (const status of [413, '413'])
      expect((await check(chatOf('The payload is too large', { status }))).report).toMatchObject({
        mayBeInUse: [],
        faults: 0,
      })
  })
})

describe('an answer as clients have it', () => {
  const body = { trackingToken: 't' }
  const text = JSON.stringify(body)
  const getanswer = { method: 'POST', url: '/rest/api/v1/getanswer', request: {} }
  test.each([
    ['data beside a status and headers', { status: 200, statusText: 'OK', headers: {}, data: body }],
    ['data beside other members', { status: 200, headers: {}, data: body, config: { timeout: 0 } }],
    ['text', { status: 200, text }],
    ['bodyText', { statusCode: 200, bodyText: text }],
    ['content', { status: 200, headers: [], content: text }],
    [
      'content of a HAR',
      { status: 200, headers: [], content: { size: 21, mimeType: 'application/json', text } },
    ],
    ['a text below data of another wrapper', { status: 200, body: { status: 200, headers: {}, data: body } }],
    ['postData', { method: 'POST', url: '/a', headers: {}, bodySize: 21, cookies: [], postData: { text } }],
    ['a Buffer', JSON.parse(JSON.stringify(Buffer.from(text))) as object],
    ['a Buffer in a wrapper', { status: 200, headers: {}, body: Buffer.from(text).toJSON() }],
    ['a Uint8Array', JSON.parse(JSON.stringify(new Uint8Array(Buffer.from(text)))) as object],
  ])('with its body in %s is read as one without', async (_what, response) => {
    const { report } = await check(ndjson({ ...getanswer, response }))
    expect(idsOf(report.inUse)).toEqual(['getanswer.trackingToken'])
  })

  test('a body of its own with members of these names stays one', async () => {
    const response = { data: body, text: 'SECRET', content: [body], status: 'DONE' }
    const { report } = await check(ndjson({ ...getanswer, response }))
    expect(report).toMatchObject({ inUse: [], mayBeInUse: [], faults: 0 })
  })
})

describe('a HAR of Chromium', () => {
  const none = { headers: [{ name: 'content-length', value: '0' }] }
  const har = (response: object) =>
    JSON.stringify({
      log: { entries: [{ request: { method: 'POST', url: chat.url, ...none }, response }] },
    })
  test.each([
    ['a stream', { status: 200, bodySize: -1, _transferSize: 500, content: { size: 0 } }],
    [
      'a call that was broken off',
      { status: 200, _error: 'net::ERR_ABORTED', bodySize: 0, content: { size: 0 } },
    ],
    [
      'a call that was broken off on the way',
      { status: 200, _error: 'net::ERR_FAILED', content: { size: 2, text: '{}' } },
    ],
  ])('with %s may use the fields of its call', async (_what, response) => {
    expect(await standingOf(har(response), 'a.har')).toEqual(possibleWith(0))
  })
})
