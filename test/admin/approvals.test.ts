// The page of an app's owner: access, content and the approval button.
import { Readable } from 'node:stream'
import request from 'supertest'
import { beforeEach, expect, it } from 'vitest'
import { createApprovalRoutes } from '../../src/admin/approval-routes.ts'
import { approvedLines } from '../../src/admin/approval-texts.ts'
import { describeActionItems } from '../../src/admin/overview.ts'
import { PeopleSnapshot } from '../../src/admin/people-snapshot.ts'
import { historyOf } from '../../src/admin/person-history.ts'
import { summarizeAll } from '../../src/admin/person-summary.ts'
import { createReport } from '../../src/admin/report.ts'
import { createAdminCheck } from '../../src/admin/routes.ts'
import { resolveCompany, type Company } from '../../src/company/company.ts'
import { KeepStateStore, type Approval, type KeepState } from '../../src/people/keep-state.ts'
import { newPerson, type Person } from '../../src/people/person.ts'
import type { Audit } from '../../src/web/audit.ts'
import { testKeyRing } from '../helpers/data-key.ts'
import { sendJson, signedInApp } from '../helpers/json-pages.ts'
import { memoryRecords } from '../helpers/memory-records.ts'
import { newKeepState, withAppStates, withEachApp, summaries } from '../helpers/people.ts'
import { t } from '../helpers/texts.ts'

const now = Date.parse('2026-11-27T09:00:00Z')
const since = Date.parse('2026-11-20T09:00:00Z')
const slack = { owner: ['grace@acme.example'], approve: 'https://acme.slack.example/apps' }
const slackCompany = resolveCompany({ datasources: { slack } }, new Map())
const waiting: Approval = {
  instance: 'slack_1',
  name: 'Slack',
  stage: 'unapproved',
  stageChangedAt: 0,
  waitingPeople: 26,
  since,
  owners: ['grace@acme.example'],
  requestedAt: since,
  requestedForCount: 3,
  approvedAt: 0,
}

const withSlack = (state: 'blocked' | 'connected' | 'unconnected') =>
  withAppStates(newPerson('ada@acme.example', now), { slack_1: state }, now, { slack_1: 'Slack' })
async function actionItems(person: Person, given: Partial<KeepState>) {
  const state = { ...newKeepState(), ...given }
  const report = await createReport(summaries(person), now)
  return describeActionItems(report, state, { t, now, timezone: 'UTC', quietDays: [] })
}

let audited: Parameters<Audit>[0][]
/** Times that everyone was read. */
let passes: number
beforeEach(() => {
  audited = []
  passes = 0
})

function setUpApprovalPages({
  approvals = [waiting],
  email = 'grace@acme.example',
  emailVerified = true,
  people = [],
  company = slackCompany,
  state = {},
}: {
  approvals?: Approval[]
  email?: string
  emailVerified?: boolean
  people?: Person[]
  company?: Company
  state?: Partial<KeepState>
} = {}) {
  const { records } = memoryRecords()
  const keepState = { ...newKeepState(), approvals, ...state }
  const keepStateStore = new KeepStateStore(records, testKeyRing(records))
  keepStateStore.load = () => Promise.resolve(keepState)
  async function* all() {
    passes++
    for (const person of people) company.activateReplacements(person.lastCheck?.apps ?? [])
    yield* people
  }
  const user = { issuer: 'https://as.example', subject: email, email, emailVerified }
  const app = signedInApp(
    () => user,
    now,
    createApprovalRoutes({
      keepStateStore,
      snapshot: new PeopleSnapshot({ people: { all }, keepStateStore, company, now: () => now }),
      isAdmin: createAdminCheck(['admin@acme.example'], []),
      company,
      admins: ['admin@acme.example'],
      limit: (_req, _res, next) => next(),
      sendPage: sendJson,
      audit: (happened) => void audited.push(happened),
      now: () => now,
    }),
  )
  const of = (instance: string) => `/approvals/${instance}`
  return {
    keepStateStore,
    open: async (instance = 'slack_1') => await request(app).get(of(instance)),
    press: async (instance = 'slack_1') => await request(app).post(of(instance)),
  }
}

it('an owner sees where to approve, and only admins see who waits', async () => {
  const { body } = await setUpApprovalPages().open()
  expect(body).toMatchObject({
    heading: '26 people are waiting for you to approve Slack',
    isOpen: true,
    where: { href: slack.approve, label: 'Approve it at acme.slack.example' },
  })
  expect(body.paragraphs[0]).toContain('since November 20, 2026')
  expect(body.people).toBeUndefined()
  const admins = (await setUpApprovalPages({ email: 'admin@acme.example' }).open()).body
  expect(admins.people.href).toContain('app=slack_1')
  expect(admins.heading).toMatch(/^26 people are waiting for grace@acme.example to approve Slack/)
})

it.each([
  [1, /^This person tried .* They’ve been waiting since November 20.* ask this person to connect it\.$/],
  [2, /^They tried .* The first one has been waiting since November 20.* and tell the others as soon/],
])('the page uses the singular or plural for %d waiting people', async (count, text) => {
  const { body } = await setUpApprovalPages({ approvals: [{ ...waiting, waitingPeople: count }] }).open()
  expect(body.paragraphs.join(' ')).toMatch(text)
})

// prettier-ignore
it.each([
  { what: 'the owner of one person', count: 1, name: 'grace', trying: 'The person who was waiting is asked to connect it.', isOwner: true },
  { what: 'the owner of two people', count: 2, name: 'grace', trying: 'One person connects it first. The others hear from us', isOwner: true },
  { what: 'an admin', count: 2, name: 'admin', trying: 'One person connects it first. The others hear from us', isOwner: false },
])(
  'the page of an approved app says who tries it first, to $what',
  async ({ count, name, trying, isOwner }) => {
    const email = `${name}@acme.example`
    const approved = {
      stage: 'approved',
      stageChangedAt: since,
      approvedAt: since,
      waitingPeople: count,
    } as const
    const { body } = await setUpApprovalPages({ email, approvals: [{ ...waiting, ...approved }] }).open()
    const text = body.paragraphs.join(' ')

    expect(text).toContain(trying)
    expect(
      text.endsWith('you’ll get an email. Then check the approval, and press “I approved it” again.'),
    ).toBe(isOwner)
  },
)

it.each<[title: string, change: Partial<Approval>, text: string]>([
  [
    'before another person is asked',
    {},
    'Someone tried on Nov 21, 2026, and it didn’t work. We ask one person after the other.',
  ],
  ['of the only person', { waitingPeople: 1 }, 'it didn’t work. The person who was waiting is asked'],
  ['once no one else can be asked', { isUntried: true }, 'it didn’t work. We can’t email anyone else now'],
])('the owner’s page has a failed try %s', async (_title, change, text) => {
  const approved = { stage: 'approved', approvedAt: since, triedAt: since + 86_400_000 } as const
  const { body } = await setUpApprovalPages({ approvals: [{ ...waiting, ...approved, ...change }] }).open()
  expect(body.paragraphs.join(' ')).toContain(text)
})

const app = { instance: 'slack_1', name: 'Slack', noticedAt: since, since }
const quietRange = { from: '2026-11-27', to: '2026-11-29', group: undefined }
const onHold = /Emails about this app are on hold until an admin decides\./
const noEmailBefore = (day: string) => new RegExp(`No email before ${day}: a pause, or quiet days\\.`)
const NEVER = /No email|on hold/

/** What the owner's page says at each stage, and the line about the approval on /admin. */
async function textsAboutEmails(state: Partial<KeepState>, quietDays: (typeof quietRange)[]) {
  const company = { ...slackCompany, quietDays }
  const ownerText = async (change: Partial<Approval>) => {
    const approval = { ...waiting, stageChangedAt: since, approvedAt: since, ...change }
    const { body } = await setUpApprovalPages({ state, company, approvals: [approval] }).open()
    return (body.paragraphs as string[]).join(' ')
  }
  const confirmed = await ownerText({ stage: 'confirmed', waitingPeople: 0 })
  const owners = [await ownerText({}), await ownerText({ stage: 'approved' }), confirmed]
  const approvals: Approval[] = [{ ...waiting, stage: 'approved', approvedAt: since }]
  const report = await createReport(summaries(), now)
  const admins = approvedLines(report, { ...newKeepState(), ...state, approvals }, { ...company, t, now })
  return { owners, confirmed, admins }
}

it.each<[title: string, state: Partial<KeepState>, quietDays: (typeof quietRange)[], text: RegExp]>([
  ['while the app is on hold', { massDisconnects: [{ ...app, lapsed: 9, had: 9 }] }, [], onHold],
  ['while the app is in question', { delistedApps: [{ ...app, people: 9 }] }, [], onHold],
  ['in a pause', { pausedUntil: Date.parse('2026-12-02') }, [], noEmailBefore('Dec 2, 2026')],
  ['on quiet days before a weekend', {}, [quietRange], noEmailBefore('Nov 30, 2026')],
])('owners and admins read when people are emailed %s', async (_title, state, quietDays, text) => {
  const { owners, confirmed, admins } = await textsAboutEmails(state, quietDays)
  for (const one of owners) expect(one).toMatch(text)
  expect(confirmed).not.toContain('We’re telling them.')
  expect(admins).toEqual([expect.stringMatching(text)])
})

it.each<[title: string, state: Partial<KeepState>, quietDays: (typeof quietRange)[]]>([
  ['on a usual day', {}, []],
  ['after a release', { massDisconnects: [{ ...app, lapsed: 9, had: 9, resumedAt: now }] }, []],
  ['after a pause', { pausedUntil: Date.parse('2026-11-27') }, []],
  ['on the day before quiet days', {}, [{ ...quietRange, from: '2026-11-28' }]],
])('owners and admins read of no delay of emails %s', async (_title, state, quietDays) => {
  const { owners, confirmed, admins } = await textsAboutEmails(state, quietDays)
  for (const one of owners) expect(one).not.toMatch(NEVER)
  expect(confirmed).toContain('We’re telling them.')
  expect(admins).toHaveLength(1)
  expect(admins.join()).not.toMatch(NEVER)
})

it.each([
  ['someone else', 'bob@acme.example', true, 'slack_1'],
  ['an address that isn’t verified', 'grace@acme.example', false, 'slack_1'],
  ['the owner of another app', 'grace@acme.example', true, 'jira_1'],
  ['an address that only looks like the owner’s', 'gra\u212Ae@acme.example', true, 'slack_1'],
])('the page and its button are refused to %s', async (_title, email, isVerified, instance) => {
  const company = resolveCompany({ datasources: { slack, slack_2: { replaces: 'slack_1' } } }, new Map())
  const { open, press, keepStateStore } = setUpApprovalPages({ email, emailVerified: isVerified, company })
  for (const response of [await open(instance), await press(instance)])
    expect([response.status, response.body.code, passes]).toEqual([403, 'owners_only', 0])
  expect(await keepStateStore.findDecision(instance)).toBeUndefined()
  expect(audited).toEqual([])
})

it('each view of an owner’s page is audited', async () => {
  const { open } = setUpApprovalPages()
  await open('slack_1')
  expect(audited).toMatchObject([{ event: 'admin_viewed', what: 'approval' }])
})

it('the log of a refused approval names only apps of the company file', async () => {
  const { open } = setUpApprovalPages({ email: 'bob@acme.example' })
  expect((await open('slack_1')).body.detail).toContain('slack_1')
  expect((await open('ada.lovelace@acme.example')).body.detail).not.toContain('ada')
})

it('the former link of an app that moved leads to the approval of its successor', async () => {
  const moved = resolveCompany(
    { datasources: { slack, slack_2: { replaces: 'slack_1', name: 'Chat' } } },
    new Map(),
  )
  const apps = { slack_2: 'blocked' } as const
  const person = withAppStates(newPerson('ada@acme.example', now), apps, now)
  const early = setUpApprovalPages({ approvals: [], people: [person], company: moved })
  const { open, press, keepStateStore } = setUpApprovalPages({ company: moved })

  expect((await early.open()).body).toMatchObject({
    heading: '1 person is waiting for you to approve Chat',
  })
  expect((await open()).body).toMatchObject({
    heading: '26 people are waiting for you to approve Chat',
    path: '/approvals/slack_2',
  })
  await press()
  expect(await keepStateStore.findDecision('slack_2')).toMatchObject({ at: now })
})

it('“I approved it” counts once', async () => {
  const { open, press, keepStateStore } = setUpApprovalPages()
  const { status, headers } = await press()
  await press()
  expect(status).toBe(303)
  expect(headers['location']).toBe('/approvals/slack_1')
  expect(await keepStateStore.findDecision('slack_1')).toEqual({ at: now, by: 'grace@acme.example' })
  expect(audited).toMatchObject([{ event: 'approved', datasource: 'slack_1' }])
  expect((await open()).body).toMatchObject({ heading: 'Slack is approved', isOpen: false })
})

it.each([
  ['confirmed', 'Slack is approved and works', { stage: 'confirmed', waitingPeople: 0 }, false],
  ['failed', 'Slack may still need approval', { stage: 'failed' }, true],
  ['over', 'No one is waiting for Slack', undefined, false],
] as const)('the page of an approval that is %s is called “%s”', async (_title, heading, change, isOpen) => {
  const { open, press, keepStateStore } = setUpApprovalPages({
    approvals: change ? [{ ...waiting, stageChangedAt: since, ...change }] : [],
  })
  expect((await open()).body).toMatchObject({ heading, isOpen })
  await press()
  expect((await keepStateStore.findDecision('slack_1')) !== undefined).toBe(isOpen)
})

it('an owner can approve for people who began to wait after the last run', async () => {
  const ada = { ...withSlack('blocked'), signedInAt: since }
  const people = [ada, { ...ada, email: 'bob@acme.example' }]
  const { open, press } = setUpApprovalPages({ approvals: [], people })
  const heading = '2 people are waiting for you to approve Slack'
  expect((await open()).body).toMatchObject({ heading, isOpen: true })
  await press()
  expect((await open()).body).toMatchObject({ heading: 'Slack is approved', isOpen: false })
})

it.each([
  [
    'the owners and the start',
    {},
    /^26 people are waiting for grace@acme.example to approve Slack, since Nov 20/,
    /^We asked on/,
  ],
  [
    'that it fails after the confirmation, before its owner is asked',
    { stage: 'confirmed', stageChangedAt: since + 1, waitingPeople: 1 },
    /may still need approval/,
    /^1 person tried .* it didn’t work, although it worked for someone else\..* again\.$/,
  ],
  [
    'that it fails after the confirmation, and the request',
    { stage: 'confirmed', stageChangedAt: since, waitingPeople: 2 },
    /may still need approval/,
    /^2 people tried .* it didn’t work.* again\. We asked on/,
  ],
  [
    'why people wait for its owner, before the request',
    { requestedAt: 0 },
    /^26 people are waiting for grace@acme.example/,
    /^They tried to connect Slack.* since November 20, 2026\.$/,
  ],
  [
    'to its owner where to approve it',
    { requestedAt: 0, owners: [] },
    /^26 people are waiting for you/,
    /^They pressed .* You can approve it in Slack’s admin settings\.$/,
  ],
  [
    'the lack of an owner',
    { owners: [], requestedAt: 0, isUndelivered: true },
    /waiting for you to approve/,
    /ADMIN_EMAILS/,
  ],
  [
    'the failure, its owner and the request',
    { stage: 'failed', approvedAt: since },
    /may still need approval/,
    /didn’t work.* up to grace@acme.example to check the approval and press “I approved it” again. We asked on/,
  ],
  [
    'the failure before its owner is asked',
    { stage: 'failed', approvedAt: since, stageChangedAt: since + 1 },
    /may still need approval/,
    /up to grace@acme.example .* again.$/,
  ],
  ['the failure to its owner', { stage: 'failed', owners: [] }, /may still/, /yet. Check the approval, then/],
  [
    'that no one tests it',
    { stage: 'approved', approvedAt: since, by: 'Grace', isUntried: true },
    /^Slack is approved, but people are still waiting$/,
    /^Approved by Grace on November 20, 2026\. .* none of the 26 people who wait has connected it\. .* in person\.$/,
  ],
  [
    'no untold people if only the tester waits',
    { stage: 'failed', waitingPeople: 1, testers: [since] },
    /may still/,
    /didn’t work. It’s up to/,
  ],
] as const)('the action item of an approval on /admin shows %s', async (_title, change, title, detail) => {
  expect(await actionItems(withSlack('blocked'), { approvals: [{ ...waiting, ...change }] })).toMatchObject([
    {
      href: '/approvals/slack_1',
      title: expect.stringMatching(title) as string,
      detail: expect.stringMatching(detail) as string,
    },
  ])
})

it('the action item of an approval that no one tests says that emails are paused', async () => {
  const untried: Approval = { ...waiting, stage: 'approved', approvedAt: since, isUntried: true }
  const given = { approvals: [untried], pausedUntil: Date.parse('2026-12-02') }
  const [item] = await actionItems(withSlack('blocked'), given)
  expect(item?.detail).toMatch(/in person\. No email before Dec 2, 2026: a pause, or quiet days\.$/)
})

it('the question about an app gone from many lists says who waits for it', async () => {
  const person = withEachApp(withSlack('connected'), { delistedAt: now })
  const keepState = { ...newKeepState(), approvals: [waiting], delistedApps: [{ ...app, people: 9 }] }
  const report = await createReport(summarizeAll(Readable.from([person]), keepState), now)

  const [question] = describeActionItems(report, keepState, { t, now, timezone: 'UTC', quietDays: [] })

  expect(question?.detail).toContain('26 people are waiting for grace@acme.example to approve Slack')
})

it.each([
  ['one person connects the approved app first', 'approved', 26],
  ['everyone who waited can connect it', 'confirmed', 0],
] as const)('/admin has no action item while %s', async (_title, stage, count) => {
  const approvals = [{ ...waiting, stage, stageChangedAt: now, approvedAt: now, waitingPeople: count }]
  expect(await actionItems(withSlack('blocked'), { approvals })).toEqual([])
})

// prettier-ignore
it.each([
  ['someone waits while it is tried', { stage: 'approved', stageChangedAt: since, approvedAt: since }, 'blocked'],
  ['someone no longer waits once the app works', { stage: 'confirmed', stageChangedAt: since }, 'unconnected'],
  ['someone waits who requested it after the app worked', { stage: 'confirmed', stageChangedAt: since - 1 }, 'blocked'],
] as const)('figures and a person’s page agree about an approval: %s', async (_title, change, state) => {
  const ada = withAppStates(newPerson('ada@acme.example', now), { slack_1: 'unconnected' }, now)
  const intents = { checkedAt: now, apps: [{ instance: 'slack_1', kind: 'blocked', since } as const] }
  const keepState = { ...newKeepState(), approvals: [{ ...waiting, ...change }] }
  const person = { ...ada, signedInAt: since, intents }
  expect(historyOf(person, keepState).apps).toMatchObject([{ state }])
  const { stuck } = await createReport(summarizeAll(Readable.from([person]), keepState), now)
  expect(stuck).toBe(Number(state === 'blocked'))
})

const confirmed = { stage: 'confirmed', stageChangedAt: since, waitingPeople: 0, uninformed: 2 } as const
const reachableAt = Date.parse('2027-04-12T09:00:00Z')

// prettier-ignore
it.each<[title: string, change: Partial<Approval>, text: string]>([
  ['to no one for now', { unreachable: 2, reachableAt }, 'Everyone who was waiting can connect it now. We can’t email 2 of them before Apr 12, 2027.'],
  ['to one of two people', { unreachable: 1 }, 'Everyone who was waiting can connect it now. We’re telling them. We can’t email 1 of them.'],
  ['to everyone already', { uninformed: 0 }, 'Everyone who was waiting can connect it now.'],
])('the page of an approval that works promises an email %s', async (_title, change, text) => {
  const { body } = await setUpApprovalPages({ approvals: [{ ...waiting, ...confirmed, ...change }] }).open()
  expect(body.paragraphs.at(-1)).toBe(text)
})

it('admins are asked to tell people who can’t be emailed that an approval works', async () => {
  const approvals: Approval[] = [{ ...waiting, ...confirmed, unreachable: 2, reachableAt }]
  const { body } = await setUpApprovalPages({ approvals, email: 'admin@acme.example' }).open()
  expect(body.people.href).toContain('show=waiting&app=slack_1')
  const [item] = await actionItems(withSlack('unconnected'), { approvals })
  expect(item).toMatchObject({
    title: 'Tell 2 people that Slack works',
    detail:
      'Everyone who was waiting can connect it now. We can’t email 2 of them before Apr 12, 2027. Tell them in person.',
  })
})
