// "Nothing deprecated is in use" is a promise: it is only made when every body that matters was read.
import { describe, expect, test } from 'vitest'
import { deprecations, fileOf, ndjson } from '../helpers/deprecations.ts'
import { check, chat, idsOf, possibleWith, standingOf } from './checking.ts'

const chatOf = (response: unknown, request: unknown = {}) => ndjson({ ...chat, request, response })
const citing = '{"messages":[{"citations":[]}]}'
const plain = '{"messages":[{"text":"SECRET"}]}'

describe('one side of a call that was not recorded', () => {
  test.each([
    ['insights', 'insights.searchSessionSatisfaction'],
    ['getanswer', 'getanswer.trackingToken'],
    ['createannouncement', 'createannouncement.role'],
    ['chat', 'chat.citations'],
  ])('%s may bear the field on the side that is missing', async (operation, id) => {
    const url = `/rest/api/v1/${operation}`
    expect(await standingOf(ndjson({ method: 'POST', url, request: { q: 1 } }), 'a.ndjson', id)).toEqual(
      possibleWith(0),
    )
    expect(await standingOf(ndjson({ method: 'POST', url, response: { q: 1 } }), 'a.ndjson', id)).toEqual(
      possibleWith(0),
    )
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
    ['a number', '7'],
    ['a word', 'ok'],
    ['binary', 'PK\u0003\u0004\uFFFD\uFFFD\u0000'],
    ['an event that is cut off', `data: ${plain}\n\ndata: {"messages":[{"te`],
    ['JSON lines whose last one is cut off', `${plain}\n{"mess`],
    ['a table', 'citations,text\n1,SECRET'],
    ['encoded', Buffer.from('{"citations":1}').toString('base64')],
    ['a script', `var answer = ${plain}`],
    ['nested without end', `${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`],
    ['a multipart body that is cut off', '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nSECRET'],
  ])(
    'one that is %s is reported with its line and side, and the item may be in use',
    async (_what, response) => {
      expect(await standingOf(chatOf(response), 'a.ndjson')).toEqual(possibleWith(1))
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
    expect([code, idsOf(report.inUse)]).toEqual([2, ['chat.citations']])
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
    ['a stream of words', 'data: ok\n\n'],
    ['JSON', plain],
  ])('%s is read, and nothing is in use', async (_what, response) => {
    const { code, report, err } = await check(chatOf(response))
    expect([code, err, report.inUse, report.mayBeInUse]).toEqual([0, '', [], []])
  })

  test('an answer that has no body has none that was not recorded', async () => {
    const { report } = await check(ndjson({ ...chat, status: 204 }))
    expect(report.mayBeInUse).toEqual([])
  })

  test('text that is made to keep a reader busy is given up in time', async () => {
    const spaces = ' '.repeat(200_000)
    const texts = [
      `a({)${spaces}x`,
      `a=${spaces}\nx`,
      '{"a'.repeat(60_000),
      '{\n'.repeat(100_000),
      `${'\\'.repeat(200_000)}"{`,
    ]
    const started = performance.now()
    for (const text of texts) expect((await check(chatOf(text))).code).toBe(1)
    for (const text of texts) await check(`{"a":"${text}`)
    expect(performance.now() - started).toBeLessThan(10_000)
  })

  test('a message of an error in words is read', async () => {
    const refused = { ...chat, status: 401, response: 'Required header missing: X-Service-ActAs' }
    expect((await check(ndjson(refused))).report).toMatchObject({ mayBeInUse: [], faults: 0 })
  })

  test('a member that is hidden by a second one of the same name is not passed over', async () => {
    expect(await standingOf(chatOf('{"messages":[{"citations":[]}],"messages":[]}'), 'a.ndjson')).toEqual(
      possibleWith(1),
    )
    const line = `{"method":"POST","url":"/rest/api/v1/chat","request":{},"response":{"citations":1,"a":2},"response":{}}`
    expect(await standingOf(line, 'a.ndjson')).toEqual(possibleWith(1))
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
    expect([code, err, idsOf(report.inUse)]).toEqual([2, '', ['chat.citations']])
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
        { status: 200, body: JSON.stringify(body), traceOfMine: 7 },
        { status: 200, body, traceOfMine: 7 },
        { status: 200, body: {}, ...body },
        { headers: {}, body: Buffer.from(JSON.stringify(body)).toString('base64'), isBase64Encoded: true },
      ]) {
        const { report } = await check(ndjson({ method: 'POST', url, request: {}, response }))
        expect(report.inUse, `${id} ${JSON.stringify(response)}`).toMatchObject([{ id, confidence: 'exact' }])
      }
    expect(await standingOf(chatOf({ status: 200, headers: {} }), 'a.ndjson')).toEqual(possibleWith(0))
    expect(
      await standingOf(chatOf({ status: 200, body: JSON.parse(plain), truncated: true }), 'a.ndjson'),
    ).toEqual(possibleWith(0))
  })
})
