// Admin pages and exports: access, audit and data sources.
import { Router, type RequestHandler } from 'express'
import request from 'supertest'
import { beforeEach, expect, it, vi } from 'vitest'
import { PeopleSnapshot } from '../../src/admin/people-snapshot.ts'
import { createExportRoutes } from '../../src/admin/exports.ts'
import { createAdminRoutes, requireAdmin } from '../../src/admin/routes.ts'
import { resolveCompany } from '../../src/company/company.ts'
import { KeepStateStore, newApproval, type Approval } from '../../src/people/keep-state.ts'
import { newPerson, type Person } from '../../src/people/person.ts'
import type { KeepState } from '../../src/people/keep-state.ts'
import type { Audit } from '../../src/web/audit.ts'
import { testKeyRing } from '../helpers/data-key.ts'
import { sendJson, signedInApp } from '../helpers/json-pages.ts'
import { memoryRecords } from '../helpers/memory-records.ts'
import { newKeepState, testPeople, withAppStates, withEachApp, withEmailState } from '../helpers/people.ts'

const NOW = Date.parse('2026-11-02T09:00:00Z')
const HOUR = 3_600_000
const PAGES = ['/admin', '/admin/people', '/admin/departments', '/admin/apps']
const EXPORTS = ['/admin/report.json', '/admin/people.csv']

const grace = {
  issuer: 'https://as.example',
  subject: 'grace',
  email: 'grace@acme.example',
  emailVerified: true,
}
const lacksSlack = withAppStates(newPerson('ada@acme.example', NOW), { slack_1: 'unconnected' }, NOW)
const lacksJira = withAppStates(newPerson('bob@acme.example', NOW), { jira_1: 'unconnected' }, NOW)
const hasJira = withAppStates(newPerson('bob@acme.example', NOW), { jira_1: 'connected' }, NOW)
/** Someone who waits for the approval of an app. */
const waitingFor = (instance: string): Person => ({
  ...withAppStates(lacksSlack, { [instance]: 'blocked' }, NOW),
  intents: { checkedAt: NOW, apps: [{ instance, kind: 'blocked', since: NOW }] },
})
const massDisconnect = { instance: 'slack_1', name: 'Slack', noticedAt: NOW, since: NOW, lapsed: 9, had: 10 }

const context: {
  isAdmin: boolean
  keepState: KeepState
  now: number
  decision?: { at: number; by: string } | undefined
} = { isAdmin: true, keepState: newKeepState(), now: NOW }
let auditEvents: Parameters<Audit>[0][]
let limited: string[]
beforeEach(() => {
  Object.assign(context, { isAdmin: true, keepState: newKeepState(), now: NOW, decision: undefined })
  auditEvents = []
  limited = []
})

/** @returns a function that opens an admin page */
async function setUpAdmin(people: readonly Person[], given: Partial<PeopleSnapshot> = {}) {
  const kept = testPeople({ now: () => context.now })
  for (const person of people) await kept.change(person.email, () => person)
  const store = { load: () => Promise.resolve(context.keepState) }
  const company = resolveCompany(
    {
      quiet: ['2026-11-10', { group: 'Paris', dates: ['2026-11-11'] }],
      datasources: {
        jira: { name: 'Tickets' },
        gdrive: { owner: ['henk@acme.example'] },
        box: { owner: ['henk@acme.example', 'Grace@acme.example'] },
      },
    },
    new Map(),
  )
  const deps = { people: kept, keepStateStore: store, company, now: () => context.now }
  const snapshot = Object.assign(new PeopleSnapshot(deps), given)
  const audit: Audit = (happened) => void auditEvents.push(happened)
  const keepStateStore = Object.assign(new KeepStateStore(memoryRecords().records, testKeyRing()), {
    load: () => Promise.resolve(context.keepState),
    findDecision: () => Promise.resolve(context.decision),
  })
  const publicUrl = 'https://onramp.example'
  const routes = createAdminRoutes({
    snapshot,
    people: kept,
    keepStateStore,
    publicUrl,
    company,
    sendPage: sendJson,
    audit,
    now: () => context.now,
  })
  const limit: RequestHandler = (req, _res, next) => {
    limited.push(req.originalUrl)
    next()
  }
  const app = signedInApp(
    () => grace,
    NOW,
    Router().use(
      '/admin',
      requireAdmin(({ subject }) => context.isAdmin && subject === 'grace'),
      limit,
    ),
    routes,
    createExportRoutes({ snapshot, keepStateStore, company, publicUrl, audit }),
  )
  return async (path: string, onStart: (call: request.Test) => void = () => {}) => {
    const call = request(app).get(path).set('accept', 'text/html')
    onStart(call)
    return await call
  }
}

it.each([...PAGES, ...EXPORTS])('only admins can open %s, within their rate limit', async (path) => {
  const open = await setUpAdmin([lacksSlack])
  expect((await open(path)).status).toBe(200)
  expect(limited).toEqual([path])
  context.isAdmin = false
  expect(await open(path)).toMatchObject({ status: 403, body: { code: 'admins_only' } })
  expect(limited).toHaveLength(1)
  expect(auditEvents).toHaveLength(1)
})

it('each view is audited under its name, with the person', async () => {
  const open = await setUpAdmin([lacksSlack])
  for (const path of [...PAGES, ...EXPORTS]) await open(path)
  const views = 'overview people departments apps report.json people.csv'.split(' ')
  expect(auditEvents).toEqual(views.map((what) => ({ event: 'admin_viewed', what, user: grace })))
})

it('each row of the list links to a person’s page without their email', async () => {
  const open = await setUpAdmin([lacksSlack, lacksJira])
  const { key } = (await open('/admin/people?q=bob')).body.people[0]

  expect(key).toMatch(/^[\w-]{43}$/)
  expect((await open(`/admin/people/${key}`)).body).toMatchObject({
    view: 'admin/person',
    name: lacksJira.email,
    help: {
      kind: 'left',
      text: expect.stringContaining('Tickets'),
      command: expect.stringMatching(/ bob@acme.example$/),
    },
    apps: [{ text: 'Tickets', details: ['Not connected'], time: { iso: new Date(NOW).toISOString() } }],
  })
  expect(auditEvents.at(-1)).toEqual({
    event: 'admin_viewed',
    what: 'person',
    user: grace,
    person: lacksJira.email,
  })

  const eventCount = auditEvents.length
  expect((await open(`/admin/people/${key}x`)).status).toBe(404)
  expect(auditEvents).toHaveLength(eventCount)

  context.isAdmin = false
  expect((await open(`/admin/people/${key}`)).status).toBe(403)
})

it('every page and export reads the people on record', async () => {
  const open = await setUpAdmin([lacksSlack, { ...lacksJira, group: 'Sales' }])
  const bodies: Record<string, unknown> = {}
  for (const path of [...PAGES, ...EXPORTS]) {
    const { body, text } = await open(path)
    bodies[path] = path.endsWith('csv') ? text.trim().split('\n').length : body
  }

  expect(bodies).toMatchObject({
    '/admin': { view: 'admin/overview', freshness: [expect.stringContaining('2 people'), expect.anything()] },
    '/admin/people': {
      view: 'admin/people',
      people: [{ email: lacksSlack.email }, { email: lacksJira.email }],
    },
    '/admin/departments': { view: 'admin/departments', table: { total: 0 } },
    '/admin/apps': { view: 'admin/apps', table: { total: 2 } },
    '/admin/report.json': { people: 2 },
    '/admin/people.csv': 3,
  })
})

it.each([
  ['same-origin', 'page'],
  ['none', 'page'],
  ['cross-site', 'otherSite'],
])('a list whose Sec-Fetch-Site is %s is read for the %s', async (site, purpose) => {
  const purposes: string[] = []
  const open = await setUpAdmin([lacksSlack], {
    async *summaries(_signal, use) {
      purposes.push(use)
      yield* []
    },
  })
  await open('/admin/people', (call) => void call.set('sec-fetch-site', site))
  expect(purposes).toEqual([purpose])
})

// By address, because a name that changes meanwhile would repeat a person.
it('the export of people is read as a download', async () => {
  const purposes: string[] = []
  const open = await setUpAdmin([lacksSlack], {
    async *summaries(_signal, use) {
      purposes.push(use)
      yield* []
    },
  })
  await open('/admin/people.csv')
  expect(purposes).toEqual(['download'])
})

it('downloads that another site opened, and no one reads, leave the admin’s own', async () => {
  const end = Promise.withResolvers<void>()
  let begun = 0
  const open = await setUpAdmin([], {
    async *summaries() {
      begun++
      await end.promise
      yield* []
    },
  })
  const byOtherSite = (call: request.Test) => void call.set('sec-fetch-site', 'cross-site')
  const unread = [1, 2].map(() => open('/admin/people.csv', byOtherSite))
  await expect.poll(() => begun).toBe(2)

  const refused = open('/admin/people.csv', byOtherSite)
  await Promise.race([refused, vi.waitUntil(() => begun > 2).catch(() => {})])
  expect(begun).toBe(2)
  expect((await refused).status).toBe(429)
  const own = open('/admin/people.csv')
  await expect.poll(() => begun).toBe(3)
  end.resolve()
  expect((await Promise.all([own, ...unread])).map(({ status }) => status)).toEqual([200, 200, 200])
})

it('report.json leaves out the losses of each day, which only the overview compares', async () => {
  const open = await setUpAdmin([lacksSlack])
  const { body } = await open('/admin/report.json')
  for (const name of ['lostByDay', 'newByDay']) expect(body).not.toHaveProperty(name)
})

it('a download waits while twenty others are unread', async () => {
  const ends: PromiseWithResolvers<void>[] = []
  const open = await setUpAdmin([], {
    async *summaries() {
      const end = Promise.withResolvers<void>()
      ends.push(end)
      await end.promise
      yield* []
    },
  })
  const openDownloads = Array.from({ length: 20 }, () => open('/admin/people.csv'))

  await expect.poll(() => ends).toHaveLength(20)
  const refused = await open('/admin/people.csv')
  expect(refused.status).toBe(429)
  expect(refused.headers['content-disposition']).toBeUndefined()
  expect(auditEvents.at(-1)).toEqual({ event: 'limited', what: 'person', user: grace })

  ends[0]?.resolve()
  expect((await openDownloads.shift())?.status).toBe(200)
  ends[1]?.reject(new Error('away'))
  await expect(openDownloads.shift()).rejects.toThrow(/aborted|hang up/)

  openDownloads.push(open('/admin/people.csv'), open('/admin/people.csv'))
  await expect.poll(() => ends).toHaveLength(22)
  for (const end of ends) end.resolve()
  expect((await Promise.all(openDownloads)).map(({ status }) => status)).toEqual(Array(20).fill(200))
})

it('an app has its name from the company file', async () => {
  const open = await setUpAdmin([lacksJira])
  expect((await open('/admin/people')).body).toMatchObject({ people: [{ left: 'Tickets' }] })
  expect((await open('/admin')).body.apps.rows[0].name).toBe('Tickets')
  expect((await open('/admin/apps')).body.table.rows[0].name).toBe('Tickets')
  expect((await open('/admin/report.json')).body.datasources[0].name).toBe('Tickets')
  expect((await open('/admin/people.csv')).text).toContain('Tickets [jira_1]')
})

it('once keep runs, the overview shows its state instead of manual reminders', async () => {
  const open = await setUpAdmin([lacksSlack])
  expect((await open('/admin?since=2026-10-01')).body.since).toBeUndefined()
  expect((await open('/admin')).body.needs).toMatchObject([
    { id: 'need-0', command: expect.stringContaining('onramp-people.csv --remind-after 7') },
  ])
  context.keepState = { ...context.keepState, massDisconnects: [massDisconnect], lastRunAt: NOW }
  const { needs, freshness } = (await open('/admin')).body
  expect(needs).toMatchObject([{ command: expect.stringContaining('--release slack_1') }])
  expect(freshness).toHaveLength(3)
})

it.each<[string, Partial<KeepState>, string[]]>([
  ['just under three hours', {}, []],
  ['three hours', { lastRunAt: NOW - 3 * HOUR }, ['The hourly run is overdue (last: November 2, 2026']],
  ['three hours in a pause', { lastRunAt: NOW - 3 * HOUR, pausedUntil: NOW + 1 }, []],
  [
    'three hours before the end of a pause',
    { lastRunAt: NOW - 3 * HOUR, pausedUntil: NOW },
    ['The hourly run is'],
  ],
  ['days, but one that stopped', { lastRunAt: 0, stopped: { at: NOW, why: 'No.' } }, ['A run stopped']],
])('without a run of keep for %s, no command bypasses it', async (_title, state, titles) => {
  context.keepState = { ...newKeepState(), lastRunAt: NOW - 3 * HOUR + 1, ...state }
  const { needs } = (await (await setUpAdmin([lacksSlack]))('/admin')).body
  expect(needs).toMatchObject(
    titles.map((title) => ({
      title: expect.stringContaining(title),
      command: expect.stringMatching(/keep PEOPLE.csv$/),
    })),
  )
})

it.each([
  ['gdrive_1', /^1 person is waiting for henk@acme.example to approve/],
  ['box_1', /^1 person is waiting for you to approve/],
  ['jira_1', /^1 person is waiting for you to approve/],
])('the overview names the owner of %s, unless the admin is one', async (instance, title) => {
  const open = await setUpAdmin([waitingFor(instance)])
  const approval = {
    ...newApproval(instance, 'App'),
    waitingPeople: 1,
    since: NOW,
    owners: ['henk@acme.example'],
  }
  for (const approvals of [[], [approval]]) {
    context.keepState = { ...context.keepState, approvals }
    expect((await open('/admin')).body.needs[0].title).toMatch(title)
  }
})

it('the overview no longer lists an approval given since the last run', async () => {
  const open = await setUpAdmin([waitingFor('box_1')])
  for (const [decision, count] of [
    [{ at: NOW - 1, by: 'henk' }, 1],
    [{ at: NOW + 1, by: 'henk' }, 0],
  ] as const) {
    context.decision = decision
    expect((await open('/admin')).body.needs).toHaveLength(count)
  }
})

it('a person’s page has an approval given since the last run', async () => {
  const open = await setUpAdmin([waitingFor('box_1')])
  const approval = { ...newApproval('box_1', 'Box'), testers: [NOW] }
  context.keepState = { ...context.keepState, approvals: [approval] }
  const { key } = (await open('/admin/people')).body.people[0]
  const helpAt = async () => (await open(`/admin/people/${key}`)).body.help.kind

  expect(await helpAt()).toBe('blocked')
  context.decision = { at: NOW + 1, by: 'henk' }
  expect(await helpAt()).toBe('approved')
})

it('the overview names the approver of an app until it is confirmed', async () => {
  const open = await setUpAdmin([{ ...waitingFor('box_1'), name: 'Ada' }])
  const approval = {
    ...newApproval('box_1', 'Box'),
    stage: 'approved',
    waitingPeople: 2,
    by: 'Henk',
  } as const
  const lineWith = async (change: Partial<Approval>) => {
    const approvals = [{ ...approval, approvedAt: NOW, ...change }]
    context.keepState = { ...context.keepState, approvals }
    const { freshness } = (await open('/admin')).body as { freshness: string[] }
    return freshness.at(-1)?.replaceAll(/[\u2068\u2069]/g, '')
  }
  expect(await lineWith({})).toMatch(/^box: Approved by Henk on .*2026\. One person connects it first\./)
  expect(await lineWith({ isUntried: true })).not.toContain('Henk')
  expect(await lineWith({ waitingPeople: 0 })).not.toContain('Henk')
})

it('the overview has an action item for a removed app', async () => {
  const removedApp = { instance: 'jira_1', name: 'Jira', noticedAt: NOW, since: NOW, people: 103 }
  const pausedUntil = Date.parse('2027-01-11')
  context.keepState = { ...context.keepState, delistedApps: [removedApp], lastRunAt: NOW, pausedUntil }
  const hadJira = withEachApp(hasJira, { delistedAt: NOW })
  const { needs, freshness } = (
    await (
      await setUpAdmin([hadJira, lacksSlack, { ...lacksJira, email: 'eve@acme.example' }])
    )('/admin')
  ).body

  expect(needs).toMatchObject([
    {
      title: 'Tickets is gone from 1 list, and still on 1. Was it removed?',
      href: '/admin/people?show=removed&app=jira_1',
      command: expect.stringContaining('keep PEOPLE.csv --removed jira_1'),
    },
  ])
  expect(freshness).toContain('Only admins are emailed before January 11, 2027')
  for (const [confirmed, jiraApps] of [
    [{ markedRemovedAt: NOW }, 0],
    [{ markedConnectedAt: NOW }, 1],
  ] as const) {
    context.keepState = { ...context.keepState, delistedApps: [{ ...removedApp, ...confirmed }] }
    const { body } = await (await setUpAdmin([hasJira]))('/admin')
    expect(body.needs).toEqual([])
    expect(body.apps.rows).toHaveLength(jiraApps)
  }
})

it('the overview of an empty installation has three steps, and checks off completed ones', async () => {
  let last = ''
  const ticks = async (seen: Partial<KeepState>) => {
    context.keepState = { ...newKeepState(), ...seen }
    const { steps } = (await (await setUpAdmin([]))('/admin')).body as { steps: Record<string, string>[] }
    last = steps.at(-1)?.['text'] ?? ''
    return steps.map(({ isDone }) => isDone)
  }
  expect(await ticks({})).toEqual([false, false, false])
  expect(await ticks({ dryRun: { at: NOW, people: 9, faults: 1 } })).toEqual([false, true, false])
  expect(await ticks({ dryRun: { at: NOW, people: 9, faults: 0 } })).toEqual([true, true, false])
  expect(await ticks({ lastRunAt: NOW })).toEqual([true, false, true])
  expect(last).toMatch(/ from 9:00\sAM to 4:00\sPM,/)
})

// prettier-ignore
it.each([
  { what: 'a week later', at: '2026-11-02T15:59:59Z', group: 'Rome', more: {}, day: 'Nov 9' },
  { what: 'after the hours of that day and a quiet day', at: '2026-11-02T16:00:00Z', group: 'Rome', more: {}, day: 'Nov 11' },
  { what: 'after a quiet day', at: '2026-11-03T09:00:00Z', group: 'Rome', more: {}, day: 'Nov 11' },
  { what: 'after another quiet day of the group', at: '2026-11-03T09:00:00Z', group: 'Paris', more: {}, day: 'Nov 12' },
  { what: 'after quiet days elsewhere', at: '2026-11-03T09:00:00Z', group: 'Paris', more: { timezone: 'Asia/Tokyo' }, day: 'Nov 12' },
  { what: 'after a pause', at: '2026-11-03T09:00:00Z', group: 'Rome', more: { pausedUntil: '2026-11-13' }, day: 'Nov 13' },
  { what: 'after a weekend', at: '2026-11-06T16:00:00Z', group: 'Rome', more: {}, day: 'Nov 16' },
  { what: 'at the same time, if it is the fourth email', at: '2026-11-03T09:00:00Z', group: 'Rome', more: { others: 2 }, day: 'Nov 11' },
])('the overview says that the first reminder leaves $what', async ({ at, group, more, day }) => {
  const { pausedUntil = '', others = 0, ...place } = more as { pausedUntil?: string; others?: number }
  if (pausedUntil) context.keepState = { ...newKeepState(), pausedUntil: Date.parse(pausedUntil) }
  context.now = Date.parse(at) + 60_000
  const campaigns = ['c', ...Array.from({ length: others }, (_, index) => `other-${index}`)]
  const person = campaigns.reduce<Person>(
    (before, campaign) => withEmailState(before, 'sent', { campaign, now: Date.parse(at) }),
    { ...lacksJira, group, ...place },
  )
  const open = await setUpAdmin([person])

  const { stats } = (await open('/admin')).body as { stats: { state: string; details: string[] }[] }

  expect(stats.find(({ state }) => state === 'notStarted')?.details.join(' ')).toMatch(
    new RegExp(`from ${day}, 2026`),
  )
})

it('the day of the first invitations has one sentence and no trend', async () => {
  const visited = { ...lacksJira, signedInAt: NOW - 3 * 86_400_000 }
  const day = async () =>
    (await (await setUpAdmin([visited, withEmailState(lacksSlack, 'sent', { now: NOW })]))('/admin')).body
  const early = expect.stringContaining('Come back on Nov 3, 2026') as string
  expect(await day()).toMatchObject({ steps: [], early })
  context.now = NOW + 86_400_000
  expect((await day()).plot.lines).toHaveLength(3)
})

it.each([...PAGES, ...EXPORTS])('the work for %s ends when its browser disconnects', async (path) => {
  const signals: AbortSignal[] = []
  const report = (signal: AbortSignal) => {
    signals.push(signal)
    return new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const open = await setUpAdmin([], {
    async *summaries(signal) {
      yield await report(signal)
    },
    report,
  })
  const leaving: request.Test[] = []
  const abortedRequest = open(path, (call) => leaving.push(call)).catch(() => 'gone')

  await expect.poll(() => signals).toHaveLength(1)
  leaving[0]?.abort()
  expect(await abortedRequest).toBe('gone')
  await expect.poll(() => signals[0]?.aborted).toBe(true)
})
