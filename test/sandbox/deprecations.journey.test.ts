// The schedule of deprecations as the sandbox enforces it: every row before and after its removal, asked over HTTP.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts'
import { rows, type Row } from '../deprecations/rows.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ paths: { service: '/tenant/a' } })
})
afterEach(() => sandbox.reset())
afterAll(() => sandbox.close())

const operations = [...new Set(rows.map(({ operation }) => operation))]
const responseOnly = (row: Row) => row.operation.startsWith('GET ')
const fields = rows.filter(({ field }) => field !== undefined)
const endpoints = rows.filter(({ field }) => field === undefined)
// An answer of indexemployee bears nothing: its shape is not shown.
const answered = fields.filter(({ field }) => field !== 'location')
const asked = fields.filter((row) => !responseOnly(row))

const dayBefore = (day: string) => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10)

type Asking = { day?: string; body?: unknown; token?: string; headers?: object; method?: string }

async function ask(operation: string, { day, body, token, headers, method }: Asking = {}) {
  const [verb = '', template = ''] = operation.split(' ')
  if (day !== undefined) sandbox.switches.set({ date: day })
  const response = await fetch(sandbox.urls.service + template.replace('{id}', '42'), {
    method: method ?? verb,
    headers: {
      authorization: `Bearer ${token ?? sandbox.serviceTokens.user('ada')}`,
      'content-type': 'application/json',
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** Names of members, of the value itself or at any depth: a replacement can have the same name one level down. */
const namesIn = (value: unknown, deeper: boolean): string[] => {
  if (typeof value !== 'object' || value === null) return []
  const names = Array.isArray(value) ? [] : Object.keys(value)
  return deeper ? [...names, ...Object.values(value).flatMap((member) => namesIn(member, true))] : names
}
const bears = (text: string, { field = '' }: Row) =>
  namesIn(JSON.parse(text), field !== 'trackingToken').includes(field)

const requestWith = ({ field = '' }: Row) =>
  field === 'trackingToken' || field === 'searchSessionSatisfaction'
    ? { [field]: 1 }
    : { a: [{ [field]: 1 }] }

describe('a removed endpoint', () => {
  it.each(endpoints)('$operation answers until its removal, and 410 from then on', async (row) => {
    expect((await ask(row.operation, { day: dayBefore(row.removal), body: {} })).status).toBe(200)
    for (const day of [row.removal, '2030-01-01']) {
      const gone = await ask(row.operation, { day, body: {} })
      expect([gone.status, gone.text]).toEqual([410, expect.stringContaining(row.removal)])
      expect(gone.headers.get('sunset')).toBe(new Date(row.removal).toUTCString())
    }
  })

  it('says why', async () => {
    const { text } = await ask('POST /rest/api/v1/listanswers', { day: '2026-10-15' })
    expect(text).toContain('answer boards have been removed')
  })
})

describe('a removed field of the response', () => {
  it.each(answered)('$id is filled until its removal, and left out from then on', async (row) => {
    const before = await ask(row.operation, { day: dayBefore(row.removal) })
    expect([before.status, bears(before.text, row)]).toEqual([200, true])
    const after = await ask(row.operation, { day: row.removal })
    expect([after.status, bears(after.text, row)]).toEqual([200, false])
  })

  it.each(['getanswer', 'getcollection'])('%s keeps the token where it has moved to', async (name) => {
    const { text } = await ask(`POST /rest/api/v1/${name}`, { day: '2027-01-15' })
    expect(JSON.parse(text)).toEqual({ [name.slice(3)]: { trackingToken: expect.any(String) } })
  })

  it.each([
    [
      'POST /rest/api/v1/createannouncement',
      ['relationType', 'text', 'ChannelInviteInfo', 'reacts', 'permissions'],
    ],
    [
      'GET /rest/api/v1/governance/data/policies/{id}',
      ['sensitiveContentOptions', 'customSensitiveExpressions', 'datasourceInstances', 'broadSharingOptions'],
    ],
    ['POST /rest/api/v1/chat', ['citation', 'referenceRanges']],
  ])('leaves the replacements of %s in place', async (operation, names) => {
    const { text } = await ask(operation, { day: '2027-01-15' })
    expect(namesIn(JSON.parse(text), true)).toEqual(expect.arrayContaining(names))
  })
})

describe('a removed field of the request', () => {
  it.each(asked)('$id is taken until its removal, and refused with 400 from then on', async (row) => {
    const body = requestWith(row)
    expect((await ask(row.operation, { day: dayBefore(row.removal), body })).status).toBe(200)
    const after = await ask(row.operation, { day: row.removal, body })
    expect(after.status).toBe(400)
    expect(after.text).toContain(`The field ${row.field} was removed on ${row.removal}`)
    expect(after.text).toContain(row.replacement === undefined ? row.removal : `use ${row.replacement}`)
  })

  it('is no replacement, nor a field of the same name inside one', async () => {
    for (const { operation, removal, replacement } of asked) {
      if (replacement === undefined) continue
      const [holder = '', inner] = replacement.split('.')
      const body = { [holder]: inner === undefined ? 1 : { [inner]: 1 } }
      expect((await ask(operation, { day: removal, body })).status, replacement).toBe(200)
    }
    const body = { ChannelInviteInfo: { inviteTime: 1, reminderTime: 1 }, permissions: [{ role: 'VIEWER' }] }
    const operation = 'POST /rest/api/v1/createannouncement'
    expect((await ask(operation, { day: '2027-01-15', body })).status).toBe(200)
    const { text } = await ask(operation, { body: { snippet: 's', role: 'r', text: 't' } })
    expect(text).toMatch(/snippet.*role/)
  })
})

describe('what answers announce', () => {
  const announcing = (headers: Headers) => ['deprecation', 'sunset', 'link'].map((name) => headers.get(name))

  it.each(operations)(
    '%s: nothing before, then Deprecation and Link, and Sunset only if it ends',
    async (operation) => {
      const own = rows.filter((row) => row.operation === operation)
      const ends = own.some(({ field }) => field === undefined)
      const [{ announced, removal } = { announced: '', removal: '' }] = own
      const before = await ask(operation, { day: dayBefore(announced) })
      expect(announcing(before.headers)).toEqual([null, null, null])
      for (const day of [announced, dayBefore(removal)]) {
        const [deprecation, sunset, link] = announcing((await ask(operation, { day })).headers)
        expect(deprecation).toBe(`@${Date.parse(`${announced}T00:00:00Z`) / 1000}`)
        expect(sunset).toBe(ends ? new Date(removal).toUTCString() : null)
        expect(link).toContain(`<${sandbox.urls.control}/#deprecations>; rel="deprecation"`)
        expect(link?.includes('rel="sunset"')).toBe(ends)
      }
    },
  )

  it('a field that is gone is no longer announced: the operation is not going away', async () => {
    const { status, headers } = await ask('POST /rest/api/v1/chat', { day: '2026-10-15' })
    expect([status, ...announcing(headers)]).toEqual([200, null, null, null])
  })

  it('refusals announce too, and operations that are not on the schedule never do', async () => {
    const refused = await ask('POST /rest/api/v1/chat', { day: '2026-05-20', token: 'made-up' })
    expect([refused.status, refused.headers.get('deprecation')]).toEqual([401, '@1770336000'])
    for (const name of ['search', 'checkdatasourceauth']) {
      const { status, headers } = await ask(`POST /rest/api/v1/${name}`, { body: { query: 'x' } })
      expect([status, ...announcing(headers)]).toEqual([200, null, null, null])
    }
  })
})

describe('who may call', () => {
  it.each(operations)('%s asks for a token, and for the person behind the global one', async (operation) => {
    sandbox.switches.set({ date: '2026-01-01' })
    const { global, user } = sandbox.serviceTokens
    const name = operation.includes('{id}') ? 'policies' : (operation.split('/').at(-1) ?? '')
    const refused = await ask(operation, { token: 'made-up' })
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect((await ask(operation, { token: global })).text).toBe('Required header missing: X-Service-ActAs')
    expect((await ask(operation, { token: user('ada', ['search']) })).status).toBe(403)
    const headers = { 'x-service-actas': 'bob@acme.example' }
    expect((await ask(operation, { token: global, headers })).status).toBe(200)
    expect(sandbox.requests.at(-1)).toMatchObject({ operation: name, person: 'bob' })
    expect(sandbox.count(name)).toBe(4)
  })

  it.each(operations)('%s answers its own method only', async (operation) => {
    const method = operation.startsWith('GET ') ? 'POST' : 'GET'
    const { status, headers } = await ask(operation, { method })
    expect([status, headers.get('allow')]).toEqual([405, operation.split(' ')[0]])
  })

  it.each(['/', '/42/more'])('a policy has one id: policies%s is nothing', async (path) => {
    expect((await ask(`GET /rest/api/v1/governance/data/policies${path}`)).status).toBe(404)
  })
})

describe('the day', () => {
  const chat = 'POST /rest/api/v1/chat'
  const patch = (date: unknown) =>
    fetch(`${sandbox.urls.control}/control.json`, { method: 'PATCH', body: JSON.stringify({ date }) })

  it('is set and given back as JSON, and must be one that exists', async () => {
    expect((await patch('2026-10-14')).status).toBe(200)
    expect((await ask(chat)).text).toContain('citations')
    expect((await patch('2026-10-15')).status).toBe(200)
    expect((await ask(chat)).text).not.toContain('citations')
    expect((await patch(null)).status).toBe(200)
    expect(sandbox.switches.get().date).toBeNull()
    for (const date of ['2026-02-30', 'tomorrow', '2026-1-1', 7]) {
      const refused = await patch(date)
      expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('date')])
    }
  })

  it('is today in UTC unless set', async () => {
    const text = (await ask(chat)).text
    expect(text.includes('citations')).toBe(new Date().toISOString() < '2026-10-15')
  })

  it('can be set on the control page, which shows the state of the schedule', async () => {
    const save = (date: string) =>
      fetch(`${sandbox.urls.control}/control/switches`, {
        method: 'POST',
        body: new URLSearchParams({ date }),
      })
    await save('2026-11-01')
    const shown = await (await fetch(`${sandbox.urls.control}/`)).text()
    expect(shown).toContain('id="deprecations"')
    expect(shown).toContain('As of 2026-11-01')
    expect(shown.match(/<td>removed<\/td>/g)).toHaveLength(25)
    expect(shown.match(/<td>announced<\/td>/g)).toHaveLength(3)
    await save('')
    expect(sandbox.switches.get().date).toBeNull()
  })
})
