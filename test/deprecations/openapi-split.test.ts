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
