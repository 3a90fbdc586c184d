// When the owner of an app is asked, who tries it first, and who is told afterwards.
import { describe, expect, it } from 'vitest'
import { APPROVALS, decideApproval, isApprovalEmailDue } from '../../src/campaigns/approvals.ts'
import { withEmail } from '../../src/campaigns/campaign.ts'
import { newPerson } from '../../src/people/person.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** A Monday. */
const monday = Date.parse('2027-01-18T10:00:00Z')
const at = (days: number) => monday + days * DAY
const place = { timezone: 'UTC' }

type Before = Parameters<typeof decideApproval>[0]
type Waiter = Parameters<typeof decideApproval>[1][number]

const before = (change: Partial<Before> = {}): Before => ({
  instance: 'slack_1',
  name: 'Slack',
  stage: 'waiting',
  stageAt: 0,
  waiting: 0,
  since: 0,
  owners: [],
  requestedAt: 0,
  requestedFor: 0,
  approvedAt: 0,
  ...change,
})
const waiter = (days: number, change: Partial<Waiter> = {}): Waiter => ({
  state: 'blocked',
  isUnconfirmed: false,
  blockedAt: at(days),
  notifiedAt: 0,
  connectedAt: 0,
  isReachable: true,
  ...change,
})
const ada = waiter(0)
const bob = waiter(0.1)
const eve = waiter(0.2)
const approved = before({
  stage: 'approved',
  stageAt: at(2),
  approvedAt: at(2),
  requestedAt: at(1),
  requestedFor: 3,
})
const decide = (known: Before, people: Waiter[], days: number, answeredAt?: number) => {
  const answer = answeredAt === undefined ? undefined : { at: at(answeredAt), by: 'grace' }
  return decideApproval(known, people, answer, { now: at(days), place })
}

describe('the owner', () => {
  it.each([
    ['not for two people on the day on which they begin to wait', before(), [ada, bob], 0.2, false],
    ['for the third one', before(), [ada, bob, eve], 0.2, true],
    ['for one who has waited a working day', before(), [ada], 1, true],
    ['not for one who has waited a weekend', before(), [waiter(4)], 6, false],
    ['not again in a week', before({ requestedAt: at(1), requestedFor: 1 }), [ada, bob], 7, false],
    [
      'again after a week of working days, if more wait',
      before({ requestedAt: at(1), requestedFor: 1 }),
      [ada, bob],
      8,
      true,
    ],
    ['not again if no more wait', before({ requestedAt: at(1), requestedFor: 2 }), [ada, bob], 8, false],
    ['not while the approval is tried', approved, [ada, bob, eve], 9, false],
    [
      'not for those who are about to hear of it',
      before({ stage: 'confirmed', stageAt: at(1) }),
      [ada, bob, eve],
      2,
      false,
    ],
    [
      'if others wait after it had worked',
      before({ stage: 'confirmed', stageAt: at(1) }),
      [waiter(1.1)],
      2,
      true,
    ],
  ] as const)('is asked: %s', (_why, known, people, days, ask) => {
    expect(decide(known, [...people], days)?.isRequestDue).toBe(ask)
  })

  it.each([
    ['an answer counts', before(), 1, 'approved'],
    ['one from before anyone waited doesn’t', before(), -1, 'waiting'],
    ['one from before it failed doesn’t', before({ stage: 'failed', stageAt: at(1.5) }), 1, 'failed'],
    ['one after it failed does', before({ stage: 'failed', stageAt: at(1.5) }), 1.6, 'approved'],
  ] as const)('answers: %s', (_why, known, answeredAt, stage) => {
    expect(decide(known, [ada], 2, answeredAt)?.approval.stage).toBe(stage)
  })
})

const tried = (change: Partial<Waiter> = {}) => waiter(0, { notifiedAt: at(2.1), ...change })

it.each([
  ['the one who waited first', approved, [bob, ada, eve], 2.1, ada, 'approved'],
  [
    'the next one, if the first can’t be emailed',
    approved,
    [{ ...ada, isReachable: false }, bob],
    2.1,
    bob,
    'approved',
  ],
  ['no one while the first has two working days', approved, [tried(), bob, eve], 4, undefined, 'approved'],
  ['the second one after three', approved, [tried(), bob, eve], 7, bob, 'approved'],
  ['no one while they try', approved, [tried({ state: 'waiting' }), bob], 2.5, undefined, 'approved'],
  ['no one more once it works', approved, [tried({ state: 'connected' }), bob], 2.5, undefined, 'confirmed'],
  [
    'no one more once it works for someone else',
    approved,
    [tried(), waiter(0, { state: 'connected', connectedAt: at(2) }), bob],
    2.5,
    undefined,
    'confirmed',
  ],
  [
    'the first one, though someone had connected it before the approval',
    approved,
    [waiter(0, { state: 'connected', connectedAt: at(2) - 1 }), bob],
    2.5,
    bob,
    'approved',
  ],
  [
    'no one if they need an admin again',
    approved,
    [tried({ blockedAt: at(2.2) }), bob],
    2.5,
    undefined,
    'failed',
  ],
  [
    'no one if it wasn’t confirmed',
    approved,
    [tried({ state: 'waiting', isUnconfirmed: true }), bob],
    2.5,
    undefined,
    'failed',
  ],
] as const)('one person tries it: %s', (_who, known, people, days, next, stage) => {
  const { approval } = decide(known, [...people], days)!
  expect([approval.trySince, approval.stage]).toEqual([next?.blockedAt, stage])
  const emailed = people.filter(({ state, notifiedAt }) => state === 'blocked' && notifiedAt > 0)
  expect(approval.testers).toEqual([...emailed, ...(next ? [next] : [])].map(({ blockedAt }) => blockedAt))
})

it.each([
  ['who is to try it', { stage: 'approved', trySince: at(0) }, {}, true],
  ['but not another one', { stage: 'approved', trySince: at(0.1) }, {}, false],
  ['nor while no one is', { stage: 'failed' }, {}, false],
  ['who waited when it worked', { stage: 'confirmed', stageAt: at(3) }, {}, true],
  ['but not one who asked later', { stage: 'confirmed', stageAt: at(-1) }, {}, false],
  ['nor one who was told', { stage: 'confirmed', stageAt: at(3) }, { now: at(2.1) }, false],
  ['but one who was told before it failed', { stage: 'confirmed', stageAt: at(3) }, { now: at(1) }, true],
  [
    'one who failed before it worked, once more',
    { stage: 'confirmed', stageAt: at(3) },
    { now: at(2.1), again: at(2.2) },
    true,
  ],
  ['but not if told since', { stage: 'confirmed', stageAt: at(3) }, { now: at(3.1), again: at(2.2) }, false],
  [
    'one whose try was never confirmed',
    { stage: 'confirmed', stageAt: at(3) },
    { now: at(2.1), isUnconfirmed: true },
    true,
  ],
  ['but not who wasn’t asked to try', { stage: 'confirmed', stageAt: at(3) }, { isUnconfirmed: true }, false],
  ['nor twice', { stage: 'confirmed', stageAt: at(3) }, { now: at(3.1), isUnconfirmed: true }, false],
  ['nor before it works', { stage: 'approved', trySince: at(0) }, { now: at(1), isUnconfirmed: true }, false],
  [
    'nor while emails about the app are paused',
    { stage: 'confirmed', stageAt: at(3) },
    { isPaused: true },
    false,
  ],
] as const)(
  'a person is emailed: %s',
  (
    _who,
    change,
    {
      now,
      isPaused,
      again = at(0),
      isUnconfirmed = false,
    }: { now?: number; isPaused?: boolean; again?: number; isUnconfirmed?: boolean },
    isNotified,
  ) => {
    const app = {
      instance: 'slack_1',
      name: 'Slack',
      isUnconfirmed,
      ...(isUnconfirmed
        ? ({ state: 'waiting' } as const)
        : ({ state: 'blocked', blockedAt: again } as const)),
    }
    const person = newPerson('ada@acme.example', at(0))
    const email = { campaign: APPROVALS, reminder: 0, state: 'sent', apps: ['slack_1'] } as const
    const known = now === undefined ? person : withEmail(person, { ...email, now })
    const lost = { instance: 'slack_1', name: 'Slack', noticedAt: 0, since: 0, lapsed: 9, had: 9 }
    const state = {
      massDisconnects: isPaused ? [lost] : [],
      zones: {},
      days: [],
      approvals: [{ ...approved, ...change }],
    }
    expect(isApprovalEmailDue(app, known, state)).toBe(isNotified)
  },
)

it('an approval that failed is said to the owner, once', () => {
  const failed = decide(approved, [tried({ blockedAt: at(2.2) }), bob], 2.5)
  expect(failed).toMatchObject({ isRequestDue: true, approval: { stage: 'failed', waiting: 2 } })
  expect(
    decide(
      { ...failed!.approval, requestedAt: at(2.6), requestedFor: 2 },
      [tried({ blockedAt: at(2.2) }), bob],
      3,
    )?.isRequestDue,
  ).toBe(false)
})

it('an app is forgotten once no one waits, and not while the approval is tried', () => {
  expect(decide(before(), [], 1)).toBeUndefined()
  expect(decide(approved, [], 3)).toMatchObject({ isRequestDue: false })
})

it('a confirmed approval is kept while someone who failed before has to be told', () => {
  const confirmed = before({ stage: 'confirmed', stageAt: at(3), approvedAt: at(2), requestedAt: at(3.1) })
  const one = (days: number) => tried({ state: 'waiting', isUnconfirmed: true, notifiedAt: at(days) })
  expect(decide(confirmed, [one(2.1)], 4)?.approval.stage).toBe('confirmed')
  expect(decide(confirmed, [one(3.1)], 4)).toBeUndefined()
})
