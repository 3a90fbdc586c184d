// The report counts people whose emails about an app wait, because they got four in a quarter.
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { summarizeAll } from '../../src/admin/person-summary.ts'
import { createReport } from '../../src/admin/report.ts'
import type { MassDisconnect } from '../../src/people/keep-state.ts'
import { newPerson, withMilestone, type Person, type PersonApp } from '../../src/people/person.ts'
import { newKeepState, summaries, withAppStates, withEachApp } from '../helpers/people.ts'

const NOW = Date.UTC(2026, 10, 2, 9)
const DAY = 86_400_000
const person = newPerson('ada@acme.example', NOW)
const signedIn = withMilestone(person, 'signedInAt', NOW)
const withApps = (one: Person, state: PersonApp['state'] = 'unconnected') =>
  withAppStates(one, { slack_1: state }, NOW)

it.each([
  ['a new app', 1, 'unconnected', { newAt: NOW }, NOW - DAY],
  ['a lost app', 1, 'unconnected', { lapsedAt: NOW }, NOW - DAY],
  ['an app that was named before the loss', 1, 'unconnected', { lapsedAt: NOW }, NOW],
  ['an app that no further email is about', 0, 'unconnected', {}, NOW - DAY],
  ['a new app that they set aside', 0, 'skipped', { newAt: NOW }, NOW - DAY],
  ['a new app that the invitation named', 0, 'unconnected', { newAt: NOW }, NOW],
] as const)('someone at the limit with %s counts as %i waiting', async (...row) => {
  const [, limited, state, change, invitedAt] = row
  const sent = { state: 'sent' as const, at: invitedAt, reminder: 0, apps: ['slack_1'] }
  const campaigns = [{ name: 'onboarding', emails: Array.from({ length: 4 }, () => sent) }]
  const open = withEachApp(withApps({ ...person, campaigns }, state), change)
  expect((await createReport(summaries(open), NOW)).datasources).toMatchObject([{ limited }])
})

const release = { instance: 'slack_1', name: 'Slack', lapsed: 9, had: 9, noticedAt: NOW - DAY }
const [before, released] = [NOW - 3 * DAY, NOW - DAY]

it.each<[string, number, Partial<MassDisconnect>, number, number?]>([
  ['three emails', 0, { resumedAt: NOW }, 3],
  ['four emails', 1, { resumedAt: NOW }, 4],
  ['four emails, one of them about it', 0, { resumedAt: NOW }, 3, released],
  ['four emails, one of them about an earlier loss', 1, { resumedAt: NOW }, 3, released - 1],
  ['four emails, in a hold that goes on', 0, {}, 4],
  ['four emails, with a loss before the hold', 0, { resumedAt: NOW, since: released + 1 }, 4],
  ['four emails, with a loss after the release', 0, { resumedAt: released }, 4],
])(
  'after %s, %s people of a released hold wait for the limit',
  async (_what, waiting, held, others, emailedAt) => {
    const sent = (at: number, apps: string[] = []) => ({ state: 'sent' as const, at, reminder: 0, apps })
    const emails = Array.from({ length: others }, () => sent(NOW - 2 * DAY))
    const lapses = emailedAt === undefined ? [] : [sent(emailedAt, ['slack_1'])]
    const campaigns = Object.entries({ onboarding: emails, lapses }).map(([name, all]) => ({
      name,
      emails: all,
    }))
    const loser = withEachApp(withApps({ ...signedIn, campaigns }), { lapsedAt: released })
    const state = { ...newKeepState(), massDisconnects: [{ ...release, since: before, ...held }] }

    const { datasources } = await createReport(summarizeAll(Readable.from([loser]), state), NOW)

    const isEmailed = Number(emailedAt === released)
    expect(datasources).toMatchObject([{ lapsed: 1, releasedLimited: waiting, releasedEmailed: isEmailed }])
  },
)
