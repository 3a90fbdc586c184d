// Due emails about lapses and new apps, by a test clock.
import { expect, it } from 'vitest'
import {
  decideEmail,
  emailKindOf,
  forCampaign,
  isAboutApp,
  isAlsoListed,
  LAPSES,
  NEW_APPS,
  type CampaignName,
} from '../../src/campaigns/episodes.ts'
import { APPROVALS, MOVED_APPROVALS } from '../../src/campaigns/approvals.ts'
import { withEmail } from '../../src/campaigns/campaign.ts'
import type { ListedApp } from '../../src/client-api/responses.ts'
import { appsOf, newPerson, withCheck, withIntents, withListing } from '../../src/people/person.ts'
import type { EmailRecord, Person } from '../../src/people/person.ts'
import { newApproval, type Approval, type DelistedApp, type KeepState } from '../../src/people/keep-state.ts'

import { DAY, jira, lostApps, monday, slack } from './lapsed-person.ts'
import { newKeepState } from '../helpers/people.ts'

const state: KeepState = { ...newKeepState(), evaluatedAt: monday }
const utc = { timezone: 'UTC' }
const atDay = (day: number) => monday + day * DAY
const dueInvitation = (person: Person) =>
  decideEmail('onboarding', person, { state, now: monday, calendar: utc })
/** The apps of the due email, or none. */
function dueApps(name: CampaignName, person: Person, moment: Parameters<typeof decideEmail>[2]): string[] {
  if (decideEmail(name, person, moment).kind !== 'email') return []
  const apps = appsOf(person).filter((app) => isAboutApp(name, app, person, moment))
  return apps.map(({ instance }) => instance)
}
const dueLapses = (person: Person, now = monday, given: Partial<KeepState> = {}, timezone = 'UTC') =>
  dueApps(LAPSES, person, { state: { ...state, ...given }, now, calendar: { timezone } })
/** @param times of the sent emails @param reminder the number of the first one */
const withSent = (person: Person, campaign: string, times: number[], apps?: string[], reminder = 0) =>
  times.reduce((one, now, index) => {
    const email = { campaign, reminder: reminder + index, state: 'sent', now } as const
    return withEmail(one, { ...email, ...(apps && { apps }) })
  }, person)

const withInvitation =
  (emailState: EmailRecord['state'], reminder = 0, now = 1) =>
  (person: Person) =>
    withEmail(person, { campaign: 'onboarding', reminder, state: emailState, now })

it('a deferred lapse email is retried on another day', () => {
  const deferred = (now: number) =>
    withEmail(lostApps([slack]), { campaign: LAPSES, reminder: 0, state: 'deferred', now, apps: ['slack_1'] })
  const after = (hours: number) => dueLapses(deferred(monday), monday + hours * 3_600_000)
  expect(after(1)).toEqual([])
  expect(after(5)).toEqual([])
  expect(after(23)).toEqual(['slack_1'])
  const tomorrow = { state, now: monday + DAY, calendar: utc }
  expect(decideEmail(LAPSES, deferred(monday), tomorrow)).toEqual({
    kind: 'email',
    reminder: 0,
    isRetry: false,
  })
  // Recorded while the clock ran ahead.
  expect(dueLapses(deferred(monday + 30 * DAY))).toEqual(['slack_1'])
})

it('apps resumed in turn share an email, because people get at most one daily', () => {
  const person = lostApps([slack, jira])
  const emailedOnce = withSent(person, LAPSES, [monday - 19 * 3_600_000], ['slack_1'])
  const invited = withSent(person, 'onboarding', [monday - 1])
  expect([emailedOnce, invited].map((one) => dueLapses(one))).toEqual([[], []])
  expect(dueLapses(emailedOnce, monday + 3_600_000)).toEqual(['slack_1', 'jira_1'])
})

it('emails about a lapse are due at once, after two and seven working days', () => {
  let person = lostApps([slack])
  const sent: string[] = []
  for (let hour = 0; hour < 60 * 24; hour++) {
    const now = monday + hour * 3_600_000
    const due = decideEmail(LAPSES, person, { state, now, calendar: utc })
    if (due.kind !== 'email') continue
    sent.push(`${new Date(now).toISOString().slice(0, 13)} ${due.reminder}`)
    person = withSent(person, LAPSES, [now], dueLapses(person, now), due.reminder)
  }
  expect(sent).toEqual(['2027-01-18T10 0', '2027-01-20T09 1', '2027-01-27T09 2'])
})

it.each([
  ['without an earlier one', []],
  ['with an earlier one', [-30]],
])('an email about a new app waits five working days after its approval’s, %s', (_title, days) => {
  const new40DaysAgo = personWithNewApp(undefined, monday - 40 * DAY)
  const approved = withSent(new40DaysAgo, APPROVALS, [monday], ['notion_1'])
  const person = withSent(approved, NEW_APPS, days.map(atDay), ['notion_1'])
  const dueOn = (day: number) => dueApps(NEW_APPS, person, { state, now: monday + day * DAY, calendar: utc })
  expect([dueOn(1), dueOn(4), dueOn(7)]).toEqual([[], [], ['notion_1']])
})

it('all lapsed apps share one email, in the person’s working hours', () => {
  const person = lostApps([slack, jira])
  expect(dueLapses(person)).toEqual(['slack_1', 'jira_1'])
  expect(dueLapses(person, monday, {}, 'Pacific/Auckland')).toEqual([])
})

it('a lapse email waits for the next sweep, and while the app is paused', () => {
  const person = lostApps([slack], monday - 1)
  const paused = [{ instance: 'slack_1', name: 'Slack', noticedAt: monday, since: 0, lapsed: 60, had: 100 }]
  const resumed = paused.map((one) => ({ ...one, resumedAt: monday }))
  expect(dueLapses(person, monday, { evaluatedAt: monday - 1 })).toEqual([])
  expect(dueLapses(person, monday, { massDisconnects: paused })).toEqual([])
  expect(dueLapses(person, monday, { massDisconnects: resumed })).toEqual(['slack_1'])
})

it.each([
  ['three emails', [-39, -35, -34]],
  ['an email on Friday', [-3]],
])('a person who loses an app again is emailed at once, after %s', (_title, days) => {
  const person = withSent(lostApps([slack], monday - 40 * DAY), LAPSES, days.map(atDay), ['slack_1'])
  const repaired = withCheck(person, { checkedAt: monday - 20 * DAY, unconnected: [] }, monday)
  const lapsedAgain = withCheck(repaired, { checkedAt: monday - DAY, unconnected: [slack] }, monday)
  expect(dueLapses(repaired)).toEqual([])
  expect(dueLapses(lapsedAgain)).toEqual(['slack_1'])
})

it('neither a rejected invitation nor a moved app delays a lapse email', () => {
  const cluster = { name: 'Slack', noticedAt: monday, since: monday, people: 9 }
  const newApps = [{ ...cluster, instance: 'slack_1' }]
  const delistedApps = [{ ...cluster, instance: 'slack_0' }]
  const person = withInvitation('failed')(lostApps([slack]))
  expect(dueLapses(person, monday, { newApps, delistedApps })).toEqual(['slack_1'])
})

it('an app that was switched off and on again waits for the next evaluation', () => {
  const off = withCheck(
    lostApps([slack]),
    { checkedAt: monday - 5, unconnected: [{ ...slack, status: 'disabled' }] },
    monday,
  )
  const on = withCheck(off, { checkedAt: monday + 5, unconnected: [slack] }, monday + 5)
  expect(dueLapses(off)).toEqual([])
  expect(dueLapses(on, monday + 9)).toEqual([])
  expect(dueLapses(on, monday + 9, { evaluatedAt: monday + 6 })).toEqual(['slack_1'])
})

// prettier-ignore
it.each<[string, (person: Person) => Person]>([
  ['opted out', (person) => ({ ...person, optedOutAt: 1 })],
  ['left the list', (person) => withListing(person, false, monday)],
  ['is unknown to the service', (person) => ({ ...person, unknownAt: monday })],
  ['waits for an admin', (person) => withIntents(person, monday, [{ instance: 'slack_1', kind: 'blocked' }], monday)],
  ['had four emails in this quarter', (person) => [1, 2, 3, 4].reduce((one, reminder) => withEmail(one, { campaign: 'c', reminder, state: 'sent', now: monday - reminder * DAY }), person)],
  ['has an address that was rejected for good', (person) => withEmail(person, { campaign: LAPSES, reminder: 0, state: 'failed', now: monday - DAY })],
])('a person who %s gets no lapse email', (_title, change) => {
  expect(dueLapses(change(lostApps([slack])))).toEqual([])
})

it('a person who has lost an app gets no invitation', () => {
  const lost = withCheck(lostApps([slack]), { checkedAt: monday, unconnected: [slack, notion] }, monday)
  expect(dueInvitation(lost)).toEqual({ kind: 'not-due', wasSent: false })
  expect(dueInvitation(newPerson('eve@acme.example', 0))).toMatchObject({ reminder: 0 })
})

const notion: ListedApp = { instance: 'notion_1', name: 'Notion', status: 'awaiting' }
const invited = (person: Person, now: number) => withSent(person, 'onboarding', [now], ['slack_1'])

/** Slack was listed first; Notion is listed since yesterday, nine days later. */
function personWithNewApp(
  change = (person: Person) => invited(person, monday - 9 * DAY),
  newAt = monday - DAY,
): Person {
  const at = newAt - 9 * DAY
  const listed = withListing(newPerson('ada@acme.example', 0), true, 0)
  const first = change(withCheck(listed, { checkedAt: at, unconnected: [slack] }, at))
  return withCheck(first, { checkedAt: newAt, unconnected: [slack, notion] }, monday)
}
const dueNew = (person: Person, now = monday) => dueApps(NEW_APPS, person, { state, now, calendar: utc })

/** Days from `monday`. `listed`: the list got the new app (default: at `noticed`); `day`: now. */
type Moment = {
  listed?: number
  day?: number
  newApp?: Partial<NonNullable<KeepState['newApps']>[number]>
  delisted?: Partial<DelistedApp>
}
it.each<[string, noticed: number, isDue: boolean, Moment?]>([
  ['is sent two working days after another app was noticed as gone', -4, true],
  ['waits for the first working day after the weekend', -3, false],
  ['is sent on the second working day after the weekend', -3, true, { day: 1 }],
  ['isn’t delayed once the other app was removed', -1, true, { delisted: { markedRemovedAt: monday } }],
  ['isn’t delayed by an app of another type', -1, true, { delisted: { instance: 'slack_1' } }],
  ['waits up to 36 hours after the other app left', -1, false, { delisted: { since: atDay(-2.5) + 1 } }],
  ['isn’t delayed by an app that left 36 hours before', -1, true, { delisted: { since: atDay(-2.5) } }],
  ['isn’t delayed once it has moved', -1, true, { newApp: { isMoved: true } }],
  ['waits two working days on the list of a later department', -4, false, { listed: -1 }],
])('an email about a new app %s', (_title, noticed, isDue, given = {}) => {
  const { delisted, newApp, day = 0, listed = noticed } = given
  const cluster = { name: 'Notion', noticedAt: atDay(noticed), since: monday - DAY, people: 9 }
  const newApps = [{ ...cluster, instance: 'notion_1', noticedAt: monday, ...newApp }]
  const delistedApps = [{ ...cluster, instance: 'notion_0', ...delisted }]
  const moment = { state: { ...state, newApps, delistedApps }, now: atDay(day), calendar: utc }

  const person = personWithNewApp(undefined, atDay(listed))
  expect(dueApps(NEW_APPS, person, moment)).toEqual(isDue ? ['notion_1'] : [])
})

it.each([
  ['waits while it may be the successor of an app on hold', -DAY, 'notion_1', false],
  ['is sent two working days after that hold began', -4 * DAY, 'notion_1', true],
  ['isn’t delayed by an app on hold with another successor', -DAY, 'notion_2', true],
])('an email about a new app %s', (_title, noticed, likelySuccessor, isDue) => {
  const lost = { instance: 'notion_0', name: 'Notion', since: monday - 5 * DAY, lapsed: 9, had: 9 }
  const massDisconnects = [{ ...lost, noticedAt: monday + noticed, likelySuccessor }]
  const moment = { state: { ...state, massDisconnects }, now: monday, calendar: utc }
  const person = personWithNewApp(undefined, monday + noticed)
  expect(dueApps(NEW_APPS, person, moment)).toEqual(isDue ? ['notion_1'] : [])
})

const personWithAnnouncedApp = withSent(personWithNewApp(), NEW_APPS, [monday], ['notion_1'])
const tester = withSent(personWithAnnouncedApp, APPROVALS, [monday], ['notion_1'])
const personWithConnectedApp = withCheck(
  personWithAnnouncedApp,
  { checkedAt: monday, unconnected: [slack] },
  monday,
)
const lostNotion = withCheck(
  personWithConnectedApp,
  { checkedAt: monday + 1, unconnected: [slack, notion] },
  monday + 1,
)
const approvalAt = (stage: Approval['stage']) => ({
  approvals: [{ ...newApproval('notion_1', 'Notion'), stage }],
})
const cluster = { instance: 'notion_1', name: 'Notion', noticedAt: monday, since: monday, people: 9 }
const delistedWith = (answer: Partial<DelistedApp>) => ({ delistedApps: [{ ...cluster, ...answer }] })
// prettier-ignore
it.each<[string, Person, Partial<KeepState>, isListed: boolean]>([
  ['leaves out a new app before its own email', personWithNewApp(), { lastRunAt: monday }, false],
  ['lists a new app after it', personWithAnnouncedApp, { lastRunAt: monday }, true],
  ['lists a new app where no run announces it', personWithNewApp(), {}, true],
  ['leaves out an app that was marked as removed', personWithAnnouncedApp, delistedWith({ markedRemovedAt: monday }), false],
  ['leaves out an app that may have been removed', personWithAnnouncedApp, delistedWith({}), false],
  ['lists an app that was replaced for others', personWithAnnouncedApp, delistedWith({ isReplaced: true }), true],
  ['lists an app marked as connected for others', personWithAnnouncedApp, delistedWith({ markedConnectedAt: monday }), true],
  ['leaves out an app whose tested approval is approved', tester, approvalAt('approved'), false],
  ['leaves out an app whose tested approval is failed', tester, approvalAt('failed'), false],
  ['lists an app whose tested approval is confirmed', tester, approvalAt('confirmed'), true],
  ['leaves out an app until its loss is evaluated', lostNotion, { evaluatedAt: monday + 1 }, false],
  ['lists an app whose loss was evaluated', lostNotion, { evaluatedAt: monday + 2 }, true],
  ['lists an app whose approval others test', personWithAnnouncedApp, approvalAt('failed'), true],
])('a reminder %s', (_title, person, given, isListed) => {
  const { lastCheck } = forCampaign('onboarding', person, { ...state, ...given })
  expect(lastCheck?.apps.some(({ instance }) => instance === 'notion_1')).toBe(isListed)
})

it('an app added after the invitation gets at most three emails, a week apart', () => {
  let person = personWithNewApp()
  const sent: unknown[] = []
  for (let hour = 0; hour < 60 * 24; hour++) {
    const now = monday + hour * 3_600_000
    const due = decideEmail(NEW_APPS, person, { state, now, calendar: utc })
    if (due.kind !== 'email') continue
    const apps = dueNew(person, now)
    const named = appsOf(person).filter(({ instance }) => apps.includes(instance))
    sent.push([new Date(now).toISOString().slice(0, 10), ...apps, emailKindOf(named, person).nth > 1])
    person = withSent(person, NEW_APPS, [now], apps, due.reminder)
  }

  expect(sent).toEqual([
    ['2027-01-18', 'notion_1', false],
    ['2027-01-25', 'notion_1', true],
    ['2027-02-01', 'notion_1', true],
  ])
})

it.each([
  ['both are new', [], 0, { isNew: true, hasMoved: false, nth: 1 }],
  ['one has moved', ['notion_1'], 0, { isNew: true, nth: 1 }],
  ['one has moved, in a second email', ['notion_1'], 1, { isNew: true, nth: 2 }],
  ['both have moved', ['notion_1', 'jira_1'], 0, { isNew: true, hasMoved: true, nth: 1 }],
])('the kind of an email about two new apps is true for both: %s', (_title, moved, before, kind) => {
  const checked = { checkedAt: monday, unconnected: [slack, notion, jira] }
  const times = Array<number>(before).fill(monday)
  const person = withSent(withCheck(personWithNewApp(), checked, monday), NEW_APPS, times, [
    'notion_1',
    'jira_1',
  ])
  const apps = appsOf(person)
    .filter(({ newAt }) => newAt !== undefined)
    .map((app) => (moved.includes(app.instance) ? { ...app, movedFrom: 'old_1' } : app))
  expect(emailKindOf(apps, person)).toEqual({ isLapse: false, ...kind })
  expect(emailKindOf(appsOf(person), person)).toMatchObject({ isNew: false, nth: 1 + before })
})

it('an email about several new apps counts the fewest earlier ones about any', () => {
  const listed = { checkedAt: monday, unconnected: [slack, notion, jira] }
  const nthAfter = (...emails: string[][]) => {
    const person = emails.reduce(
      (one, apps, reminder) => withSent(one, NEW_APPS, [monday], apps, reminder),
      withCheck(personWithNewApp(), listed, monday),
    )
    const apps = appsOf(person).filter(({ newAt }) => newAt !== undefined)
    return emailKindOf(apps, person).nth
  }
  expect(nthAfter()).toBe(1)
  expect(nthAfter(['notion_1'])).toBe(1)
  expect(nthAfter(['notion_1'], ['notion_1', 'jira_1'])).toBe(2)
})

it('three reminders of other apps don’t prevent an email about a new app', () => {
  const person = personWithNewApp((one) => invited(one, monday - 200 * DAY))
  const remindedOn = (...days: number[]) => withSent(person, 'onboarding', days.map(atDay), undefined, 1)

  expect(dueNew(remindedOn(-94, -93, -92))).toEqual(['notion_1'])
  expect(dueNew(remindedOn(-4, -3, -2))).toEqual(['notion_1'])
  expect(dueNew(withSent(remindedOn(-4, -3, -2), 'c', [atDay(-1)]))).toEqual([])
})

// prettier-ignore
it.each<[string, string, (person: Person) => Person, string[]]>([
  ['was invited', 'an', withInvitation('sent'), ['notion_1']],
  ['got a reminder that named no app', 'an', withInvitation('sent', 1, monday - DAY), ['notion_1']],
  ['signed in without an invitation', 'an', (person) => ({ ...person, signedInAt: 1 }), ['notion_1']],
  ['was never invited and never signed in', 'no', (person) => person, []],
  ['has yet to get the deferred invitation', 'no', withInvitation('deferred'), []],
  ['was invited, and has yet to get the deferred reminder', 'an', (person) => withInvitation('deferred', 1)(invited(person, 1)), ['notion_1']],
  ['signed in, and has an address that was rejected', 'no', (person) => withInvitation('failed')({ ...person, signedInAt: 1 }), []],
])('a person who %s gets %s email about the new app', (_title, _outcome, change, apps) => {
  expect(dueNew(personWithNewApp(change))).toEqual(apps)
})

it('an app that the invitation named, or that is connected, isn’t new', () => {
  const uninvited = personWithNewApp((person) => person)
  const named = withSent(uninvited, 'onboarding', [atDay(-0.5)], ['slack_1', 'notion_1'])
  expect(dueNew(named, monday + DAY)).toEqual([])
  const connected = withCheck(personWithNewApp(), { checkedAt: monday, unconnected: [slack] }, monday)
  expect(connected.lastCheck?.apps.some(({ newAt }) => newAt !== undefined)).toBe(false)
})

it('a person who has connected all but a new app gets no reminder', () => {
  const withNewApp = withCheck(personWithNewApp(), { checkedAt: monday - 1, unconnected: [notion] }, monday)
  expect(dueInvitation(withNewApp).kind).toBe('not-due')
  const person = withSent(personWithNewApp(undefined, atDay(-4)), NEW_APPS, [atDay(-3)], ['notion_1'])
  expect(dueInvitation(person)).toMatchObject({ kind: 'email', reminder: 1 })
})

// prettier-ignore
it.each<[string, (person: Person) => Person, isDue: boolean]>([
  ['waits for the email about a new app', (person) => person, false],
  ['doesn’t wait for a new app that the person skipped', (person) => withIntents(person, monday, [{ instance: 'notion_1', kind: 'skipped' }], monday), true],
  ['doesn’t wait for a new app that is connected', (person) => withCheck(person, { checkedAt: monday, unconnected: [slack] }, monday), true],
])('a reminder %s', (_title, change, isDue) => {
  expect(dueInvitation(change(personWithNewApp())).kind === 'email').toBe(isDue)
})

const intent = (kind: 'skipped' | 'blocked') => (person: Person) =>
  withIntents(person, monday, [{ instance: 'notion_1', kind }], monday)
const movedFrom = (noticed: number) => {
  const app = { name: 'Notion', noticedAt: atDay(noticed), since: monday - DAY, people: 9 }
  return { newApps: [{ ...app, instance: 'notion_1' }], delistedApps: [{ ...app, instance: 'notion_0' }] }
}
const asIs = (person: Person) => person
// prettier-ignore
it.each<[string, isListed: boolean, Person, Partial<KeepState>?, CampaignName?]>([
  ['a new app', true, personWithNewApp()],
  ['a new app about which all three were sent', true, withSent(personWithNewApp(), NEW_APPS, [-30, -20, -10].map(atDay), ['notion_1'])],
  ['an app of the invitation', true, invited(personWithNewApp(asIs), monday)],
  ['a lost app', true, lostNotion, { evaluatedAt: monday + 2 }],
  ['a lost app before the loss is evaluated', false, lostNotion, { evaluatedAt: monday + 1 }],
  ['a new app before it is evaluated', false, personWithNewApp(), { evaluatedAt: monday - DAY }],
  ['a new app that may have moved there', false, personWithNewApp(), movedFrom(0)],
  ['a new app two working days later', true, personWithNewApp(), movedFrom(-4)],
  ['an app that the person skipped', false, intent('skipped')(personWithNewApp())],
  ['an app that waits for an admin', false, intent('blocked')(personWithNewApp())],
  ['an app that the person tried in vain', false, tester, approvalAt('failed')],
  ['an app that others have tried in vain', true, personWithAnnouncedApp, approvalAt('failed')],
  ['an app beside an approval', false, personWithNewApp(), {}, APPROVALS],
  ['an app beside a moved approval', false, personWithNewApp(), {}, MOVED_APPROVALS],
])('an email about another app lists %s: %s', (_title, isListed, person, given = {}, name = LAPSES) => {
  const app = appsOf(person).find(({ instance }) => instance === 'notion_1')!
  const context = { state: { ...state, ...given }, now: monday, calendar: utc }
  expect(isAlsoListed(name, app, person, context)).toBe(isListed)
})

const announced = withSent(personWithNewApp(undefined, atDay(-11)), NEW_APPS, [atDay(-10)], ['notion_1'])
// prettier-ignore
it.each<[string, Person, string, number, number]>([
  ['second email about a new app waits five working days after an email', announced, LAPSES, 4, 7],
  ['second email about a new app waits five working days after a reminder', announced, 'onboarding', 4, 7],
  ['first email about a new app waits two working days after an email', personWithNewApp(), LAPSES, 1, 2],
])('the %s that lists it', (_title, before, campaign, ...days) => {
  const email = { campaign, reminder: 9, state: 'sent', now: monday, apps: ['slack_1'] } as const
  const person = withEmail(before, { ...email, alsoListed: ['notion_1'] })
  expect(days.map((day) => dueNew(person, atDay(day)))).toEqual([[], ['notion_1']])
})

it('an email about a new app doesn’t wait for one that listed it before', () => {
  const email = {
    campaign: LAPSES,
    reminder: 9,
    state: 'sent',
    now: atDay(-1.1),
    alsoListed: ['notion_1'],
  } as const
  expect(dueNew(withEmail(personWithNewApp(), email))).toEqual(['notion_1'])
})

it('an invitation that may have arrived isn’t sent again', () => {
  const person = withInvitation('unknown', 0, monday - DAY)(personWithNewApp())
  expect(dueInvitation(person).kind).toBe('not-due')
})
