import { createServer, type RequestListener } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { publishedSchedule } from '../../packages/deprecations/src/schedule/published-schedule.ts'
import { watchDeprecations } from '../../packages/deprecations/src/watch/watch-fetch.ts'
import type { Notice } from '../../packages/deprecations/src/watch/notice.ts'
import { createWatch, type WatchOptions } from '../../packages/deprecations/src/watch/watch.ts'
import { deprecations, fileOf } from '../helpers/deprecations.ts'

const now = () => Date.parse('2026-11-21T12:00:00Z')
const noticed = (options: WatchOptions = {}) => {
  const logged: Notice[] = []
  const counted: Notice[] = []
  const all = {
    log: (n: Notice) => logged.push(n),
    count: (n: Notice) => counted.push(n),
    now,
    seen: new Set<string>(),
  }
  return { logged, counted, options: { ...all, ...options } }
}
const call = { method: 'POST', url: 'https://a/rest/api/v1/search', status: 200, headers: [] }

describe('the watch', () => {
  test('logs an item once in the process and counts it every time', () => {
    const { logged, counted, options } = noticed()
    const [one, other] = [createWatch(publishedSchedule, options), createWatch(publishedSchedule, options)]
    const used = {
      ...call,
      url: 'https://a/rest/api/v1/insights',
      response: { searchSessionSatisfaction: 7 },
    }
    for (const watch of [one, one, other]) watch.observe(used)
    expect(counted).toHaveLength(3)
    expect(logged).toMatchObject([
      {
        item: 'insights.searchSessionSatisfaction',
        by: 'use',
        side: 'response',
        daysLeft: 55,
        fixBy: '2027-01-14',
      },
    ])
    expect(logged[0]?.message).toContain('removed on 2027-01-15, 55 days left')
  })

  test('what an answer announces is logged with days left, without the text of a header', () => {
    const { logged, options } = noticed()
    const headers = Object.entries({
      warning: '299 - "deprecated, SECRET"',
      sunset: 'Fri, 15 Jan 2027 00:00:00 GMT',
    })
    createWatch(publishedSchedule, options).observe({ ...call, url: 'https://a/v2/x/4711?t=SECRET', headers })
    expect(logged).toMatchObject([
      { item: 'POST /v2/x/{…}', by: 'announced', removal: '2027-01-15', daysLeft: 55 },
    ])
    expect(JSON.stringify(logged)).not.toMatch(/SECRET|4711/)
  })

  test.each([
    [
      { sunset: 'Thu, 15 Oct 2026 00:00:00 GMT' },
      'the service announced (Sunset: 2026-10-15) for POST /rest/api/v1/chat; the published schedule has ' +
        'field removals of that day, not the end of the operation: citations (2026-10-15)',
    ],
    [
      { deprecation: '@1770336000', sunset: 'Fri, 15 Jan 2027 00:00:00 GMT' },
      'the service announced (Sunset: 2027-01-15) for POST /rest/api/v1/chat; the published schedule has ' +
        'only field removals: citations (2026-10-15)',
    ],
    [
      { deprecation: '@1770336000' },
      'the service announced (Deprecation) for POST /rest/api/v1/chat; the published schedule has ' +
        'only field removals: citations (2026-10-15)',
    ],
  ])('%j on an operation of which only fields go is not told as its end', (headers, message) => {
    const { logged, options } = noticed()
    const chat = { ...call, url: 'https://a/rest/api/v1/chat', headers: Object.entries(headers) }
    createWatch(publishedSchedule, options).observe(chat)
    expect(logged).toMatchObject([{ item: 'POST /rest/api/v1/chat', by: 'announced', message }])
    expect(logged[0]).not.toHaveProperty('daysLeft')
  })

  test('a Sunset of an endpoint that ends, or of one that is not on the schedule, is told as its end', () => {
    const { logged, options } = noticed()
    const watch = createWatch(publishedSchedule, options)
    const headers: [string, string][] = [['Sunset', 'Thu, 15 Oct 2026 00:00:00 GMT']]
    for (const url of ['https://a/rest/api/v1/listanswers', 'https://a/rest/api/v1/search'])
      watch.observe({ ...call, url, headers })
    const announced = logged.filter(({ by }) => by === 'announced').map(({ message }) => message)
    expect(announced).toEqual([
      'POST /rest/api/v1/listanswers is being removed, according to the sunset header: removed on 2026-10-15',
      'POST /rest/api/v1/search is being removed, according to the sunset header: removed on 2026-10-15',
    ])
  })

  test('a field that is found by its name only is told as one that may be in use', () => {
    const { logged, options } = noticed()
    const url = 'https://a/rest/api/v1/createannouncement'
    const watch = createWatch(publishedSchedule, options)
    watch.observe({ ...call, url, request: { permissions: { role: 1 }, author: { role: 1 } } })
    expect(logged).toMatchObject([{ item: 'createannouncement.role', by: 'possible' }])
    expect(logged[0]?.message).toContain('may be in use')
    watch.observe({ ...call, url, request: { author: { role: 1 }, role: 1 } })
    expect(logged[1]).toMatchObject({ item: 'createannouncement.role', by: 'use' })
  })

  test('410 is put into words', () => {
    const { logged, options } = noticed()
    createWatch(publishedSchedule, options).observe({
      ...call,
      url: '/api/index/v1/getusercount',
      status: 410,
    })
    expect(logged.map(({ by, message }) => [by, message])).toContainEqual([
      'gone',
      'POST /api/index/v1/getusercount returned 410: removed on 2026-10-15, no replacement stated',
    ])
    const goneAt = (url: string) => {
      const { logged, options } = noticed()
      createWatch(publishedSchedule, options).observe({ ...call, url, status: 410 })
      return logged.map(({ by, message }) => [by, message])
    }
    expect(goneAt('/rest/api/v1/getanswer')).toEqual([
      [
        'gone',
        'POST /rest/api/v1/getanswer returned 410: it has been removed, although the published schedule only lists ' +
          'field removals: trackingToken (2027-01-15)',
      ],
    ])
    expect(goneAt('/rest/api/v1/search')).toEqual([
      ['gone', 'POST /rest/api/v1/search returned 410: it has been removed, but is not on the schedule'],
    ])
  })

  test('a plain search is nothing to say', () => {
    const { logged, counted, options } = noticed()
    createWatch(publishedSchedule, options).observe({ ...call, response: { trackingToken: 't' } })
    expect([logged, counted]).toEqual([[], []])
  })

  test('a call that has nothing to report is not dated', () => {
    const clock = vi.fn<() => number>(now)
    const { options } = noticed({ now: clock })
    const watch = createWatch(publishedSchedule, options)
    watch.observe({ ...call, headers: { 'content-type': 'application/json' }, response: '{}' })
    watch.observe({ ...call, url: '/rest/api/v1/chat', request: '{}', response: '{"messages":[]}' })
    expect(clock).not.toHaveBeenCalled()
  })

  test('a log, a counter or headers that throw reach nobody', () => {
    const fail = vi.fn<() => never>(() => {
      throw new Error('full')
    })
    const watch = createWatch(publishedSchedule, { log: fail, count: fail, seen: new Set() })
    watch.observe({ ...call, status: 410 })
    watch.observe({ ...call, headers: undefined as unknown as [] })
    expect(fail).toHaveBeenCalledTimes(2)
  })

  test('a log, a counter or a record whose promise fails ends no process', async () => {
    // Both ways in which a promise can end are asked for, or it is one that was dropped.
    const promise = Promise.resolve()
    const asked = vi.spyOn(promise, 'then')
    const promising = () => promise
    const hooks = { log: promising, count: promising, record: promising, seen: new Set<string>() }
    const fetch = watchDeprecations(() => Promise.resolve(new Response('')), publishedSchedule, hooks)
    await fetch('https://a/rest/api/v1/listanswers', { method: 'POST' })
    const both: unknown[] = [expect.any(Function), expect.any(Function)]
    await vi.waitFor(() => expect(asked.mock.calls).toEqual([both, both, both]))
  })
})

describe('as a wrapper of fetch', () => {
  const answers: RequestListener = (req, res) => {
    if (req.url?.includes('announces')) res.setHeader('Sunset', 'Fri, 15 Jan 2027 00:00:00 GMT')
    if (req.url?.includes('/gone')) res.statusCode = 410
    res.setHeader('Content-Type', 'application/json')
    const citing = { messages: [{ citations: [{ text: 'SECRET' }] }] }
    res.end(JSON.stringify(req.url?.includes('/chat') ? citing : { trackingToken: 'SECRET' }))
  }
  const server = createServer(answers)
  let base = ''
  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tenant`
  })
  afterAll(() => server.close())

  test('answers are the same, uses are noticed in what is sent and in what comes back', async () => {
    const { logged, options } = noticed()
    const fetch = watchDeprecations(globalThis.fetch, publishedSchedule, options)
    const answer = await fetch(`${base}/rest/api/v1/chat`, { method: 'POST', body: '{"m":1}' })
    expect(await answer.json()).toHaveProperty('messages')
    const sent = new Request(`${base}/rest/api/v1/createannouncement`, {
      method: 'POST',
      body: '{"boardId":"SECRET"}',
    })
    await fetch(sent)
    await fetch(new URL(`${base}/announces`))
    await vi.waitFor(() => expect(logged).toHaveLength(3))
    expect(logged.map(({ item, side }) => [item, side])).toEqual(
      expect.arrayContaining([
        ['chat.citations', 'response'],
        ['createannouncement.boardId', 'request'],
        ['GET /tenant/announces', undefined],
      ]),
    )
    expect(JSON.stringify(logged)).not.toContain('SECRET')
  })

  test('a fetch that fails fails as before, and a body nobody reads holds nothing up', async () => {
    const { options } = noticed()
    const fetch = watchDeprecations(globalThis.fetch, publishedSchedule, options)
    await expect(fetch('http://127.0.0.1:1/rest/api/v1/chat', { method: 'POST' })).rejects.toThrow(
      'fetch failed',
    )
    const answer = await fetch(`${base}/rest/api/v1/chat`, { method: 'POST' })
    await answer.body?.cancel()
    expect(answer.status).toBe(200)
  })

  test('what it records holds no values, and the check finds in it exactly what was used', async () => {
    const lines: string[] = []
    const { options } = noticed()
    const record = (line: string) => lines.push(line)
    const fetch = watchDeprecations(globalThis.fetch, publishedSchedule, { ...options, record })
    const post = (path: string, body: object) =>
      fetch(`${base}${path}?token=SECRET`, { method: 'POST', body: JSON.stringify(body) })
    await post('/rest/api/v1/chat', { m: 'SECRET' })
    await post('/rest/api/v1/search', { query: 'SECRET' })
    await post('/rest/api/v1/createannouncement', { text: 'SECRET', reactions: ['SECRET'] })
    await post('/api/index/v1/getusercount/gone', {})
    await post('/rest/api/v1/getanswer', { trackingToken: 'SECRET' })
    await vi.waitFor(() => expect(lines).toHaveLength(5))
    expect(lines.join('')).not.toContain('SECRET')
    const { code, out } = await deprecations(['check', fileOf('watched.ndjson', lines.join('')), '--json'])
    expect(code).toBe(2)
    const { inUse, mayBeInUse, faults } = JSON.parse(out) as Record<string, { id: string }[]>
    expect([inUse?.map(({ id }) => id), mayBeInUse, faults]).toEqual([
      ['chat.citations', 'createannouncement.reactions', 'getanswer.trackingToken'],
      [],
      0,
    ])
  })
})
