// The watch looks at all that can be looked at without taking it from the call: whatever is sent, and wherever it ends up.
import { expect, test, vi } from 'vitest'
import { publishedSchedule } from '../../packages/deprecations/src/schedule/published-schedule.ts'
import type { Notice } from '../../packages/deprecations/src/watch/notice.ts'
import { watchDeprecations } from '../../packages/deprecations/src/watch/watch-fetch.ts'
import { createWatch } from '../../packages/deprecations/src/watch/watch.ts'
import { check, idsOf } from './checking.ts'

const now = () => Date.parse('2026-11-21T12:00:00Z')

const noticed = () => {
  const ids: string[] = []
  const lines: string[] = []
  const log = ({ item, by }: Notice) => ids.push(`${by} ${item}`)
  return {
    ids,
    lines,
    options: { log, now, record: (line: string) => lines.push(line), seen: new Set<string>() },
  }
}

/** Sends a body with a fetch that gives this answer. */
const sending = async (
  init: RequestInit & { duplex?: string },
  path: string,
  answer = new Response('{}'),
) => {
  const { ids, lines, options } = noticed()
  const fetch = watchDeprecations(() => Promise.resolve(answer), publishedSchedule, options)
  await fetch(`https://a${path}`, { method: 'POST', ...init })
  await vi.waitFor(() => expect(lines).toHaveLength(1))
  const { report } = await check(lines.join(''))
  return { ids, inUse: idsOf(report.inUse), mayBeInUse: idsOf(report.mayBeInUse), line: lines.join('') }
}

const form = new FormData()
form.set('boardId', 'SECRET')

test.each<[string, NonNullable<RequestInit['body']>]>([
  ['a Blob', new Blob(['{"boardId":"SECRET"}'])],
  ['a form of several parts', form],
  ['an ArrayBuffer', new TextEncoder().encode('{"boardId":"SECRET"}').buffer],
])('%s that is sent is looked at, and recorded', async (_what, body) => {
  const { ids, inUse, line } = await sending({ body }, '/rest/api/v1/createannouncement')
  expect([ids, inUse]).toEqual([['use createannouncement.boardId'], ['createannouncement.boardId']])
  expect(line).not.toContain('SECRET')
})

test('of a long Blob that is sent the beginning is looked at, and the rest is not called clean', async () => {
  const body = new Blob(['{"a":1}\n', ' '.repeat(2 * 1024 * 1024), '{"boardId":1}'])
  const { line, mayBeInUse } = await sending({ body }, '/rest/api/v1/createannouncement')
  expect(mayBeInUse).toContain('createannouncement.boardId')
  expect(JSON.parse(line)).toMatchObject({ incomplete: ['request'] })
})

test('a stream that is sent is left to the call, and is not called clean', async () => {
  const body = new Blob(['{"citations":1}']).stream()
  const { ids, mayBeInUse } = await sending({ body, duplex: 'half' }, '/rest/api/v1/chat')
  expect([ids, mayBeInUse]).toEqual([[], ['chat.citations']])
  expect(body.locked).toBe(false)
})

test('bytes that are handed over are read as the text in them', () => {
  for (const bytes of [Buffer.from('{"citations":1}'), new TextEncoder().encode('{"citations":1}').buffer]) {
    const { ids, options } = noticed()
    const call = { method: 'POST', url: '/rest/api/v1/chat', status: 200, headers: [] }
    createWatch(publishedSchedule, options).observe({ ...call, response: bytes })
    expect(ids).toEqual(['use chat.citations'])
  }
})

test('the operation that a redirect leads to may be used, as it may have made a GET of the call', async () => {
  const answer = (text: string, path: string) =>
    Object.defineProperties(new Response(text), {
      redirected: { value: true },
      url: { value: `https://b${path}?token=SECRET` },
    })
  const chat = await sending({ body: '{"citations":1}' }, '/x', answer('{}', '/rest/api/v1/chat'))
  expect([chat.ids, chat.inUse]).toEqual([['possible chat.citations'], ['chat.citations']])
  const list = await sending({ body: '{}' }, '/x?token=SECRET', answer('{}', '/rest/api/v1/listanswers'))
  expect([list.ids, list.inUse]).toEqual([['possible listanswers'], ['listanswers']])
  expect(list.line).not.toContain('SECRET')
})

test('a GET stays one wherever a redirect leads to, and the message says that one did', () => {
  const notices: Notice[] = []
  const url = 'https://b/rest/api/v1/governance/data/policies/1'
  const watch = createWatch(publishedSchedule, {
    now,
    seen: new Set(),
    count: (notice) => notices.push(notice),
  })
  const redirected = { url: 'https://a/x', otherUrls: [url] }
  const answer = { status: 200, headers: [], response: '{"sensitiveTerms":1}' }
  for (const call of [{ url }, redirected]) watch.observe({ method: 'GET', ...call, ...answer })
  expect(notices.map(({ by }) => by)).toEqual(['use', 'use'])
  expect(notices.map(({ message }) => / in use( \(a redirect led there\))?: /.exec(message)?.[1])).toEqual([
    undefined,
    ' (a redirect led there)',
  ])
})
