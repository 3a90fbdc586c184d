import { describe, expect, test } from 'vitest'
import { check, chat, citing, idsOf } from './checking.ts'

describe('HAR', () => {
  const entry = (url: string, request: unknown, response: unknown) => ({
    startedDateTime: '2026-11-03T08:00:00.000Z',
    request: { method: 'POST', url, postData: { text: JSON.stringify(request) } },
    response: { status: 200, content: { size: 9, text: JSON.stringify(response) } },
  })
  const har = (...entries: unknown[]) => JSON.stringify({ log: { version: '1.2', entries } }, null, 1)

  test('finds fields in the texts of bodies, with entry and line', async () => {
    const { code, report } = await check(
      har(entry(`${chat.url}/x`, {}, {}), entry(chat.url, {}, citing.response)),
      'traffic.har',
    )
    expect(code).toBe(2)
    expect(report.inUse[0]).toMatchObject({
      firstSeen: '2026-11-03T08:00:00.000Z',
      places: [{ line: 22, record: '/log/entries/1', side: 'response', pointer: '/messages/0/citations' }],
    })
  })

  test('reads base64 bodies and forms, and knows a body that was left out from an empty one', async () => {
    const base64 = {
      ...entry(chat.url, {}, {}),
      response: {
        content: { size: 1, encoding: 'base64', text: Buffer.from('{"citations":1}').toString('base64') },
      },
    }
    expect((await check(har(base64), 'a.har')).report.inUse[0]?.confidence).toBe('exact')
    const form = entry('https://a/rest/api/v1/createannouncement', {}, {})
    const posted = {
      ...form,
      request: { ...form.request, postData: { params: [{ name: 'boardId', value: 'SECRET' }] } },
    }
    expect(idsOf((await check(har(posted), 'a.har')).report.inUse)).toEqual(['createannouncement.boardId'])
    const left = { ...entry(chat.url, {}, {}), response: { status: 200, content: { size: 900 } } }
    const empty = { ...left, response: { status: 204, content: { size: 0 } } }
    expect(idsOf((await check(har(left), 'a.har')).report.mayBeInUse)).toEqual(['chat.citations'])
    expect((await check(har(empty), 'a.har')).report.mayBeInUse).toEqual([])
  })

  test('an entry without a request is reported with its line and the rest is read', async () => {
    const { report, err } = await check(har({ request: 1 }, entry(chat.url, {}, citing.response)), 'a.har')
    expect(report).toMatchObject({ requests: 1, faults: 1, inUse: [{ id: 'chat.citations' }] })
    expect(err).toMatch(/a\.har:5: this entry has no request/)
  })

  test.each([
    ['{\n "log": {\n  "entries": [1,\n', 'a.har:4: not valid JSON'],
    ['{\n "log": {"SECRET": SECRET}\n}', 'a.har:2: not valid JSON'],
    ['{"log": 1}', 'a.har:1: not a HAR'],
  ])('%j is refused with file and line', async (content, message) => {
    const { code, err } = await check(content, 'a.har')
    expect(code).toBe(1)
    expect(err).toContain(message)
    expect(err.trim().split('\n')).toHaveLength(1)
    expect(err).not.toContain('SECRET')
  })
})

describe('OpenAPI', () => {
  const yaml = `# made by hand
openapi: 3.1.0
servers:
  - url: https://{instance}.example/rest/api/v1
paths:
  /listanswers:
    post: {}
  /chat:
    post:
      responses:
        200:
          content:
            application/json:
              schema: { $ref: '#/components/schemas/ChatResponse' }
  /getanswer:
    post:
      responses:
        '200':
          content:
            application/json:
              schema:
                allOf:
                  - properties:
                      answer: { $ref: '#/components/schemas/Answer' }
components:
  schemas:
    Answer:
      properties:
        trackingToken: { type: string }
    ChatResponse:
      properties:
        messages:
          type: array
          items: { $ref: '#/components/schemas/ChatMessage' }
    ChatMessage:
      properties:
        replies: { type: array, items: { $ref: '#/components/schemas/ChatMessage' } }
        citations: { type: array }
`

  test('finds operations below the base address and properties through references, with lines', async () => {
    const { code, report } = await check(yaml, 'openapi.yaml')
    expect(code).toBe(2)
    expect(report.inUse).toMatchObject([
      {
        id: 'chat.citations',
        confidence: 'exact',
        places: [{ line: 38, pointer: '/components/schemas/ChatMessage/properties/citations' }],
      },
      { id: 'listanswers', confidence: 'exact', places: [{ line: 7, pointer: '/paths/~1listanswers/post' }] },
    ])
  })

  test('reads OpenAPI 2 in JSON, with body parameters and a base path', async () => {
    const document = {
      swagger: '2.0',
      basePath: '/rest/api/v1',
      paths: {
        '/createannouncement': {
          post: { parameters: [{ in: 'body', schema: { properties: { snippet: {} } } }], responses: {} },
        },
        '/governance/data/policies/{policyId}': {
          get: { responses: { 200: { schema: { properties: { enabled: {} } } } } },
        },
        '/insights': { get: {} },
      },
    }
    const { report } = await check(JSON.stringify(document), 'openapi.json')
    expect(idsOf(report.inUse).sort()).toEqual(['createannouncement.snippet', 'policies.enabled'])
    expect(report.inUse.map(({ confidence }) => confidence)).toEqual(['exact', 'exact'])
    expect(report.requests).toBe(3)
  })

  test.each([
    ['openapi: 3.1.0\npaths: [\n', 'a.yaml', /a\.yaml:\d: not valid YAML/],
    ['name: x\n', 'a.yaml', /a\.yaml:1: not an OpenAPI document/],
    [`openapi: 3.0.0\na: &a [x,x,x,x,x,x,x,x,x]\n${bomb()}`, 'a.yaml', /aliases expand too far/],
  ])('%j is refused in one line', async (content, name, message) => {
    const { code, err } = await check(content, name)
    expect(code).toBe(1)
    expect(err).toMatch(message)
  })
})

function bomb() {
  const names = 'abcdefghi'
  return Array.from(names.slice(1))
    .map((name, index) => `${name}: &${name} [${Array(9).fill(`*${names[index]}`).join(',')}]\n`)
    .join('')
}
