// A client of the sandbox is watched, and its traffic is checked: both say what it used, no more, no less.
import { expect, it, onTestFinished } from 'vitest'
import { publishedSchedule } from '../../packages/deprecations/src/schedule/published-schedule.ts'
import { watchDeprecations } from '../../packages/deprecations/src/watch/watch.ts'
import { startSandbox } from '../../packages/sandbox/src/sandbox.ts'
import { ndjson } from '../helpers/deprecations.ts'
import { check, idsOf } from './checking.ts'

it('a client that has not changed by the day of the removal is refused, and told what it uses', async () => {
  const date = '2026-10-15'
  const sandbox = await startSandbox({ paths: { service: '/tenant/a' }, switches: { date } })
  onTestFinished(() => sandbox.close())
  const lines: object[] = []
  const noticed = new Set<string>()
  const watched = watchDeprecations(globalThis.fetch, publishedSchedule, {
    log: ({ item, by }) => noticed.add(`${by} ${item}`),
    now: () => Date.parse(`${date}T12:00:00Z`),
    seen: new Set(),
  })
  for (const [path, body] of [
    ['/rest/api/v1/createannouncement', { snippet: 'SECRET', announcement: { role: 'SECRET' } }],
    ['/rest/api/v1/listanswers', {}],
    ['/rest/api/v1/getanswer', {}],
    ['/api/index/v1/indexemployee', { employee: { structuredLocation: 'SECRET' } }],
  ] as const) {
    const response = await watched(sandbox.urls.service + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${sandbox.serviceTokens.user('ada')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    })
    lines.push({
      method: 'POST',
      url: path,
      status: response.status,
      request: body,
      response: await response.text(),
    })
  }
  const { code, report } = await check(ndjson(...lines), 'traffic.ndjson', '--as-of', date)
  expect([code, report.faults]).toEqual([2, 0])
  expect(lines).toMatchObject([{ status: 400 }, { status: 410 }, { status: 200 }, { status: 200 }])
  expect(idsOf(report.inUse).sort()).toEqual([
    'createannouncement.role',
    'createannouncement.snippet',
    'listanswers',
  ])
  // The sandbox answers with it, whether or not a client has moved.
  const moved = report.mayBeInUse.find(({ id }) => id === 'getanswer.trackingToken')
  expect(moved?.confidence).toBe('sent')
  // The sandbox's refusal is no JSON; the replacements that are sent are not taken for what they replace.
  const others = report.mayBeInUse.filter((item) => item !== moved)
  expect(others.every(({ id }) => id.startsWith('createannouncement.'))).toBe(true)
  await expect
    .poll(() => [...noticed])
    .toEqual(expect.arrayContaining(['gone listanswers', 'use createannouncement.role']))
})
