import { assert, jsonValue, property, string } from 'fast-check'
import { expect, test } from 'vitest'
import { createMatcher, type Call } from '../../packages/deprecations/src/matching/deprecated-use.ts'
import { pathOf } from '../../packages/deprecations/src/matching/path.ts'
import { publishedSchedule } from '../../packages/deprecations/src/schedule/published-schedule.ts'

const matcher = createMatcher(publishedSchedule)
const usesIn = (call: Call) => {
  const uses: string[] = []
  matcher.eachUse(call, ({ entry, confidence, side, path }) => {
    uses.push([entry.id, confidence, side, path?.join('/')].filter((part) => part !== undefined).join(' '))
  })
  return uses
}

test('a member of the body or of what it is about is an exact place, a deeper one only a name', () => {
  const response = { citations: [], messages: [{ citations: [], about: [{ citations: [] }] }] }
  expect(usesIn({ method: 'post', url: '/rest/api/v1/chat', request: {}, response })).toEqual([
    'chat.citations exact response citations',
    'chat.citations exact response messages/0/citations',
    'chat.citations name response messages/0/about/0/citations',
  ])
})

test('a call may use every field of a body that was not recorded', () => {
  const url = '/rest/api/v1/chat'
  const missing = ['request', 'response'].map((side) => `chat.citations endpoint ${side}`)
  expect(usesIn({ method: 'POST', url })).toEqual(missing)
  expect(usesIn({ method: 'POST', url, request: {} })).toEqual([missing[1]])
  expect(usesIn({ method: 'POST', url, response: {} })).toEqual([missing[0]])
  expect(usesIn({ method: 'POST', url, request: '', response: {} })).toEqual([])
})

test('a body of which only a part was recorded may bear what the part does not', () => {
  const call = { method: 'POST', url: '/rest/api/v1/chat', request: {}, response: {} }
  expect(usesIn({ ...call, incomplete: ['response'] })).toEqual(['chat.citations endpoint response'])
})

test('bodies are read as text, as JSON lines and as an event stream', () => {
  const line = '{"messages":[{"citations":[]}]}'
  for (const response of [line, `{"a":1}\n${line}\n`, `event: m\ndata: ${line}\n\ndata: [DONE]\n`])
    expect(usesIn({ method: 'POST', url: '/rest/api/v1/chat', request: {}, response })).toHaveLength(1)
  for (const response of ['<html>citations</html>', '', 'data: [DONE]\n\n'])
    expect(usesIn({ method: 'POST', url: '/rest/api/v1/chat', request: {}, response })).toEqual([])
})

test('what cannot be read is told, with why', () => {
  const whys: (string | undefined)[] = []
  const call = { method: 'POST', url: '/rest/api/v1/chat', request: {}, response: '{"citations"' }
  matcher.eachUse(call, ({ confidence, why }) => whys.push(confidence, why))
  expect(whys).toEqual(['unread', 'is cut off or not JSON throughout'])
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

test('a body nested without end does not fail, and is told as not looked through', () => {
  const deep = JSON.parse(`${'[{"a":'.repeat(20_000)}1${'}]'.repeat(20_000)}`) as unknown
  expect(usesIn({ method: 'POST', url: '/rest/api/v1/chat', request: {}, response: deep })).toEqual([
    'chat.citations unread response',
  ])
})

test('no address and no body makes the matcher fail', () => {
  assert(
    property(string(), string(), jsonValue(), (method, url, body) => {
      usesIn({ method, url, request: body, response: JSON.stringify(body) })
      expect(pathOf(url)).toBeTypeOf('string')
    }),
  )
})
