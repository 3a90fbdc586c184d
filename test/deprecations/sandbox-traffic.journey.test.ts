// A client of the sandbox records its traffic with the watch, and `check` says what it used: no more, no less.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { publishedSchedule } from '../../packages/deprecations/src/schedule/published-schedule.ts'
import { watchDeprecations } from '../../packages/deprecations/src/watch/watch.ts'
import { startSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts'
import { check, idsOf } from './checking.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ paths: { service: '/tenant/a' } })
})
afterAll(() => sandbox.close())

type Asked = [operation: string, body?: unknown]

/** Makes calls one after the other on a day. @returns their statuses, and what was recorded and noticed */
async function record(date: string, calls: Asked[]) {
  sandbox.switches.set({ date })
  const lines: string[] = []
  const noticed = new Set<string>()
  const watched = watchDeprecations(globalThis.fetch, publishedSchedule, {
    record: (line) => lines.push(line),
    log: ({ item, by }) => noticed.add(`${by} ${item}`),
    now: () => Date.parse(`${date}T12:00:00Z`),
    seen: new Set(),
  })
  const statuses: number[] = []
  for (const [operation, body] of calls) {
    const [method = '', path = ''] = operation.split(' ')
    const response = await watched(sandbox.urls.service + path.replace('{id}', '42'), {
      method,
      headers: {
        authorization: `Bearer ${sandbox.serviceTokens.user('ada')}`,
        'content-type': 'application/json',
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    await response.text()
    statuses.push(response.status)
  }
  await expect.poll(() => lines.length).toBe(calls.length)
  return { statuses, noticed, ...(await check(lines.join(''), 'traffic.ndjson', '--as-of', date)) }
}

describe('NDJSON by the watch', () => {
  it('before anything is removed: what is used is deprecated, and the replacements are not', async () => {
    const { code, report, statuses, noticed } = await record('2026-06-01', [
      ['POST /rest/api/v1/search', { query: 'SECRET', trackingToken: 'SECRET' }],
      ['POST /rest/api/v1/checkdatasourceauth'],
      ['POST /rest/api/v1/chat', { messages: [{ citations: 'SECRET' }] }],
      ['POST /api/index/v1/indexemployee', { employee: { structuredLocation: 'SECRET' } }],
      ['POST /api/index/v1/getusercount', {}],
    ])
    expect(statuses).toEqual([200, 200, 200, 200, 200])
    expect([code, report.faults, report.requests]).toEqual([2, 0, 5])
    expect(idsOf(report.inUse).sort()).toEqual(['chat.citations', 'getusercount'])
    expect(idsOf(report.mayBeInUse)).toEqual([])
    const citations = report.inUse.find(({ id }) => id === 'chat.citations')
    expect(citations?.places).toMatchObject([
      { side: 'request', pointer: '/messages/0/citations', line: 3 },
      { side: 'response', pointer: '/messages/0/citations', line: 3 },
    ])
    expect(noticed).toContain('use chat.citations')
  })

  it('on the day of the removal: a client that has not changed is refused, and told what it uses', async () => {
    const { code, report, statuses, noticed } = await record('2026-10-15', [
      ['POST /rest/api/v1/createannouncement', { snippet: 'SECRET', announcement: { role: 'SECRET' } }],
      ['POST /rest/api/v1/listanswers', {}],
      ['POST /rest/api/v1/getanswer', {}],
    ])
    expect([code, statuses]).toEqual([2, [400, 410, 200]])
    expect(idsOf(report.inUse).sort()).toEqual([
      'createannouncement.role',
      'createannouncement.snippet',
      'getanswer.trackingToken',
      'listanswers',
    ])
    expect(noticed).toContain('gone listanswers')
  })
})
