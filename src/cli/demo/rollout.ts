// The demo's rollout in its second week: 200 people, replayed through the product's records as if on past working days.
// A person's history depends only on their place in the list, so each run shows the same.
import type { Sandbox } from '@onramp/sandbox'
import { summarizeAll } from '../../admin/person-summary.ts'
import { createReport, DAY_MS } from '../../admin/report.ts'
import { ONBOARDING, withEmail } from '../../campaigns/campaign.ts'
import type { DailyCounts } from '../../people/keep-state.ts'
import { withCheck, withDetails, withIntents, withListing, withMilestone } from '../../people/person.ts'
import type { AppIntent, Person } from '../../people/person.ts'
import type { Settings } from '../../settings/settings.ts'
import { withDay } from '../keep.ts'
import { openKeepState, openPeople, withStore } from '../store.ts'

type SandboxPerson = Sandbox['people'][number]
/** An event of one person, at milliseconds since 1970. */
type Event = { at: number; change: (person: Person) => Person }
type Colleague = { person: SandboxPerson; group: string; connected: readonly number[]; events: Event[] }

const PEOPLE = 200
const FIRST = `Amara Björn Chen Dilek Elena Farid Grażyna Hiro Ines José
  Kofi Leila Mateo Nadia Oscar Priya Quentin Rosa Sven Tomoko`.split(/\s+/)
const LAST = 'Adeyemi Berg Costa Dvořák Ek Farouk Giordano Huang Ivanova Jensen'.split(' ')
const GROUPS = ['Engineering', 'Sales', 'Support', 'Legal', 'People']
const APPS = [
  { instance: 'slack_1', name: 'Slack' },
  { instance: 'gdrive_1', name: 'Google Drive' },
  { instance: 'jira_1', name: 'Jira' },
  { instance: 'github_1', name: 'GitHub' },
  { instance: 'confluence_1', name: 'Confluence' },
]

const HOUR_MS = 3_600_000
/** The last whole working days, oldest first. Invitations are sent on the first three. */
const SIMULATED_DAYS = 9

function workingDaysBefore(now: number): number[] {
  const today = Math.floor(now / DAY_MS) * DAY_MS
  const before = Array.from({ length: SIMULATED_DAYS * 2 }, (_, index) => today - (index + 1) * DAY_MS)
  return before
    .filter((day) => ![0, 6].includes(new Date(day).getUTCDay()))
    .slice(0, SIMULATED_DAYS)
    .toReversed()
}

const emailOf = (name: string) =>
  `${name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().replace(' ', '.')}@acme.example`

/** A number from 0 to 96 by person and topic, which looks random. */
const percent = (index: number, topic: number) => ((index + 3) * (topic + 5) * 7919 + topic * 6151) % 97

/** The 200 colleagues of the demo's people, with the events of each until now. */
export function createRollout(now: number): Colleague[] {
  const days = workingDaysBefore(now)
  return Array.from({ length: PEOPLE }, (_, index) => {
    const name = `${FIRST[index % FIRST.length]} ${LAST[Math.floor(index / FIRST.length) % LAST.length]}`
    const { connected, events } = simulatedHistory(index, days)
    const datasources = APPS.map(({ instance, name: displayName }, app) =>
      connected.includes(app) ? { instance, displayName, authorized: true } : { instance, displayName },
    )
    const person = { id: `colleague-${index + 1}`, name, email: emailOf(name), datasources }
    return { person, group: GROUPS[percent(index, 5) % GROUPS.length] ?? '', connected, events }
  })
}

const ALL = [0, 1, 2, 3, 4]
const DRIVE = 1
/** The first colleague who isn't invited yet, and the first whose address doesn't exist. */
const [NEW, REJECTED] = [PEOPLE - 8, PEOPLE - 11]
/** People who connected everything, and lost Google Drive yesterday. */
const LOST_ACCESS = [40, 121]

/** One person's history. @returns also the apps that they have connected, by their place in the list */
function simulatedHistory(index: number, days: readonly number[]): Pick<Colleague, 'connected' | 'events'> {
  const events: Event[] = []
  const at = (day: number, hour: number) => (days[day] ?? 0) + hour * HOUR_MS + percent(index, 1) * 30_000
  const add = (time: number, change: Event['change']) => void events.push({ at: time, change })
  const email = (time: number, reminder: number, state: 'sent' | 'failed' = 'sent') =>
    add(time, (person) => withEmail(person, { campaign: ONBOARDING, reminder, state, now: time }))
  const check = (time: number, places: readonly number[]) => {
    const connected = places.flatMap((app) => ({ ...APPS[app]!, since: time, consentStartedAt: time }))
    const page = { checkedAt: time, unconnected: unconnected(places), connected }
    add(time, (person) => withCheck(person, page, time))
    return { connected: places, events }
  }

  const nothing = { connected: [], events }
  const invited = index % 3
  if (index >= NEW) return nothing
  email(at(invited, 9), 0, index >= REJECTED ? 'failed' : 'sent')
  if (index >= REJECTED) return nothing
  const hasLostAccess = LOST_ACCESS.includes(index)
  const eagerness = hasLostAccess ? 50 : percent(index, 3)
  if (eagerness < 30 && invited < 2) email(at(invited + 5, 9), 1)
  const opened = (time: number) => add(time, (person) => withMilestone(person, 'openedAt', time))
  if (eagerness > 12 && eagerness < 18) opened(at(invited, 12))
  if (eagerness < 18) return nothing
  // Some people begin only after the reminder.
  const started =
    eagerness < 30 ? Math.min(SIMULATED_DAYS - 1, invited + 6) : invited + (percent(index, 2) % 4)
  const start = at(started, 10)
  opened(start)
  add(start, (person) => withMilestone(person, 'signedInAt', start))
  check(start, [])
  const soon = start + HOUR_MS / 6
  const outcome = percent(index, 4)
  if (hasLostAccess) {
    check(soon, ALL)
    return check(
      at(SIMULATED_DAYS - 1, 14),
      ALL.filter((app) => app !== DRIVE),
    )
  }
  if (outcome < 54) return check(soon, ALL)
  if (outcome < 84) return check(soon, ALL.slice(0, outcome % 5))
  const apps: AppIntent[] = [
    { instance: 'jira_1', since: soon, kind: outcome % 5 === 0 ? 'unconfirmed' : 'blocked' },
  ]
  const history = check(soon, [0, 1])
  add(soon, (person) => withIntents(person, soon, apps, soon))
  return history
}

const unconnected = (connected: readonly number[]) =>
  APPS.filter((_, app) => !connected.includes(app)).map((app) => ({ ...app, status: 'awaiting' as const }))

/** Writes the history into the store, with the counts that `onramp keep` would have written each evening. */
export async function replayRollout(rollout: readonly Colleague[], settings: Settings, now: number) {
  await withStore(settings, async (records) => {
    let clock = 0
    const people = openPeople({ records, settings, now: () => clock })
    let days: DailyCounts[] = []
    const count = async (at: number) => {
      clock = at
      days = withDay(days, await createReport(summarizeAll(people.all()), at))
    }
    for (const day of workingDaysBefore(now)) {
      clock = day + 8 * HOUR_MS
      for (const { person, group, events } of rollout) {
        const today = events.filter(({ at }) => at >= day && at < day + DAY_MS)
        if (today.length === 0 && days.length > 0) continue
        const enroll = (known: Person) =>
          withListing(withDetails(known, { name: person.name, group }), true, clock)
        await people.change(person.email, (known) =>
          today.reduce((before, { change }) => change(before), enroll(known)),
        )
      }
      await count(day + 18 * HOUR_MS)
    }
    for (const { person, connected } of rollout)
      await people.change(person.email, (known) =>
        withCheck(known, { checkedAt: now, unconnected: unconnected(connected) }, now),
      )
    await count(now)
    const sweep = { beganAt: now - HOUR_MS / 2, endedAt: now }
    const run = { lastRunAt: now, sweep, evaluatedAt: now, zones: { UTC: now }, days }
    const keepStateStore = openKeepState(records, settings)
    await keepStateStore.save({ ...(await keepStateStore.load()), ...run })
  })
}
