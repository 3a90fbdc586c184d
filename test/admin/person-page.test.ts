// The page of a person: whether more emails follow, since when a new address may be unknown, and opt-outs.
import { expect, it } from 'vitest'
import { personPage } from '../../src/admin/person-history.ts'
import { withEmail } from '../../src/campaigns/campaign.ts'
import { neutralCompany } from '../../src/company/company.ts'
import { newPerson, withAction, type Person } from '../../src/people/person.ts'
import { newKeepState, withAppStates, withEachApp } from '../helpers/people.ts'
import { t } from '../helpers/texts.ts'

const NOW = Date.parse('2026-11-02T09:00:00Z')
const DAY = 86_400_000
const withSlack = withAppStates(newPerson('ada@acme.example', NOW), { slack_1: 'unconnected' }, NOW)
const pageOf = (person: Person) =>
  personPage(person, { ...newKeepState(), lastRunAt: NOW }, neutralCompany, { t, now: NOW })

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
