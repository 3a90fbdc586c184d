// Recorders wrap bodies in ways of their own. A body that may be inside what was recorded is never called clean.
import { deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { ndjson } from '../helpers/deprecations.ts'
import { chat, check, idsOf, possibleWith, standingOf } from './checking.ts'

const possible = async (call: string) => idsOf((await check(call, 'a.ndjson')).report.mayBeInUse)

const citing = '{"messages":[{"citations":[]}]}'
const plain = '{"messages":[{"text":"SECRET"}]}'

const wrappers: [string, (body: string) => unknown][] = [
  ['beside an address', (body) => ({ body, ip: '192.0.2.7' })],
  ['beside a duration', (body) => ({ body, latencyMs: 3 })],
  ['in the content of a HAR', (body) => ({ content: { mimeType: 'application/json', text: body } })],
  ['under a name of its own', (body) => ({ raw: body })],
]

describe.each(wrappers)('a body that is a text %s', (_where, wrap) => {
  test.each(['request', 'response'] as const)('may be the body of the %s', async (side) => {
    const call = (body: string) => ndjson({ ...chat, request: {}, response: {}, [side]: wrap(body) })
    expect(await possible(call(citing))).toContain('chat.citations')
    expect(await possible(call(plain))).toEqual([])
  })
})

test.each([[{ bodySize: 812 }], [{ size: 812 }], [{ content_length: '812' }], [812], [true]])(
  'a body of which only this was recorded was not recorded: %j',
  async (request) => {
    const call = ndjson({ ...chat, request, response: {} })
    expect(await possible(call)).toContain('chat.citations')
  },
)

test('a text that would grow to many megabytes is not unpacked, and never called clean', async () => {
  const bomb = base64(gzipSync(Buffer.alloc(40 * 1024 * 1024, ' ')))
  const call = ndjson({ ...chat, request: { raw: bomb }, response: {} })
  expect(await possible(call)).toContain('chat.citations')
})

describe('a request in the place of which a recorder wrote', () => {
  test.each([
    '-',
    '...',
    '…',
    '812 bytes',
    '(812)',
    '[redacted]',
    '<omitted>',
    'n/a',
    'none',
    'null',
    '812',
    'true',
    '"812"',
    'see the log',
    '["[redacted]"]',
    'boardId,title',
    'boardId%22%3A1',
  ])('%s was not kept: any field may be in it', async (request) => {
    const createannouncement = {
      method: 'POST',
      url: '/rest/api/v1/createannouncement',
      request,
      response: {},
    }
    expect(await standingOf(ndjson(createannouncement), 'a.ndjson', 'createannouncement.boardId')).toEqual(
      possibleWith(1),
    )
  })

  test.each([['-'], ['...'], ['812 bytes'], ['none'], ['hidden']])(
    '%s is not an answer either',
    async (response) => {
      expect(await standingOf(ndjson({ ...chat, response }), 'a.ndjson')).toEqual(possibleWith(1))
    },
  )

  test.each([
    [{ sha256: 'ab12', size: 12 }],
    [{ size: 12, mimeType: 'application/json' }],
    [{ $ref: 'bodies/1.json' }],
    [{ omitted: true }],
    [{ message: 'body too large' }],
    [{ headers: { 'content-length': '812' }, body: '' }],
    [{ headers: { 'transfer-encoding': 'chunked' }, body: '' }],
    [{ body: {}, bodySize: 812 }],
    [{ body: {}, truncated: 'true' }],
    [{ body: {}, bodyTruncated: true }],
  ])('%j was not kept, or not whole', async (request) => {
    expect(await standingOf(ndjson({ ...chat, request, response: {} }), 'a.ndjson')).toEqual(possibleWith(0))
  })
})

const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64')
const half = citing.indexOf('tations')

describe('a body that is in an answer in another form', () => {
  test.each<[string, unknown]>([
    ['base64', { raw: base64(citing) }],
    ['gzip in base64', { raw: base64(gzipSync(citing)) }],
    ['deflate in base64', { data: base64(deflateSync(citing)), encoding: 'base64' }],
    ['hex', { raw: Buffer.from(citing).toString('hex') }],
    ['a data URL', { raw: `data:application/json;base64,${base64(citing)}` }],
    ['a data URL alone', `data:application/json;base64,${base64(citing)}`],
    ['base64 over several lines', { raw: base64(citing).replaceAll(/(.{10})/g, '$1\n') }],
    ['a Buffer', { raw: Buffer.from(citing).toJSON() }],
    ['a list of bytes', [...Buffer.from(citing)]],
    ['a text in a text', { raw: JSON.stringify({ inner: citing }) }],
    ['five texts within each other', [1, 2, 3, 4, 5].reduce((text) => JSON.stringify(text), citing)],
    ['events', { raw: `data: ${citing}\n\n` }],
    ['pieces', [citing.slice(0, half), citing.slice(half)]],
    ['pieces of a stream', { chunks: [{ text: citing.slice(0, half) }, { text: citing.slice(half) }] }],
    ['UTF-16', { raw: base64(Buffer.from(citing, 'utf16le')) }],
    ['a form', { raw: 'a=1&citations=2' }],
    ['percent signs', { raw: encodeURIComponent(citing) }],
    ['a form in base64', `payload=${encodeURIComponent(base64(citing))}`],
    ['a form that is encoded twice', `payload=${encodeURIComponent(encodeURIComponent(citing))}`],
    ['events that are not JSON', `data: 0:${citing}\n\n`],
    ['events in base64', `data: ${base64(citing)}\n\n`],
    ['names and values', { params: [{ name: 'citations', value: '1' }] }],
    ['pairs', [['citations', 1]]],
    ['flattened names', { 'messages[0].citations': 1 }],
    ['a page', `<html><pre>${citing}</pre></html>`],
    ['a depth that was not printed', { messages: ['[Object]'] }],
    [
      'a part of a multipart body in base64',
      `--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n${base64(citing)}\r\n--b--\r\n`,
    ],
    ['a part without a name', `--b\r\nContent-Disposition: form-data\r\n\r\n1\r\n--b--\r\n`],
  ])('%s is not called clean', async (_what, response) => {
    const { isCalledClean, isPossible } = await standingOf(ndjson({ ...chat, response }), 'a.ndjson')
    expect({ isCalledClean, isPossible }).toEqual({ isCalledClean: false, isPossible: true })
  })

  test('what only speaks of a field, replaces it or looks encoded is clean', async () => {
    const announcing = { method: 'POST', url: '/rest/api/v1/createannouncement', response: {} }
    for (const call of [
      {
        ...chat,
        response: { text: 'Who wrote "citations"? (see [1])', trackingToken: base64('token-123456789') },
      },
      { ...chat, response: 'data: He said "hi": see [1]\n\ndata: [DONE]\n\n' },
      { ...announcing, request: { title: 'New role: head of documents', channels: ['documents', 'role'] } },
      { ...announcing, request: { permissions: [{ name: 'role', value: 'x' }], 'permissions[0].role': 'x' } },
      { ...announcing, request: { title: 'x' }, status: 201, response: { message: 'Created' } },
      { ...announcing, request: { title: 'x' }, status: 400, response: 'Field "boardId": unknown' },
    ])
      expect((await check(ndjson(call))).report).toMatchObject({ inUse: [], mayBeInUse: [], faults: 0 })
  })
})

describe('a record that is written in two ways', () => {
  const text = JSON.stringify(citing)
  test.each([
    ['two bodies as texts', `"url":"/rest/api/v1/chat","request":{},"response":${text},"response":"{}"`],
    [
      'a name with escapes',
      String.raw`"url":"/rest/api/v1/chat","request":{},"response":{"a":{"\u0063itations":1},"a":1}`,
    ],
  ])('with %s may hide a field', async (_what, members) => {
    expect(await standingOf(`{"method":"POST",${members}}`, 'a.ndjson')).toEqual(possibleWith(1))
  })

  test.each([
    ['two addresses', '{"method":"POST","url":"/rest/api/v1/listanswers","url":"/x"}', 'a.ndjson'],
    ['two methods', '{"method":"POST","method":"GET","url":"/rest/api/v1/listanswers"}', 'a.ndjson'],
    ['no method', '{"method":"*","url":"/rest/api/v1/listanswers"}', 'a.ndjson'],
    [
      'two lists of entries',
      '{"log":{"entries":[{"request":{"method":"POST","url":"/rest/api/v1/listanswers"}}],"entries":[{"request":{"method":"GET","url":"/"}}]}}',
      'a.har',
    ],
    [
      'two lists of paths',
      '{"openapi":"3.1.0","paths":{"/a":{"post":{}}},"paths":{"/x":{"get":{}}}}',
      'a.json',
    ],
  ])('with %s is reported', async (_what, content, name) => {
    const { code, report } = await check(content, name)
    expect([code, report.faults > 0]).toEqual([1, true])
  })
})

test('a parameter of the address with the name of a field may be a use of it', async () => {
  const url = '/rest/api/v1/createannouncement?boardId=3'
  expect(await possible(ndjson({ method: 'POST', url, request: {}, response: {} }))).toEqual([
    'createannouncement.boardId',
  ])
})
