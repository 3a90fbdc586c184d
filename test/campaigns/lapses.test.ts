// When a person is emailed about access that ended. The company's clock is the test's.
import { expect, it } from 'vitest'
import { dueInvitation, dueLapseEmail, LAPSES, dueLapses } from '../../src/campaigns/lapses.ts'
import { withEmail } from '../../src/campaigns/campaign.ts'
import { newPerson, withCheck, withIntents, withListing, type Person } from '../../src/people/person.ts'
import type { KeepState } from '../../src/people/keep-state.ts'

import { DAY, jira, lostApps, monday, slack } from './lapsed-person.ts'

const state: KeepState = { evaluatedAt: monday, massDisconnects: [], zones: {}, days: [] }
const emailed = (person: Person, apps: string[], now: number, reminder = 0) =>
  withEmail(person, { campaign: LAPSES, reminder, state: 'sent', now, apps })

it('a lapse email that the mail server put off is tried again on another day', () => {
  const put = (now: number) =>
    withEmail(lostApps([slack]), { campaign: LAPSES, reminder: 0, state: 'deferred', now, apps: ['slack_1'] })
  const after = (hours: number) => dueLapses(put(monday), state, monday + hours * 3_600_000, 'UTC')
  expect([after(1), after(5), after(23)]).toEqual([[], [], ['slack_1']])
  // Written down while a clock ran ahead.
  expect(dueLapses(put(monday + 30 * DAY), state, monday, 'UTC')).toEqual(['slack_1'])
})

it('a person gets at most one email a day, so apps that are resumed one after the other share an email', () => {
  const person = lostApps([slack, jira])
  const once = emailed(person, ['slack_1'], monday - 19 * 3_600_000)
  const invited = withEmail(person, { campaign: 'onboarding', reminder: 0, state: 'sent', now: monday - 1 })
  expect([once, invited].map((one) => dueLapses(one, state, monday, 'UTC'))).toEqual([[], []])
  expect(dueLapses(once, state, monday + 3_600_000, 'UTC')).toEqual(['slack_1', 'jira_1'])
})

it('a lapse is emailed about at once, after two and after seven working days, and no more', () => {
  let person = lostApps([slack])
  const sent: string[] = []
  for (let hour = 0; hour < 60 * 24; hour++) {
    const now = monday + hour * 3_600_000
    const due = dueLapseEmail(person, state, now, 'UTC')
    if (due.kind !== 'mail') continue
    sent.push(new Date(now).toISOString().slice(0, 13))
    person = emailed(person, dueLapses(person, state, now, 'UTC'), now, due.reminder)
  }
  expect(sent).toEqual(['2027-01-18T10', '2027-01-20T09', '2027-01-27T09'])
})

it('all lapsed apps share one email, which waits for working time where the person is', () => {
  const person = lostApps([slack, jira])
  expect(dueLapses(person, state, monday, 'UTC')).toEqual(['slack_1', 'jira_1'])
  expect(dueLapses(person, state, monday, 'Pacific/Auckland')).toEqual([])
})

it('a lapse email waits for the next sweep, and while the app is paused', () => {
  const person = lostApps([slack], monday - 1)
  const paused = [{ instance: 'slack_1', name: 'Slack', noticedAt: monday, since: 0, lapsed: 60, had: 100 }]
  const resumed = paused.map((one) => ({ ...one, resumedAt: monday }))
  expect(dueLapses(person, { ...state, evaluatedAt: monday - 2 }, monday, 'UTC')).toEqual([])
  expect(dueLapses(person, { ...state, massDisconnects: paused }, monday, 'UTC')).toEqual([])
  expect(dueLapses(person, { ...state, massDisconnects: resumed }, monday, 'UTC')).toEqual(['slack_1'])
})

it('a person who reconnects an app and loses it again is emailed again', () => {
  const once = emailed(lostApps([slack], monday - 40 * DAY), ['slack_1'], monday - 39 * DAY)
  // Emails about one lapse are no emails about the next.
  const often = [1, 2].reduce(
    (person, at) => emailed(person, ['slack_1'], monday - (36 - at) * DAY, at),
    once,
  )
  const repaired = withCheck(often, { checkedAt: monday - 20 * DAY, unconnected: [] }, monday)
  const again = withCheck(repaired, { checkedAt: monday - DAY, unconnected: [slack] }, monday)
  expect(dueLapses(repaired, state, monday, 'UTC')).toEqual([])
  expect(dueLapses(again, state, monday, 'UTC')).toEqual(['slack_1'])
  expect(again.lastCheck?.apps.find(({ instance }) => instance === 'slack_1')?.lapses).toBe(2)
})

it('an app that was switched off and on again waits for the next evaluation', () => {
  const off = withCheck(
    lostApps([slack]),
    { checkedAt: monday - 5, unconnected: [{ ...slack, status: 'disabled' }] },
    monday,
  )
  const on = withCheck(off, { checkedAt: monday + 5, unconnected: [slack] }, monday + 5)
  expect([dueLapses(off, state, monday, 'UTC'), dueLapses(on, state, monday + 9, 'UTC')]).toEqual([[], []])
  expect(dueLapses(on, { ...state, evaluatedAt: monday + 6 }, monday + 9, 'UTC')).toEqual(['slack_1'])
})

it.each<[string, (person: Person) => Person]>([
  ['opted out', (person) => ({ ...person, optedOutAt: 1 })],
  ['left the list', (person) => withListing(person, false, monday)],
  ['is unknown to the service', (person) => ({ ...person, unknownAt: monday })],
  [
    'waits for an admin',
    (person) => withIntents(person, monday, [{ instance: 'slack_1', kind: 'blocked' }], monday),
  ],
  [
    'had four emails in this quarter',
    (person) =>
      [1, 2, 3, 4].reduce(
        (one, reminder) =>
          withEmail(one, { campaign: 'c', reminder, state: 'sent', now: monday - reminder * DAY }),
        person,
      ),
  ],
  [
    'has an address that was rejected for good',
    (person) => withEmail(person, { campaign: LAPSES, reminder: 0, state: 'failed', now: monday - DAY }),
  ],
])('a person who %s gets no lapse email', (_who, change) => {
  expect(dueLapses(change(lostApps([slack])), state, monday, 'UTC')).toEqual([])
})

it('a person who has lost an app gets no invitation', () => {
  expect(dueInvitation(lostApps([slack]), monday, 'UTC')).toEqual({ kind: 'not-due', wasSent: false })
  expect(dueInvitation(newPerson('eve@acme.example', 0), monday, 'UTC')).toMatchObject({ reminder: 0 })
})
