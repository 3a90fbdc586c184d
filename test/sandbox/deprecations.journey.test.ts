// The sandbox enforces the schedule of deprecations: every row before and after its removal, over HTTP.
import { expect, it } from 'vitest'
import { publishedSchedule } from '../../packages/deprecations/src/schedule/published-schedule.ts'
import { operationOf } from '../../packages/deprecations/src/schedule/schedule.ts'
import { call, sharedSandbox } from './client-calls.ts'

const sandbox = await sharedSandbox({ paths: { service: '/tenant/a' } })

// The product's copy of the schedule, independent of the sandbox's.
const rows = publishedSchedule.map((entry) => ({
  ...entry,
  operation: operationOf(entry),
  field: entry.kind === 'field' ? entry.field : undefined,
}))
type Row = (typeof rows)[number]

const operations = [...new Set(rows.map(({ operation }) => operation))]
const fields = rows.filter(({ field }) => field !== undefined)
// The contract doesn't show the response of indexemployee.
const responseFields = fields.filter(({ field }) => field !== 'location')
const sent = fields.filter(({ operation }) => !operation.startsWith('GET '))

const dayBefore = (day: string) => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10)

async function send(operation: string, day?: string, options: Parameters<typeof call>[2] = {}) {
  const [method = '', template = ''] = operation.split(' ')
  if (day !== undefined) sandbox.switches.set({ date: day })
  const token = sandbox.serviceTokens.user('ada')
  const response = await call(sandbox, template.replace('{id}', '42'), { method, token, ...options })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** Names of members at any depth, or of the value itself: a replacement can have the same name one level down. */
const namesIn = (value: unknown, deeper = true): string[] => {
  if (typeof value !== 'object' || value === null) return []
  const names = Array.isArray(value) ? [] : Object.keys(value)
  return deeper ? [...names, ...Object.values(value).flatMap((member) => namesIn(member))] : names
}
const has = (text: string, { field = '' }: Row) =>
  namesIn(JSON.parse(text), field !== 'trackingToken').includes(field)

const endpoints = rows.filter(({ field }) => field === undefined)
it.each(endpoints)('$operation works until its removal, and gives 410 from then on', async (row) => {
  const { operation, removal } = row
  expect((await send(operation, dayBefore(removal))).status).toBe(200)
  for (const day of [removal, '2030-01-01']) {
    const removed = await send(operation, day)
    expect([removed.status, removed.text]).toEqual([410, expect.stringContaining(removal)])
    expect(removed.headers.get('sunset')).toBe(new Date(removal).toUTCString())
  }
})

it.each(responseFields)(
  'the field $id is in the response until its removal, and missing from then on',
  async (row) => {
    const before = await send(row.operation, dayBefore(row.removal))
    const after = await send(row.operation, row.removal)
    expect([before.status, has(before.text, row)]).toEqual([200, true])
    expect([after.status, has(after.text, row)]).toEqual([200, false])
  },
)

it.each(sent)('the field $id may be sent until its removal, and then fails', async (row) => {
  const { field = '', operation, removal, replacement } = row
  const isTop = field === 'trackingToken' || field === 'searchSessionSatisfaction'
  const body = isTop ? { [field]: 1 } : { a: [{ [field]: 1 }] }
  expect((await send(operation, dayBefore(removal), { body })).status).toBe(200)
  const after = await send(operation, removal, { body })
  expect([after.status, after.text]).toEqual([400, expect.stringContaining(`The field ${field} was removed`)])
  expect(after.text).toContain(replacement === undefined ? removal : `use ${replacement}`)
})

it('a replacement may be sent with an inner field of the removed name', async () => {
  for (const { operation, removal, replacement } of sent) {
    if (replacement === undefined) continue
    const [holder = '', inner] = replacement.split('.')
    const body = { [holder]: inner === undefined ? 1 : { [inner]: 1 } }
    expect((await send(operation, removal, { body })).status, replacement).toBe(200)
  }
  const body = { ChannelInviteInfo: { inviteTime: 1, reminderTime: 1 }, permissions: [{ role: 'VIEWER' }] }
  const operation = 'POST /rest/api/v1/createannouncement'
  expect((await send(operation, '2027-01-15', { body })).status).toBe(200)
  const { text } = await send(operation, '2027-01-15', { body: { snippet: 's', role: 'r', text: 't' } })
  expect(text).toMatch(/snippet.*role/)
})

it.each([
  ['getanswer', ['answer', 'trackingToken']],
  ['getcollection', ['collection', 'trackingToken']],
  ['createannouncement', ['relationType', 'text', 'ChannelInviteInfo', 'reacts', 'permissions']],
  ['chat', ['citation', 'referenceRanges']],
])('the response of %s keeps its replacements', async (name, names) => {
  const { text } = await send(`POST /rest/api/v1/${name}`, '2027-01-15')
  expect(namesIn(JSON.parse(text))).toEqual(expect.arrayContaining(names))
})

const announcing = (headers: Headers) => ['deprecation', 'sunset', 'link'].map((name) => headers.get(name))
const noHeaders = [null, null, null]

it.each(operations)('the deprecation of %s is announced in headers', async (operation) => {
  const own = rows.filter((row) => row.operation === operation)
  const ends = own.some(({ field }) => field === undefined)
  const [{ announced, removal } = { announced: '', removal: '' }] = own
  expect(announcing((await send(operation, dayBefore(announced))).headers)).toEqual(noHeaders)
  for (const day of [announced, dayBefore(removal)]) {
    const [deprecation, sunset, link] = announcing((await send(operation, day)).headers)
    expect(deprecation).toBe(`@${Date.parse(`${announced}T00:00:00Z`) / 1000}`)
    expect(sunset).toBe(ends ? new Date(removal).toUTCString() : null)
    expect(link).toContain(`<${sandbox.urls.control}/#deprecations>; rel="deprecation"`)
    expect(link?.includes('rel="sunset"')).toBe(ends)
  }
})

it('a removed field is no longer announced', async () => {
  const { status, headers } = await send('POST /rest/api/v1/chat', '2026-10-15')
  expect([status, ...announcing(headers)]).toEqual([200, ...noHeaders])
})

it('a refused call has the announcement, too, and an unscheduled operation never', async () => {
  const refused = await send('POST /rest/api/v1/chat', '2026-05-20', { token: 'made-up' })
  expect([refused.status, refused.headers.get('deprecation')]).toEqual([401, '@1770336000'])
  for (const name of ['search', 'checkdatasourceauth']) {
    const { status, headers } = await send(`POST /rest/api/v1/${name}`, undefined, { body: { query: 'x' } })
    expect([status, ...announcing(headers)]).toEqual([200, ...noHeaders])
  }
})

it.each(['/', '/42/more'])('policies%s gets 404, because a policy has one ID', async (path) => {
  expect((await send(`GET /rest/api/v1/governance/data/policies${path}`)).status).toBe(404)
})

const patch = (date: unknown) =>
  fetch(`${sandbox.urls.control}/control.json`, { method: 'PATCH', body: JSON.stringify({ date }) })

it('the date of the sandbox must be valid', async () => {
  for (const date of ['2026-02-30', 'tomorrow', '2026-1-1', 7]) {
    const refused = await patch(date)
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('date')])
  }
})

it('the date of the sandbox can be set', async () => {
  expect((await patch('2026-11-01')).status).toBe(200)
  const shown = await (await fetch(`${sandbox.urls.control}/`)).text()
  expect(shown).toContain('id="deprecations"')
  expect(shown).toContain('As of 2026-11-01')
  expect(shown.match(/<td>removed<\/td>/g)).toHaveLength(25)
  expect(shown.match(/<td>announced<\/td>/g)).toHaveLength(3)
  const body = new URLSearchParams({ date: '' })
  await fetch(`${sandbox.urls.control}/control/switches`, { method: 'POST', body })
  expect(sandbox.switches.get().date).toBeNull()
})
