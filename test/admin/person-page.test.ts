// The page of a person: whether more emails follow, an address that may be unknown, opt-outs, and apps in question.
import { expect, it } from 'vitest'
import { personPage } from '../../src/admin/person-page.ts'
import { withEmail } from '../../src/campaigns/campaign.ts'
import { neutralCompany } from '../../src/company/company.ts'
import type { KeepState } from '../../src/people/keep-state.ts'
import { newPerson, withAction, withCheck, type Person } from '../../src/people/person.ts'
import { newKeepState, withAppStates, withEachApp } from '../helpers/people.ts'
import { t } from '../helpers/texts.ts'

const NOW = Date.parse('2026-11-02T09:00:00Z')
const DAY = 86_400_000
const withSlack = withAppStates(newPerson('ada@acme.example', NOW), { slack_1: 'unconnected' }, NOW)
const pageOf = (person: Person, state: Partial<KeepState> = {}) =>
  personPage(person, { ...newKeepState(), lastRunAt: NOW, ...state }, neutralCompany, { t, now: NOW })

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

it('a person’s page says since when their new address may be unknown', () => {
  const renamed = withAction(withSlack, { at: NOW - DAY, what: 'renamed', by: 'root' })
  const { help } = pageOf({ ...renamed, unknownAt: NOW })
  expect(help.text).toContain(
    'Their address changed on Nov 1, 2026, and search doesn’t know the new one yet.',
  )
  expect(help.command).toBeUndefined()
})

it('a former address’s rejection stays in the history until the email is sent again', () => {
  const email = { campaign: 'onboarding', reminder: 0, now: NOW }
  const rejected = withEmail(withSlack, { ...email, state: 'deferred', wasRejected: true })
  const sentAgain = withEmail(rejected, { ...email, state: 'sent', now: NOW + DAY })
  const shown = [rejected, sentAgain].map((person) => pageOf(person).events[0]?.details)
  expect(shown).toMatchObject([['email bounced'], ['sent']])
})

it('an opt-out by an operator is one line of the history', () => {
  const optedOut = { ...withSlack, optedOutAt: NOW }
  const byOperator = withAction(optedOut, { at: NOW, what: 'opted_out', by: 'root' })
  const linesOf = (person: Person) => pageOf(person).events.filter(({ text }) => text.startsWith('Opt'))
  expect([optedOut, byOperator].map((person) => linesOf(person).length)).toEqual([1, 1])
})

it.each([
  ['gone from their list', true, [['Gone from their list', 'An admin is asked whether it was removed'], NOW]],
  ['not connected if they have it listed', false, [['Not connected'], NOW - DAY]],
])('an app in question, on some lists, is %s', (_what, hasLeft, expected) => {
  const before = withAppStates(newPerson('ada@acme.example', NOW), { slack_1: 'unconnected' }, NOW - DAY)
  const person = hasLeft ? withCheck(before, { checkedAt: NOW, unconnected: [] }, NOW) : before
  const question = { instance: 'slack_1', name: 'Slack', noticedAt: NOW, since: NOW, people: 9 }
  const { apps } = pageOf(person, { delistedApps: [{ ...question, isListed: true }] })
  expect(apps.map(({ details, time }) => [details, Date.parse(time?.iso ?? '')])).toEqual([expected])
})

it.each([
  ['only some lists lost', true, 'leftWithOthers', 'status ada@acme.example'],
  ['most lists lost', false, 'inQuestion', 'keep PEOPLE.csv --removed slack_1'],
])('someone’s page has a harmless command about an app that %s', (_which, isListed, kind, command) => {
  const person = withCheck(withSlack, { checkedAt: NOW, unconnected: [] }, NOW)
  const question = { instance: 'slack_1', name: 'Slack', noticedAt: NOW, since: NOW, people: 9, isListed }
  const { help } = pageOf(person, { delistedApps: [question] })
  expect([help.kind, help.command]).toEqual([kind, expect.stringContaining(command)])
})

it.each([
  ['again if it was lost', [{ at: NOW - DAY, what: 'lost' as const, instance: 'slack_1' }], 1],
  ['without a line in the history if it never was', [], 0],
])('an app that left the list is connected %s', (_what, accessEvents, count) => {
  const gone = { ...withCheck(withSlack, { checkedAt: NOW, unconnected: [] }, NOW), accessEvents }
  expect(pageOf(gone).events.filter(({ text }) => text === 'Connected again')).toHaveLength(count)
})
