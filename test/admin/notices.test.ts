// Notices to admins: their content, without personal data.
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import {
  massDisconnectNotice,
  digestNotice,
  isDigestDue,
  delistedAppsNotice,
} from '../../src/admin/notices.ts'
import { describeActionItems } from '../../src/admin/overview.ts'
import { summarizeAll } from '../../src/admin/person-summary.ts'
import { createReport, type Report } from '../../src/admin/report.ts'
import { neutralCompany, resolveCompany } from '../../src/company/company.ts'
import { newApproval, type KeepState, type MassDisconnect } from '../../src/people/keep-state.ts'
import { newPerson, type Person } from '../../src/people/person.ts'
import { newKeepState, withAppStates, withEachApp, withEmailState, summaries } from '../helpers/people.ts'
import { t } from '../helpers/texts.ts'

const DAY = 86_400_000
const now = Date.parse('2027-01-25T09:00:00Z')
const words = {
  ...neutralCompany,
  t,
  publicUrl: 'https://onramp.acme.example',
  admins: ['grace@acme.example'],
  massDisconnects: [] as MassDisconnect[],
}
const slack = {
  instance: 'slack_1',
  name: 'Slack',
  noticedAt: Date.parse('2027-01-14T08:00:00Z'),
  since: 0,
  lapsed: 412,
  had: 450,
}
const jira = { instance: 'jira_1', name: 'Jira', noticedAt: now, since: 0, people: 12 }

const names = { slack_1: 'Slack' }

const people = (group: string, count: number, isLost: boolean): Person[] =>
  Array.from({ length: count }, (_, index) => {
    const person = { ...newPerson(`ada-${group}-${index}@acme.example`, now), name: 'Ada Byron', group }
    const ready = withAppStates(person, { slack_1: 'connected' }, now - 30 * DAY, names)
    if (!isLost) return ready
    const { lastCheck } = withAppStates(person, { slack_1: 'unconnected' }, now, names)
    return withEachApp({ ...ready, ...(lastCheck && { lastCheck }) }, { lapsedAt: now - DAY })
  })

it.each([
  ['says that many had lost it before', true, ['Jira: 40 of 55 people lost access (January 25, 2027).']],
  ['is silent about losses that weren’t many', undefined, []],
])('the question about a removed app %s', (_title, isDelisted, expected) => {
  const lost = { ...jira, lapsed: 40, had: 55, ...(isDelisted && { isDelisted }) }
  const report = { delistedApps: [], datasources: [] as Report['datasources'] } as unknown as Report
  const context = { ...words, massDisconnects: [lost] }
  for (const apps of [[jira], [jira, { ...slack, people: 60 }]]) {
    const text = delistedAppsNotice(apps, report, context).paragraphs.join(' ')
    expect(text.match(/Jira: .*?lost access \(.*?\)\./g) ?? []).toEqual(expected)
  }
})

it('apps that one run finds removed share one email, with two commands for each', () => {
  const question = 'Jira is gone from 12 lists, and still on 3. Was it removed?'
  const delistedApps = [{ instance: 'jira_1', count: 12, listed: 3 }]
  const report = { delistedApps, datasources: [] as Report['datasources'] } as Report
  const [one, both] = [[jira], [jira, { ...slack, people: 60 }]].map((apps) =>
    delistedAppsNotice(apps, report, words),
  )
  expect(one?.subject).toEqual(question)
  expect(one?.paragraphs).toHaveLength(1)
  expect(one?.commands).toHaveLength(2)
  expect(both?.subject).toBe('2 apps are gone from many lists. Were they removed?')
  expect(both?.paragraphs[0]).toEqual(question)
  expect(both?.commands.length).toBe(4)
})

it.each<[string, Parameters<typeof withAppStates>[1], boolean, number]>([
  ['asks whether the service has a fault if no list has an app', {}, true, 2],
  ['doesn’t ask that if one list still has one of them', { jira_1: 'unconnected' }, false, 4],
  ['doesn’t ask that if one list has another app', { notion_1: 'unconnected' }, false, 4],
])('the question about two removed apps %s', async (_title, listed, isNoneLeft, commandCount) => {
  const delistedApps = ['jira_1', 'slack_1'].map((instance) => ({ ...jira, instance, since: now - DAY }))
  const newcomer = newPerson('ada@acme.example', now)
  const gone = withAppStates(newcomer, { jira_1: 'connected', slack_1: 'connected' }, now, names)
  const all = [
    ...Array.from({ length: 12 }, () => withEachApp(gone, { delistedAt: now })),
    withAppStates(newcomer, { notion_1: 'connected', ...listed }, now, names),
  ]
  const state = { ...newKeepState(), delistedApps }
  const report = await createReport(summarizeAll(Readable.from(all), state), now, { state })
  const { paragraphs, commands } = delistedAppsNotice(delistedApps, report, words)
  expect(report.isNoneLeft).toBe(isNoneLeft)
  expect(paragraphs.join(' ').includes('The search service may have a fault')).toBe(isNoneLeft)
  expect(commands).toHaveLength(commandCount)
  const questions = describeActionItems(report, state, { t, now, timezone: 'UTC', quietDays: [] }).filter(
    ({ kind }) => kind === 'removed',
  )
  expect(questions.map(({ command }) => command)).toEqual(
    (isNoneLeft ? ['doctor'] : ['keep PEOPLE.csv --removed jira_1', 'keep PEOPLE.csv --removed slack_1']).map(
      (command) => `npm run onramp -- ${command}`,
    ),
  )
})

const HOUR = 3_600_000
const MOVE =
  '45 people have gdrive_2 now. If it has moved there, add “gdrive_2: { replaces: gdrive_1 }” to the company file. If you don’t answer, we tell people two working days later that gdrive_2 is new.'

it.each<[string, string, Partial<NonNullable<KeepState['newApps']>[number]>, string[]]>([
  ['suggests a move to another instance that is new in the same hours', 'gdrive_2', {}, [MOVE]],
  [
    'suggests a move to another instance that is new just under 36 hours later',
    'gdrive_2',
    { since: now + 36 * HOUR - 1 },
    [MOVE],
  ],
  [
    'suggests no move to another instance that is new 36 hours later',
    'gdrive_2',
    { since: now + 36 * HOUR },
    [],
  ],
  [
    'suggests a move to another instance that departments got until just under 36 hours before',
    'gdrive_2',
    { since: now - 99 * HOUR, noticedAt: now - 36 * HOUR + 1 },
    [MOVE],
  ],
  [
    'suggests no move to another instance that departments got until 36 hours before',
    'gdrive_2',
    { since: now - 40 * HOUR, noticedAt: now - 36 * HOUR },
    [],
  ],
  ['suggests no move to another instance that replaces one already', 'gdrive_2', { isMoved: true }, []],
  ['suggests no move to another app', 'slack_1', {}, []],
  ['suggests no move to the same instance', 'gdrive_1', {}, []],
])('the question about a removed app %s', (_title, instance, change, move) => {
  const delisted = { instance: 'gdrive_1', name: 'Google Drive', noticedAt: now, since: now, people: 50 }
  const newApps = [{ ...delisted, instance, ...change }]
  const counts = { waiting: 40, connected: 5, skipped: 0, blocked: 0, off: 2 }
  const report = {
    delistedApps: [{ instance: 'gdrive_1', count: 50, listed: 0 }],
    datasources: [{ instance: 'gdrive_2', counts }],
  } as Report

  const context = { ...words, newApps, delistedApps: [delisted] }
  const one = delistedAppsNotice([delisted], report, context)
  const both = delistedAppsNotice([delisted, { ...slack, people: 60 }], report, context)

  const question = 'Google Drive is gone from 50 lists. Was it removed?'
  // The advice about --removed comes last, for apps that haven't moved.
  expect(one.paragraphs.slice(0, -1).join(' ')).toBe(move.join(' '))
  expect(both.paragraphs[0]).toBe([question, ...move].join(' '))
  const entry = 'gdrive_2: { replaces: gdrive_1 }'
  expect(one.commands.map((command) => command === entry)).toEqual([...move.map(() => true), false, false])
})

it.each([
  [
    'may have moved leads with the entry of the company file',
    'gdrive_2',
    /^gdrive_2: \{ replaces: gdrive_1 \}$/,
  ],
  ['hasn’t moved leads with its removal', 'slack_2', / --removed gdrive_1$/],
])('the question about a removed app that %s', async (_title, instance, command) => {
  const delisted = { instance: 'gdrive_1', name: 'Drive', noticedAt: now, since: now, people: 50 }
  const state = { ...newKeepState(), delistedApps: [delisted], newApps: [{ ...delisted, instance }] }
  const states = { gdrive_1: 'connected', [instance]: 'unconnected' } as const
  const person = withEachApp(withAppStates(newPerson('ada@acme.example', now), states, now), {
    delistedAt: now,
  })
  const report = await createReport(summarizeAll(Readable.from([person]), state), now)

  const [item] = describeActionItems(report, state, { ...neutralCompany, t, now })

  expect(item?.command).toMatch(command)
  expect(item?.detail).toContain('run keep with --removed gdrive_1,')
})

it('the email about a mass disconnect says what happened and what to do', () => {
  const notice = massDisconnectNotice(slack, words)
  expect(notice.subject).toBe('Slack: 412 of 450 people lost access (January 14, 2027)')
  expect(notice.paragraphs[0]).toBe(
    '412 of the 450 people with Slack connected lost access. Onramp noticed it on January 14, 2027.',
  )
  expect(notice.paragraphs[1]).toMatch(/the app was removed, a secret expired, or an approval was withdrawn/)
  expect(notice.commands).toEqual([
    expect.stringContaining('keep PEOPLE.csv --release slack_1'),
    expect.stringContaining('status EMAIL'),
  ])
  expect(notice.link.href).toBe('https://onramp.acme.example/admin')
})

it('the email about a mass disconnect offers no command with characters of a shell', () => {
  expect(massDisconnectNotice({ ...slack, instance: 'x;curl evil' }, words).commands).toHaveLength(1)
})

const countsBefore = { people: 20, ready: 20, inProgress: 0, notStarted: 0, stuck: 0, fellBack: 0, gone: 2 }

const MONDAY = '2027-01-18T09:01:05Z'
const digestAt = Date.parse(MONDAY)
const sent = { digest: { ...countsBefore, day: '2027-01-18', at: digestAt } }
const countedOn = (day: string) => ({ days: [{ ...countsBefore, day }] })
const quietOn = (from: string, to = from) => ({ quietDays: [{ from, to, group: undefined }] })

// prettier-ignore
it.each<[string, boolean, string, Partial<KeepState>, Partial<typeof neutralCompany>?]>([
  ['on the first day of an installation', true, MONDAY, {}],
  ['on its day, after days of runs', true, MONDAY, countedOn('2027-01-15')],
  ['on the first day, if it is a later one', false, '2027-01-19T09:01:00Z', {}],
  ['after its day, if runs began on it', false, '2027-01-19T09:01:00Z', countedOn('2027-01-18')],
  ['after its day, if runs began before it', true, '2027-01-19T09:01:00Z', countedOn('2027-01-17')],
  ['later on the day when it was sent', false, '2027-01-18T15:59:00Z', sent],
  ['on the days after it was sent', false, '2027-01-22T15:59:00Z', sent],
  ['a week later, before working hours', false, '2027-01-25T08:59:00Z', sent],
  ['a week later', true, '2027-01-25T09:00:00Z', sent],
  ['a week later, before working hours of the company', false, '2027-01-25T09:00:00Z', sent, { timezone: 'America/New_York' }],
  ['a week after an earlier version sent it', true, '2027-01-25T09:00:00Z', { digestAt }],
  ['on the day when an earlier version sent it', false, '2027-01-18T15:59:00Z', { digestAt }],
  ['on the day after, if no run could send it', true, '2027-01-26T09:00:00Z', sent],
  ['on the last working day after that', true, '2027-01-29T15:59:00Z', sent],
  ['after working hours of that day', false, '2027-01-29T16:00:00Z', sent],
  ['on a quiet day', false, '2027-01-25T09:00:00Z', sent, quietOn('2027-01-25')],
  ['on the day after its quiet day', true, '2027-01-26T09:00:00Z', sent, quietOn('2027-01-25')],
  ['after two quiet ones', true, '2027-02-03T09:00:00Z', sent, quietOn('2027-01-25', '2027-02-02')],
  ['on the first day of an installation, after a quiet day', false, '2027-01-26T09:00:00Z', {}, quietOn('2027-01-25')],
  ['on a quiet day after its day', false, '2027-01-26T09:00:00Z', sent, quietOn('2027-01-26')],
  ['after that', true, '2027-01-27T09:00:00Z', sent, quietOn('2027-01-26')],
  ['a week after it was late', true, '2027-01-25T09:00:00Z', { digest: { ...sent.digest, at: digestAt + 4 * DAY } }],
  ['on a day named since', true, '2027-01-19T09:00:00Z', { digestAt: Date.parse('2027-01-18T15:59:00Z') }, { digest: 'tuesday' }],
  ['six days after its day', true, '2027-01-26T09:00:00Z', { digestAt: digestAt - 5 * DAY }, { digest: 'wednesday' }],
  ['in a pause', true, '2027-01-25T09:00:00Z', { ...sent, pausedUntil: Infinity }],
])('the digest is due %s: %s', (_title, isDue, text, state, company = {}) => {
  const context = { ...words, digest: 'monday', ...company } as const
  expect(isDigestDue({ ...newKeepState(), ...state }, context, Date.parse(text))).toBe(isDue)
})

const everyone = [...people('Sales', 6, true), ...people('Law', 4, true), ...people('Ops', 10, false)]
const keepState: KeepState = {
  massDisconnects: [slack],
  zones: {},
  days: [{ ...countsBefore, nothing: 0, invited: 4, day: '2027-01-18' }],
}

/** @param since when the last digest was sent: the report counts what came after it */
async function digestFor(all: Person[], given: Partial<KeepState> = keepState, since?: number) {
  const report = await createReport(summaries(...all), now, { ...(since !== undefined && { since }) })
  return digestNotice(report, { ...newKeepState(), ...given }, now, words)
}

it('the digest has each count with its weekly change, and what needs action', async () => {
  const invited = everyone.map((one, index) =>
    index < 10 ? withEmailState(one, 'sent', { now: now - 9 * DAY }) : one,
  )
  const notice = await digestFor(invited)
  expect(notice.subject).toBe('Rollout progress: 10 of 20 done')
  expect(notice.figures.map(({ label, value, change }) => [label, value, change].join(' '))).toEqual([
    'People 20 0',
    'Invited by email 10 +6',
    'Ready to search 10 -10',
    'Nothing to connect 0 0',
    'In progress 0 0',
    'Never signed in 0 0',
    'Stuck 0 0',
    'Lost access 10 +10',
    'Off the list, or unknown to search 0 -2',
  ])

  expect(notice.paragraphs[1]).toBe('Access was lost most often to Slack')
  const since = now - DAY
  const digest = { ...countsBefore, nothing: 0, day: '2027-01-18', at: since }
  const next = await digestFor(invited, { ...keepState, digest }, since)
  expect(next.paragraphs.filter((paragraph) => paragraph.includes('lost most often'))).toEqual([])
  expect(notice.figures.at(-2)?.href).toBe('https://onramp.acme.example/admin/people?show=fellBack')

  const command = expect.stringContaining('--release slack_1') as string
  expect(notice.needs).toMatchObject([
    { title: 'Slack: 412 of 450 people lost access (January 14, 2027)', command },
  ])
  expect(notice.paragraphs.join(' ')).toContain(
    'Since the end of January 18, 2027: 10 fewer people ready, 10 people who had connected everything lost access',
  )
})

it('the digest compares with the last digest, to the minute, though runs counted since', async () => {
  const last = {
    ...countsBefore,
    nothing: 4,
    ready: 8,
    people: 12,
    fellBack: 3,
    day: '2027-01-24',
    at: now - DAY,
  }
  const since = (at: number) => digestFor(everyone, { ...keepState, digest: { ...last, at } }, at)
  const notice = await since(now - DAY - 1)
  expect(notice.paragraphs[0]).toBe(
    'Since January 24, 2027 at 8:59 AM (UTC): 6 more people ready, 10 people who had connected everything lost access',
  )
  expect(notice.figures.slice(0, 4).map(({ change }) => change)).toEqual(['+8', '', '+6', '-4'])
  expect((await since(now - DAY)).paragraphs[0]).toBe(
    'Since January 24, 2027 at 9:00 AM (UTC): 6 more people ready',
  )
})

/** The person has lost another app, too. */
function withLostDrive(person: Person, lapsedAt: number): Person {
  const drive = { instance: 'gdrive_1', name: 'Drive', status: 'awaiting', since: 1, lapsedAt } as const
  return { ...person, lastCheck: { checkedAt: now, apps: [...person.lastCheck!.apps, drive] } }
}

it('the digest names the app that was lost since the last digest', async () => {
  const older = people('Law', 9, false).map((person) => withLostDrive(person, 1))
  const report = await createReport(summaries(...people('Sales', 3, true), ...older), now, {
    since: now - 2 * DAY,
  })
  const digest = { ...countsBefore, nothing: 0, day: '2027-01-23', at: now - 2 * DAY }

  const { paragraphs } = digestNotice(report, { ...keepState, digest }, now, words)

  expect(report.datasources[0]).toMatchObject({ instance: 'gdrive_1', lapsed: 9 })
  expect(report.lostByDay).toContainEqual({ day: '2027-01-24', instance: 'slack_1', count: 3 })
  expect(paragraphs).toContain('Access was lost most often to Slack')
})

it('the digest names the app that was lost, not its successor', async () => {
  const lost = { name: 'Jira', since: now, previousLapsedAt: now - DAY }
  const moved = people('Sales', 3, false).map((person) => ({
    ...person,
    finishedAt: now - 9 * DAY,
    lastCheck: {
      checkedAt: now,
      apps: [
        { ...lost, instance: 'jira_1', status: 'connected' as const, movedTo: 'jira_2' },
        { instance: 'jira_2', name: 'Jira', status: 'awaiting' as const, since: now },
      ],
    },
  }))
  const report = await createReport(summaries(...moved), now, { since: now - 2 * DAY })
  expect(report.lostByDay).toEqual([{ day: '2027-01-24', instance: 'jira_1', count: 3 }])
})

it('a later loss of someone who has already lost access is no second fall', async () => {
  const both = people('Sales', 3, true).map((person) => withLostDrive(person, now))
  const [sinceEarlier, sinceFall] = await Promise.all(
    [now - DAY - 1, now - DAY].map((since) => createReport(summaries(...both), now, { since })),
  )
  expect([sinceEarlier, sinceFall].map((report) => report?.days.map(({ fellBack }) => fellBack))).toEqual([
    [3],
    [],
  ])
  expect(sinceEarlier?.lostByDay.map(({ day, count }) => [day, count])).toEqual([
    ['2027-01-24', 3],
    ['2027-01-24', 3],
  ])
  expect(sinceFall?.lostByDay).toEqual([])
})

it('a fall counts people who lost access and wait for an admin by now', async () => {
  const waiting = people('Sales', 3, true).map((person) => ({
    ...person,
    intents: { checkedAt: now, apps: [{ instance: 'slack_1', kind: 'blocked' as const, since: now }] },
  }))
  const report = await createReport(summaries(...waiting), now, { since: now - 2 * DAY })
  expect(report).toMatchObject({ stuck: 3, fellBack: 0, days: [{ fellBack: 3 }] })
  expect(report.lostByDay).toMatchObject([{ instance: 'slack_1', count: 3 }])
})

it.each([
  ['has moved', new Map([['slack_0', 'slack_1']])],
  ['is new for 3 people', new Map<string, string>()],
])('the digest says at once that an app %s', async (sentence, activeReplacements) => {
  const slackOf = { instance: 'slack_1', name: 'Slack', people: 3 }
  const newApps = [{ ...slackOf, noticedAt: now, since: now }]
  const appEvents = [{ ...slackOf, what: 'new' as const, at: now }]
  const report = await createReport(summaries(...everyone), now, { since: now - DAY })
  const digest = { ...countsBefore, nothing: 0, day: '2027-01-24', at: now - DAY }
  const state = { ...keepState, newApps, appEvents, digest }

  const { paragraphs } = digestNotice(report, state, now, { ...words, activeReplacements })

  expect(paragraphs.join(' ')).toContain(`Slack ${sentence}`)
})

it('the digest names neither people nor departments', async () => {
  const notice = await digestFor(everyone.map((one) => withEmailState(one, 'failed', { now })))
  expect(JSON.stringify(notice)).not.toMatch(/Law|@acme|Byron/)
  expect(notice.needs.at(-1)?.detail).toContain('The newest was sent on Jan 25, 2027. Check')
})

it('the digest reports that nothing is needed, and shows no change without an earlier row', async () => {
  const quiet = await digestFor(people('Ops', 5, false), {})
  expect(quiet.paragraphs).toEqual(['Nothing needs you right now.'])
  expect(quiet.figures.every(({ change }) => change === '')).toBe(true)
})

it('the digest names each app that has moved for a department, with its people', async () => {
  const moveOf = (instance: string, newAt = now - DAY) =>
    ({ instance, name: instance, status: 'awaiting', since: newAt, newAt, movedFrom: 'x' }) as const
  const withMoved = (count: number, ...apps: ReturnType<typeof moveOf>[]) =>
    people('Sales', count, false).map((person) => ({ ...person, lastCheck: { checkedAt: now, apps } }))
  const [slack2, jira2] = [moveOf('slack_2'), moveOf('jira_2')]
  const open = { instance: 'box_1', name: 'Box', status: 'awaiting', since: 1 } as const
  const all = [
    ...withMoved(2, slack2),
    ...withMoved(12, slack2, jira2),
    // They weren't ready before, or not at the last digest.
    ...withMoved(3, slack2).map((one) => withEachApp(one, { lapsedAt: now })),
    ...withMoved(4, slack2, { ...open } as never),
    ...withMoved(5, moveOf('slack_2', now - 2 * DAY)),
  ]
  const digest = { ...countsBefore, ready: 40, nothing: 0, day: '2027-01-23', at: now - 2 * DAY }
  const { paragraphs } = await digestFor(all, { ...keepState, digest }, digest.at)
  expect(paragraphs[0]).toContain('40 fewer ready: Slack 2 (14) and Jira 2 (12) have moved')
  expect(paragraphs.filter((text) => text.includes('has moved'))).toHaveLength(2)
})

it.each([
  ['names an owner who isn’t its reader', ['olga@acme.example'], /^1 person is waiting for olga@acme/],
  ['says “you” to an owner who is its reader', ['grace@acme.example'], /^1 person is waiting for you to/],
  ['says “you” if no owner is named', [], /^1 person is waiting for you to/],
])('the digest %s', async (_title, owner, title) => {
  const company = resolveCompany({ datasources: { slack: { owner } } }, new Map())
  const person = withAppStates(newPerson('ada@acme.example', now), { slack_1: 'blocked' }, now, names)
  const report = await createReport(summaries(person), now)
  const owners = owner.length > 0 ? owner : words.admins
  const waiting = { ...newApproval('slack_1', 'Slack'), waitingPeople: 1, since: now, owners }
  const { needs } = digestNotice(report, { ...newKeepState(), approvals: [waiting] }, now, {
    ...words,
    ...company,
  })
  expect(needs[0]?.title).toMatch(title)
})

it('the digest says who approved an app that someone tries first', async () => {
  const approval = { ...newApproval('slack_1', 'Slack'), approvedAt: now, by: 'Grace', testers: [1] }
  const approvals = [{ ...approval, stage: 'approved', waitingPeople: 2 } as const]
  const { paragraphs } = await digestFor([], { approvals })
  expect(paragraphs.join().replaceAll(/[\u2068\u2069]/g, '')).toMatch(
    /Slack: Approved by Grace on .*2027\. One person connects it first\./,
  )
})
