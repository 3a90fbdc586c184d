// A HAR often says that there was a body without having it: it is not called clean for that.
import { deflateRawSync, gzipSync, brotliCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { check, chat, idsOf, possibleWith, standingOf } from './checking.ts'

const citing = '{"messages":[{"citations":[]}]}'
const plain = '{"messages":[{"text":"SECRET"}]}'

describe('a HAR', () => {
  const none = { headers: [{ name: 'Content-Length', value: '0' }] }
  const har = (response: object, request: object = none, _eventSourceMessages: object[] = []) =>
    JSON.stringify({
      log: {
        entries: [{ request: { method: 'POST', url: chat.url, ...request }, response, _eventSourceMessages }],
      },
    })
  const chunked = [{ name: 'Transfer-Encoding', value: 'chunked' }]
  const text = (body: string) => ({ status: 200, content: { size: body.length, text: body } })

  test.each([
    ['bodySize without text', har({ status: 200, bodySize: 812, content: {} })],
    ['bodySize without text and a size of 0', har({ status: 200, bodySize: 812, content: { size: 0 } })],
    ['size without text', har({ status: 200, content: { size: 812 } })],
    ['an empty text of a size', har({ status: 200, content: { size: 812, text: '' } })],
    ['no answer', har({ status: 0, bodySize: -1, content: { size: 0 } })],
    [
      'a length without text',
      har({ status: 200, headers: [{ name: 'Content-Length', value: '9' }], content: {} }),
    ],
    ['a truncated text', har({ status: 200, content: { size: 3, text: '{}', _truncated: true } })],
    ['less text than its size', har({ status: 200, content: { size: 5_000, text: plain } })],
    ['less text than its length', har({ status: 200, bodySize: 5_000, content: { size: -1, text: plain } })],
    [
      'less text than its header says',
      har({ status: 200, headers: [{ name: 'Content-Length', value: '900' }], content: { text: plain } }),
    ],
    ['a remark in the place of a text', har(text('{"message":"[REDACTED]"}'))],
    ['a request that was left out', har(text(plain), { bodySize: 812 })],
    ['a request of unknown size', har(text(plain), { bodySize: -1, postData: { text: '' } })],
    ['a request without a size', har(text(plain), { postData: { text: '' }, bodySize: undefined })],
    ['a request in chunks', har(text(plain), { bodySize: 0, headers: chunked, postData: { text: '' } })],
    ['an object in the place of a text', har(text(plain), { ...none, postData: { text: { a: 1 } } })],
    ['a text in the place of an object', har(text(plain), { ...none, postData: 'a' })],
    ['an empty answer of unknown size', har({ status: 200, bodySize: -1, content: { size: 0, text: '' } })],
    ['an empty answer without sizes', har({ status: 200, content: { text: '' } })],
    [
      'an empty answer in chunks',
      har({ status: 200, bodySize: 0, headers: chunked, content: { size: 0, text: '' } }),
    ],
    ['an answer that was cached', har({ status: 304, bodySize: 0, content: { size: 0, text: '' } })],
    ['a body of its own', har({ ...none, status: 200, body: citing, content: { size: 0 } })],
    ['JSON of its own', har({ ...none, status: 200, content: { size: 0, json: { citations: 1 } } })],
    ['a text of its own', har({ ...none, status: 200, content: { size: 0, body: citing } })],
    ['JSON that is sent', har(text(plain), { ...none, postData: { text: '', json: { citations: 1 } } })],
    ['events beside', har({ ...none, status: 200, content: { size: 0 } }, none, [{ data: citing }])],
    ['parameters that were left out', har(text(plain), { bodySize: 812, postData: { params: [] } })],
    ['a stream', har({ status: 200, bodySize: 0, content: { size: 0, compression: 0, text: null } })],
    ['a stream over HTTP/2', har({ status: 200, bodySize: 0, content: { size: 0, text: '' } })],
    ['an answer that was left out', har({ status: 500, bodySize: 0, content: { size: 0, text: null } })],
    ['a request in a stream', har(text(plain), { bodySize: 0, postData: { text: null, params: [] } })],
    ['a request with an empty text', har(text(plain), { bodySize: 0, postData: { text: '' } })],
    ['a request without postData', har(text(plain), { bodySize: 0 })],
  ])('with %s may use the fields of its call', async (_what, content) => {
    expect(await standingOf(content, 'a.har')).toEqual(possibleWith(0))
  })

  test.each([
    ['cut off', har(text(`{"messages":[{"text":"SECRET"`))],
    [
      'of an unknown kind',
      har({
        status: 200,
        content: { text: Buffer.from([1, 2, 3, 255]).toString('base64'), encoding: 'base64' },
      }),
    ],
    ['in words', har(text('stream'))],
    ['marked as cut', har(text('{"messages":[],"_truncated":true}'))],
    ['marked as cut inside', har(text('{"messages":[{"__truncated":true}]}'))],
    ['of base64 without padding', har(text(Buffer.from('{"citations":[]}').toString('base64url')))],
  ])('with a body that is %s is reported with its entry', async (_what, content) => {
    expect(await standingOf(content, 'a.har')).toEqual(possibleWith(1))
    const { err, report } = await check(content, 'a.har')
    expect(err).toMatch(/a\.har:1: the response of POST \/rest\/api\/v1\/chat /)
    expect(report.mayBeInUse).toMatchObject([{ places: [{ record: '/log/entries/0', side: 'response' }] }])
  })

  describe('with parameters beside', () => {
    const url = 'https://a/rest/api/v1/createannouncement?q=1'
    const sent = (request: object) => check(har(text('{}'), { url, ...none, ...request }), 'a.har')
    const params = [{ name: 'boardId', value: '1' }]

    test('an address or a text that lacks them are not called clean', async () => {
      for (const request of [
        { postData: { text: '{}' }, queryString: params },
        { postData: { text: '{"title":"boardId"}', params } },
        { postData: { text: 'title=1', params } },
      ])
        expect(idsOf((await sent(request)).report.mayBeInUse)).toContain('createannouncement.boardId')
    })

    test('an address and a form that have them are read', async () => {
      const queryString = [{ name: 'q', value: '1' }]
      const postData = { text: 'title=a%20b', params: [{ name: 'title', value: 'a b' }] }
      expect((await sent({ queryString, postData })).report).toMatchObject({ mayBeInUse: [], faults: 0 })
    })
  })

  test.each([
    ['gzip', gzipSync(citing)],
    ['br', brotliCompressSync(citing)],
    ['deflate', deflateRawSync(citing)],
    ['identity', Buffer.from(citing)],
  ])('with a body in %s is read', async (encoding, bytes) => {
    const response = {
      status: 200,
      headers: [{ name: 'content-encoding', value: encoding }],
      content: { size: 1, encoding: 'base64', text: bytes.toString('base64') },
    }
    expect(idsOf((await check(har(response), 'a.har')).report.inUse)).toEqual(['chat.citations'])
  })

  test.each([
    ['of mitmproxy', { bodySize: 60, content: { size: 60, compression: plain.length - 60, text: plain } }],
    ['without compression', { bodySize: 60, content: { size: 60, text: plain } }],
    ['without a size', { bodySize: 60, content: { size: -1, text: plain } }],
  ])('%s with the compressed length as its size has nothing unread', async (_what, response) => {
    const headers = [{ name: 'content-encoding', value: 'gzip' }]
    const { report } = await check(har({ status: 200, headers, ...response }), 'a.har')
    expect(report).toMatchObject({ inUse: [], mayBeInUse: [], faults: 0 })
  })

  test('with a body in UTF-16 is read', async () => {
    const content = { encoding: 'base64', mimeType: 'application/json; charset=utf-16le' }
    const response = {
      status: 200,
      content: { ...content, text: Buffer.from(citing, 'utf16le').toString('base64') },
    }
    expect(idsOf((await check(har(response), 'a.har')).report.inUse)).toEqual(['chat.citations'])
  })

  test('whose answers are empty by right has nothing unread', async () => {
    for (const response of [
      { status: 204, content: {} },
      { ...none, status: 200, bodySize: 0, content: { size: 0 } },
      { ...none, status: 200, bodySize: 0, content: { size: 0, text: '' } },
      { status: 500, bodySize: 0, content: { size: 0, text: '' } },
      {
        ...none,
        status: 200,
        bodySize: 0,
        _transferSize: 90,
        cookies: [{}],
        _own: {},
        _error: null,
        content: { size: 0 },
      },
      { status: 200, bodySize: -1, headers: [{ name: 'content-length', value: '0' }], content: { size: 0 } },
    ])
      expect((await check(har(response), 'a.har')).report).toMatchObject({ mayBeInUse: [], faults: 0 })
  })
})
