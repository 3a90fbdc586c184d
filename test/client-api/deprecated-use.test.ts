import { assert, jsonValue, property, string } from 'fast-check'
import { expect, test } from 'vitest'
import { createMatcher, pathOf, type Call } from '../../src/client-api/deprecated-use.ts'
import { publishedSchedule } from '../../src/client-api/published-schedule.ts'

const matcher = createMatcher(publishedSchedule)
const usesIn = (call: Call) => {
  const uses: string[] = []
  matcher.eachUse(call, ({ entry, confidence, side, path }) => {
    uses.push([entry.id, confidence, side, path?.join('/')].filter((part) => part !== undefined).join(' '))
  })
  return uses
}

test('a member of the body itself is an exact place, a deeper one only a name', () => {
  const response = { citations: [], messages: [{ citations: [] }] }
  expect(usesIn({ method: 'post', url: '/rest/api/v1/chat', request: {}, response })).toEqual([
    'chat.citations exact response citations',
    'chat.citations name response messages/0/citations',
  ])
})

test('a call whose bodies were not recorded may use every field of its operation', () => {
  expect(usesIn({ method: 'POST', url: '/rest/api/v1/chat' })).toEqual(['chat.citations endpoint'])
  expect(usesIn({ method: 'POST', url: '/rest/api/v1/chat', request: {} })).toEqual([
    'chat.citations endpoint',
  ])
})

test('a field of either side counts as looked for once one side was recorded', () => {
  expect(usesIn({ method: 'POST', url: '/rest/api/v1/insights', response: {} })).toEqual([])
})

test('bodies are read as text, as JSON lines and as an event stream', () => {
  const line = '{"messages":[{"citations":[]}]}'
  for (const response of [line, `{"a":1}\n${line}\n`, `event: m\ndata: ${line}\n\ndata: [DONE]\n`])
    expect(usesIn({ method: 'POST', url: '/rest/api/v1/chat', request: {}, response })).toHaveLength(1)
  for (const response of ['<html>citations</html>', '', 'null', '{"citations"', '7'])
    expect(usesIn({ method: 'POST', url: '/rest/api/v1/chat', request: {}, response })).toEqual([])
})

test('hosts, prefixes, queries, fragments, doubled and trailing slashes do not matter', () => {
  for (const url of [
    'https://a/rest/api/v1/listanswers',
    'https://a//rest/api/v1/listanswers/?x=/y#z',
    'http://b:1/t/a/rest/api/v1/listanswers',
    '/rest/api/v1/list%61nswers',
  ])
    expect(usesIn({ method: 'POST', url })).toEqual(['listanswers exact'])
  expect(usesIn({ method: 'POST', url: '/x?u=/rest/api/v1/listanswers' })).toEqual([])
})

test('a body nested without end is looked through without failing', () => {
  const deep = JSON.parse(`${'[{"a":'.repeat(20_000)}1${'}]'.repeat(20_000)}`) as unknown
  expect(usesIn({ method: 'POST', url: '/rest/api/v1/chat', request: {}, response: deep })).toEqual([])
})

test('no address and no body makes the matcher fail', () => {
  assert(
    property(string(), string(), jsonValue(), (method, url, body) => {
      usesIn({ method, url, request: body, response: JSON.stringify(body) })
      expect(pathOf(url)).toBeTypeOf('string')
    }),
  )
})
