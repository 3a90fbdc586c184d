// The suggested next step for a person, most important cause first, and the person's history.
import { expect, it } from 'vitest'
import { historyOf, personPage } from '../../src/admin/person-history.ts'
import { emailOutlook } from '../../src/campaigns/episodes.ts'
import { CRITERIA, summarize } from '../../src/admin/person-summary.ts'
import { withEmail } from '../../src/campaigns/campaign.ts'
import { resolveCompany } from '../../src/company/company.ts'
import { newApproval, type Approval, type DelistedApp, type KeepState } from '../../src/people/keep-state.ts'
import { newPerson, withAction, withFailure } from '../../src/people/person.ts'
import type { AppRecord, OperatorAction, Person } from '../../src/people/person.ts'
import { newKeepState, withAppStates, withEachApp, withEmailState } from '../helpers/people.ts'
import { COMMAND } from '../../src/version.ts'
import { t } from '../helpers/texts.ts'

const NOW = Date.parse('2026-11-02T09:00:00Z')
const DAY = 86_400_000
const HOUR = 3_600_000
const found = { instance: 'slack_1', name: 'Slack', noticedAt: NOW, since: NOW, lapsed: 9, had: 10 }
const ON_HOLD: KeepState = { ...newKeepState(), massDisconnects: [found] }

const ada = newPerson("ada.o'neil@acme.example", NOW)
const apps = (states: Parameters<typeof withAppStates>[1]) => withAppStates(ada, states, NOW)
const withSlack = apps({ slack_1: 'unconnected', jira_1: 'connected' })
const adaWithoutSlack = withEachApp(withSlack, { lapsedAt: NOW })
const newSlack = withEachApp(withSlack, { newAt: NOW })
const withBounce = (person: Person) => withEmailState(person, 'failed', { now: NOW })
const pageOf = (person: Person, state = newKeepState(), company = resolveCompany({}, new Map())) =>
  personPage(person, state, company, { t, now: NOW })
/** Without the marks around names (Unicode UAX 9). */
const withoutIsolates = (text: string) => text.replaceAll(/[\u2068\u2069]/g, '')
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

const RAN = { ...newKeepState(), lastRunAt: NOW }
/** A person whose address changed so long before the service first didn’t know it. */
const renamedBefore = (ms: number): Person => ({
  ...withAction(withSlack, { at: NOW - ms, what: 'renamed', by: 'root' }),
  unknownAt: NOW,
})

const commandFor = (words: string, more = '') => `${COMMAND} ${words} 'ada.o'\\''neil@acme.example'${more}`
const [INVITE, STATUS, DOCTOR] = ['invite link', 'status', 'doctor --as'].map((words) => commandFor(words))
const RENAME = commandFor('person rename', ' NEW')
const release = (...instances: string[]) =>
  `${COMMAND} keep PEOPLE.csv ${instances.map((instance) => `--release ${instance}`).join(' ')}`

// prettier-ignore
it.each<[title: string, kind: string, command: string | undefined, Person, KeepState?]>([
  ['off the list', 'gone', undefined, { ...withBounce(withSlack), leftAt: NOW, unknownAt: NOW }],
  ['whom the service doesn’t know', 'unknown', RENAME, { ...withBounce(withSlack), unknownAt: NOW }],
  ['unknown two weeks after a new address', 'unknown', RENAME, renamedBefore(14 * DAY), RAN],
  ['unknown less than two weeks after it', 'unknownYet', undefined, renamedBefore(14 * DAY - 1), RAN],
  ['unknown also at the new address', 'unknownYet', undefined, renamedBefore(-DAY), RAN],
  ['still unknown after two weeks', 'unknown', RENAME, renamedBefore(DAY), { ...RAN, lastRunAt: NOW + 13 * DAY }],
  ['whose email bounced', 'bounced', undefined, withBounce(ada)],
  ['who has connected everything', 'done', undefined, withBounce(apps({ jira_1: 'connected' }))],
  ['never checked', 'unchecked', STATUS, ada],
  ['who waits for an admin', 'blocked', undefined, apps({ jira_1: 'blocked', slack_1: 'unconfirmed' })],
  ['who lost an app on hold', 'onHold', release('slack_1'), adaWithoutSlack, ON_HOLD],
  ['with a new app on hold', 'onHold', release('slack_1'), newSlack, ON_HOLD],
  ['with an open app on hold', 'onHold', release('slack_1'), withSlack, ON_HOLD],
  ['with two apps on hold', 'onHold', release('jira_1', 'slack_1'), apps({ jira_1: 'unconnected', slack_1: 'unconnected' }), { ...ON_HOLD, massDisconnects: [found, { ...found, instance: 'jira_1', name: 'Jira' }] }],
  ['with an app beside one on hold', 'left', INVITE, apps({ slack_1: 'unconnected', figma_1: 'unconnected' }), ON_HOLD],
  ['who opted out, with an app on hold', 'optedOut', INVITE, { ...adaWithoutSlack, optedOutAt: NOW }, ON_HOLD],
  ['who opted out, with an approved app', 'optedOut', INVITE, { ...waitingFor(NOW - HOUR), optedOutAt: NOW }, approved('approved', NOW - 2 * HOUR)],
  ['who lost an app that is no longer on hold', 'left', INVITE, adaWithoutSlack, { ...ON_HOLD, massDisconnects: [{ ...found, resumedAt: NOW }] }],
  ['whose failure is an hour old', 'failed', DOCTOR, failed(NOW - HOUR)],
  ['whose failure is older', 'left', INVITE, failed(NOW - HOUR - 1)],
  ['whose failure is of an app connected now', 'left', INVITE, failed(NOW, 'jira_1')],
  ['who declined', 'left', INVITE, failed(NOW, 'slack_1', 'declined')],
  ['with an unconfirmed consent', 'unconfirmed', STATUS, apps({ slack_1: 'unconfirmed' })],
  ['with a failure of that consent', 'unconfirmed', STATUS, withFailure(apps({ slack_1: 'unconfirmed' }), { at: NOW, instance: 'slack_1', code: 'unconfirmed' })],
  ['whose app left is off', 'off', undefined, apps({ slack_1: 'off', jira_1: 'connected' })],
  ['who opted out', 'optedOut', INVITE, { ...withSlack, optedOutAt: NOW }],
  ['who opted out and is done', 'done', undefined, { ...apps({ jira_1: 'connected' }), optedOutAt: NOW }],
  ['with nothing to connect', 'nothing', undefined, apps({})],
  ['who tests an approval', 'tester', INVITE, waitingFor(NOW - HOUR), approved('approved', NOW - HOUR)],
  ['who waits for the tester', 'approved', undefined, waitingFor(NOW - HOUR), approved('approved', NOW - 2 * HOUR)],
  ['who waits since the approval', 'blocked', undefined, waitingFor(NOW), approved('approved', NOW)],
  ['who waits for an approval', 'blocked', undefined, waitingFor(NOW - HOUR), approved('unapproved', NOW - HOUR)],
  ['who waits after a failed test', 'blocked', undefined, waitingFor(NOW - HOUR), approved('failed', NOW - HOUR)],
  ['whose app is approved and works', 'left', INVITE, waitingFor(NOW - HOUR), approved('confirmed', NOW - HOUR)],
])('the next step for someone %s is %s', (_title, kind, command, person, keepState = newKeepState()) => {
  expect(historyOf(person, keepState).help).toMatchObject({ kind, command })
})

it('the next step after a failure quotes the page that the person saw', () => {
  const page = pageOf(failed(NOW))
  expect(withoutIsolates(page.help.text)).toBe(
    'Connecting slack failed when they were last here. They saw “We couldn’t load your apps” (service_unavailable). To look for the cause, run:',
  )
})

const QUARTER = 91 * DAY
const withFourEmails = (first: number): Person => ({
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

it.each([
  ['promises an email once it works', [], true],
  ['promises none at the limit of four emails', withFourEmails(NOW - QUARTER + DAY).campaigns, false],
])('the page of someone who waits for the tester %s', (_title, campaigns, isPromised) => {
  const { text } = pageOf({ ...waitingFor(NOW - HOUR), campaigns }, approved('approved', NOW - 2 * HOUR)).help
  expect(text).toContain('Someone else tries it first.')
  expect(text.includes('They hear from us as soon as that works.')).toBe(isPromised)
  expect(text.startsWith('No email before Nov 3, 2026')).toBe(!isPromised)
})

it('a tester’s page says when the app was approved, and that they try it first', () => {
  const page = pageOf(waitingFor(NOW - HOUR), approved('approved', NOW - HOUR))
  expect(withoutIsolates(page.help.text)).toMatch(
    /^Approved on Nov 2, 2026: slack\. They try it before the others\. For a link/,
  )
})

it.each([
  ['blocked', ['Asked for an admin’s approval', 'slack']],
  ['declined', ['Access wasn’t allowed', 'slack']],
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

const TODAY = NOW - HOUR
it.each([
  { what: 'skipped yesterday', kind: 'skipped', since: NOW - DAY, state: 'skipped', shown: NOW - DAY },
  { what: 'blocked since yesterday', kind: 'blocked', since: NOW - DAY, state: 'blocked', shown: NOW - DAY },
  { what: 'skipped at an unknown time', kind: 'skipped', state: 'skipped' },
  { what: 'unconfirmed at an unknown time', kind: 'unconfirmed', state: 'unconnected', shown: NOW },
  { what: 'unconfirmed since today', kind: 'unconfirmed', since: TODAY, state: 'unconnected', shown: TODAY },
] as const)(
  'an app that was $what is $state on a person’s page, with the date',
  ({ kind, since, state, shown }) => {
    const person = withAppStates(ada, { slack_1: 'unconnected' }, NOW)
    const intents = [{ instance: 'slack_1', kind, ...(since !== undefined && { since }) }]

    const history = historyOf({ ...person, intents: { checkedAt: NOW, apps: intents } }, newKeepState())

    expect(history.apps).toMatchObject([{ state, since: shown }])
    expect(history.apps[0]?.blockedAt).toBe(kind === 'blocked' ? since : undefined)
  },
)

it('an app without a usable link is named once nothing else is left', () => {
  const broken = { instance: 'jira_1', name: 'Jira', status: 'attention', since: NOW } as const
  const person = { ...ada, lastCheck: { checkedAt: NOW, apps: [broken] } }
  expect(historyOf(person, newKeepState()).help).toMatchObject({
    kind: 'noAddress',
    apps: [{ instance: 'jira_1' }],
  })
})

const nextEmail = (person: Person, { pausedUntil = 0, quietUntil = '' }) => {
  const quietDays = quietUntil === '' ? [] : [{ from: '2026-11-02', to: quietUntil, group: undefined }]
  return emailOutlook(person, { ...newKeepState(), pausedUntil }, { timezone: 'UTC', quietDays, now: NOW })
    .wait
}

// NOW is a Monday at 9:00.
// prettier-ignore
it.each<[title: string, why: string, until: string, Person, Parameters<typeof nextEmail>[1]]>([
  ['four emails in a quarter', 'limit', '2026-11-03T09:00', withFourEmails(NOW - QUARTER + DAY), {}],
  ['a limit until Friday', 'limit', '2026-11-06T09:00', withFourEmails(NOW - QUARTER + 4 * DAY), {}],
  ['a limit until a weekend', 'limit', '2026-11-09T00:00', withFourEmails(NOW - QUARTER + 5 * DAY), {}],
  ['a pause until this evening', 'quiet', '2026-11-03T00:00', withSlack, { pausedUntil: NOW + DAY / 2 }],
  ['a limit longer than a pause', 'limit', '2026-11-03T09:00', withFourEmails(NOW - QUARTER + DAY), { pausedUntil: NOW + DAY / 2 }],
  ['a pause longer than a limit', 'quiet', '2026-11-05T00:00', withFourEmails(NOW - QUARTER + DAY), { pausedUntil: NOW + 2 * DAY }],
  ['quiet days until Tuesday', 'quiet', '2026-11-04T00:00', withSlack, { quietUntil: '2026-11-03' }],
])('with %s, the next email waits for the end of its %s: %s', (_title, why, until, person, calendar) => {
  expect(nextEmail(person, calendar)).toMatchObject({ why, at: Date.parse(`${until}Z`) })
})

it.each([
  ['the first of four emails a quarter ago', withFourEmails(NOW - QUARTER), {}],
  ['an email that bounced', withBounce(withSlack), {}],
  ['a pause that has ended', withSlack, { pausedUntil: NOW - 9 * HOUR }],
])('with %s, the next email needn’t wait', (_title, person, calendar) => {
  expect(nextEmail(person, calendar)).toBeUndefined()
})

it.each([
  ['approved', true],
  ['failed', true],
  ['confirmed', false],
] as const)(
  'a tester’s page explains that no email comes while the approval is %s: %s',
  (stage, isExplained) => {
    const email = {
      campaign: 'approvals',
      reminder: 0,
      state: 'sent',
      apps: ['slack_1'],
      now: NOW - DAY,
    } as const
    const tester = { ...withEmail(withSlack, email), listedAt: NOW - 9 * DAY, signedInAt: NOW - 9 * DAY }
    const { text } = pageOf(tester, { ...approved(stage), lastRunAt: NOW }).help
    expect(text.includes('they tried an app whose approval doesn’t work yet')).toBe(isExplained)
  },
)

it.each([
  ['onboarding', 0, 'invitation', 'no reminder', false],
  ['onboarding', 1, 'reminder', 'a reminder', true],
  ['lapses', 0, 'lapse', 'a reminder', true],
  ['new-apps', 0, 'newOrMovedApp', 'a reminder', true],
  ['approvals', 0, 'approval', 'no reminder', false],
  ['approvals', 3, 'approval', 'no reminder', false],
])('email %s %i is in the history as %s, which is %s', (campaign, reminder, what, _title, isReminder) => {
  const person = withEmail(withSlack, { campaign, reminder, state: 'sent', now: NOW })
  expect(historyOf(person, newKeepState()).events[0]?.what).toBe(what)
  const summary = summarize(person)
  expect(summary.reminderTimes.length > 0).toBe(isReminder)
  expect(CRITERIA.reminded(summary)).toBe(isReminder && reminder > 0)
})

it.each([
  ['has acted on a reminder of which all apps are connected', ['slack_1'], 1],
  ['hasn’t acted on a reminder with an unconnected app', ['slack_1', 'jira_1'], 0],
  ['hasn’t acted on a reminder without a list while an app is unconnected', undefined, 0],
])('someone %s', (_title, listed, count) => {
  const checked = apps({ slack_1: 'connected', jira_1: 'unconnected' })
  const reminder = { campaign: 'onboarding', reminder: 1, state: 'sent', now: NOW } as const
  const { actedTimes } = summarize(withEmail(checked, { ...reminder, ...(listed && { apps: listed }) }))
  expect(actedTimes).toHaveLength(count)
})

it.each([
  ['none', 'Email about new apps', false],
  ['all', 'Email about moved apps', true],
  ['some', 'Email about new or moved apps', undefined],
])('an email about new apps of which %s have moved is shown as “%s”', (_title, text, isMoved) => {
  const email = { campaign: 'new-apps', reminder: 0, state: 'sent', now: NOW, isMoved } as const
  const page = pageOf(withEmail(withSlack, email))
  expect(page.events[0]?.text).toBe(text)
})

it.each([
  ['one rename', ['old'], 1, ['formerly old']],
  ['two renames', ['older', 'old'], 2, ['formerly older', 'formerly old']],
  ['renames of which the first is no longer listed', ['older', 'old'], 1, ['formerly old']],
  ['an address that came back', ['old'], 2, [undefined, 'formerly old']],
])('the history shows the former address after %s', (_title, formerEmails, count, expected) => {
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
  company.activateReplacements([{ instance: 'slack_2' }])
  const email = { campaign: 'lapses', reminder: 0, state: 'sent', apps: [app], now: NOW } as const
  const person = withEmail(withSlack, email)
  const { events } = pageOf(person, newKeepState(), company)
  expect(events[0]?.details[0]).toBe(name)
})

const inQuestion = (instance: string, answer: Partial<DelistedApp> = {}): KeepState => ({
  ...newKeepState(),
  delistedApps: [{ instance, name: 'Slack', noticedAt: NOW, since: NOW, people: 12, ...answer }],
})
const RELEASE = { at: NOW, what: 'released', by: 'root', app: 'slack_1', since: NOW - DAY } as const
const releaseWith = (over: Partial<OperatorAction>): OperatorAction => ({ ...RELEASE, ...over })
const personWithLoss = (
  app: Partial<AppRecord>,
  ...access: [what: 'lost' | 'back', at: number][]
): Person => ({
  ...withEachApp(withSlack, app),
  listedAt: NOW - 9 * DAY,
  accessEvents: access.map(([what, at]) => ({ what, at, instance: 'slack_1' })),
})

const waiting = (since: number): Partial<Person> => ({
  listedAt: NOW,
  intents: { checkedAt: NOW, apps: [{ instance: 'slack_1', kind: 'blocked', since }] },
})

const NO_APP: Partial<OperatorAction> = { app: undefined } as never
const operatorsIn = (person: Partial<Person>, over: Partial<OperatorAction> = {}) => {
  const { events } = historyOf(
    { ...withSlack, ...person },
    { ...newKeepState(), actions: [releaseWith(over)] },
  )
  return events.flatMap(({ by }) => by ?? [])
}

// prettier-ignore
it.each<[title: string, Partial<Person>, Partial<OperatorAction>?]>([
  ['a release of an app lost as its hold began', personWithLoss({}, ['lost', NOW - DAY])],
  ['a release at the moment of the loss', personWithLoss({}, ['lost', NOW])],
  ['a release of an app that was lost then', personWithLoss({}, ['lost', NOW - 2], ['back', NOW + 1], ['lost', NOW + 2])],
  ['a removal of an app gone from their list', personWithLoss({ delistedAt: NOW }), { what: 'removed' }],
  ['a removal of an app that was gone from their list', personWithLoss({ previousDelistedAt: NOW }), { what: 'removed' }],
  ['a removal of an app on their list', personWithLoss({}), { what: 'removed' }],
  ['a release as they joined the list', { ...personWithLoss({}, ['lost', NOW]), listedAt: NOW }],
  ['a release before they left the list', { ...personWithLoss({}, ['lost', NOW]), leftAt: NOW + 1 }],
  ['an approval they waited for', waiting(NOW), { what: 'approved' }],
  ['a confirmed list that dropped them', { leftAt: NOW }, NO_APP],
  ['a confirmed list less than a day before they left', { leftAt: NOW + DAY - 1 }, NO_APP],
])('a person’s history has %s', (_title, person, over) => {
  expect(operatorsIn(person, over)).toEqual(['root'])
})

// prettier-ignore
it.each<[title: string, Partial<Person>, Partial<OperatorAction>?]>([
  ['a release of an app they never lost', withSlack],
  ['a release of an app lost before its hold', personWithLoss({}, ['lost', NOW - DAY - 1])],
  ['a release before the loss', personWithLoss({}, ['lost', NOW + 1])],
  ['a release after access was back', personWithLoss({}, ['lost', NOW - 2], ['back', NOW])],
  ['a release of an app gone from their list', personWithLoss({ delistedAt: NOW })],
  ['a release of another app', personWithLoss({}, ['lost', NOW]), { app: 'github_1' }],
  ['a release before they joined the list', { ...personWithLoss({}, ['lost', NOW]), listedAt: NOW + 1 }],
  ['a release as they left the list', { ...personWithLoss({}, ['lost', NOW]), leftAt: NOW }],
  ['an approval of an app they lost', personWithLoss({}, ['lost', NOW]), { what: 'approved' }],
  ['an approval before they waited', waiting(NOW + 1), { what: 'approved' }],
  ['a confirmed list that has them', {}, NO_APP],
  ['a confirmed list a day before they left', { leftAt: NOW + DAY }, NO_APP],
  ['a confirmed list after they left', { leftAt: NOW - 1 }, NO_APP],
])('a person’s history doesn’t have %s', (_title, person, over) => {
  expect(operatorsIn(person, over)).toEqual([])
})

it('an action about an app that was replaced since concerns its replacement', () => {
  const state = { ...newKeepState(), actions: [releaseWith({ app: 'slack_0' })] }
  const person = personWithLoss({}, ['lost', NOW - DAY])
  const activeReplacements = new Map([['slack_0', 'slack_1']])
  expect(historyOf(person, state, activeReplacements).events).toContainEqual({
    at: NOW,
    what: 'released',
    by: 'root',
    app: 'slack_1',
  })
  expect(historyOf(person, state).events.some(({ by }) => by === 'root')).toBe(false)
})

it.each([
  ['begins with a fault of the list that names their address', "ada.o'neil@acme.example", true],
  ['leaves out a fault of the list that names a longer address', "not.ada.o'neil@acme.example", false],
])('the help about a person %s', (_title, address, isTheirs) => {
  const need = `${address}: unchanged: bob@acme.example has data of its own.`
  const { help } = pageOf(withSlack, { ...newKeepState(), needs: [need] })
  expect(help.text.startsWith(need)).toBe(isTheirs)
})

it.each([
  ['says who was emailed, and when', NOW, /^We asked grace@acme\.example on Nov 2, 2026\. An admin has to/],
  ['names no one before that', 0, /^An admin has to/],
])('the help for someone who waits for an approval %s', (_title, requestedAt, text) => {
  const requested = { ...newApproval('slack_1', 'Slack'), owners: ['grace@acme.example'], requestedAt }
  const state = { ...newKeepState(), approvals: [requested] }
  const { help } = pageOf(waitingFor(NOW), state)
  expect(withoutIsolates(help.text)).toMatch(text)
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
  expect(help.text).toMatch(/^We asked grace@acme\.example on .* We asked bob@acme\.example on/)
  expect(help.path).toBe('/admin/people?show=blocked')
  expect(historyOf(waitingFor(NOW), state).help.path).toBe('/admin/people?show=blocked&app=slack_1')
})

it.each([
  ['is shown to people who connected the app before the answer', NOW, 1],
  ['isn’t shown to people who connected it later', NOW + 1, 0],
])('“Confirmed as connected” %s', (_title, since, count) => {
  const person = { ...withEachApp(apps({ slack_1: 'connected' }), { since }), listedAt: 1 }
  const action = { at: NOW, what: 'markedConnected' as const, by: 'root', app: 'slack_1', since: 1 }
  const { events } = historyOf(person, { ...newKeepState(), actions: [action] })
  expect(events.filter(({ what }) => what === 'markedConnected')).toHaveLength(count)
})

it.each<[string, Partial<DelistedApp> | undefined, string]>([
  ['is back ends with access', undefined, 'lost back'],
  ['may have been removed has no end', {}, 'lost'],
  ['was removed has no end', { markedRemovedAt: NOW }, 'lost'],
  ['was connected elsewhere ends with access', { markedConnectedAt: NOW }, 'lost back'],
])('the loss of an app that left the list and %s', (_title, answer, expected) => {
  const person = withEachApp(apps({ slack_1: 'connected' }), { delistedAt: NOW })
  const accessEvents = [{ at: NOW - DAY, what: 'lost' as const, instance: 'slack_1' }]
  const state = answer ? inQuestion('slack_1', answer) : newKeepState()

  const { events } = historyOf({ ...person, accessEvents }, state)

  const kinds = events.map(({ what }) => what).filter((what) => what !== 'finishedAt')
  expect(kinds.toReversed().join(' ')).toBe(expected)
})

it.each([
  ['is in the history of someone on the list', { listedAt: NOW }, ['hidden slack_1']],
  ['is in the history of someone who left later', { listedAt: 1, leftAt: NOW + 1 }, ['hidden slack_1']],
  ['is not in the history of someone who came later', { listedAt: NOW + 1 }, []],
  ['is not in the history of someone who had left', { listedAt: 1, leftAt: NOW }, []],
  ['is not in the history of someone who never had the app', { listedAt: 1, campaigns: [] }, []],
])('that an app was hidden %s', (_title, dates, expected) => {
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

it('what an owner approved is in their own history', () => {
  const approval = { at: NOW, what: 'approved', app: 'github_1' } as const
  const actions = ['Ada@acme.example', 'olga@acme.example'].map((by) => ({ ...approval, by }))
  const owner = { ...withSlack, email: 'ada@acme.example' }
  const { events } = historyOf(owner, { ...newKeepState(), actions })
  expect(events.filter(({ what }) => what === 'approved')).toMatchObject([
    { at: NOW, app: 'github_1', by: 'Ada@acme.example' },
  ])
})
