// What the reports say when something could not be read.
import { describe, expect, test } from 'vitest'
import { deprecations, fileOf, ndjson } from '../helpers/deprecations.ts'
import { chat } from './checking.ts'

const citing = '{"messages":[{"citations":[]}]}'
const plain = '{"messages":[{"text":"SECRET"}]}'
const chatOf = (response: unknown) => ndjson({ ...chat, response })

describe('what the report says', () => {
  test('with nothing found, how much could not be read', async () => {
    const { out } = await deprecations(['check', fileOf('a.ndjson', `${chatOf(plain)}${chatOf('{"cut')}`)])
    expect(out).toMatch(/^May be in use: 1 item[^\n]*2 requests[^\n]*1 part could not be read/)
    expect(out).toMatch(/a body was unreadable[^]*chat[^]*citations/)
  })

  test('with everything waived, that it is waived', async () => {
    const waivers = fileOf(
      'w.json',
      JSON.stringify({ waivers: [{ item: 'chat.citations', until: '2027-01-01', reason: 'r' }] }),
    )
    const { out } = await deprecations(['check', fileOf('a.ndjson', chatOf(citing)), '--waivers', waivers])
    expect(out).toMatch(/^Nothing deprecated is in use except what is waived/)
    const possible = await deprecations(['check', fileOf('a.ndjson', chatOf('{"c')), '--waivers', waivers])
    expect(possible.err).not.toContain('not needed')
  })

  test('a file without a single request was not checked', async () => {
    for (const [name, content] of [
      ['a.log', '# nothing\n'],
      ['a.har', '{"log":{"entries":[]}}'],
    ] as const) {
      const { code, out, err } = await deprecations(['check', fileOf(name, content)])
      expect([code, out]).toEqual([1, expect.stringContaining('Nothing could be checked')])
      expect(err).toContain('no requests')
    }
  })

  test('every form for machines knows of it', async () => {
    const file = fileOf('a.ndjson', chatOf('{"c'))
    const sarif = JSON.parse((await deprecations(['check', file, '--sarif'])).out) as {
      runs: { results: { level: string }[]; invocations: { executionSuccessful: boolean }[] }[]
    }
    expect(sarif.runs[0]).toMatchObject({
      results: [{ level: 'note' }],
      invocations: [{ executionSuccessful: false }],
    })
    const failing = await deprecations(['check', file, '--junit', '--fail-on', 'possible'])
    expect(failing.out).toContain('failures="1" errors="1"')
    const notice = await deprecations(['check', file, '--annotations'])
    expect(notice.out).toMatch(/^::notice [^\n]*may be in use/)
  })
})
