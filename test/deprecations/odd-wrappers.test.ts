// Recorders wrap bodies in ways of their own. A body that may be inside what was recorded is never called clean.
import { describe, expect, test } from 'vitest'
import { ndjson } from '../helpers/deprecations.ts'
import { chat, check, idsOf } from './checking.ts'

const possible = async (call: string) => idsOf((await check(call, 'a.ndjson')).report.mayBeInUse)

const citing = '{"messages":[{"citations":[]}]}'
const plain = '{"messages":[{"text":"SECRET"}]}'

const wrappers: [string, (body: string) => unknown][] = [
  ['beside an address', (body) => ({ body, ip: '192.0.2.7' })],
  ['beside a duration', (body) => ({ body, latencyMs: 3 })],
  ['in the postData of a HAR', (body) => ({ method: 'POST', bodySize: 30, postData: { text: body } })],
  ['in the content of a HAR', (body) => ({ content: { mimeType: 'application/json', text: body } })],
  ['under a name of its own', (body) => ({ raw: body })],
]

describe.each(wrappers)('a body that is a text %s', (_where, wrap) => {
  test.each(['request', 'response'] as const)('may be the body of the %s', async (side) => {
    const call = (body: string) => ndjson({ ...chat, request: {}, response: {}, [side]: wrap(body) })
    expect(await possible(call(citing))).toContain('chat.citations')
    expect(await possible(call(plain))).toEqual([])
  })
})

test.each([[{ bodySize: 812 }], [{ size: 812 }], [{ content_length: '812' }], [812], [true]])(
  'a body of which only this was recorded was not recorded: %j',
  async (request) => {
    const call = ndjson({ ...chat, request, response: {} })
    expect(await possible(call)).toContain('chat.citations')
  },
)
