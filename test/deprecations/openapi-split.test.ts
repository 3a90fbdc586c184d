// OpenAPI documents that tools split into parts, with references where the specification provides for none.
import { describe, expect, test } from 'vitest'
import { check, idsOf } from './checking.ts'

const citing = { properties: { citations: { type: 'array' } } }
const body = (schema: unknown) => ({ content: { 'application/json': { schema } } })
const said = body({ properties: { text: {} } })
const answering = (schema: unknown) => ({ requestBody: said, responses: { 200: body(schema) } })
const api = (paths: unknown, more: object) => JSON.stringify({ openapi: '3.1.0', paths, ...more }, null, 1)

const reportOf = async (content: string) => (await check(content, 'openapi.json')).report

describe('a reference where OpenAPI provides for none, as tools that split documents write it', () => {
  const parts = { operation: answering(citing), properties: citing.properties, media: body(citing).content }
  const inside = (name: keyof typeof parts) => ({ $ref: `#/x-parts/${name}` })
  const elsewhere = { $ref: 'https://specs.example/part.yaml' }
  const post = (operation: unknown) => api({ '/rest/api/v1/chat': { post: operation } }, { 'x-parts': parts })
  test.each([
    ['an operation', post(inside('operation'))],
    ['properties', post(answering({ properties: inside('properties') }))],
    ['content', post({ responses: { 200: { content: inside('media') } } })],
    [
      'the schema of an item of a stream',
      post({ responses: { 200: { content: { 'text/event-stream': { itemSchema: citing } } } } }),
    ],
  ])('in the place of %s is followed', async (_what, content) => {
    expect(idsOf((await reportOf(content)).inUse)).toEqual(['chat.citations'])
  })

  test.each([
    ['an operation', post(elsewhere)],
    ['properties', post(answering({ properties: elsewhere }))],
    ['content', post({ responses: { 200: { content: elsewhere } } })],
  ])('to another host in the place of %s is not called clean', async (_what, content) => {
    expect(idsOf((await reportOf(content)).mayBeInUse)).toContain('chat.citations')
  })
})

const named = { properties: { a: {} } }
const texts = { type: 'array', items: { type: 'string' } }
const messages = { items: named }
const examples = { 'application/json': { citations: [] } }
const errors = {
  responses: { 200: said, 401: { description: 'refused' }, default: { description: 'other' } },
}
const shown = (example: unknown) => ({
  content: { 'application/json': { schema: named, examples: { one: example } } },
})
const beside = { content: { 'application/json': { schema: named, example: { citations: [] } } } }

const silent = {
  'at all': {},
  'but that there is an answer': { requestBody: said, responses: { 200: { description: 'ok' } } },
  'but that there is an error': { requestBody: said, responses: { 400: said } },
  'but of the answer': { responses: { 200: said } },
  'but a parameter': { parameters: [{ in: 'query', name: 'a' }], responses: { 200: said } },
  'with no medium': { requestBody: { content: {} }, responses: { 200: said } },
  'with an answer of no medium': { requestBody: said, responses: { 200: { content: {} }, 400: said } },
  'in OpenAPI 2': { parameters: [{ in: 'body', name: 'b' }], responses: { 200: { schema: named } } },
  'in an answer of OpenAPI 2': { parameters: [{ in: 'body', schema: named }], responses: { 200: {} } },
}

describe('a body that a document declares without saying what is in it', () => {
  const circle = { allOf: [{ $ref: '#/x-parts/circle' }, named] }
  const alone = { allOf: [{ $ref: '#/x-parts/alone' }] }
  const [one, other] = [{ anyOf: [{ $ref: '#/x-parts/other' }] }, { allOf: [{ $ref: '#/x-parts/one' }] }]
  const post = (operation: unknown) =>
    api(
      { '/rest/api/v1/chat': { post: operation } },
      { 'x-parts': { circle, alone, one, other, example: { value: { messages: [{ citations: 1 }] } } } },
    )
  test.each([
    ['without a schema', { responses: { 200: { content: { 'application/json': {} } } } }],
    ['with a schema of anything', answering({})],
    ['with a schema that is true', answering(true)],
    ['with an object of any members', answering({ type: 'object', additionalProperties: true })],
    ['with values of one type', answering({ additionalProperties: { type: 'string' } })],
    ['with a list of anything', answering({ type: 'array', items: {} })],
    ['with a text', answering({ type: 'string' })],
    ['with an alternative that is anything', answering({ oneOf: [{ properties: {} }, { type: 'object' }] })],
    ...Object.entries(silent).map(([what, operation]): [string, object] => [
      `without saying anything ${what}`,
      operation,
    ]),
    ...[
      { allOf: [{}] },
      { allOf: [{ type: 'object' }] },
      { not: { type: 'string' } },
      { $ref: '#/x-parts/alone' },
      { $ref: '#/x-parts/other' },
      { properties: {} },
      { allOf: [{ properties: {} }] },
      { ...named, additionalProperties: true },
      { ...named, additionalProperties: {} },
      { properties: { messages: { type: 'array', items: { type: 'object' } } } },
      { properties: { messages: { type: 'array' } } },
      { allOf: [{ properties: { message: { type: 'object' } } }] },
      { properties: { message: { oneOf: [named, {}] } } },
      { ...named, example: { citations: [] } },
      { ...named, examples: [{ a: { citations: [] } }] },
      { properties: { message: { ...named, example: '{"citations": []}' } } },
    ].map((schema): [string, unknown] => [`with ${JSON.stringify(schema)}`, answering(schema)]),
    ['with an example beside a schema', { requestBody: said, responses: { 200: beside } }],
    [
      'with an example in components',
      { requestBody: said, responses: { 201: shown({ $ref: '#/x-parts/example' }) } },
    ],
    ['with an example of OpenAPI 2', { requestBody: said, responses: { 200: { schema: named, examples } } }],
    ['with examples alone', answering({ example: { messages: [{ citations: [] }] } })],
  ])('%s may have the field', async (_what, operation) => {
    const { inUse, mayBeInUse } = await reportOf(post(operation))
    expect([idsOf(inUse), idsOf(mayBeInUse)]).toEqual([[], ['chat.citations']])
  })

  test.each([
    ['without a body', { requestBody: said, responses: { 204: { description: 'done' } } }],
    ['with named members', answering({ type: 'object', properties: { messages } })],
    ['with named members in parts', answering({ allOf: [{ properties: { a: {} } }, { description: 'b' }] })],
    ['with a number', answering({ type: 'integer' })],
    [
      'with a holder that is a text',
      answering({ properties: { message: { type: 'string' }, messages: texts } }),
    ],
    ['with parts, one of which is open', answering({ allOf: [{ type: 'object' }, named] })],
    ['with parts in a circle', answering({ $ref: '#/x-parts/circle' })],
    ['with errors in words', { ...answering(named), ...errors }],
    ['with other answers by default', { requestBody: said, responses: { default: said } }],
    ['in OpenAPI 2', { parameters: [{ in: 'body', schema: named }], responses: { 201: { schema: named } } }],
    ['as a form', { parameters: [{ in: 'formData', name: 'a' }], responses: { 201: { schema: named } } }],
    ['with examples', answering({ ...named, example: { a: 'citations' }, examples: [{ citation: 1 }] })],
    ['with members or nothing', answering({ anyOf: [{ properties: { a: {} } }, { type: 'null' }] })],
  ])('%s is all that is to be read', async (_what, operation) => {
    expect(await reportOf(post(operation))).toMatchObject({ inUse: [], mayBeInUse: [], faults: 0 })
  })

  test('a schema of a text that holds JSON is looked through, as is one that depends on a member', async () => {
    const text = { type: 'string', contentMediaType: 'application/json', contentSchema: citing }
    for (const schema of [text, { properties: { a: {} }, dependencies: { a: citing } }])
      expect(idsOf((await reportOf(post(answering(schema)))).inUse)).toEqual(['chat.citations'])
  })

  test('what a GET sends needs no words, nor does an operation of which no field is deprecated', async () => {
    const get = { responses: { 200: said } }
    const paths = {
      '/rest/api/v1/governance/data/policies/{id}': { get },
      '/rest/api/v1/search': { post: {} },
    }
    expect(await reportOf(api(paths, {}))).toMatchObject({ inUse: [], mayBeInUse: [], faults: 0 })
  })

  test('a parameter with the name of a field may be a use of it', async () => {
    const { mayBeInUse } = await reportOf(
      post({ ...answering(named), parameters: [{ in: 'query', name: 'citations' }] }),
    )
    expect(mayBeInUse).toMatchObject([{ id: 'chat.citations', confidence: 'name' }])
  })
})
