// OpenAPI documents that tools split into parts, with references where the specification provides for none.
import { describe, expect, test } from 'vitest'
import { check, idsOf } from './checking.ts'

const citing = { properties: { citations: { type: 'array' } } }
const body = (schema: unknown) => ({ content: { 'application/json': { schema } } })
const answering = (schema: unknown) => ({ responses: { 200: body(schema) } })
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

describe('a body that a document declares without saying what is in it', () => {
  const post = (operation: unknown) => api({ '/rest/api/v1/chat': { post: operation } }, {})
  test.each([
    ['without a schema', { responses: { 200: { content: { 'application/json': {} } } } }],
    ['with a schema of anything', answering({})],
    ['with a schema that is true', answering(true)],
    ['with an object of any members', answering({ type: 'object', additionalProperties: true })],
    ['with values of one type', answering({ additionalProperties: { type: 'string' } })],
    ['with a list of anything', answering({ type: 'array', items: {} })],
    ['with a text', answering({ type: 'string' })],
    ['with an alternative that is anything', answering({ oneOf: [{ properties: {} }, { type: 'object' }] })],
    ['with examples alone', answering({ example: { messages: [{ citations: [] }] } })],
  ])('%s may have the field', async (_what, operation) => {
    const { inUse, mayBeInUse } = await reportOf(post(operation))
    expect([idsOf(inUse), idsOf(mayBeInUse)]).toEqual([[], ['chat.citations']])
  })

  test.each([
    ['without a body', { responses: { 204: { description: 'done' } } }],
    ['with named members', answering({ type: 'object', properties: { messages: {} } })],
    ['with named members in parts', answering({ allOf: [{ properties: { a: {} } }, { description: 'b' }] })],
    ['with a number', answering({ type: 'integer' })],
    ['with members or nothing', answering({ anyOf: [{ properties: { a: {} } }, { type: 'null' }] })],
  ])('%s is all that is to be read', async (_what, operation) => {
    expect(await reportOf(post(operation))).toMatchObject({ inUse: [], mayBeInUse: [], faults: 0 })
  })

  test('a schema of a text that holds JSON is looked through, as is one that depends on a member', async () => {
    const text = { type: 'string', contentMediaType: 'application/json', contentSchema: citing }
    for (const schema of [text, { properties: { a: {} }, dependencies: { a: citing } }])
      expect(idsOf((await reportOf(post(answering(schema)))).inUse)).toEqual(['chat.citations'])
  })

  test('a parameter with the name of a field may be a use of it', async () => {
    const { mayBeInUse } = await reportOf(post({ parameters: [{ in: 'query', name: 'citations' }] }))
    expect(mayBeInUse).toMatchObject([{ id: 'chat.citations', confidence: 'name' }])
  })
})
