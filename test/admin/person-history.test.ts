// The suggested next step for a person, most important cause first, and the person's history.
import { expect, it } from 'vitest'
import { overviewPage } from '../../src/admin/overview.ts'
import { historyOf, noEmailUntil, personPage } from '../../src/admin/person-history.ts'
import { CRITERIA, summarize } from '../../src/admin/person-summary.ts'
import { createReport } from '../../src/admin/report.ts'
import { withEmail } from '../../src/campaigns/campaign.ts'
import { resolveCompany } from '../../src/company/company.ts'
import { newApproval, type Approval, type DelistedApp, type KeepState } from '../../src/people/keep-state.ts'
import { newPerson, withFailure } from '../../src/people/person.ts'
import type { AppRecord, OperatorAction, Person } from '../../src/people/person.ts'
import { newKeepState, summaries, withAppStates, withEachApp, withEmailState } from '../helpers/people.ts'
import { t } from '../helpers/texts.ts'

const NOW = Date.parse('2026-11-02T09:00:00Z')
const DAY = 86_400_000
const HOUR = 3_600_000
const found = { instance: 'slack_1', name: 'Slack', noticedAt: NOW, since: NOW, lapsed: 9, had: 10 }
const ON_HOLD: KeepState = { ...newKeepState(), massDisconnects: [found] }

const ada = newPerson("ada.o'neil@acme.example", NOW)
const apps = (states: Parameters<typeof withAppStates>[1]) => withAppStates(ada, states, NOW)
const withSlack = apps({ slack_1: 'unconnected', jira_1: 'connected' })
const lapsed = withEachApp(withSlack, { lapsedAt: NOW })
const newSlack = withEachApp(withSlack, { newAt: NOW })
/** The person's list has it instead of the first Slack, which they lost. */
const movedSlack: Person = {
  ...withSlack,
  lastCheck: {
    checkedAt: NOW,
    apps: [
      {
        instance: 'slack_0',
        name: 'Slack',
        status: 'connected',
        since: NOW,
        movedTo: 'slack_1',
        previousLapsedAt: NOW,
      },
      { instance: 'slack_1', name: 'slack', status: 'awaiting', since: NOW },
    ],
  },
}
const bounced = (person: Person) => withEmailState(person, 'failed', { now: NOW })
const pageOf = (person: Person, state = newKeepState(), company = resolveCompany({}, new Map())) =>
  personPage(person, state, company, { t, now: NOW })
/** Without the marks around names (Unicode UAX 9). */
const plain = (text: string) => text.replaceAll(/[\u2068\u2069]/g, '')
const failed = (at: number, instance = 'slack_1', code = 'service_unavailable') =>
  withFailure({ ...withSlack, visitedAt: NOW }, { at, instance, code })

const waitingFor = (since: number): Person => ({
  ...withSlack,
  signedInAt: NOW - DAY,
  intents: { checkedAt: NOW, apps: [{ instance: 'slack_1', kind: 'blocked', since }] },
})
const approved = (stage: Approval['stage'], ...testers: number[]): KeepState => ({
  ...newKeepState(),
  approvals: [{ ...newApproval('slack_1', 'Slack'), stage, stageChangedAt: NOW, approvedAt: NOW, testers }],
})

it.each<[string, Person, KeepState?]>([
  ['gone', { ...bounced(withSlack), leftAt: NOW, unknownAt: NOW }],
  ['unknown person rename', { ...bounced(withSlack), unknownAt: NOW }],
  ['bounced', bounced(ada)],
  ['done', bounced(apps({ jira_1: 'connected' }))],
  ['unchecked status', ada],
  ['blocked', apps({ jira_1: 'blocked', slack_1: 'unconfirmed' })],
  ['onHold keep PEOPLE.csv --release slack_1', lapsed, ON_HOLD],
  ['onHold keep PEOPLE.csv --release slack_1', newSlack, ON_HOLD],
  ['onHold keep PEOPLE.csv --release slack_1', withSlack, ON_HOLD],
  [
    'onHold keep PEOPLE.csv --release jira_1 --release slack_1',
    apps({ jira_1: 'unconnected', slack_1: 'unconnected' }),
    { ...ON_HOLD, massDisconnects: [found, { ...found, instance: 'jira_1', name: 'Jira' }] },
  ],
  ['left invite link', apps({ slack_1: 'unconnected', figma_1: 'unconnected' }), ON_HOLD],
  ['optedOut invite link', { ...lapsed, optedOutAt: NOW }, ON_HOLD],
  [
    'optedOut invite link',
    { ...waitingFor(NOW - HOUR), optedOutAt: NOW },
    approved('approved', NOW - 2 * HOUR),
  ],
  ['left invite link', lapsed, { ...ON_HOLD, massDisconnects: [{ ...found, resumedAt: NOW }] }],
  ['failed doctor --as', failed(NOW - HOUR)],
  ['left invite link', failed(NOW - HOUR - 1)],
  ['left invite link', failed(NOW, 'jira_1')],
  ['left invite link', failed(NOW, 'slack_1', 'declined')],
  ['unconfirmed status', apps({ slack_1: 'unconfirmed' })],
  [
    'unconfirmed status',
    withFailure(apps({ slack_1: 'unconfirmed' }), { at: NOW, instance: 'slack_1', code: 'unconfirmed' }),
  ],
  ['off', apps({ slack_1: 'off', jira_1: 'connected' })],
  ['optedOut invite link', { ...withSlack, optedOutAt: NOW }],
  ['done', { ...apps({ jira_1: 'connected' }), optedOutAt: NOW }],
  ['nothing', apps({})],
  ['tester invite link', waitingFor(NOW - HOUR), approved('approved', NOW - HOUR)],
  ['approved', waitingFor(NOW - HOUR), approved('approved', NOW - 2 * HOUR)],
  ['blocked', waitingFor(NOW), approved('approved', NOW)],
  ['blocked', waitingFor(NOW - HOUR), approved('unapproved', NOW - HOUR)],
  ['blocked', waitingFor(NOW - HOUR), approved('failed', NOW - HOUR)],
  ['left invite link', waitingFor(NOW - HOUR), approved('confirmed', NOW - HOUR)],
])('the suggested next step is %s', (expected, person, keepState = newKeepState()) => {
  const { kind, command = '' } = historyOf(person, keepState).help
  const words = command.replace(/^.*onramp --? ?/, '').replace(/ 'ada.o'\\''neil@acme.example'( NEW)?$/, '')
  expect(`${kind} ${words}`.trim()).toBe(expected)
})

it.each<[string, Person, string[], boolean]>([
  ['lost is marked', lapsed, ['Lost access'], true],
  ['never connected is not marked', withSlack, ['Not connected'], false],
  ['lost as another instance is not marked', movedSlack, ['Not connected', 'moved'], false],
])('an app that was %s on a person’s page', (_what, person, details, isBad) => {
  const page = pageOf(person)
  expect(page.apps.find(({ text }) => text.startsWith('slack'))).toMatchObject({ details, isBad })
})

it('a person’s page labels the details of the list', () => {
  const person = { ...ada, name: 'Ada', language: 'de', group: 'Legal', timezone: 'Europe/Berlin', id: 'E1' }
  const page = pageOf(person)
  const labeled = ['Language: de', 'Department: Legal', 'Time zone: Europe/Berlin', 'ID: E1']
  expect([page.name, page.details]).toEqual(['Ada', [ada.email, ...labeled]])
})

it('the next step after a failure quotes the page that the person saw', () => {
  const page = pageOf(failed(NOW))
  expect(plain(page.help.text)).toBe(
    'Connecting slack failed when they were last here. They saw “We couldn’t load your apps” (service_unavailable). To look for the cause, run:',
  )
})

it('a tester’s page says when the app was approved, and that they try it first', () => {
  const page = pageOf(waitingFor(NOW - HOUR), approved('approved', NOW - HOUR))
  expect(plain(page.help.text)).toMatch(
    /^Approved on Nov 2, 2026: slack\. They try it before the others\. For a link/,
  )
})

it.each([
  ['blocked', ['Asked for an admin’s approval', 'slack']],
  ['declined', ['Didn’t allow access', 'slack']],
  [
    'service_unavailable',
    ['Couldn’t connect', 'slack', 'They saw “We couldn’t load your apps” (service_unavailable)'],
  ],
  ['unconfirmed', ['Couldn’t connect', 'slack', 'Not confirmed']],
])('a history has the step %s of a person', (code, expected) => {
  const page = pageOf(failed(NOW, 'slack_1', code))
  const { text, details, time } = page.events.find((event) => event.details.includes('slack'))!
  expect([text, ...details]).toEqual(expected)
  expect(time?.iso).toBe('2026-11-02T09:00:00.000Z')
})

it.each([
  ['skipped', NOW - DAY, 'skipped', NOW - DAY],
  ['blocked', NOW - DAY, 'blocked', NOW - DAY],
  ['skipped', undefined, 'skipped', undefined],
  ['unconfirmed', undefined, 'unconnected', NOW],
  ['unconfirmed', NOW - HOUR, 'unconnected', NOW - HOUR],
] as const)('an app that is %s since %j shows as %s with the date %j', (kind, since, state, shown) => {
  const person = withAppStates(ada, { slack_1: 'unconnected' }, NOW)
  const apps = [{ instance: 'slack_1', kind, ...(since !== undefined && { since }) }]

  const history = historyOf({ ...person, intents: { checkedAt: NOW, apps } }, newKeepState())

  expect(history.apps).toMatchObject([{ state, since: shown }])
  expect(history.apps[0]?.blockedAt).toBe(kind === 'blocked' ? since : undefined)
})

it('an app without a usable link is named once nothing else is left', () => {
  const broken = { instance: 'jira_1', name: 'Jira', status: 'attention', since: NOW } as const
  const person = { ...ada, lastCheck: { checkedAt: NOW, apps: [broken] } }
  expect(historyOf(person, newKeepState()).help).toMatchObject({
    kind: 'noAddress',
    apps: [{ instance: 'jira_1' }],
  })
})

const QUARTER = 91 * DAY
const four = (first: number): Person => ({
  ...withSlack,
  campaigns: [
    {
      name: 'lapses',
      emails: [0, 1, 2, 3].map((n) => ({
        reminder: n,
        state: 'sent',
        at: first + n * DAY,
        apps: ['slack_1'],
      })),
    },
  ],
})

it.each<[string, Person, number, string]>([
  ['limit 1', four(NOW - QUARTER + DAY), 0, ''],
  ['', four(NOW - QUARTER), 0, ''],
  ['limit 4', four(NOW - QUARTER + 4 * DAY), 0, ''],
  ['limit 6.625', four(NOW - QUARTER + 5 * DAY), 0, ''],
  ['', bounced(withSlack), 0, ''],
  ['quiet 0.625', withSlack, NOW + DAY / 2, ''],
  ['', withSlack, NOW - 9 * HOUR, ''],
  ['limit 1', four(NOW - QUARTER + DAY), NOW + DAY / 2, ''],
  ['quiet 2.625', four(NOW - QUARTER + DAY), NOW + 2 * DAY, ''],
  ['quiet 1.625', withSlack, 0, '2026-11-03'],
])('the reason and days without emails are: %s', (expected, person, pausedUntil, day) => {
  const quiet = [{ from: '2026-11-02', to: day || '2026-11-01', group: undefined }]
  const wait = noEmailUntil(person, { pausedUntil }, { timezone: 'UTC', quietDays: quiet, now: NOW })
  expect(wait === undefined ? '' : `${wait.why} ${(wait.at - NOW) / DAY}`).toBe(expected)
})

it.each([
  ['onboarding', 0, 'invitation', false],
  ['onboarding', 1, 'reminder', true],
  ['lapses', 0, 'lapse', true],
  ['new-apps', 0, 'newOrMovedApp', true],
  ['approvals', 0, 'approval', false],
  ['approvals', 3, 'approval', false],
])('the email of %s with number %d is called %s (a reminder: %s)', (campaign, reminder, what, isReminder) => {
  const person = withEmail(withSlack, { campaign, reminder, state: 'sent', now: NOW })
  expect(historyOf(person, newKeepState()).events[0]?.what).toBe(what)
  const summary = summarize(person)
  expect(summary.remindedAt.length > 0).toBe(isReminder)
  expect(CRITERIA.reminded(summary)).toBe(isReminder && reminder > 0)
})

it.each([
  ['all its apps are connected', ['slack_1'], 1],
  ['one of its apps isn’t connected', ['slack_1', 'jira_1'], 0],
  ['it has no list of apps, and one isn’t connected', undefined, 0],
])('someone has acted on a reminder if its apps are connected: %s', (_when, listed, count) => {
  const checked = apps({ slack_1: 'connected', jira_1: 'unconnected' })
  const reminder = { campaign: 'onboarding', reminder: 1, state: 'sent', now: NOW } as const
  const { actedAt } = summarize(withEmail(checked, { ...reminder, ...(listed && { apps: listed }) }))
  expect(actedAt).toHaveLength(count)
})

it.each<[string[], Partial<DelistedApp>]>([
  [['jira · Gone from their list,An admin is asked whether it was removed'], {}],
  [[], { markedRemovedAt: NOW }],
  [['jira · Connected'], { markedConnectedAt: NOW }],
])('an app that left many lists has the line %j on a person’s page', (line, answer) => {
  const person = apps({ jira_1: 'connected', slack_1: 'unconnected', trello_1: 'unconnected' })
  const [jira, ...others] = person.lastCheck!.apps
  const gone = { ...person, lastCheck: { checkedAt: NOW, apps: [{ ...jira!, delistedAt: NOW }, ...others] } }
  const page = pageOf(gone, inQuestion('jira_1', answer))

  const rows = page.apps.map(({ text, details, time }) => [`${text} · ${details.join()}`, time?.iso])
  const at = new Date(NOW).toISOString()
  expect(rows.filter(([text]) => text?.startsWith('jira'))).toEqual(line.map((text) => [text, at]))
  expect(page.help.text).toContain('They have slack and trello left.')
})

it.each([
  ['no', false, 'Email about new apps'],
  ['only', true, 'Email about moved apps'],
  ['some', undefined, 'Email about new or moved apps'],
])('an email about %s apps that have moved is called so', (_which, isMoved, text) => {
  const email = { campaign: 'new-apps', reminder: 0, state: 'sent', now: NOW, isMoved } as const
  const page = pageOf(withEmail(withSlack, email))
  expect(page.events[0]?.text).toBe(text)
})

it.each([
  ['one rename', ['old'], 1, ['formerly old']],
  ['two renames', ['older', 'old'], 2, ['formerly older', 'formerly old']],
  ['renames of which the first is no longer listed', ['older', 'old'], 1, ['formerly old']],
  ['an address that came back', ['old'], 2, [undefined, 'formerly old']],
])('the history shows the former address after %s', (_what, formerEmails, count, expected) => {
  const by = { what: 'renamed', by: 'sign-in' } as const
  const actions = Array.from({ length: count }, (_, nth) => ({ at: NOW + nth, ...by }))
  const bounce = { at: 1, what: 'bounced', by: 'root' } as const
  const person: Person = { ...withSlack, formerEmails, actions: [bounce, ...actions] }

  const { events } = pageOf(person)

  const details = events.slice(0, count).map((event) => event.details.toReversed())
  expect(details.toReversed()).toEqual(expected.map((former) => ['by sign-in', ...(former ? [former] : [])]))
})

it.each([
  ['slack_1', 'Chat'],
  ['slack_2', 'Chat'],
  ['hidden_app_1', 'Hidden app'],
  ['secret_1', 'Vault'],
])('the history shows %s by its name: %s', (app, name) => {
  const secret = { name: 'Vault', hidden: true }
  const file = { datasources: { slack_2: { name: 'Chat', replaces: 'slack_1' }, secret } }
  const company = resolveCompany(file, new Map())
  company.findReplaced([{ instance: 'slack_2' }])
  const person = withEmail(withSlack, {
    campaign: 'lapses',
    reminder: 0,
    state: 'sent',
    apps: [app],
    now: NOW,
  })
  const { events } = pageOf(person, newKeepState(), company)
  expect(events[0]?.details[0]).toBe(name)
})

const inQuestion = (instance: string, answer: Partial<DelistedApp> = {}): KeepState => ({
  ...newKeepState(),
  delistedApps: [{ instance, name: 'Slack', noticedAt: NOW, since: NOW, people: 12, ...answer }],
})
const released = (over: Partial<OperatorAction>): OperatorAction => ({
  at: NOW,
  what: 'released',
  by: 'root',
  app: 'slack_1',
  since: NOW - DAY,
  ...over,
})
const lost = (app: Partial<AppRecord>, ...access: [what: 'lost' | 'back', at: number][]): Person => ({
  ...withEachApp(withSlack, app),
  listedAt: NOW - 9 * DAY,
  accessEvents: access.map(([what, at]) => ({ what, at, instance: 'slack_1' })),
})

const waiting = (since: number): Partial<Person> => ({
  listedAt: NOW,
  intents: { checkedAt: NOW, apps: [{ instance: 'slack_1', kind: 'blocked', since }] },
})

it.each<[boolean, Partial<Person>, Partial<OperatorAction>]>([
  [false, withSlack, {}],
  [true, lost({}, ['lost', NOW - DAY]), {}],
  [false, lost({}, ['lost', NOW - DAY - 1]), {}],
  [true, lost({}, ['lost', NOW]), {}],
  [false, lost({}, ['lost', NOW + 1]), {}],
  [true, lost({}, ['lost', NOW - 2], ['back', NOW + 1], ['lost', NOW + 2]), {}],
  [false, lost({}, ['lost', NOW - 2], ['back', NOW]), {}],
  [true, lost({ delistedAt: NOW }), { what: 'removed' }],
  [false, lost({ delistedAt: NOW }), {}],
  [true, lost({ previousDelistedAt: NOW }), { what: 'removed' }],
  [true, lost({}), { what: 'removed' }],
  [false, lost({}, ['lost', NOW]), { app: 'github_1' }],
  [true, { ...lost({}, ['lost', NOW]), listedAt: NOW }, {}],
  [false, { ...lost({}, ['lost', NOW]), listedAt: NOW + 1 }, {}],
  [true, { ...lost({}, ['lost', NOW]), leftAt: NOW + 1 }, {}],
  [false, { ...lost({}, ['lost', NOW]), leftAt: NOW }, {}],
  [false, lost({}, ['lost', NOW]), { what: 'approved' }],
  [true, waiting(NOW), { what: 'approved' }],
  [false, waiting(NOW + 1), { what: 'approved' }],
  [false, {}, { app: undefined } as never],
  [true, { leftAt: NOW }, { app: undefined } as never],
  [true, { leftAt: NOW + DAY - 1 }, { app: undefined } as never],
  [false, { leftAt: NOW + DAY }, { app: undefined } as never],
  [false, { leftAt: NOW - 1 }, { app: undefined } as never],
])('a person’s history has the actions of operators that concern them: %s', (isTheirs, person, over) => {
  const { events } = historyOf({ ...withSlack, ...person }, { ...newKeepState(), actions: [released(over)] })
  expect(events.some(({ by }) => by === 'root')).toBe(isTheirs)
})

it('an action about an app that was replaced since concerns its replacement', () => {
  const state = { ...newKeepState(), actions: [released({ app: 'slack_0' })] }
  const person = lost({}, ['lost', NOW - DAY])
  const replacedBy = new Map([['slack_0', 'slack_1']])
  expect(historyOf(person, state, replacedBy).events).toContainEqual({
    at: NOW,
    what: 'released',
    by: 'root',
    app: 'slack_1',
  })
  expect(historyOf(person, state).events.some(({ by }) => by === 'root')).toBe(false)
})

it.each([
  ['has', "ada.o'neil@acme.example: unchanged: bob@acme.example has data of its own.", true],
  ['has not', "not.ada.o'neil@acme.example: unchanged: bob@acme.example has data of its own.", false],
])('the help begins with a fault of the list that %s their address', (_what, need, isTheirs) => {
  const { help } = pageOf(withSlack, { ...newKeepState(), needs: [need] })
  expect(help.text.startsWith(need)).toBe(isTheirs)
})

it.each([
  ['says who was emailed, and when', NOW, /^grace@acme\.example: We asked on Nov 2, 2026\. An admin has to/],
  ['names no one before that', 0, /^An admin has to/],
])('the help for someone who waits for an approval %s', (_what, requestedAt, text) => {
  const requested = { ...newApproval('slack_1', 'Slack'), owners: ['grace@acme.example'], requestedAt }
  const state = { ...newKeepState(), approvals: [requested] }
  const { help } = pageOf(waitingFor(NOW), state)
  expect(plain(help.text)).toMatch(text)
})

it('the help for someone who waits for two approvals names both owners', () => {
  const waitsForBoth = apps({ slack_1: 'blocked', jira_1: 'blocked' })
  const requestFor = (instance: string, owner: string): Approval => ({
    ...newApproval(instance, instance),
    owners: [owner],
    requestedAt: NOW,
  })
  const approvals = [requestFor('slack_1', 'grace@acme.example'), requestFor('jira_1', 'bob@acme.example')]
  const state = { ...newKeepState(), approvals }
  const { help } = pageOf(waitsForBoth, state)
  expect(help.text).toMatch(/grace@acme\.example: We asked on .* bob@acme\.example: We asked on/)
  expect(help.path).toBe('/admin/people?show=blocked')
  expect(historyOf(waitingFor(NOW), state).help.path).toBe('/admin/people?show=blocked&app=slack_1')
})

it.each([
  ['had connected it', { slack_1: 'connected' }, 'inQuestion', 'Connected'],
  ['still has it listed', { slack_1: 'unconnected' }, 'inQuestion', 'Not connected'],
  ['also has another app left', { slack_1: 'unconnected', jira_1: 'skipped' }, 'left', 'Not connected'],
] as const)('an app in question is on the page of a person who %s', (_what, states, help, shown) => {
  const page = pageOf(apps(states), inQuestion('slack_1'))

  const details = [shown, 'An admin is asked whether it was removed']
  expect(page.apps[0]).toMatchObject({ text: 'slack', details })
  const command = help === 'left' ? 'invite link' : 'keep PEOPLE.csv --removed slack_1'
  expect(page.help).toMatchObject({ kind: help, command: expect.stringContaining(command) as string })
})

it.each([
  ['before', NOW, 1],
  ['after', NOW + 1, 0],
])('“Confirmed as connected” is for people who connected the app %s it was', (_when, since, count) => {
  const person = { ...withEachApp(apps({ slack_1: 'connected' }), { since }), listedAt: 1 }
  const action = { at: NOW, what: 'markedConnected' as const, by: 'root', app: 'slack_1', since: 1 }
  const { events } = historyOf(person, { ...newKeepState(), actions: [action] })
  expect(events.filter(({ what }) => what === 'markedConnected')).toHaveLength(count)
})

it.each<[string, Partial<DelistedApp> | undefined, string]>([
  ['is back', undefined, 'lost unlisted'],
  ['may have been removed', {}, 'lost'],
  ['was removed', { markedRemovedAt: NOW }, 'lost'],
  ['was connected elsewhere', { markedConnectedAt: NOW }, 'lost unlisted'],
])('a lost app that left the list has an end if it %s', (_what, answer, expected) => {
  const person = withEachApp(apps({ slack_1: 'connected' }), { delistedAt: NOW })
  const accessEvents = [{ at: NOW - DAY, what: 'lost' as const, instance: 'slack_1' }]
  const state = answer ? inQuestion('slack_1', answer) : newKeepState()

  const { events } = historyOf({ ...person, accessEvents }, state)

  const kinds = events.map(({ what }) => what).filter((what) => what !== 'finishedAt')
  expect(kinds.toReversed().join(' ')).toBe(expected)
})

it.each([
  ['someone on the list', { listedAt: NOW }, ['hidden slack_1']],
  ['someone who came later', { listedAt: NOW + 1 }, []],
  ['someone who had left', { listedAt: 1, leftAt: NOW }, []],
  ['someone who left later', { listedAt: 1, leftAt: NOW + 1 }, ['hidden slack_1']],
  ['someone who never had it', { listedAt: 1, campaigns: [] }, []],
])('the history of %s says that an app was hidden: %o', (_who, dates, expected) => {
  const event = { at: NOW, what: 'hidden' as const, instance: 'slack_1', name: 'Slack', people: 0 }
  const invited = withEmail(ada, {
    campaign: 'onboarding',
    reminder: 0,
    state: 'sent',
    apps: ['slack_1'],
    now: NOW - 1,
  })
  const { events } = historyOf({ ...invited, ...dates }, { ...newKeepState(), appEvents: [event] })
  const hidden = events.filter(({ what }) => what === 'hidden')
  expect(hidden.map(({ what, app }) => `${what} ${app}`)).toEqual(expected)
})

it.each([
  ['in question', {}, ['0 of 0 done', 'Not counted until you answer: Slack']],
  ['answered', { markedRemovedAt: NOW }, ['0 of 0 done']],
])('/admin says beside its first figure which apps are %s', async (_which, answer, details) => {
  const report = await createReport(summaries(), NOW)
  const { stats } = overviewPage(report, inQuestion('slack_1', answer), t, { now: NOW, since: '' })
  expect(stats[0]).toMatchObject({ state: 'ready', details })
})
