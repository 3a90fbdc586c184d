// The page of a person whose apps left many lists, or are hidden.
import { expect, it } from 'vitest'
import { overviewPage } from '../../src/admin/overview.ts'
import { historyOf, personPage } from '../../src/admin/person-history.ts'
import { createReport } from '../../src/admin/report.ts'
import { withEmail } from '../../src/campaigns/campaign.ts'
import { resolveCompany } from '../../src/company/company.ts'
import type { DelistedApp } from '../../src/people/keep-state.ts'
import { newPerson } from '../../src/people/person.ts'
import { newKeepState, summaries, withAppStates } from '../helpers/people.ts'
import { t } from '../helpers/texts.ts'

const NOW = Date.parse('2026-11-02T09:00:00Z')
const DAY = 86_400_000
const ada = newPerson('ada@acme.example', NOW)
const apps = (states: Parameters<typeof withAppStates>[1]) => withAppStates(ada, states, NOW)

it.each([
  ['had connected it', { slack_1: 'connected' }, 'inQuestion', 'Connected'],
  ['still has it listed', { slack_1: 'unconnected' }, 'inQuestion', 'Not connected'],
  ['also has another app left', { slack_1: 'unconnected', jira_1: 'skipped' }, 'left', 'Not connected'],
] as const)('an app in question is on the page of a person who %s', (_what, states, help, shown) => {
  const question = { instance: 'slack_1', name: 'Slack', noticedAt: NOW, since: NOW, people: 12 }
  const state = { ...newKeepState(), delistedApps: [question] }
  const person = apps(states)

  const page = personPage(person, state, resolveCompany({}, new Map()), { t, now: NOW })

  const details = [shown, 'An admin is asked whether it was removed']
  expect(page.apps[0]).toMatchObject({ text: 'slack', details })
  const command = help === 'left' ? 'invite link' : 'keep PEOPLE.csv --removed slack_1'
  expect(page.help).toMatchObject({ kind: help, command: expect.stringContaining(command) as string })
})

it.each([
  ['before', NOW, 1],
  ['after', NOW + 1, 0],
])('“Confirmed as connected” is for people who connected the app %s it was', (_when, since, count) => {
  const { lastCheck } = apps({ slack_1: 'connected' })
  const connected = lastCheck!.apps.map((app) => ({ ...app, since }))
  const person = { ...ada, listedAt: 1, lastCheck: { checkedAt: NOW + 2, apps: connected } }
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
  const { lastCheck } = apps({ slack_1: 'connected' })
  const person = {
    ...ada,
    accessEvents: [{ at: NOW - DAY, what: 'lost' as const, instance: 'slack_1' }],
    lastCheck: { checkedAt: NOW, apps: lastCheck!.apps.map((app) => ({ ...app, delistedAt: NOW })) },
  }
  const question = { instance: 'slack_1', name: 'Slack', noticedAt: NOW, since: NOW, people: 12, ...answer }
  const state = { ...newKeepState(), ...(answer && { delistedApps: [question] }) }

  const { events } = historyOf(person, state)

  const kinds = events.toReversed().map(({ what }) => what)
  expect(kinds.join(' ')).toBe(expected)
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
  const question = { instance: 'slack_1', name: 'Slack', noticedAt: NOW, since: NOW, people: 12, ...answer }
  const state = { ...newKeepState(), delistedApps: [question] }
  const { stats } = overviewPage(await createReport(summaries(), NOW), state, t, { now: NOW, since: '' })
  expect(stats[0]).toMatchObject({ state: 'ready', details })
})
