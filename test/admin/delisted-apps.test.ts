// The page of a person whose apps left many lists, or are hidden.
import { expect, it } from 'vitest'
import { historyOf, personPage } from '../../src/admin/person-history.ts'
import { withEmail } from '../../src/campaigns/campaign.ts'
import { resolveCompany } from '../../src/company/company.ts'
import type { DelistedApp } from '../../src/people/keep-state.ts'
import { newPerson } from '../../src/people/person.ts'
import { newKeepState, withAppStates } from '../helpers/people.ts'
import { t } from '../helpers/texts.ts'

const NOW = Date.parse('2026-11-02T09:00:00Z')
const DAY = 86_400_000
const ada = newPerson('ada@acme.example', NOW)
const apps = (states: Parameters<typeof withAppStates>[1]) => withAppStates(ada, states, NOW)

it.each([
  [
    'had connected it',
    'connected',
    'inQuestion',
    'keep PEOPLE.csv --removed slack_1',
    ['Connected', 'An admin is asked whether it was removed'],
  ],
  [
    'still has it listed',
    'unconnected',
    'left',
    'invite link',
    ['Not connected', 'An admin is asked whether it was removed'],
  ],
] as const)(
  'an app in question is on the page of a person who %s',
  (_what, status, help, command, details) => {
    const question = { instance: 'slack_1', name: 'Slack', noticedAt: NOW, since: NOW, people: 12 }
    const state = { ...newKeepState(), delistedApps: [question] }
    const person = apps({ slack_1: status })

    const page = personPage(person, state, resolveCompany({}, new Map()), { t, now: NOW })

    expect(page.apps).toMatchObject([{ text: 'slack', details }])
    expect(page.help).toMatchObject({ kind: help, command: expect.stringContaining(command) as string })
  },
)

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
    now: NOW,
  })
  const { events } = historyOf({ ...invited, ...dates }, { ...newKeepState(), appEvents: [event] })
  const hidden = events.filter(({ what }) => what === 'hidden')
  expect(hidden.map(({ what, app }) => `${what} ${app}`)).toEqual(expected)
})
