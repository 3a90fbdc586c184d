// The admins' list of people: filters, search, pages and order.
import { expect, it } from 'vitest'
import { listPeople, parsePeopleQuery } from '../../src/admin/filters.ts'
import { peoplePage } from '../../src/admin/people-page.ts'
import { newPerson, withMilestone, withCheck } from '../../src/people/person.ts'
import type { EmailRecord, Person } from '../../src/people/person.ts'
import { withAppStates, withEmailState, summaries } from '../helpers/people.ts'
import { t } from '../helpers/texts.ts'

/** A page of the list. */
const PEOPLE_A_PAGE = 25
const NOW = Date.parse('2026-11-02T09:00:00Z')
const DAY = 86_400_000
const named = (name: string) => newPerson(`${name}@acme.example`, NOW)
const sent = (name: string, state: EmailRecord['state'], campaign = 'c', now = NOW) =>
  withEmailState(named(name), state, { campaign, now })

const emails = async (all: Person[], query: Record<string, unknown>) =>
  (await listPeople(summaries(...all), parsePeopleQuery(query, NOW))).people.map(
    ({ person }) => person.email.split('@')[0],
  )

it('the admins’ list of people has everyone once, in order, in pages', async () => {
  const many = Array.from({ length: 2 * PEOPLE_A_PAGE + 1 }, (_, index) =>
    named(`person-${String(index).padStart(3, '0')}`),
  )
  const pageOf = (page: string) => listPeople(summaries(...many), parsePeopleQuery({ page }, NOW))
  const pages = await Promise.all(['1', '2', '3'].map(pageOf))
  expect(pages.map(({ page, pages: all, total }) => [page, all, total])).toEqual(
    [1, 2, 3].map((page) => [page, 3, many.length]),
  )
  expect(pages.flatMap(({ people }) => people.map(({ person }) => person.email))).toEqual(
    many.map(({ email }) => email),
  )
  for (const odd of ['0', '-1', 'x', '1e3']) expect((await pageOf(odd)).page).toBe(1)
  expect(await pageOf('99')).toEqual(pages[2])
})

it('the admins’ list of people shows names, and links to the neighboring pages', async () => {
  const many = Array.from({ length: 60 }, (_, index) => ({ ...named(`p${index}`), name: `Ada ${index}` }))
  const query = parsePeopleQuery({ page: '2', q: 'ADA' }, NOW)
  const page = peoplePage(await listPeople(summaries(...many), query), ({ name }) => name, query, t)
  expect(page).toMatchObject({ page: 2, pages: 3, people: { 0: { name: 'Ada 25', email: many[25]?.email } } })
  expect([page.previous, page.next]).toEqual([
    '/admin/people?show=all&q=ada',
    '/admin/people?show=all&q=ada&page=3',
  ])
})

/** People after different losses of access. */
function peopleWithLosses() {
  const listed = (status: 'awaiting', ...all: string[]) =>
    all.map((instance) => ({ instance, name: instance, status }))
  const both = listed('awaiting', 'slack_1', 'jira_1')
  const answered = (name: string, ...answers: (typeof both)[]) =>
    answers.reduce(
      (person, left, index) => withCheck(person, { checkedAt: NOW + index, unconnected: left }, NOW + index),
      withMilestone(named(name), 'signedInAt', NOW),
    )
  const [slack, moved] = [listed('awaiting', 'slack_1'), listed('awaiting', 'slack_2')]
  return [
    answered('ada', both, [], slack),
    answered('bob', both, listed('awaiting', 'jira_1'), both),
    answered('eve', both, []),
    // Lost access isn't back before the new instance is connected.
    answered('kim', both, [], slack, moved),
    answered('liv', both, [], slack, moved, []),
    answered('mia', slack, moved),
  ]
}

it('the admins’ list of people filters by a lost app and by falling back', async () => {
  const all = peopleWithLosses()
  expect(await emails(all, { show: 'fellBack' })).toEqual(['ada', 'kim'])
  expect(await emails(all, { show: 'fellBack', app: 'slack_1' })).toEqual(['ada'])
  expect(await emails(all, { show: 'fellBack', app: 'jira_1' })).toEqual([])
  expect(await emails(all, { show: 'lapsed' })).toEqual(['ada', 'bob', 'kim'])
  expect(await emails(all, { show: 'lapsed', app: 'slack_1' })).toEqual(['ada', 'bob', 'kim'])
  expect(await emails(all, { show: 'lapsed', app: 'slack_2' })).toEqual([])
  expect(await emails(all, { show: 'lapsed', app: 'jira_1' })).toEqual([])
})

it('the admins’ list of people has the day on which access ended', async () => {
  const query = parsePeopleQuery({ show: 'lapsed', app: 'slack_1' }, NOW)
  const list = await listPeople(summaries(...peopleWithLosses()), query)
  const page = peoplePage(list, ({ instance }) => instance, query, t)
  expect(page.people.map(({ left }) => left.replaceAll(/[\u2068\u2069]/g, ''))).toEqual([
    'slack_1 (access ended Nov 2, 2026)',
    'slack_1 (access ended Nov 2, 2026), jira_1',
    'slack_2 (access to slack_1 ended Nov 2, 2026)',
  ])
})

const absentPerson = sent('absent', 'sent')
const personWithUnknownEmail = sent('unsure', 'unknown')
const everyone = [
  absentPerson,
  personWithUnknownEmail,
  withMilestone(sent('arrived', 'sent'), 'signedInAt', NOW),
  withAppStates(named('blocked'), { x_1: 'blocked', y_1: 'unconnected' }, NOW),
  withAppStates(named('other'), { x_1: 'unconnected', y_1: 'blocked' }, NOW),
  withAppStates(named('maybe'), { z_1: 'unconfirmed', y_1: 'unconnected' }, NOW),
  withMilestone(named('out'), 'optedOutAt', NOW),
  withAppStates(named('nothing'), {}, NOW),
  withAppStates(named('done'), { d_1: 'connected', off_1: 'off' }, NOW),
  sent('late', 'deferred'),
  sent('refused', 'failed'),
  { ...named('dan'), group: 'Sales' },
  { ...named('eve'), group: 'Sales EU', formerEmails: ['maiden@acme.example'] },
]

it.each<[Record<string, unknown>, string[]]>([
  [{ show: 'absent' }, ['absent', 'unsure']],
  [{ show: 'uncertain' }, ['unsure']],
  [{ show: 'blocked' }, ['blocked', 'other']],
  [{ show: 'blocked', app: 'x_1' }, ['blocked']],
  [{ show: 'stuck', app: 'y_1' }, ['other']],
  [{ show: 'waiting', app: 'y_1' }, ['blocked', 'maybe']],
  [{ show: 'waiting', app: 'z_1' }, []],
  [{ show: 'stuck', app: 'z_1' }, ['maybe']],
  [{ app: 'x_1' }, ['blocked', 'other']],
  [{ show: 'optedOut' }, ['out']],
  [{ show: 'nothing' }, ['nothing']],
  [{ show: 'finished' }, ['done']],
  [{ show: 'finished', app: 'off_1' }, ['done']],
  [{ show: 'nothing', app: 'off_1' }, []],
  [{ show: 'undelivered' }, ['late', 'refused']],
  [{ q: ' EVE@ ' }, ['eve']],
  [{ q: 'sales' }, ['dan', 'eve']],
  [{ q: 'maiden@' }, ['eve']],
  [{ q: 'maiden@other' }, []],
  [{ q: 'no one' }, []],
  [{ group: 'Sales' }, ['dan']],
  [{ group: 'sales' }, []],
  [{ show: 'nonsense', q: ['a', 'b'], group: 'Sales EU' }, ['eve']],
])('the admins’ list of people applies the query %j', async (query, expected) => {
  expect(await emails(everyone, query)).toEqual(expected)
})

it('the admins’ list of people shows each person’s furthest step', async () => {
  const invited = sent('ada', 'sent')
  const opened = withMilestone(invited, 'openedAt', NOW + 1)
  const signedIn = withMilestone(opened, 'signedInAt', NOW + 2)
  const stages = [
    named('ada'),
    invited,
    opened,
    signedIn,
    withAppStates(signedIn, {}, NOW + 3),
    withAppStates(signedIn, { a_1: 'connected' }, NOW + 4),
  ]
  const query = parsePeopleQuery({}, NOW)

  const { people } = peoplePage(await listPeople(summaries(...stages), query), ({ name }) => name, query, t)

  expect(people.map(({ stage, since }) => [stage, since && Date.parse(since.iso) - NOW])).toEqual([
    [t('admin.stage.known'), undefined],
    [t('admin.stage.invited'), 0],
    [t('admin.stage.opened'), 1],
    [t('admin.stage.signedIn'), 2],
    [t('admin.stage.nothing'), 3],
    [t('admin.stage.finished'), 4],
  ])
})

const rowOf = async (person: Person) => {
  const query = parsePeopleQuery({}, NOW)
  return peoplePage(await listPeople(summaries(person), query), ({ name }) => name, query, t).people[0]
}

it.each([
  ['an invitation from before their latest step', 'c', 0, 'sent', -DAY],
  ['a reminder', 'c', 1, 'sent', DAY],
  ['an email about an approval', 'approvals', 0, 'sent', DAY],
  ['an email that may have arrived', 'new-apps', 0, 'unknown', DAY],
] as const)(
  'a person’s last email on the admins’ list may be %s',
  async (_title, campaign, reminder, state, later) => {
    const email = { campaign, reminder, now: NOW + later }
    const person = withEmailState(withMilestone(named('ada'), 'signedInAt', NOW), state, email)
    expect((await rowOf(person))?.lastEmail).toBe(t('admin.lastEmail', { day: t.date(NOW + later) }))
  },
)

it.each([
  ['the invitation, whose time is shown', sent('ada', 'sent')],
  ['an email that bounced', sent('ada', 'failed')],
  ['no email', named('ada')],
])('the admins’ list has no last email for someone with only %s', async (_title, person) => {
  expect((await rowOf(person))?.lastEmail).toBe('')
})

it('someone is fully connected since they last were, on the admins’ list', async () => {
  const slack = { instance: 'slack_1', name: 'Slack', status: 'awaiting' } as const
  const notion = { ...slack, instance: 'notion_1' }
  const checks = [[slack], [], [slack], [notion], []]
  const person = checks.reduce((before, unconnected, days) => {
    const at = NOW + days * DAY
    return withCheck(before, { checkedAt: at, unconnected }, at)
  }, named('ada'))
  expect(person.finishedAt).toBe(NOW + DAY)
  const { stage, since } = (await rowOf(person)) ?? {}
  expect([stage, since && Date.parse(since.iso)]).toEqual([t('admin.stage.finished'), NOW + 4 * DAY])
})
