// What ended: when one cause is behind it, and who is emailed when.
import { describe, expect, it } from 'vitest'
import {
  countLapses,
  dueInvitation,
  dueLapseEmail,
  evaluateMassDisconnects,
  LAPSES,
  dueLapses,
} from '../../src/campaigns/lapses.ts'
import { withEmail } from '../../src/campaigns/campaign.ts'
import { isWorkingTime, workingDaysBetween } from '../../src/campaigns/working-time.ts'
import {
  newPerson,
  withCheck,
  withIntents,
  withListing,
  type ListedApp,
  type Person,
} from '../../src/people/person.ts'
import type { KeepState } from '../../src/people/keep-state.ts'

const at = (text: string) => Date.parse(text)
/** A Monday. */
const monday = at('2027-01-18T10:00:00Z')
const DAY = 86_400_000
const slack: ListedApp = { instance: 'slack_1', name: 'Slack', status: 'awaiting' }
const jira: ListedApp = { instance: 'jira_1', name: 'Jira', status: 'awaiting' }

/** Someone who had connected everything and then lost these. */
function having(lost: ListedApp[], lapsedAt = monday - DAY): Person {
  const begun = withListing(newPerson('ada@acme.example', 0), true, 0)
  const first = withCheck(begun, { checkedAt: lapsedAt - 10 * DAY, listed: [slack, jira] }, lapsedAt)
  const done = withCheck(first, { checkedAt: lapsedAt - 9 * DAY, listed: [] }, lapsedAt)
  return withCheck(done, { checkedAt: lapsedAt, listed: lost }, lapsedAt)
}

const keepState: KeepState = { evaluatedAt: monday, massDisconnects: [], zones: {}, days: [] }
const told = (person: Person, apps: string[], now: number, reminder = 0) =>
  withEmail(person, { campaign: LAPSES, reminder, state: 'sent', now, apps })

it('an email about access that ended and was put off is tried again on another day, by any clock', () => {
  const put = (now: number) =>
    withEmail(having([slack]), { campaign: LAPSES, reminder: 0, state: 'deferred', now, apps: ['slack_1'] })
  const after = (hours: number) => dueLapses(put(monday), keepState, monday + hours * 3_600_000, 'UTC')
  expect([after(1), after(5), after(23)]).toEqual([[], [], ['slack_1']])
  // Written down while a clock ran ahead.
  expect(dueLapses(put(monday + 30 * DAY), keepState, monday, 'UTC')).toEqual(['slack_1'])
})

it('someone gets one email a day at most, whatever it is about, so apps that are released one after the other are one email', () => {
  const person = having([slack, jira])
  const once = told(person, ['slack_1'], monday - 19 * 3_600_000)
  const invited = withEmail(person, { campaign: 'onboarding', reminder: 0, state: 'sent', now: monday - 1 })
  expect([once, invited].map((one) => dueLapses(one, keepState, monday, 'UTC'))).toEqual([[], []])
  expect(dueLapses(once, keepState, monday + 3_600_000, 'UTC')).toEqual(['slack_1', 'jira_1'])
})

describe('working time', () => {
  it.each([
    ['2027-01-18T09:00:00Z', 'UTC', true],
    ['2027-01-18T15:59:00Z', 'UTC', true],
    ['2027-01-18T16:00:00Z', 'UTC', false],
    ['2027-01-18T08:59:00Z', 'UTC', false],
    ['2027-01-17T10:00:00Z', 'UTC', false],
    // A Monday morning in Tokyo is a Sunday elsewhere.
    ['2027-01-18T00:30:00Z', 'Asia/Tokyo', true],
    ['2027-07-19T13:30:00Z', 'America/New_York', true],
    ['2027-01-18T13:30:00Z', 'America/New_York', false],
  ])('%s is working time in %s: %s', (moment, zone, isSo) => {
    expect(isWorkingTime(at(moment), zone)).toBe(isSo)
  })

  it('counts the working days after one, weekends aside', () => {
    const friday = at('2027-01-15T12:00:00Z')
    const days = [0, 1, 2, 3, 4, 5].map((more) => workingDaysBetween(friday, friday + more * DAY, 'UTC'))
    expect(days).toEqual([0, 0, 0, 1, 2, 3])
  })
})

describe('a lapse', () => {
  it('is an email at once, after two and after seven working days, and no more', () => {
    let person = having([slack])
    const sent: string[] = []
    for (let hour = 0; hour < 60 * 24; hour++) {
      const now = monday + hour * 3_600_000
      const due = dueLapseEmail(person, keepState, now, 'UTC')
      if (due.kind !== 'mail') continue
      sent.push(new Date(now).toISOString().slice(0, 13))
      person = told(person, dueLapses(person, keepState, now, 'UTC'), now, due.reminder)
    }
    expect(sent).toEqual(['2027-01-18T10', '2027-01-20T09', '2027-01-27T09'])
  })

  it('is one email with all that ended, and waits for the working time of the person', () => {
    const person = having([slack, jira])
    expect(dueLapses(person, keepState, monday, 'UTC')).toEqual(['slack_1', 'jira_1'])
    expect(dueLapses(person, keepState, monday, 'Pacific/Auckland')).toEqual([])
  })

  it('waits until everyone was asked once more, and while it may be shared', () => {
    const person = having([slack], monday - 1)
    const held = [{ instance: 'slack_1', name: 'Slack', noticedAt: monday, since: 0, lapsed: 60, had: 100 }]
    const released = held.map((one) => ({ ...one, resumedAt: monday }))
    expect(dueLapses(person, { ...keepState, evaluatedAt: monday - 2 }, monday, 'UTC')).toEqual([])
    expect(dueLapses(person, { ...keepState, massDisconnects: held }, monday, 'UTC')).toEqual([])
    expect(dueLapses(person, { ...keepState, massDisconnects: released }, monday, 'UTC')).toEqual(['slack_1'])
  })

  it('that was repaired and comes again is told again', () => {
    const once = told(having([slack], monday - 40 * DAY), ['slack_1'], monday - 39 * DAY)
    // Emails about one lapse are no emails about the next.
    const often = [1, 2].reduce((person, at) => told(person, ['slack_1'], monday - (36 - at) * DAY, at), once)
    const repaired = withCheck(often, { checkedAt: monday - 20 * DAY, listed: [] }, monday)
    const again = withCheck(repaired, { checkedAt: monday - DAY, listed: [slack] }, monday)
    expect(dueLapses(repaired, keepState, monday, 'UTC')).toEqual([])
    expect(dueLapses(again, keepState, monday, 'UTC')).toEqual(['slack_1'])
    expect(again.lastCheck?.apps.find(({ instance }) => instance === 'slack_1')?.lapses).toBe(2)
  })

  it('of an app that was switched off and on is judged anew, as it is everyone’s', () => {
    const off = withCheck(
      having([slack]),
      { checkedAt: monday - 5, listed: [{ ...slack, status: 'disabled' }] },
      monday,
    )
    const on = withCheck(off, { checkedAt: monday + 5, listed: [slack] }, monday + 5)
    expect([dueLapses(off, keepState, monday, 'UTC'), dueLapses(on, keepState, monday + 9, 'UTC')]).toEqual([
      [],
      [],
    ])
    expect(dueLapses(on, { ...keepState, evaluatedAt: monday + 6 }, monday + 9, 'UTC')).toEqual(['slack_1'])
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
  ])('is no email to someone who %s', (_who, change) => {
    expect(dueLapses(change(having([slack])), keepState, monday, 'UTC')).toEqual([])
  })

  it('is nothing to be reminded of as if it were the beginning', () => {
    expect(dueInvitation(having([slack]), monday, 'UTC')).toEqual({ kind: 'not-due', wasSent: false })
    expect(dueInvitation(newPerson('eve@acme.example', 0), monday, 'UTC')).toMatchObject({ reminder: 0 })
  })
})

describe('a shared cause', () => {
  const everyone = (lost: number, had: number, before: KeepState, lapsedAt = monday + 1) => {
    const counts = countLapses(before)
    for (let one = 0; one < had; one++) counts.add(having(one < lost ? [slack] : [], lapsedAt))
    return evaluateMassDisconnects(before, counts.counts, monday + 2)
  }

  it.each([
    [4, 8, 0],
    [5, 25, 1],
    [5, 26, 0],
    [49, 1_000, 0],
    [50, 1_000, 1],
    [50, 20_000, 1],
  ])('%i who lost an app of %i who had it are %i', (lost, had, breaks) => {
    expect(everyone(lost, had, keepState)).toHaveLength(breaks)
  })

  it('is not what so many lose in the time that it takes to ask about everyone', () => {
    const counts = countLapses(keepState)
    for (let one = 0; one < 20_000; one++)
      counts.add(having(one < 90 ? [slack] : [], one < 45 ? monday + DAY / 4 : monday + (DAY * 3) / 4))
    expect(evaluateMassDisconnects(keepState, counts.counts, monday + DAY)).toEqual([])
  })

  const HOUR = 3_600_000
  it.each([
    [
      'five of 25, the last within a day and a half of the first',
      25,
      [
        [4, 0],
        [1, 36 * HOUR - 1],
      ],
      [[monday, 5]],
    ],
    [
      'five of 25, the last a day and a half after the first',
      25,
      [
        [4, 0],
        [1, 36 * HOUR],
      ],
      [],
    ],
    [
      'fifty of 1,000, the last within half a day of the first',
      1_000,
      [
        [49, 0],
        [1, 12 * HOUR - 1],
      ],
      [[monday, 50]],
    ],
    [
      'fifty of 1,000, the last half a day after the first',
      1_000,
      [
        [49, 0],
        [1, 12 * HOUR],
      ],
      [],
    ],
  ])('is decided by when lapses were noticed, even months later: %s', (_what, had, noticed, expected) => {
    const counts = countLapses(keepState)
    const lost = noticed.reduce((sum, [people = 0]) => sum + people, 0)
    for (const [people = 0, after = 0] of noticed)
      for (let one = 0; one < people; one++) counts.add(having([slack], monday + after))
    for (let one = lost; one < had; one++) counts.add(having([], monday))
    const found = evaluateMassDisconnects(keepState, counts.counts, monday + 200 * DAY)
    expect(found.map(({ since, lapsed }) => [since, lapsed])).toEqual(expected)
  })

  it('counts what was lost since the last time, not what was lost long ago', () => {
    expect(everyone(30, 40, keepState, monday - 1)).toEqual([])
  })

  it('is over once most of those who lost it have it again', () => {
    const [found] = everyone(60, 100, keepState)
    const later = { ...keepState, evaluatedAt: monday + 2, massDisconnects: found ? [found] : [] }
    expect(found).toMatchObject({ instance: 'slack_1', lapsed: 60, had: 100 })
    expect(everyone(31, 100, later)).toHaveLength(1)
    expect(everyone(29, 100, later)).toEqual([])
  })

  it('is over then, also where they have it again little by little', () => {
    let before: KeepState = { ...keepState, massDisconnects: everyone(60, 100, keepState) }
    for (const lost of [55, 45, 35]) before = { ...keepState, massDisconnects: everyone(lost, 100, before) }
    expect(everyone(29, 100, before)).toEqual([])
  })

  it('is over then, however many lost the app before it', () => {
    const [found] = everyone(60, 100, keepState)
    const counts = countLapses({ ...keepState, massDisconnects: found ? [found] : [] })
    for (let one = 0; one < 200; one++) counts.add(having([slack], monday - DAY))
    expect(
      evaluateMassDisconnects(
        { ...keepState, massDisconnects: found ? [found] : [] },
        counts.counts,
        monday + 3,
      ),
    ).toEqual([])
  })

  it('that was released at once is not told again of those who are noticed a little later', () => {
    const [found] = everyone(60, 100, keepState)
    const released = found ? [{ ...found, resumedAt: monday + 3 }] : []
    expect(everyone(90, 100, { ...keepState, massDisconnects: released }, monday + DAY / 2)).toMatchObject(
      released,
    )
  })

  it('that was released is found again when it happens again', () => {
    const released = {
      instance: 'slack_1',
      name: 'Slack',
      noticedAt: 1,
      since: 0,
      lapsed: 60,
      had: 100,
      resumedAt: 2,
    }
    expect(everyone(60, 100, { ...keepState, massDisconnects: [released] })).toMatchObject([
      { noticedAt: monday + 2 },
    ])
  })
})
