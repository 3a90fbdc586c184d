// A field of the same name inside a replacement is not the deprecated one, and one somewhere deeper only may be.
import { describe, expect, test } from 'vitest'
import { ndjson } from '../helpers/deprecations.ts'
import { check, idsOf } from './checking.ts'

const announcing = (body: unknown) =>
  ndjson({ method: 'POST', url: '/rest/api/v1/createannouncement', request: body, response: {} })
const policy = (response: unknown) =>
  ndjson({ method: 'GET', url: '/rest/api/v1/governance/data/policies/7', response })

describe('inside a replacement', () => {
  test.each([
    [announcing({ ChannelInviteInfo: { inviteTime: 1, reminderTime: 2 } })],
    [announcing({ channelInviteInfo: { inviteTime: 1 } })],
    [announcing({ channel_invite_info: [{ reminderTime: 1 }] })],
    [announcing({ channels: [{ channelInviteInfos: [{ deeper: { inviteTime: 1 } }] }] })],
    [announcing({ permissions: { role: 'VIEWER' } })],
    [announcing({ permissions: [{ role: 'VIEWER' }] })],
    [announcing({ announcement: { Permissions: { role: 'VIEWER' } } })],
    [policy({ broadSharingOptions: { enabled: true, anyoneWithLinkEnabled: true } })],
    [policy({ config: { broadSharingOptions: [{ enabled: true }] } })],
  ])('%s uses nothing', async (content) => {
    const { code, report } = await check(content, 'a.ndjson', '--fail-on', 'possible')
    expect([code, report.inUse, report.mayBeInUse]).toEqual([0, [], []])
  })

  test('the deprecated field beside its replacement is still found', async () => {
    const body = { inviteTime: 1, ChannelInviteInfo: { inviteTime: 1 } }
    const { report } = await check(announcing(body))
    expect(report.inUse).toMatchObject([
      { id: 'createannouncement.inviteTime', places: [{ pointer: '/inviteTime' }] },
    ])
    expect(report.inUse[0]?.places).toHaveLength(1)
  })
})

describe('deeper than the contract says', () => {
  test.each([
    ['createannouncement.role', announcing({ author: { role: 'EDITOR' } })],
    ['createannouncement.documents', announcing({ a: [{ documents: [] }] })],
    ['policies.enabled', policy({ schedule: { enabled: true } })],
    ['policies.enabled', policy({ externalSharing: { enabled: true } })],
  ])('%s only may be in use', async (id, content) => {
    const { code, report } = await check(content)
    expect([code, report.inUse]).toEqual([0, []])
    expect(report.mayBeInUse).toMatchObject([{ id, confidence: 'name' }])
    expect((await check(content, 'a.ndjson', '--fail-on', 'possible')).code).toBe(3)
  })

  test('"(top level)" is exact: the same name deeper is something else', async () => {
    const response = { answer: { trackingToken: 't' }, a: { trackingToken: 't' } }
    const call = { method: 'POST', url: '/rest/api/v1/getanswer', request: {}, response }
    expect((await check(ndjson(call))).report).toMatchObject({ inUse: [], mayBeInUse: [] })
    const items = { ...call, response: [{ answer: {} }, { trackingToken: 't' }] }
    expect(idsOf((await check(ndjson(items))).report.inUse)).toEqual(['getanswer.trackingToken'])
  })
})

describe('at the place where it is deprecated', () => {
  const post = (url: string, request: unknown, response: unknown) =>
    ndjson({ method: 'POST', url, request, response })
  test.each([
    ['chat.citations', post('/rest/api/v1/chat', {}, { citations: [] })],
    ['chat.citations', post('/rest/api/v1/chat', {}, { messages: [{ citations: [] }] })],
    ['chat.citations', post('/rest/api/v1/chat', { messages: [{ citations: [] }] }, {})],
    ['indexemployee.location', post('/api/index/v1/indexemployee', { employee: { location: 1 } }, {})],
    ['indexemployee.location', post('/api/index/v1/indexemployee', {}, { location: 1 })],
    ['createannouncement.role', post('/rest/api/v1/createannouncement', {}, { announcement: { role: 1 } })],
    ['policies.enabled', policy({ policy: { enabled: true } })],
  ])('%s is in use in %s', async (id, content) => {
    const { code, report } = await check(content)
    expect([code, idsOf(report.inUse)]).toEqual([2, [id]])
    expect(report.inUse).toMatchObject([{ confidence: 'exact' }])
  })
})

describe('the address of a call', () => {
  test.each([
    'https://a/t/REST/api/v1/ListAnswers',
    '/rest/api/v1/listanswers///?a=/b',
    '/%7Ea/%zz/rest/api/v1/list%61nswers/',
    'https://user@a:8443/x%20y/rest/api/v1/listanswers#f',
  ])('%s is recognised', async (url) => {
    expect(idsOf((await check(ndjson({ method: 'post', url }))).report.inUse)).toEqual(['listanswers'])
  })

  test.each(['4711', 'a%2Fb', 'a:b', '%zz', 'ünï', '%F0%9F%99%82', '{id}'])(
    'the policy %s is a policy',
    async (id) => {
      const url = `/t/rest/api/v1/governance/data/policies/${id}?expand=a/b`
      const content = ndjson({ method: 'GET', url, response: { urlGreenlist: [] } })
      expect(idsOf((await check(content)).report.inUse)).toEqual(['policies.urlGreenlist'])
    },
  )
})
