import { expect, test } from 'vitest'
import { deprecations, fileOf, ndjson } from '../helpers/deprecations.ts'

const chat = { method: 'POST', url: 'https://a/rest/api/v1/chat', request: { citations: [] }, response: {} }
const answer = {
  method: 'POST',
  url: 'https://a/rest/api/v1/getanswer',
  request: { trackingToken: 't' },
  response: {},
}
const both = ndjson(chat, answer)

const file = fileOf('a.ndjson', both)
const codeOf = async (...args: string[]) => (await deprecations(['check', file, ...args])).code

test('a check exits with 0 for nothing and 2 for deprecated or removed items, by the day', async () => {
  expect(await codeOf()).toBe(2)
  expect(await codeOf('--as-of', '2026-10-14')).toBe(2)
  expect(await codeOf('--as-of', '2026-01-01')).toBe(0)
  expect((await deprecations(['check', fileOf('b.ndjson', ndjson(answer))])).code).toBe(2)
  const search = ndjson({ method: 'GET', url: '/rest/api/v1/search' })
  expect((await deprecations(['check'], { stdin: search })).code).toBe(0)
  expect((await deprecations(['check', '-'], { stdin: both })).code).toBe(2)
})

test('a check exits with 3 for fields that the service sends anyway, and with 0 if only use fails', async () => {
  const policy = {
    method: 'GET',
    url: 'https://a/rest/api/v1/governance/data/policies/7',
    response: { policy: { enabled: true, datasources: [] } },
  }
  for (const answered of [{ ...chat, request: {}, response: { citations: [] } }, policy]) {
    const sent = fileOf('a.ndjson', ndjson(answered))
    const { code, out } = await deprecations(['check', sent])
    expect([code, out]).toEqual([
      3,
      expect.stringMatching(/^May be in use[^]+\(sent by the service, used or not\)/),
    ])
    expect((await deprecations(['check', sent, '--fail-on', 'use'])).code).toBe(0)
  }
  expect((await deprecations(['check', file])).out).toContain('still filled for backward compatibility')
})

test('--fail-on and --within set which findings fail the check', async () => {
  expect(await codeOf('--fail-on', 'never')).toBe(0)
  expect(await codeOf('--fail-on', 'removed', '--as-of', '2026-10-14')).toBe(0)
  expect(await codeOf('--fail-on', 'removed')).toBe(2)
  expect(await codeOf('--within', '54', '--as-of', '2026-11-21')).toBe(2)
  expect(await codeOf('--within', '30', '--as-of', '2026-09-01')).toBe(0)
})

const waivers = (until: string, item = 'chat.citations') =>
  fileOf('waivers.json', JSON.stringify({ waivers: [{ item, until, reason: 'moving in Q1' }] }, null, 1))

test('a waiver lets an item pass through its last day and not beyond', async () => {
  const only = fileOf('b.ndjson', ndjson(chat))
  const codeUntil = async (until: string) =>
    (await deprecations(['check', only, '--waivers', waivers(until)])).code
  expect([await codeUntil('2026-11-20'), await codeUntil('2026-11-21')]).toEqual([2, 0])
  const waived = await deprecations(['check', file, '--waivers', waivers('2027-01-01')])
  expect(waived.out).toMatch(/Waived:[^]+waived until 2027-01-01: moving in Q1/)
  const { code, out } = await deprecations(['check', only, '--waivers', waivers('2027-01-01')])
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/^Nothing deprecated is in use except what is waived/),
  ])
})

test('a waiver lets an item pass that only may be in use, and the reports keep it', async () => {
  const possible = fileOf('a.ndjson', ndjson({ ...chat, request: { a: { citations: 1 } } }))
  const args = ['check', possible, '--waivers', waivers('2027-01-01')]
  const { code, out } = await deprecations(args)
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/except what is waived[^]+Waived:[^]+only may be in use; waived until 2027-01-01/),
  ])
  expect(JSON.parse((await deprecations([...args, '--json'])).out)).toMatchObject({
    mayBeInUse: [],
    waived: [{ id: 'chat.citations', confidence: 'name', waiver: { reason: 'moving in Q1' } }],
  })
})

test('a waiver of a day that does not exist is refused with its line', async () => {
  const { code, err } = await deprecations(['check', file, '--waivers', waivers('2027-02-30')])
  expect([code, err]).toEqual([1, expect.stringMatching(/waivers\.json:\d: /)])
})

test('a file name cannot drive the terminal', async () => {
  const { err } = await deprecations(['check', 'no\u001b[31m\nsuch'])
  expect(err).toBe('no?[31m?such: no such file; check the name\n')
})
