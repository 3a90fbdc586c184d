// The page of deprecations, its JSON and its calendar.
import express from 'express'
import request from 'supertest'
import { expect, it } from 'vitest'
import { publishedSchedule } from '../../packages/deprecations/src/schedule/published-schedule.ts'
import { neutralCompany } from '../../src/company/company.ts'
import { createDeprecationsRoutes } from '../../src/deprecations/routes.ts'
import { createPages } from '../../src/web/pages.ts'
import { faultIn } from '../helpers/openapi.ts'

const pages = createPages({
  company: neutralCompany,
  publicUrl: 'http://127.0.0.1',
  checkReturnTo: () => undefined,
  isAdmin: () => false,
})
const now = () => Date.parse('2026-11-21T12:00:00Z')
const app = express().use(createDeprecationsRoutes(pages.send, now))

it('the page shows every item with its date', async () => {
  const { text } = await request(app)
    .get('/deprecations')
    .expect(200)
    .expect('content-type', /text\/html/)
  for (const { id } of publishedSchedule) expect(text).toContain(`id="item-${id.replaceAll('.', '-')}"`)
  expect(text).toContain('55 days left, fix by 2027-01-14')
  expect(text).toContain('removed 37 days ago')
})

it('the page can be filtered by API and operation, and reports an empty result', async () => {
  const indexing = (await request(app).get('/deprecations?api=indexing')).text
  expect(indexing).toContain('id="item-getusercount"')
  expect(indexing).not.toContain('id="item-chat-citations"')
  expect(indexing).toContain('href="/deprecations.ics?api=indexing"')
  const chat = (await request(app).get('/deprecations').query({ operation: 'POST /rest/api/v1/chat' })).text
  expect(chat).toContain('id="item-chat-citations"')
  expect(chat).not.toContain('id="item-insights')
  expect((await request(app).get('/deprecations?api=nonsense&api=x&operation=nothing')).text).toContain(
    'Nothing matches',
  )
})

it('the page escapes its query', async () => {
  const { text } = await request(app).get('/deprecations').query({ operation: '"><script>', api: '<b>' })
  expect(text).not.toMatch(/"><script>|<b>/)
})

it('the JSON equals the list that the command prints', async () => {
  const { body, text } = await request(app)
    .get('/deprecations.json?api=client')
    .expect(200)
    .expect('content-type', /json/)
  expect(body).toMatchObject({ asOf: '2026-11-21' })
  const answered = { method: 'GET', path: '/deprecations.json', status: 200, type: 'application/json' }
  expect(faultIn({ ...answered, body: text })).toBeUndefined()
  expect((body as { entries: object[] }).entries).toHaveLength(23)
  expect((body as { entries: object[] }).entries.at(-1)).toMatchObject({
    id: 'insights.searchSessionSatisfaction',
    status: { state: 'announced', daysLeft: 55, fixBy: '2027-01-14' },
  })
})

it('the calendar can be subscribed to', async () => {
  const { text } = await request(app)
    .get('/deprecations.ics')
    .expect(200)
    .expect('content-type', 'text/calendar; charset=utf-8')
  expect(text.match(/BEGIN:VEVENT/g)).toHaveLength(28)
})

it('programs get 400 for an unknown API, and everything for an empty one', async () => {
  const statuses = (apis: unknown[]) =>
    Promise.all(
      ['/deprecations.json', '/deprecations.ics'].flatMap((path) =>
        apis.map(async (api) => (await request(app).get(path).query({ api })).status),
      ),
    )
  expect(new Set(await statuses(['foo', 'Client', ['client', 'indexing']]))).toEqual(new Set([400]))
  expect(new Set(await statuses(['', 'client', 'indexing']))).toEqual(new Set([200]))
})

it('each response is made once a day, however often strangers request it', async () => {
  const reads = { count: 0 }
  const place = {
    depth: 'top' as const,
    get in() {
      reads.count += 1
      return 'request' as const
    },
  }
  const counting = publishedSchedule.map((entry) => (entry.kind === 'field' ? { ...entry, place } : entry))
  let day = '2026-11-21'
  const at = () => Date.parse(`${day}T12:00:00Z`)
  const counted = express().use(createDeprecationsRoutes(pages.send, at, counting))
  const readsOf = async (address: string) => {
    const before = reads.count
    const { text } = await request(counted).get(address).expect(200)
    return { reads: reads.count - before, text }
  }

  for (const path of ['/deprecations', '/deprecations.json', '/deprecations.ics']) {
    const first = await readsOf(path)
    expect(first.reads).toBeGreaterThan(0)
    expect(await readsOf(path)).toEqual({ reads: 0, text: first.text })
    for (const same of ['?operation=/', '?operation=A', '?x=1', '?api=&operation='])
      expect((await readsOf(path.toUpperCase() + same)).reads).toBe(0)
    expect((await readsOf(`${path}?api=client`)).reads).toBeGreaterThan(0)
  }
  expect((await readsOf('/deprecations?lang=de')).text).not.toContain('days left')

  day = '2026-11-22'
  expect((await readsOf('/deprecations')).text).toContain('54 days left, fix by 2027-01-14')
  expect((await readsOf('/deprecations.json')).text).toContain('"asOf":"2026-11-22"')
})
