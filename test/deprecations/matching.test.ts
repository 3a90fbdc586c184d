// Matching of uses: operations by method and path, fields by name and place, bodies only if they were read.
import { expect, it } from 'vitest'
import {
  createOperationLookup,
  matchCall,
  type Call,
} from '../../packages/deprecations/src/matching/matching.ts'
import { publishedSchedule } from '../../packages/deprecations/src/schedule/published-schedule.ts'
import type { Entry } from '../../packages/deprecations/src/schedule/schedule.ts'

const findOperation = createOperationLookup(publishedSchedule)
const uses = (call: Call) => {
  const scheduled = findOperation(call.method, call.url)
  return (scheduled === undefined ? [] : matchCall(scheduled, call)).map(
    ({ entry, confidence, side, pointer }) =>
      [entry.id, confidence, side, pointer].filter((part) => part !== undefined).join(' '),
  )
}
const chat = { method: 'POST', url: '/rest/api/v1/chat', request: {}, response: {} }
const announcing = (request: unknown, response: unknown = {}) =>
  uses({ method: 'POST', url: '/rest/api/v1/createannouncement', request, response })
const policy = (response: unknown) =>
  uses({ method: 'GET', url: '/rest/api/v1/governance/data/policies/7', response })

/** A call of the operation with empty bodies. */
const callOf = ({ method, path }: Entry) => ({
  method,
  url: `/a${path.replace('{id}', '42')}?q=1`,
  request: {},
  response: {},
})

it.each(publishedSchedule.filter((entry) => entry.kind === 'field'))(
  'the field $id is found where it is used, and not inside its replacement',
  (entry) => {
    const { id, field, replacement = '' } = entry
    const holder = /^(\w+)(?:\.\w+)?$/.exec(replacement)?.[1]
    const instead = holder === undefined ? { other: 1 } : { [holder]: { [field]: [1] } }
    // The contract doesn't specify the side.
    for (const side of entry.method === 'GET' ? ['response'] : ['request', 'response']) {
      const used = uses({ ...callOf(entry), [side]: { [field]: [1] } })
      expect(used).toContain(`${id} ${side === 'request' ? 'exact' : 'sent'} ${side} /${field}`)
      expect(uses({ ...callOf(entry), [side]: instead })).toEqual([])
    }
  },
)

it.each(publishedSchedule.filter(({ kind }) => kind === 'endpoint'))(
  'a call of the endpoint $id is found',
  (entry) => {
    expect(uses(callOf(entry))).toEqual([`${entry.id} exact`])
  },
)

it.each([
  'https://a/rest/api/v1/listanswers',
  'https://user@a:8443/x%20y/t/REST/api/v1/ListAnswers///?a=/b#z',
  'https://a//rest/api/v1/listanswers/',
  '/%7Ea/%zz/rest/api/v1/list%61nswers',
])('%s is the path of POST listanswers, whatever the prefix', (url) =>
  expect(uses({ method: 'post', url })).toEqual(['listanswers exact']),
)

it.each(['4711', 'a%2Fb', 'a:b', '%zz', '%F0%9F%99%82', '{id}'])(
  'a policy with the ID %s is the scheduled operation',
  (id) => {
    const url = `/t/rest/api/v1/governance/data/policies/${id}?expand=a/b`
    expect(uses({ method: 'GET', url, response: { urlGreenlist: [] } })).toHaveLength(1)
  },
)

it('another method, a path beside or below, and a query are another operation', () => {
  for (const url of ['/rest/api/v1/listanswers/x', '/listanswers', '/x?u=/rest/api/v1/listanswers'])
    expect(uses({ method: 'POST', url })).toEqual([])
  expect(uses({ method: 'GET', url: '/rest/api/v1/listanswers' })).toEqual([])
})

it('a field of the request or its main object is in use', () => {
  const request = { citations: [], messages: [{ citations: [], about: [{ citations: [] }] }] }
  expect(uses({ ...chat, request })).toEqual([
    'chat.citations exact request /citations',
    'chat.citations exact request /messages/0/citations',
    'chat.citations name request /messages/0/about/0/citations',
  ])
  expect(announcing({ announcement: { role: 1 }, author: { role: 1 } })).toEqual([
    'createannouncement.role exact request /announcement/role',
    'createannouncement.role name request /author/role',
  ])
})

it('a response field may be in use, because migrated clients receive it too', () => {
  expect(uses({ ...chat, response: { messages: [{ citations: [] }] } })).toEqual([
    'chat.citations sent response /messages/0/citations',
  ])
  expect(announcing({}, { announcement: { role: 1 }, author: { role: 1 } })).toEqual([
    'createannouncement.role sent response /announcement/role',
    'createannouncement.role name response /author/role',
  ])
  expect(policy({ policy: { enabled: true }, schedule: { enabled: true } })).toEqual([
    'policies.enabled sent response /policy/enabled',
    'policies.enabled name response /schedule/enabled',
  ])
})

it('a top-level field deeper in the body is another field', () => {
  const answer = { method: 'POST', url: '/rest/api/v1/getanswer', request: {} }
  const deeper = { answer: { trackingToken: 't' }, a: { trackingToken: 't' } }
  expect(uses({ ...answer, response: deeper })).toEqual([])
  expect(uses({ ...answer, response: { trackingToken: 't' } })).toEqual([
    'getanswer.trackingToken sent response /trackingToken',
  ])
})

it.each([
  [{ ChannelInviteInfo: { inviteTime: 1, reminderTime: 2 } }],
  [{ channel_invite_info: [{ reminderTime: 1 }] }],
  [{ channels: [{ channelInviteInfo: { deeper: { inviteTime: 1 } } }] }],
  [{ permissions: [{ role: 'VIEWER' }] }],
  [{ announcement: { Permissions: { role: 'VIEWER' } } }],
])('a field inside its replacement is not the deprecated one: %j', (request) =>
  expect(announcing(request)).toEqual([]),
)

it('a field beside its replacement is the deprecated one', () => {
  expect(announcing({ inviteTime: 1, ChannelInviteInfo: { inviteTime: 1 } })).toEqual([
    'createannouncement.inviteTime exact request /inviteTime',
  ])
  expect(policy({ broadSharingOptions: [{ enabled: true }] })).toEqual([])
})

it('a field in the query, or in possible JSON, may be in use', () => {
  expect(uses({ ...chat, url: `${chat.url}?citations=1` })).toEqual(['chat.citations name request'])
  for (const response of [{ raw: '{"citations":[]}' }, [JSON.stringify({ a: '{"citations":1}' })]])
    expect(uses({ ...chat, response })).toEqual([expect.stringContaining('chat.citations name response')])
  expect(uses({ ...chat, response: { text: 'it has citations: two' } })).toEqual([])
})

it('a body that wasn’t recorded may have any field', () => {
  const [request, response] = ['request', 'response'].map((side) => `chat.citations endpoint ${side}`)
  const { method, url } = chat
  expect(uses({ method, url })).toEqual([request, response])
  expect(uses({ method, url, request: '' })).toEqual([response])
})

it('a message that can’t have a body doesn’t count as unrecorded', () => {
  const { method, url } = chat
  for (const status of [204, 205]) expect(uses({ method, url, request: {}, status })).toEqual([])
  expect(uses({ method: 'GET', url: '/rest/api/v1/governance/data/policies/7', response: {} })).toEqual([])
})

it.each([
  ['JSON', '\uFEFF{"messages":[{"citations":[]}]}'],
  ['JSON Lines, as a chat streams them', '{"a":1}\n{"messages":[{"citations":[]}]}\n'],
  ['bytes', new TextEncoder().encode('{"messages":[{"citations":[]}]}')],
])('a body is read as %s', (_title, response) =>
  expect(uses({ ...chat, response })).toEqual(['chat.citations sent response /messages/0/citations']),
)

it.each([
  ['a number', '7'],
  ['a page', '<html>citations</html>'],
  ['a form', 'a=1&citations=2'],
  ['compressed', '\u001f\uFFFD\u0008'],
  ['base64', btoa('{"citations":1}')],
  ['cut off', '{"messages":[{"cit'],
  ['truncated lines', '{"a":1}\n{"mess'],
  ['nested too deeply', JSON.parse(`${'[{"a":'.repeat(20_000)}1${'}]'.repeat(20_000)}`) as unknown],
])('a body that is %s may contain any field', (_title, response) =>
  expect(uses({ ...chat, response })).toEqual(['chat.citations unread response']),
)

it('a truncated body keeps the fields already found', () => {
  expect(uses({ ...chat, response: '{"citations":1}\n{"mess' })).toEqual([
    'chat.citations sent response /citations',
    'chat.citations unread response',
  ])
  const found = (status: number) => uses({ ...chat, status, response: '<h1>Bad gateway</h1>' }).length
  expect([399, 400, 502].map(found)).toEqual([1, 0, 0])
})
