// What the watch records is what the check reads: all of a stream, and a mark where something had to be left out.
import { describe, expect, test, vi } from 'vitest'
import { publishedSchedule } from '../../packages/deprecations/src/schedule/published-schedule.ts'
import { createRecorder, withoutValues } from '../../packages/deprecations/src/watch/recording.ts'
import { watchDeprecations } from '../../packages/deprecations/src/watch/watch-fetch.ts'
import type { Notice } from '../../packages/deprecations/src/watch/notice.ts'
import { deprecations, fileOf } from '../helpers/deprecations.ts'

const recordOf = createRecorder(publishedSchedule)
const now = () => Date.parse('2026-11-21T12:00:00Z')

describe('the record of a call', () => {
  const recorded = async (answer: string, sent?: RequestInit['body'], path = '/rest/api/v1/chat') => {
    const lines: string[] = []
    const noticedIds: string[] = []
    const record = (line: string) => lines.push(line)
    const log = ({ item, by }: Notice) => noticedIds.push(`${by} ${item}`)
    const fetch = watchDeprecations(() => Promise.resolve(new Response(answer)), publishedSchedule, {
      record,
      log,
      now,
      seen: new Set(),
    })
    await fetch(`https://a${path}`, { method: 'POST', body: sent ?? '{}' })
    await vi.waitFor(() => expect(lines).toHaveLength(1))
    const ran = await deprecations(['check', fileOf('w.ndjson', lines.join('')), '--json'])
    type Items = { id: string }[]
    const { inUse, mayBeInUse } = JSON.parse(ran.out) as { inUse: Items; mayBeInUse: Items }
    const ids = (items: Items) => items.map(({ id }) => id)
    return {
      ...ran,
      noticed: noticedIds,
      inUse: ids(inUse),
      mayBeInUse: ids(mayBeInUse),
      line: lines[0] ?? '',
    }
  }

  test.each([
    ['lines', '{"a":"SECRET"}\n{"b":1}\n{"messages":[{"citations":["SECRET"]}]}\n'],
    ['events', 'data: {"a":1}\n\ndata: {"messages":\ndata: [{"citations":1}]}\n\ndata: [DONE]\n\n'],
  ])('of a stream of %s every document is recorded', async (_what, answer) => {
    const { code, inUse, mayBeInUse, noticed, line } = await recorded(answer)
    expect([code, inUse, mayBeInUse]).toEqual([2, ['chat.citations'], []])
    expect(noticed).toEqual(['use chat.citations'])
    expect(line).not.toContain('SECRET')
  })

  test.each([
    ['longer than is looked through', `${'{"a":"x"}\n'.repeat(150_000)}{"citations":1}`],
    ['longer than is recorded', `${'{"some_rather_long_name":"x"}\n'.repeat(20_000)}{"a":1}`],
    ['cut off', '{"a":1}\n{"b'],
    ['in an unknown form', '<a>SECRET</a>'],
    ['in a text', '{"raw":"{\\"citations\\":\\"SECRET\\"}"}'],
    ['written twice', '{"a":{"citations":"SECRET"},"a":1}'],
    ['in base64', JSON.stringify({ payload: btoa('{"citations":"SECRET"}') })],
    ['pairs', '[["citations","SECRET"],["a",2]]'],
    ['names and values', '{"fields":[{"name":"citations","value":"SECRET"}]}'],
    ['a form in a text', '{"payload":"a=1&citations=SECRET"}'],
    ['a script in a text', '{"payload":"x {citations: [SECRET]}"}'],
    ['bytes', JSON.stringify({ payload: [...Buffer.from('{"citations":[]}')] })],
    ['in pieces', '["{\\"cita","tions\\":[]}"]'],
    ['not printed', '{"messages":"[object Object]"}'],
    ['a page', '<html>{"citations":["SECRET"]}</html>'],
    ['nested without end', `${'[{"a":'.repeat(3_000)}1${'}]'.repeat(3_000)}`],
  ])('a stream that is %s is marked, and the check does not call it clean', async (_what, answer) => {
    const { inUse, mayBeInUse, line } = await recorded(answer)
    expect([inUse, mayBeInUse]).toEqual([[], ['chat.citations']])
    expect(JSON.parse(line)).toMatchObject({ incomplete: ['response'] })
    expect(line.length).toBeLessThan(2 * 1024 * 1024)
    expect(line).not.toContain('SECRET')
  })

  test('a body with the members of a wrapper is read as what it is', async () => {
    const { mayBeInUse, noticed } = await recorded('{"body":{},"headers":{"a":{"citations":"SECRET"}}}')
    expect([mayBeInUse, noticed]).toEqual([['chat.citations'], ['possible chat.citations']])
  })

  test('of the query only the names of fields are kept', async () => {
    const path = '/rest/api/v1/chat?citations=SECRET&token=SECRET&SECRET#SECRET'
    const { mayBeInUse, line, noticed } = await recorded('{}', '{}', path)
    expect([mayBeInUse, noticed]).toEqual([['chat.citations'], ['possible chat.citations']])
    expect(JSON.parse(line)).toMatchObject({ url: 'https://a/rest/api/v1/chat?citations=' })
    expect(line).not.toContain('SECRET')
  })

  test('an answer that is cut where a document ends is marked as well', async () => {
    const call = { time: 0, method: 'POST', url: '/rest/api/v1/chat', status: 200 }
    const lineOf = (isCut: boolean) => recordOf({ ...call, response: { text: '{"a":1}\n', isCut } })
    expect(JSON.parse(lineOf(true))).toMatchObject({ incomplete: ['response'] })
    expect(JSON.parse(lineOf(false))).not.toHaveProperty('incomplete')
  })

  test('forms and bytes that are sent are recorded, and an answer of words is marked', async () => {
    const path = '/rest/api/v1/createannouncement'
    for (const sent of [new URLSearchParams({ boardId: '1' }), Buffer.from('{"boardId":1}')])
      expect((await recorded('{}', sent, path)).inUse).toEqual(['createannouncement.boardId'])
    for (const answer of ['', '[]', 'data: ok\n\n', '<html>ok</html>'])
      expect((await recorded(answer)).mayBeInUse).toEqual([])
    for (const answer of ['7', 'null', '"word"', 'ok'])
      expect((await recorded(answer)).mayBeInUse).toEqual(['chat.citations'])
  })

  test('values are taken out at any depth', () => {
    expect(withoutValues({ a: [{ b: 'x' }, 1], c: null })).toEqual({ a: [{ b: null }, null], c: null })
  })
})
