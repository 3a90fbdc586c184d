// The command onramp-deprecations: list, check, diff and calendar, with their exit codes.
import addFormats from 'ajv-formats'
import { expect, it } from 'vitest'
import { publishedSchedule } from '../../packages/deprecations/src/schedule/published-schedule.ts'
import { deprecations, fileOf, ndjson } from '../helpers/deprecations.ts'

const posting = (operation: string, request: object) => {
  return { method: 'POST', url: `https://a/rest/api/v1/${operation}`, request, response: {} }
}

it.each([
  [['list', '--as-of', '2026-02-30'], 2, '2027-01-15'],
  [['list', '--within', 'soon'], 2, '--within expects a whole number'],
  [['list', '--api', 'indexin'], 2, 'did you mean indexing?'],
  [['schema', 'waiver'], 2, 'did you mean waivers?'],
  [['check', '--fail-on', 'remove', 'x'], 1, 'did you mean removed?'],
  [['check'], 1, 'specify files'],
])('wrong usage gives one line with the correction: %j', async (args, code, words) => {
  const ran = await deprecations(args)
  expect([ran.code, ran.out]).toEqual([code, ''])
  expect(ran.err).toContain(words)
  expect(ran.err.trim().split('\n')).toHaveLength(1)
})

it('the list is sorted by removal date, with data on stdout and messages on stderr', async () => {
  const { code, out, err } = await deprecations([], { today: '2026-10-01' })
  expect(code).toBe(0)
  expect(out).toMatch(
    /2026-10-15 {2}14 days left, fix by 2026-10-14 {2}25 items[^]+2027-01-15 {2}106 days left/,
  )
  expect(out).toMatch(/trackingToken \(top level, request or response\) +use answer\.trackingToken/)
  expect(err).toContain('28 items')
})

it('the list with --within omits later removals and past ones', async () => {
  const count = async (options: string) => {
    const { out } = await deprecations(['list', '--json', ...options.split(' ')])
    return (JSON.parse(out) as { entries: { id: string }[] }).entries.length
  }
  expect(await count('--within 54')).toBe(0)
  expect(await count('--within 55')).toBe(3)
  expect(await count('--within 1 --as-of 2026-10-14')).toBe(25)
  expect(await count('--within 1 --as-of 2026-10-15')).toBe(0)
  expect(await count('--api indexing')).toBe(5)
  expect(await count('--operation CHAT')).toBe(1)
})

it('colors appear on terminals, unless NO_COLOR is set', async () => {
  const coloured = async (terminal: boolean, env = {}) =>
    (await deprecations([], { terminal, env })).out.includes('\u001b[')
  expect(await coloured(true)).toBe(true)
  expect([await coloured(false), await coloured(true, { NO_COLOR: '1' })]).toEqual([false, false])
})

const mine = {
  id: 'search.old',
  kind: 'field',
  api: 'client',
  method: 'POST',
  path: '/rest/api/v1/search',
  field: 'old',
  place: { in: 'request', depth: 'top' },
  replacement: 'new',
  announced: '2026-11-01',
  removal: '2026-12-24',
}
const text = (...entries: object[]) => JSON.stringify({ entries }, null, 1)

it('a custom schedule adds to the published one, and its items are found in traffic', async () => {
  const schedule = fileOf('mine.json', text(mine))
  const traffic = fileOf('a.ndjson', ndjson(posting('search', { old: 1 })))
  const { code, out } = await deprecations(['check', '--schedule', schedule, traffic])
  expect(code).toBe(2)
  expect(out).toContain('removal on 2026-12-24, 33 days left, fix by 2026-12-23; use new')
})

const announcedLate = { ...mine, id: 'b', announced: '2027-01-01' }
it.each([
  ['not JSON', '{\n "entries": [\n  }', /mine\.json:3: not valid JSON/],
  ['days out of order', text(mine, announcedLate), /mine\.json:18: entries\.1: announced/],
  ['an id used twice', text(mine, mine), /mine\.json:18: entries\.1: the id "search\.old" is used twice/],
  ['an unknown member', text({ ...mine, feild: 'x' }), /mine\.json:3: entries\.0: .*feild/],
])(
  'a custom schedule with %s is refused in one message with file and line',
  async (_title, content, message) => {
    const { code, err } = await deprecations(['list', '--schedule', fileOf('mine.json', content)])
    expect(code).toBe(1)
    expect(err).toMatch(message)
    expect(err.trim().split('\n')).toHaveLength(1)
  },
)

it('a custom schedule and the output of list --json fit the published JSON Schema', async () => {
  const schema = JSON.parse((await deprecations(['schema'])).out) as object
  const { default: Ajv2020 } = await import('ajv/dist/2020.js')
  const ajv = new Ajv2020.default()
  addFormats.default(ajv)
  const validate = ajv.compile(schema)
  const listed = JSON.parse((await deprecations(['list', '--json'])).out) as object
  expect(validate(listed)).toBe(true)
  expect(validate({ entries: [mine] })).toBe(true)
  for (const faulty of [{ place: undefined }, { removal: 'soon' }, { kind: 'x' }])
    expect(validate(JSON.parse(text({ ...mine, ...faulty })))).toBe(false)
})

it('diff lists added, moved and withdrawn items, and an earlier removal is an error', async () => {
  const entries = publishedSchedule.slice(0, 3)
  const [first, second, third] = entries
  const old = fileOf('old.json', text(...entries))
  const moved = text({ ...first, removal: '2027-02-01' }, { ...second, reason: 'x' }, mine)
  const later = fileOf('later.json', moved)

  const calm = await deprecations(['diff', old, later])
  expect(calm.code).toBe(0)
  expect(calm.out).toMatch(/^later .+ from 2027-01-15 to 2027-02-01 \(17 days\)$/m)
  expect(calm.out).toMatch(/^added +search\.old/m)
  expect(calm.out).toMatch(/^changed +getanswer\.trackingToken.*, reason$/m)
  expect(calm.out).toMatch(new RegExp(`^withdrawn +${third?.id}`, 'm'))

  const earlier = await deprecations(['diff', later, old, '--json'])
  expect(earlier.code).toBe(1)
  expect(JSON.parse(earlier.out)).toMatchObject({ errors: 1, changes: [{ kind: 'earlier' }, {}, {}, {}] })

  const listed = fileOf('today.json', (await deprecations(['list', '--json'])).out)
  expect(await deprecations(['diff', listed])).toMatchObject({
    code: 0,
    out: 'The schedules are the same.\n',
  })
})

const chat = posting('chat', { citations: [] })
const answer = posting('getanswer', { trackingToken: 't' })
const both = ndjson(chat, answer)

const file = fileOf('a.ndjson', both)
const codeOf = async (...args: string[]) => (await deprecations(['check', file, ...args])).code

it('a check exits with 2 for items deprecated by that day, or removed', async () => {
  expect(await codeOf()).toBe(2)
  expect(await codeOf('--as-of', '2026-10-14')).toBe(2)
  expect(await codeOf('--as-of', '2026-01-01')).toBe(0)
  expect((await deprecations(['check', fileOf('b.ndjson', ndjson(answer))])).code).toBe(2)
  const search = ndjson({ method: 'GET', url: '/rest/api/v1/search' })
  expect((await deprecations(['check'], { stdin: search })).code).toBe(0)
  expect((await deprecations(['check', '-'], { stdin: both })).code).toBe(2)
})

it('a check exits with 3 for fields sent anyway, and with 0 under --fail-on use', async () => {
  const policy = {
    method: 'GET',
    url: 'https://a/rest/api/v1/governance/data/policies/7',
    response: { policy: { enabled: true, datasources: [] } },
  }
  for (const answered of [{ ...chat, request: {}, response: { citations: [] } }, policy]) {
    const sent = fileOf('a.ndjson', ndjson(answered))
    const { code, out } = await deprecations(['check', sent])
    expect(code).toBe(3)
    expect(out).toMatch(/^May be in use: [12] items? [^]+\(sent by the service, used or not\)/)
    expect((await deprecations(['check', sent, '--fail-on', 'use'])).code).toBe(0)
  }
  expect((await deprecations(['check', file])).out).toContain('still filled for backward compatibility')
})

it('--fail-on and --within set which findings fail the check', async () => {
  expect(await codeOf('--fail-on', 'never')).toBe(0)
  expect(await codeOf('--fail-on', 'removed', '--as-of', '2026-10-14')).toBe(0)
  expect(await codeOf('--fail-on', 'removed')).toBe(2)
  expect(await codeOf('--within', '54', '--as-of', '2026-11-21')).toBe(2)
  expect(await codeOf('--within', '43', '--as-of', '2026-09-01')).toBe(0)
  expect(await codeOf('--within', '44', '--as-of', '2026-09-01')).toBe(2)
})

const waivers = (until: string, item = 'chat.citations') =>
  fileOf('waivers.json', JSON.stringify({ waivers: [{ item, until, reason: 'moving in Q1' }] }, null, 1))

it('a waiver lets an item pass through its last day and not beyond', async () => {
  const only = fileOf('b.ndjson', ndjson(chat))
  const codeUntil = async (until: string) =>
    (await deprecations(['check', only, '--waivers', waivers(until)])).code
  expect([await codeUntil('2026-11-20'), await codeUntil('2026-11-21')]).toEqual([2, 0])
  const waived = await deprecations(['check', file, '--waivers', waivers('2027-01-01')])
  expect(waived.out).toMatch(/Waived:[^]+waived until 2027-01-01: moving in Q1/)
  const { code, out } = await deprecations(['check', only, '--waivers', waivers('2027-01-01')])
  expect(code).toBe(0)
  expect(out).toMatch(/^Nothing deprecated is in use except what is waived/)
})

it('a waiver passes an item that only may be in use, and reports keep it', async () => {
  const possible = fileOf('a.ndjson', ndjson({ ...chat, request: { a: { citations: 1 } } }))
  const args = ['check', possible, '--waivers', waivers('2027-01-01')]
  const { code, out } = await deprecations(args)
  expect(code).toBe(0)
  expect(out).toMatch(/except what is waived[^]+Waived:[^]+only may be in use; waived until 2027-01-01/)
  expect(JSON.parse((await deprecations([...args, '--json'])).out)).toMatchObject({
    mayBeInUse: [],
    waived: [{ id: 'chat.citations', confidence: 'name', waiver: { reason: 'moving in Q1' } }],
  })
})

it('a waiver with an invalid date is refused with its line', async () => {
  const { code, err } = await deprecations(['check', file, '--waivers', waivers('2027-02-30')])
  expect([code, err]).toEqual([1, expect.stringMatching(/waivers\.json:\d: /)])
})

it('a file name can’t control the terminal', async () => {
  const { err } = await deprecations(['check', 'no\u001b[31m\nsuch'])
  expect(err).toBe('no?[31m?such: no such file; check the name\n')
})
