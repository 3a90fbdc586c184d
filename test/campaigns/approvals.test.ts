// Approvals: requests to owners, the tester, and emails after the result.
import { describe, expect, it } from 'vitest'
import {
  APPROVALS,
  decideApproval,
  isApprovalEmailDue,
  isMoveEmailDue,
  MOVED_APPROVALS,
} from '../../src/campaigns/approvals.ts'
import { withEmail } from '../../src/campaigns/campaign.ts'
import type { WorkCalendar } from '../../src/campaigns/working-time.ts'
import { newApproval, type Approval } from '../../src/people/keep-state.ts'
import { newPerson } from '../../src/people/person.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** A Monday. */
const monday = Date.parse('2027-01-18T10:00:00Z')
const atDay = (days: number) => monday + days * DAY
const place = { timezone: 'UTC' }

type ApprovalPerson = Parameters<typeof decideApproval>[1][number]

const approvalWith = (change: Partial<Approval> = {}): Approval => ({
  ...newApproval('slack_1', 'Slack'),
  ...change,
})
const requestedForCount = (people: number) =>
  approvalWith({ requestedAt: atDay(1), requestedForCount: people })
const confirmedApproval = approvalWith({ stage: 'confirmed', stageChangedAt: atDay(1) })
const failedApproval = approvalWith({ stage: 'failed', stageChangedAt: atDay(1.5) })
const blockedOn = (days: number, change: Partial<ApprovalPerson> = {}): ApprovalPerson => ({
  state: 'blocked',
  isUnconfirmed: false,
  blockedAt: atDay(days),
  notifiedAt: 0,
  triedAt: 0,
  connectedAt: 0,
  consentedAt: 0,
  emailableAt: 0,
  ...change,
})
const ada = blockedOn(0)
const bob = blockedOn(0.1)
const eve = blockedOn(0.2)
const approved: Approval = {
  ...requestedForCount(3),
  stage: 'approved',
  stageChangedAt: atDay(2),
  approvedAt: atDay(2),
}
const decide = (
  approval: Approval,
  people: ApprovalPerson[],
  days: number,
  answeredAt?: number,
  calendar: WorkCalendar = place,
) => {
  const answer = answeredAt === undefined ? undefined : { at: atDay(answeredAt), by: 'grace' }
  return decideApproval(approval, people, answer, { now: atDay(days), calendar })
}

describe('owners', () => {
  // prettier-ignore
  it.each([
    { what: 'gets no request on the day on which two people begin to wait', approval: approvalWith(), people: [ada, bob], days: 0.2, isDue: false },
    { what: 'gets a request when the third person waits', approval: approvalWith(), people: [ada, bob, eve], days: 0.2, isDue: true },
    { what: 'gets a request after one person has waited a working day', approval: approvalWith(), people: [ada], days: 1, isDue: true },
    { what: 'gets no request after one person has waited a weekend', approval: approvalWith(), people: [blockedOn(4)], days: 6, isDue: false },
    { what: 'gets no second request within a week', approval: requestedForCount(1), people: [ada, bob], days: 7, isDue: false },
    { what: 'gets a second request after a week of working days, if more wait', approval: requestedForCount(1), people: [ada, bob], days: 8, isDue: true },
    { what: 'gets no second request if no more wait', approval: requestedForCount(2), people: [ada, bob], days: 8, isDue: false },
    { what: 'gets no request while a person tests the app', approval: approved, people: [ada, bob, eve], days: 9, isDue: false },
    { what: 'gets no request for people who will get the confirmation email', approval: confirmedApproval, people: [ada, bob, eve], days: 2, isDue: false },
    { what: 'gets a request if others wait after the confirmation', approval: confirmedApproval, people: [blockedOn(1.1)], days: 2, isDue: true },
  ] as const)('the owner $what', ({ approval, people, days, isDue }) => {
    expect(decide(approval, [...people], days).isRequestDue).toBe(isDue)
  })

  it.each([
    ['approves the app', approvalWith(), 1, 'approved'],
    ['from before anyone waited has no effect', approvalWith(), -1, 'unapproved'],
    ['from before the failure has no effect', failedApproval, 1.5, 'failed'],
    ['from after the failure approves the app again', failedApproval, 1.6, 'approved'],
    ['has an effect only once', { ...approved, stageChangedAt: atDay(0.5) }, 1, 'approved'],
  ] as const)('the owner’s decision %s', (_title, approval, answeredAt, stage) => {
    const after = decide(approval, [ada], 2, answeredAt).approval
    expect(after.stage).toBe(stage)
    expect(after.approvedAt).toBe(approval.stage !== stage ? atDay(answeredAt) : approval.approvedAt)
  })
})

const consented = (days: number) =>
  blockedOn(0, { state: 'connected', connectedAt: atDay(days), consentedAt: atDay(days) })
const connectedElsewhere = { ...consented(1), consentedAt: 0 }
// prettier-ignore
it.each([
  ['confirms it', requestedForCount(2), consented(1), { stage: 'confirmed', approvedAt: atDay(2) }],
  ['confirms nothing before the request', requestedForCount(2), consented(0.9), { stage: 'unapproved', approvedAt: 0 }],
  ['confirms nothing without a request', approvalWith(), consented(1), { stage: 'unapproved', approvedAt: 0 }],
  ['confirms nothing without a consent', requestedForCount(2), connectedElsewhere, { stage: 'unapproved', approvedAt: 0 }],
  ['confirms nothing of a failed approval', { ...failedApproval, requestedAt: atDay(2) }, consented(1.4), { stage: 'failed', approvedAt: 0 }],
] as const)(
  'a person who waited and connects an app without a decision %s',
  (_title, approval, person, expected) => {
    const { approval: after, isNewlyApproved } = decide(approval, [person, bob], 2)
    expect(after).toMatchObject(expected)
    expect([after.by, isNewlyApproved]).toEqual([undefined, false])
  },
)

it('a consent before the owner’s decision confirms the approval', () => {
  const { approval, isNewlyApproved } = decide(requestedForCount(2), [consented(1), bob], 2, 1.5)
  expect(approval).toMatchObject({ stage: 'confirmed', by: 'grace', approvedAt: atDay(1.5) })
  expect(isNewlyApproved).toBe(true)
})

const tester = (change: Partial<ApprovalPerson> = {}) => blockedOn(0, { notifiedAt: atDay(2.1), ...change })

// prettier-ignore
describe('approved apps', () => {
  it.each<[title: string, day: number, people: ApprovalPerson[], emailed?: ApprovalPerson]>([
    ['the person who waited first', 2.1, [bob, ada, eve], ada],
    ['the next person, if the first can’t be emailed', 2.1, [{ ...ada, emailableAt: Infinity }, bob], bob],
    ['no one during the first tester’s two working days', 4, [tester(), bob, eve]],
    ['the second person after three working days', 7, [tester(), bob, eve], bob],
    ['no one while the tester’s consent is open', 2.5, [tester({ state: 'unconnected' }), bob]],
    ['the first person, though someone connected the app before', 2.5, [blockedOn(0, { state: 'connected', connectedAt: atDay(2) - 1 }), bob], bob],
  ])('the next tester is %s', (_title, day, people, emailed) => {
    const { stage, testers } = decide(approved, people, day).approval
    const emailedBefore = people.filter(({ state, notifiedAt }) => state === 'blocked' && notifiedAt > 0)

    expect(stage).toBe('approved')
    expect(testers).toEqual([...emailedBefore, ...(emailed ? [emailed] : [])].map(({ blockedAt }) => blockedAt))
  })

  it.each<[title: string, isUntried: boolean, day: number, people: ApprovalPerson[]]>([
    ['no admin two working days after the only person was asked', false, 4, [tester()]],
    ['an admin three working days after the only person was asked', true, 7, [tester()]],
    ['no admin if someone else can be asked by then', false, 7, [tester(), bob]],
    ['an admin if no one else can be emailed by then', true, 7, [tester(), { ...bob, emailableAt: Infinity }]],
    ['an admin if no one can be emailed', true, 2.1, [{ ...ada, emailableAt: Infinity }]],
    ['no admin if no one waits', false, 7, []],
  ])('an untested approval needs %s', (_title, isUntried, day, people) => {
    expect(decide(approved, people, day).approval.isUntried).toBe(isUntried)
  })

  it.each<[title: string, Approval['stage'], ApprovalPerson[]]>([
    ['confirmed once the app works', 'confirmed', [tester({ state: 'connected' }), bob]],
    ['confirmed once the app works for someone else', 'confirmed', [tester(), blockedOn(0, { state: 'connected', connectedAt: atDay(2) }), bob]],
    ['failed if the tester needs an admin again', 'failed', [tester({ blockedAt: atDay(2.2) }), bob]],
    ['failed if the tester’s consent wasn’t confirmed', 'failed', [tester({ state: 'unconnected', isUnconfirmed: true }), bob]],
  ])('an approval is %s', (_title, stage, people) => {
    const { approval } = decide(approved, people, 2.5)
    const emailedBefore = people.filter(({ state, notifiedAt }) => state === 'blocked' && notifiedAt > 0)

    expect(approval.stage).toBe(stage)
    expect(approval.testers).toEqual(emailedBefore.map(({ blockedAt }) => blockedAt))
  })
})

it.each([
  ['confirmed if the tester connects the app later', 1.5, undefined, 'confirmed'],
  ['confirmed by that, also if the owner decides again', 1.5, 1.8, 'confirmed'],
  ['still failed if the app was connected before the failure', 1.4, undefined, 'failed'],
  ['approved again by the owner’s next decision alone', 1.4, 1.8, 'approved'],
] as const)('a failed approval is %s', (_title, connectedOn, answeredAt, stage) => {
  const connected = tester({ state: 'connected', notifiedAt: atDay(1.1), connectedAt: atDay(connectedOn) })

  const after = decide({ ...failedApproval, approvedAt: atDay(1) }, [connected, bob], 2, answeredAt)

  expect(after.approval.stage).toBe(stage)
})

const confirmedOnDay2 = approvalWith({ stage: 'confirmed', stageChangedAt: atDay(2.2), approvedAt: atDay(2) })
const [limited, unreachable] = [{ emailableAt: atDay(80) }, { emailableAt: Infinity }]
// prettier-ignore
it.each<[title: string, Approval, ApprovalPerson[], [uninformed: number, unreachable: number, reachableAt?: number]]>([
  ['everyone who waits, before a decision', approvalWith(), [ada, { ...bob, ...limited }], [2, 1, atDay(80)]],
  ['all but the tester, after it', approved, [tester(), bob, { ...eve, ...unreachable }], [2, 1]],
  ['all who wait, once it works', confirmedOnDay2, [bob, { ...eve, ...limited }, { ...eve, ...unreachable }], [3, 2, atDay(80)]],
  ['no one who was emailed, once it works', confirmedOnDay2, [tester(limited), blockedOn(0, { notifiedAt: atDay(2.3), ...limited })], [0, 0]],
  ['a tester who failed before it worked', confirmedOnDay2, [tester({ blockedAt: atDay(2.15), ...limited })], [1, 1, atDay(80)]],
  ['no one who began to wait later', confirmedOnDay2, [blockedOn(2.3, limited)], [0, 0]],
])('an email about the approval is still for %s', (_title, approval, people, counts) => {
  const { approval: { uninformed, unreachable: count, reachableAt } } = decide(approval, people, 2.5)
  expect([uninformed, count, reachableAt].filter((one) => one !== undefined)).toEqual(counts)
})

const confirmedOnDay3 = { stage: 'confirmed', stageChangedAt: atDay(3) } as const
const unconfirmed = { isUnconfirmed: true, state: 'unconnected' } as const

type EmailedApp = Partial<Parameters<typeof isMoveEmailDue>[0]> & { emailedAt?: number; isPaused?: boolean }

/** The arguments of a decision about an email to a person who has waited for Slack since Monday. */
function emailAbout(
  campaign: string,
  approval: Approval,
  { emailedAt, isPaused, ...change }: EmailedApp,
): Parameters<typeof isMoveEmailDue> {
  const app = { instance: 'slack_1', name: 'Slack', isUnconfirmed: false, state: 'blocked' as const }
  const email = { campaign, reminder: 0, state: 'sent', apps: ['slack_1'] } as const
  const person = newPerson('ada@acme.example', atDay(0))
  const massDisconnect = { instance: 'slack_1', name: 'Slack', noticedAt: 0, since: 0, lapsed: 9, had: 9 }
  const keepState = { massDisconnects: isPaused ? [massDisconnect] : [], zones: {}, days: [] }
  const blockedAt = change.isUnconfirmed ? {} : { blockedAt: atDay(0) }
  const emailed = emailedAt === undefined ? person : withEmail(person, { ...email, now: emailedAt })
  return [{ ...app, ...blockedAt, ...change }, emailed, { ...keepState, approvals: [approval] }]
}

// prettier-ignore
it.each<[string, Partial<Approval>, EmailedApp, boolean]>([
  ['goes to the tester', { stage: 'approved', testers: [atDay(0)] }, {}, true],
  ['doesn’t go to another person while one tests', { stage: 'approved', testers: [atDay(0.1)] }, {}, false],
  ['goes to no one after a failure', { stage: 'failed' }, {}, false],
  ['goes to a person who waited at the confirmation', confirmedOnDay3, {}, true],
  ['doesn’t go to a person who began to wait later', { stage: 'confirmed', stageChangedAt: atDay(-1) }, {}, false],
  ['doesn’t go to a person who was emailed after they began to wait', confirmedOnDay3, { emailedAt: atDay(2.1) }, false],
  ['goes to a person who was emailed before the failure', confirmedOnDay3, { emailedAt: atDay(1) }, true],
  ['goes once more to a tester who failed before the confirmation', confirmedOnDay3, { emailedAt: atDay(2.1), blockedAt: atDay(2.2) }, true],
  ['doesn’t go to a person who was emailed after the confirmation', confirmedOnDay3, { emailedAt: atDay(3.1), blockedAt: atDay(2.2) }, false],
  ['goes to a tester whose consent was never confirmed', confirmedOnDay3, { emailedAt: atDay(2.1), ...unconfirmed }, true],
  ['doesn’t go to someone else whose consent was never confirmed', confirmedOnDay3, { ...unconfirmed }, false],
  ['doesn’t go to such a tester twice', confirmedOnDay3, { emailedAt: atDay(3.1), ...unconfirmed }, false],
  ['doesn’t go to such a tester before the confirmation', { stage: 'approved', testers: [atDay(0)] }, { emailedAt: atDay(1), ...unconfirmed }, false],
  ['goes to no one while emails about the app are paused', confirmedOnDay3, { isPaused: true }, false],
])('an email about an approval %s', (_title, change, given, isDue) => {
  expect(isApprovalEmailDue(...emailAbout(APPROVALS, { ...approved, ...change }, given))).toBe(isDue)
})

const movedApproval = approvalWith({ movedAt: atDay(1) })
it.each<[string, Approval, EmailedApp, boolean]>([
  ['goes to a person who waited before', movedApproval, {}, true],
  ['doesn’t go to a person who began to wait later', movedApproval, { blockedAt: atDay(1.5) }, false],
  ['doesn’t go to a person who can connect it', movedApproval, { state: 'unconnected' }, false],
  ['goes to no one once its owner approved it', { ...movedApproval, stage: 'approved' }, {}, false],
  ['goes to a tester who failed', { ...movedApproval, stage: 'failed', testers: [atDay(0)] }, {}, true],
  ['doesn’t go to a person who was emailed about it', movedApproval, { emailedAt: atDay(1) }, false],
  ['goes to a person who was emailed about an earlier move', movedApproval, { emailedAt: atDay(0.5) }, true],
  ['goes to no one if it never moved', approvalWith(), {}, false],
])('an email about the move of an approval %s', (_title, approval, given, isDue) => {
  expect(isMoveEmailDue(...emailAbout(MOVED_APPROVALS, approval, given))).toBe(isDue)
})

it('the owner gets one email about a failed approval', () => {
  const people = [tester({ blockedAt: atDay(2.2) }), bob]
  const after = decide(approved, people, 2.5)
  expect(after).toMatchObject({ isRequestDue: true, approval: { stage: 'failed', waitingPeople: 2 } })
  const requested = { ...after.approval, requestedAt: atDay(2.6), requestedForCount: 2 }
  expect(decide(requested, people, 3).isRequestDue).toBe(false)
})

it('an approval is dropped once no one waits for it or tests it', () => {
  expect(decide(approvalWith(), [], 1)).toMatchObject({ isOver: true })
  expect(decide(approved, [], 3)).toMatchObject({ isRequestDue: false, isOver: false })
})

it('a confirmed approval is kept until every failed tester was emailed', () => {
  const known = approvalWith({ ...confirmedOnDay3, approvedAt: atDay(2), requestedAt: atDay(3.1) })
  const testerEmailedOn = (days: number) =>
    tester({ state: 'unconnected', isUnconfirmed: true, notifiedAt: atDay(days) })
  const daysEmailed = [2.1, 3.1]
  expect(daysEmailed.map((days) => decide(known, [testerEmailedOn(days)], 4).isOver)).toEqual([false, true])
})

it('a pause doesn’t end the need to ask someone in person', () => {
  const paused = { ...place, pausedUntil: atDay(30) }
  expect(decide(approved, [tester()], 7, undefined, paused).approval.isUntried).toBe(true)
})

it.each<[title: string, people: ApprovalPerson[], triedAt?: number]>([
  [
    'has the last failed try of its testers',
    [tester({ triedAt: atDay(2.3) }), tester({ triedAt: atDay(2.2) })],
    atDay(2.3),
  ],
  ['has no try from before the email', [tester({ triedAt: atDay(2) })]],
  [
    'has no try of someone who connected the app since',
    [tester({ triedAt: atDay(2.2), state: 'connected' })],
  ],
])('an approved app %s', (_title, people, triedAt) => {
  expect(decide(approved, [...people, bob], 3).approval.triedAt).toBe(triedAt)
})
