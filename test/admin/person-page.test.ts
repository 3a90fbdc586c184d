// The page of a person: their details and apps, whether more emails follow, and their address.
import { expect, it } from 'vitest'
import { personPage } from '../../src/admin/person-history.ts'
import { withEmail } from '../../src/campaigns/campaign.ts'
import { neutralCompany } from '../../src/company/company.ts'
import type { DelistedApp, KeepState } from '../../src/people/keep-state.ts'
import { newPerson, withAction, type AppRecord, type Person } from '../../src/people/person.ts'
import { newKeepState, withAppStates, withEachApp } from '../helpers/people.ts'
import { t } from '../helpers/texts.ts'

const NOW = Date.parse('2026-11-02T09:00:00Z')
const DAY = 86_400_000
const RAN: KeepState = { ...newKeepState(), lastRunAt: NOW }
const ada = newPerson('ada@acme.example', NOW)
const apps = (states: Parameters<typeof withAppStates>[1]) => withAppStates(ada, states, NOW)
const withSlack = apps({ slack_1: 'unconnected' })
const pageOf = (person: Person, state = RAN) => personPage(person, state, neutralCompany, { t, now: NOW })

/** The person's list has another Slack instead of the first one, which they lost. */
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
const inQuestion = (instance: string, answer: Partial<DelistedApp> = {}): KeepState => ({
  ...newKeepState(),
  delistedApps: [{ instance, name: 'Slack', noticedAt: NOW, since: NOW, people: 12, ...answer }],
})

it.each<[string, string, Person, string[], boolean]>([
  ['they lost', 'marked', withEachApp(withSlack, { lapsedAt: NOW }), ['Lost access'], true],
  ['they never connected', 'not marked', withSlack, ['Not connected'], false],
  ['moved after they lost it', 'not marked', movedSlack, ['Not connected', 'moved'], false],
])('on a person’s page, an app that %s is %s', (_title, _outcome, person, details, isBad) => {
  const page = pageOf(person)
  expect(page.apps.find(({ text }) => text.startsWith('slack'))).toMatchObject({ details, isBad })
})

it('a person’s page labels the details of the list', () => {
  const person = { ...ada, name: 'Ada', language: 'de', group: 'Legal', timezone: 'Europe/Berlin', id: 'E1' }
  const page = pageOf(person)
  const labeled = ['Language: de', 'Department: Legal', 'Time zone: Europe/Berlin', 'ID: E1']
  expect([page.name, page.details]).toEqual(['Ada', [ada.email, ...labeled]])
})

it.each<[string[], Partial<DelistedApp>]>([
  [['jira · Gone from their list,An admin is asked whether it was removed'], {}],
  [[], { markedRemovedAt: NOW }],
  [['jira · Connected,Gone from their list'], { markedConnectedAt: NOW }],
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

it.each<[title: string, details: string[], change: Partial<AppRecord>]>([
  ['left the person’s list without a consent', ['Connected', 'Gone from their list'], { delistedAt: NOW }],
  ['was connected by a consent', ['Connected'], {}],
  ['is back after it left the list', ['Not connected'], { status: 'awaiting', delistedAt: NOW }],
])('an app that %s has the details %j on their page', (_title, details, change) => {
  const page = pageOf(withEachApp(apps({ jira_1: 'connected' }), change))
  expect(page.apps.map((app) => app.details)).toEqual([details])
})

it.each([
  ['had connected it', { slack_1: 'connected' }, 'inQuestion', 'Connected'],
  ['still has it listed', { slack_1: 'unconnected' }, 'inQuestion', 'Not connected'],
  ['also has another app left', { slack_1: 'unconnected', jira_1: 'skipped' }, 'left', 'Not connected'],
] as const)('an app in question is on the page of a person who %s', (_title, states, help, shown) => {
  const page = pageOf(apps(states), inQuestion('slack_1'))

  const details = [shown, 'An admin is asked whether it was removed']
  expect(page.apps[0]).toMatchObject({ text: 'slack', details })
  const command = help === 'left' ? 'invite link' : 'keep PEOPLE.csv --removed slack_1'
  expect(page.help).toMatchObject({ kind: help, command: expect.stringContaining(command) as string })
})

const NO_MORE = 'No more emails about what is left'
it.each([
  ['the third reminder', 'onboarding', 3, {}, true],
  ['the second reminder', 'onboarding', 2, {}, false],
  ['three emails about a lapse', 'lapses', 3, {}, false],
  ['the third reminder, if an app is new', 'onboarding', 3, { newAt: NOW }, false],
  ['the third reminder, if an app is lost', 'onboarding', 3, { lapsedAt: NOW }, false],
  ['the third reminder, if everything is connected', 'onboarding', 3, { status: 'connected' }, false],
] as const)('a person’s page says whether more emails follow %s', (...row) => {
  const [, campaign, reminder, change, isLast] = row
  const emailed = withEmail(withSlack, { campaign, reminder, state: 'sent', now: NOW - 90 * DAY })
  const person = withEachApp(emailed, change)
  expect(pageOf(person).help.text.includes(NO_MORE)).toBe(isLast)
})

it('more emails follow while the last reminder waits for another try', () => {
  const email = { campaign: 'onboarding', reminder: 3, now: NOW } as const
  expect(pageOf(withEmail(withSlack, { ...email, state: 'deferred' })).help.text).not.toContain(NO_MORE)
})

const listed = (person: Person): Person => ({ ...person, listedAt: NOW - 9 * DAY })
const invited = (daysAgo: number, person = withSlack) =>
  withEmail(person, { campaign: 'onboarding', reminder: 0, state: 'sent', now: NOW - daysAgo * DAY })
const signedIn = { ...withSlack, signedInAt: NOW - 9 * DAY }

// NOW is a Monday at 9:00.
// prettier-ignore
it.each<[string, string | undefined, Person]>([
  ['someone who is due for an invitation', 'Nov 2, 2026: Invitation.', withSlack],
  ['someone who was never checked', 'Nov 2, 2026: Invitation.', newPerson('ada@acme.example', NOW)],
  ['someone who was invited four days ago', 'Nov 5, 2026: Reminder.', invited(4)],
  ['someone whose reminder is due on a Saturday', 'Nov 9, 2026: Reminder.', invited(2)],
  ['someone who just lost an app', 'Nov 2, 2026: Email about lost access.', withEachApp(signedIn, { lapsedAt: NOW - 1 })],
  ['someone with a new app', 'Nov 2, 2026: Email about new or moved apps.', withEachApp(signedIn, { newAt: 1 })],
  ['someone who opted out', undefined, { ...invited(4), optedOutAt: NOW }],
  ['someone whose email bounced', undefined, withEmail(withSlack, { campaign: 'onboarding', reminder: 0, state: 'failed', now: NOW })],
  ['someone who has everything', undefined, withEachApp(invited(4), { status: 'connected' })],
])('the page of %s says which email comes next: %s', (_title, next, person) => {
  expect(/Next email, from (.*?\.)(?= |$)/.exec(pageOf(listed(person)).help.text)?.[1]).toBe(next)
})

it('no email comes next for someone who isn’t on the list', () => {
  expect(pageOf(withSlack).help.text).not.toContain('Next')
})

it('a person’s page says since when their new address may be unknown', () => {
  const renamed = withAction(withSlack, { at: NOW - DAY, what: 'renamed', by: 'root' })
  const { help } = pageOf({ ...renamed, unknownAt: NOW })
  expect(help.text).toContain(
    'Their address changed on Nov 1, 2026, and search doesn’t know the new one yet.',
  )
  expect(help.command).toBeUndefined()
})

it.each([
  ['isn’t called off the list before the next run', NOW + 1, 'left'],
  ['is called off the list after it', NOW - 1, 'gone'],
])('someone who left and has a new address %s', (_title, at, kind) => {
  const left = { ...listed(withSlack), leftAt: NOW - DAY, hasUnlistedAddress: true as const }
  const { help } = pageOf(withAction(left, { at, what: 'renamed', by: 'root' }))
  expect(help.kind).toBe(kind)
})

it('a former address’s rejection stays in the history once the email is sent again', () => {
  const email = { campaign: 'onboarding', reminder: 0, now: NOW }
  const rejected = withEmail(withSlack, { ...email, state: 'deferred', wasRejected: true })
  const sending = withEmail(rejected, { ...email, state: 'sending', apps: ['slack_1'], now: NOW + DAY })
  const sentAgain = withEmail(sending, { ...email, state: 'sent', now: NOW + DAY })
  const linesOf = (person: Person) =>
    pageOf(person).events.flatMap(({ text, time, details }) =>
      text === 'Invitation' ? [[time?.iso.slice(0, 10), ...details]] : [],
    )
  const bounced = ['2026-11-02', 'email bounced']
  expect(linesOf(rejected)).toEqual([bounced])
  expect(linesOf(sentAgain)).toEqual([['2026-11-03', 'slack', 'sent'], bounced])
})

it('an opt-out by an operator is one line of the history', () => {
  const optedOut = { ...withSlack, optedOutAt: NOW }
  const byOperator = withAction(optedOut, { at: NOW, what: 'opted_out', by: 'root' })
  const linesOf = (person: Person) => pageOf(person).events.filter(({ text }) => text.startsWith('Opt'))
  expect([optedOut, byOperator].map((person) => linesOf(person).length)).toEqual([1, 1])
})
