// "Nothing deprecated is in use" is a promise: it is only made when every body that matters was read.
import { deflateRawSync, gzipSync, brotliCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { deprecations, fileOf, ndjson } from '../helpers/deprecations.ts'
import { check, chat, idsOf } from './checking.ts'

const chatOf = (response: unknown, request: unknown = {}) => ndjson({ ...chat, request, response })
const citing = '{"messages":[{"citations":[]}]}'
const plain = '{"messages":[{"text":"SECRET"}]}'

/** Checks content in every way that matters for something that could not be read. */
async function expectPossible(
  content: string | Uint8Array,
  name: string,
  codes: number[],
  id = 'chat.citations',
) {
  const file = fileOf(name, content)
  const { report, err } = await check(content, name)
  expect(idsOf(report.inUse)).toEqual([])
  expect(idsOf(report.mayBeInUse)).toContain(id)
  const text = await deprecations(['check', file])
  expect(codes).toContain(text.code)
  expect(text.out).not.toContain('Nothing deprecated is in use')
  expect(text.out).toContain('may be in use')
  expect((await deprecations(['check', file, '--fail-on', 'possible'])).code).toBeGreaterThan(1)
  expect(text.out + text.err + err).not.toContain('SECRET')
}

describe('one side of a call that was not recorded', () => {
  test.each([
    ['insights', 'insights.searchSessionSatisfaction'],
    ['getanswer', 'getanswer.trackingToken'],
    ['createannouncement', 'createannouncement.role'],
    ['chat', 'chat.citations'],
  ])('%s may bear the field on the side that is missing', async (operation, id) => {
    const url = `/rest/api/v1/${operation}`
    await expectPossible(ndjson({ method: 'POST', url, request: { q: 1 } }), 'a.ndjson', [0], id)
    await expectPossible(ndjson({ method: 'POST', url, response: { q: 1 } }), 'a.ndjson', [0], id)
    const { out, code } = await deprecations([
      'check',
      fileOf('a.ndjson', ndjson({ method: 'POST', url, request: { q: 1 }, response: { q: 1 } })),
    ])
    expect([code, out]).toEqual([0, expect.stringContaining('Nothing deprecated is in use')])
  })

  test('a GET has no body, so only its answer has to be recorded', async () => {
    const url = '/rest/api/v1/governance/data/policies/a%2Fb:c'
    const { report } = await check(ndjson({ method: 'GET', url, response: { name: 1 } }))
    expect(report.mayBeInUse).toEqual([])
  })
})

describe('a body that cannot be read', () => {
  test.each([
    ['cut off', '{"messages":[{"text":"SECRET"},{"cit'],
    ['with comments', '{"messages": [] /* SECRET */}'],
    ['with single quotes', "{'messages': []}"],
    ['in XML', '<chat><message>SECRET</message></chat>'],
    ['binary', 'PK\u0003\u0004\uFFFD\uFFFD\u0000'],
    ['an event that is cut off', `data: ${plain}\n\ndata: {"messages":[{"te`],
    ['JSON lines whose last one is cut off', `${plain}\n{"mess`],
    ['a script', `var answer = ${plain}`],
    ['nested without end', `${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`],
    ['a multipart body that is cut off', '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nSECRET'],
  ])(
    'one that is %s is reported with its line and side, and the item may be in use',
    async (_what, response) => {
      await expectPossible(chatOf(response), 'a.ndjson', [1])
      const { err, report, code } = await check(chatOf(response))
      expect(err).toMatch(/^\S+traffic\.ndjson:1: the response of POST \/rest\/api\/v1\/chat /)
      expect([report.faults, code]).toEqual([1, 1])
      expect(report.mayBeInUse).toMatchObject([
        { id: 'chat.citations', confidence: 'unread', places: [{ line: 1, side: 'response' }] },
      ])
      expect((await check(chatOf(response), 'a.ndjson', '--ignore-broken')).code).toBe(0)
    },
  )

  test('what was found before the cut stays found', async () => {
    const { report, code } = await check(chatOf(`${citing}\n{"mess`))
    expect([code, idsOf(report.inUse)]).toEqual([3, ['chat.citations']])
  })

  test('a broken body of an operation that is not on the schedule does not matter', async () => {
    const { code, err } = await check(
      ndjson({ method: 'POST', url: '/rest/api/v1/search', response: '{"cut' }),
    )
    expect([code, err]).toEqual([0, ''])
  })

  test.each([
    ['nothing', ''],
    ['HTML', '<!doctype html><html><p>citations</p></html>'],
    ['a number', '7'],
    ['a word', 'ok'],
    ['JSON', plain],
  ])('%s is read, and nothing is in use', async (_what, response) => {
    const { code, report, err } = await check(chatOf(response))
    expect([code, err, report.inUse, report.mayBeInUse]).toEqual([0, '', [], []])
  })

  test('a message of an error in words is read', async () => {
    const refused = { ...chat, status: 401, response: 'Required header missing: X-Service-ActAs' }
    expect((await check(ndjson(refused))).report).toMatchObject({ mayBeInUse: [], faults: 0 })
  })

  test('a member that is hidden by a second one of the same name is not passed over', async () => {
    await expectPossible(chatOf('{"messages":[{"citations":[]}],"messages":[]}'), 'a.ndjson', [1])
    const line = `{"method":"POST","url":"/rest/api/v1/chat","request":{},"response":{"citations":1,"a":2},"response":{}}`
    await expectPossible(line, 'a.ndjson', [1])
  })
})

describe('forms of a body that are read', () => {
  const pretty = JSON.stringify(JSON.parse(citing), null, 2)
  const lines = pretty.split('\n')
  test.each([
    ['documents one after the other', `${plain}${citing}`],
    ['documents over several lines', `${JSON.stringify(JSON.parse(plain), null, 1)}\n${pretty}`],
    ['a JSON text sequence', `\u001e${plain}\n\u001e${citing}\n`],
    ['an event over several data lines', `event: m\n${lines.map((line) => `data: ${line}`).join('\n')}\n\n`],
    ['an event stream without spaces and with CRLF', `:hi\r\n\r\ndata:${citing}\r\n\r\ndata: [DONE]\r\n\r\n`],
    ['a byte order mark', `\uFEFF${citing}`],
    ["a )]}' prefix", `)]}'\n${citing}`],
    ["a )]}', prefix", `)]}',\n${citing}`],
    ['a while(1) prefix', `while(1);${citing}`],
    ['JSON in a JSON string', JSON.stringify(citing)],
    ['an array of documents', `[${citing}]`],
    ['an array over lines', `[${plain},\n${citing}\n]`],
    ['a callback', `/**/ready(${citing});`],
  ])('%s', async (_what, response) => {
    const { code, report, err } = await check(chatOf(response))
    expect([code, err, idsOf(report.inUse)]).toEqual([3, '', ['chat.citations']])
  })

  test.each([
    ['a form', 'title=SECRET&boardId=3'],
    ['a form with brackets', 'a%5B0%5D=1&announcement[boardId]=3'],
    ['JSON in a form', 'payload=1&announcement=%7B%22boardId%22%3A3%7D'],
    ['a multipart form', '--b\r\nContent-Disposition: form-data; name="boardId"\r\n\r\nSECRET\r\n--b--\r\n'],
  ])('%s that is sent', async (_what, request) => {
    const url = '/rest/api/v1/createannouncement'
    const { report, err, out } = await check(ndjson({ method: 'POST', url, request, response: {} }))
    expect([err, idsOf(report.inUse)]).toEqual(['', ['createannouncement.boardId']])
    expect(out).not.toContain('SECRET')
  })

  test('records over several lines, and several on one line', async () => {
    const record = (response: unknown) => ({ ...chat, response })
    const records = [record({ a: 1 }), record(JSON.parse(citing))]
    const spread = records.map((one) => JSON.stringify(one, null, 2)).join('\n')
    const together = records.map((one) => JSON.stringify(one)).join('')
    for (const content of [spread, `${together}\n`, spread.replaceAll('\n', '\r\n')])
      for (const name of ['a.ndjson', 'traffic']) {
        const { report, err } = await check(content, name)
        expect([err, report.requests, idsOf(report.inUse)]).toEqual(['', 2, ['chat.citations']])
      }
    const { report } = await check(`{"a":1,\n${together}\n`)
    expect(report).toMatchObject({ requests: 2, faults: 1, inUse: [{ id: 'chat.citations' }] })
  })

  test('a record in a wrapper is read as one without, whatever the item', async () => {
    const calls: [string, string, object][] = [
      ['chat.citations', '/rest/api/v1/chat', { messages: [{ citations: [] }] }],
      ['getanswer.trackingToken', '/rest/api/v1/getanswer', { trackingToken: 't' }],
      ['insights.searchSessionSatisfaction', '/rest/api/v1/insights', { searchSessionSatisfaction: 1 }],
    ]
    for (const [id, url, body] of calls)
      for (const response of [
        body,
        { body },
        { status: 200, headers: { a: 'b' }, body },
        { statusCode: 200, body: JSON.stringify(body) },
        { status: 200, body: `${JSON.stringify({ a: 1 })}\n${JSON.stringify(body)}\n` },
        { headers: {}, body: Buffer.from(JSON.stringify(body)).toString('base64'), isBase64Encoded: true },
      ]) {
        const { report } = await check(ndjson({ method: 'POST', url, request: {}, response }))
        expect(report.inUse, `${id} ${JSON.stringify(response)}`).toMatchObject([{ id, confidence: 'exact' }])
      }
    await expectPossible(chatOf({ status: 200, headers: {} }), 'a.ndjson', [0])
    await expectPossible(chatOf({ status: 200, body: JSON.parse(plain), truncated: true }), 'a.ndjson', [0])
  })
})

describe('a HAR', () => {
  const har = (response: object, request: object = { bodySize: 0 }) =>
    JSON.stringify({
      log: { entries: [{ request: { method: 'POST', url: chat.url, ...request }, response }] },
    })
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
    ['a request that was left out', har(text(plain), { bodySize: 812 })],
    ['parameters that were left out', har(text(plain), { bodySize: 812, postData: { params: [] } })],
  ])('with %s may use the fields of its call', async (_what, content) => {
    await expectPossible(content, 'a.har', [0])
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
  ])('with a body that is %s is reported with its entry', async (_what, content) => {
    await expectPossible(content, 'a.har', [1])
    const { err, report } = await check(content, 'a.har')
    expect(err).toMatch(/a\.har:1: the response of POST \/rest\/api\/v1\/chat /)
    expect(report.mayBeInUse).toMatchObject([{ places: [{ record: '/log/entries/0', side: 'response' }] }])
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
      { status: 200, bodySize: 0, content: { size: 0 } },
    ])
      expect((await check(har(response), 'a.har')).report).toMatchObject({ mayBeInUse: [], faults: 0 })
  })
})

describe('what the report says', () => {
  test('with nothing found, how much could not be read', async () => {
    const { out } = await deprecations(['check', fileOf('a.ndjson', `${chatOf(plain)}${chatOf('{"cut')}`)])
    expect(out).toMatch(
      /^Nothing deprecated was found in what could be read[^\n]*2 requests[^\n]*1 part could not be read/,
    )
    expect(out).toMatch(/a body could not be read[^]*chat[^]*citations/)
  })

  test('with everything waived, that it is waived', async () => {
    const waivers = fileOf(
      'w.json',
      JSON.stringify({ waivers: [{ item: 'chat.citations', until: '2027-01-01', reason: 'r' }] }),
    )
    const { out } = await deprecations(['check', fileOf('a.ndjson', chatOf(citing)), '--waivers', waivers])
    expect(out).toMatch(/^Nothing deprecated is in use beyond what is waived/)
    const possible = await deprecations(['check', fileOf('a.ndjson', chatOf('{"c')), '--waivers', waivers])
    expect(possible.err).not.toContain('not needed')
  })

  test('a file without a single request was not checked', async () => {
    for (const [name, content] of [
      ['a.log', '# nothing\n'],
      ['a.har', '{"log":{"entries":[]}}'],
    ] as const) {
      const { code, out, err } = await deprecations(['check', fileOf(name, content)])
      expect([code, out]).toEqual([1, expect.stringContaining('Nothing could be checked')])
      expect(err).toContain('no requests')
    }
  })

  test('every form for machines knows of it', async () => {
    const file = fileOf('a.ndjson', chatOf('{"c'))
    const sarif = JSON.parse((await deprecations(['check', file, '--sarif'])).out) as {
      runs: { results: { level: string }[]; invocations: { executionSuccessful: boolean }[] }[]
    }
    expect(sarif.runs[0]).toMatchObject({
      results: [{ level: 'note' }],
      invocations: [{ executionSuccessful: false }],
    })
    const failing = await deprecations(['check', file, '--junit', '--fail-on', 'possible'])
    expect(failing.out).toContain('failures="1" errors="1"')
    const notice = await deprecations(['check', file, '--annotations'])
    expect(notice.out).toMatch(/^::notice [^\n]*may be in use/)
  })
})
