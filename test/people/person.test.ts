// Checks and intents applied to a person's record, in any order: the newest counts.
import type { ListedApp } from '../../src/client-api/responses.ts'
import { expect, it } from 'vitest'
import { summarize } from '../../src/admin/person-summary.ts'
import {
  appsOf,
  isFinished,
  isReady,
  newPerson,
  withAction,
  withDetails,
  withFailure,
  withMilestone,
  withoutOptOut,
  withCheck,
  withIntents,
  withListing,
  withSignIn,
  type AppIntent,
  type Person,
} from '../../src/people/person.ts'
import { withAccessEvents } from '../../src/people/access-events.ts'
import { withEvents } from '../../src/people/outbox.ts'
import { withAppStates } from '../helpers/people.ts'

const AT = Date.parse('2026-11-02T09:00:00Z')
const MINUTE = 60_000
const ada = newPerson('ada@acme.example', AT)

const listed = (...instances: string[]): ListedApp[] =>
  instances.map((instance) => ({ instance, name: instance, status: 'awaiting' }))

/** @param now time of the record (default: that of the check) */
const afterCheck = (person: Person, list: ListedApp[], checkedAt = AT, now = checkedAt) =>
  withCheck(person, { checkedAt, unconnected: list }, now)
const statesOf = (person: Person) => appsOf(person).map(({ instance, state }) => `${instance} ${state}`)

const adaWithSlackAndJira = afterCheck(ada, listed('slack_1', 'jira_1'))

it('a response changes nothing if a newer one is known', () => {
  const newer = afterCheck(adaWithSlackAndJira, listed('jira_1'), AT + 2)
  expect(afterCheck(newer, listed('slack_1', 'jira_1'), AT + 1, AT + 3)).toBe(newer)
  expect(statesOf(afterCheck(newer, listed('slack_1'), AT + 2))).toContain('slack_1 unconnected')
})

const offSlack = { instance: 'slack_1', name: 'Slack', status: 'disabled' } as const

it('a person loses access when an app lapses, not when one is added', () => {
  const unconnected = afterCheck(ada, listed('slack_1'))
  const connected = afterCheck(unconnected, [], AT + 1)
  const lost = afterCheck(connected, listed('slack_1'), AT + 2)
  const reconnected = afterCheck(lost, [], AT + 3)
  const withNewApp = afterCheck(reconnected, listed('jira_1'), AT + 4)

  const progress = [lost, reconnected, withNewApp].map((person) => summarize(person).progress)
  expect(progress).toEqual(['fellBack', 'ready', 'notStarted'])
  const again = afterCheck(reconnected, listed('slack_1'), AT + 4)
  const switchedOn = afterCheck(afterCheck(again, [offSlack], AT + 5), listed('slack_1'), AT + 6)
  const lapses = [lost, again, switchedOn].map(({ lastCheck }) => lastCheck?.apps[0])
  expect(lapses).toMatchObject([{ lapsedAt: AT + 2 }, { lapsedAt: AT + 4 }, { lapsedAt: AT + 6 }])
})

const lists = (...instances: string[]) => ({ list: listed(...instances) })
/** After a consent, Slack is no longer listed. */
const connects = { list: [], isConnected: true }
/** Slack leaves many people’s lists. */
const manyLack = { list: [], delisted: new Set(['slack_1']) }
type Response = { list: ListedApp[]; isConnected?: boolean; delisted?: Set<string> }
const losesSlack = [lists('slack_1'), connects, lists('slack_1')]
// prettier-ignore
it.each<[string, Response[], string[]]>([
  ['was never lost', [lists('slack_1'), connects], []],
  ['is new after the first check', [lists(), lists('slack_1')], []],
  ['was lost', [...losesSlack, lists('slack_1')], ['lost 2']],
  ['was lost and is back', [...losesSlack, connects, lists()], ['lost 2', 'back 3']],
  ['was lost twice', [...losesSlack, connects, lists('slack_1')], ['lost 2', 'back 3', 'lost 4']],
  ['was lost again after it left the list', [...losesSlack, lists(), lists('slack_1')], ['lost 2', 'back 3', 'lost 4']],
  ['was turned off and on while it was lost', [...losesSlack, { list: [offSlack] }, lists('slack_1')], ['lost 2']],
  ['was lost and left the list', [...losesSlack, lists()], ['lost 2']],
  ['was lost, left many lists and returned', [...losesSlack, manyLack, { ...manyLack, ...lists('slack_1') }], ['lost 2']],
  ['was lost and moved', [...losesSlack, lists('slack_2')], ['lost 2']],
])('a record has each loss of an app that %s', (_title, responses, expected) => {
  const after = responses.reduce((before, { list, isConnected, delisted }, nth) => {
    const connected = isConnected
      ? [{ instance: 'slack_1', name: 'Slack', since: AT, consentStartedAt: AT + nth }]
      : []
    const response = { checkedAt: AT + nth, unconnected: list, connected, ...(delisted && { delisted }) }
    return withAccessEvents(before, withCheck(before, response, AT + nth))
  }, ada)
  expect((after.accessEvents ?? []).map(({ what, at }) => `${what} ${at - AT}`)).toEqual(expected)
})

it.each<[string, Response[]]>([
  ['known', [lists('slack_1')]],
  ['new', [lists(), lists('slack_1')]],
  ['lost', losesSlack],
  ['lost, and has moved', [...losesSlack, lists('slack_2')]],
])('an app that was %s is still that after many lists lacked it', (_title, responses) => {
  const before = responses.reduce((person, { list, isConnected }, nth) => {
    const connected = [{ instance: 'slack_1', name: 'Slack', since: AT, consentStartedAt: AT + nth }]
    return withCheck(
      person,
      { checkedAt: AT + nth, unconnected: list, ...(isConnected && { connected }) },
      AT,
    )
  }, ada)
  const list = before.lastCheck?.apps.filter(({ status }) => status !== 'connected') as ListedApp[]
  const during = afterCheck(before, [], AT + 8)
  const delisted = new Set(list.map(({ instance }) => instance))

  const after = withCheck(during, { checkedAt: AT + 9, unconnected: list, delisted }, AT + 9)

  expect(list).toHaveLength(1)
  expect(after.lastCheck?.apps).toContainEqual({ ...list[0], previousDelistedAt: AT + 8 })
})

it('a record keeps the last forty losses and returns of access', () => {
  let person = afterCheck(ada, listed('slack_1'))
  for (let nth = 1; nth < 50; nth++) {
    const unconnected = nth % 2 === 0 ? listed('slack_1') : []
    const connected = [{ instance: 'slack_1', name: 'Slack', since: AT, consentStartedAt: AT + nth }]
    const response = { checkedAt: AT + nth, unconnected, ...(nth % 2 === 1 && { connected }) }
    person = withAccessEvents(person, withCheck(person, response, AT + nth))
  }
  expect(person.accessEvents).toHaveLength(40)
  expect(person.accessEvents?.at(-1)).toEqual({ at: AT + 49, what: 'back', instance: 'slack_1' })
})

it('a response replaces one from a clock that is more than a minute ahead', () => {
  const ahead = (by: number) => afterCheck(adaWithSlackAndJira, [], AT + by)
  expect(statesOf(afterCheck(ahead(60_001), listed('slack_1'), AT))).toContain('slack_1 unconnected')
  expect(statesOf(afterCheck(ahead(60_000), listed('slack_1'), AT))).toContain('slack_1 connected')
})

it('a lost record gets its connected apps from a walk', () => {
  const remembered = [{ instance: 'slack_1', name: 'Slack', since: AT - MINUTE }]
  const after = withCheck(ada, { checkedAt: AT, unconnected: [], connected: remembered }, AT)
  expect(statesOf(after)).toEqual(['slack_1 connected'])
  expect(after.lastCheck?.apps[0]?.since).toBe(AT - MINUTE)
  const later = { checkedAt: AT + 1, unconnected: [], connected: [{ ...remembered[0]!, since: AT }] }
  expect(withCheck(after, later, AT + 1).lastCheck?.apps).toEqual(after.lastCheck?.apps)
})

it.each([
  ['delisted if the person never left for it', undefined, AT + 9],
  ['delisted if the person left for it just before it was listed', AT - 1, AT + 9],
  ['connected if the person left for it when it was listed', AT, undefined],
])('an app that leaves the list is %s', (_title, consentStartedAt, delistedAt) => {
  const added = afterCheck(afterCheck(ada, [], AT - 9), listed('slack_1'))
  const connected = [{ instance: 'slack_1', name: 'Slack', since: AT, consentStartedAt }]
  const after = withCheck(added, { checkedAt: AT + 9, unconnected: [], connected }, AT + 9)
  expect(after.lastCheck?.apps[0]?.delistedAt).toBe(delistedAt)
})

it('an app keeps its time until its status changes', () => {
  const since = (person: Person) => person.lastCheck?.apps.map((app) => app.since)
  const again = afterCheck(adaWithSlackAndJira, listed('slack_1'), AT + 5)
  expect(since(again)).toEqual([AT, AT + 5])
  expect(since(afterCheck(again, listed('slack_1'), AT + 9))).toEqual([AT, AT + 5])
})

it.each([
  ['arrives', {}, true, { listedAt: AT }],
  ['stays', { listedAt: 1 }, true, { listedAt: 1 }],
  ['leaves', { listedAt: 1 }, false, { listedAt: 1, leftAt: AT }],
  ['stays away', { listedAt: 1, leftAt: 2 }, false, { listedAt: 1, leftAt: 2 }],
  ['comes back', { listedAt: 1, leftAt: 2 }, true, { listedAt: AT }],
  ['was never on it', {}, false, {}],
])('the record has the times of listing of someone who %s', (_title, before, isListed, after) => {
  expect(withListing({ ...ada, ...before }, isListed, AT)).toEqual({ ...ada, ...after })
})

it('a response shows that the service knows the person again', () => {
  expect(afterCheck({ ...ada, unknownAt: AT }, [], AT + 1)).not.toHaveProperty('unknownAt')
})

const many = (count: number) => Array.from({ length: count }, (_, index) => `made_${index}`)

it('a response with invented names doesn’t fill the record, and connected apps are dropped first', () => {
  const flood = afterCheck(
    afterCheck(adaWithSlackAndJira, listed('slack_1'), AT + 1),
    listed('slack_1', ...many(3_000)),
    AT + 2,
  )
  const after = afterCheck(flood, listed('slack_1'), AT + 3)
  expect(after.lastCheck?.apps.length).toBeLessThanOrEqual(3_001)
  expect(afterCheck(after, listed('slack_1'), AT + 4).lastCheck?.apps).toHaveLength(2_000)
  expect(statesOf(after)).toContain('slack_1 unconnected')
})

const withIntent = (kind: AppIntent['kind'], person = afterCheck(ada, listed('slack_1'))) =>
  withIntents(person, AT, [{ instance: 'slack_1', kind }], AT)

// prettier-ignore
it.each<[string, Person, string, boolean]>([
  ['is unconnected while listed', afterCheck(ada, listed('slack_1')), 'unconnected', false],
  ['was set aside', withIntent('skipped'), 'skipped', false],
  ['is blocked while an admin is needed', withIntent('blocked'), 'blocked', false],
  ['is unconnected after a return without consent', withIntent('unconfirmed'), 'unconnected', true],
  ['is switched off, whatever the person chose', withIntent('skipped', afterCheck(ada, [offSlack])), 'off', false],
  ['is connected, whatever the person chose', afterCheck(withIntent('blocked'), [], AT + 1), 'connected', false],
])('the state of an app %s', (_title, person, state, isUnconfirmed) => {
  expect(appsOf(person)).toEqual([expect.objectContaining({ state, isUnconfirmed })])
})

it('an app shows the start of a wait, or that it needs an operator', () => {
  const appOf = (status: ListedApp['status'], kind: AppIntent['kind']) =>
    appsOf(
      withIntents(
        afterCheck(ada, [{ ...offSlack, status }]),
        AT,
        [{ instance: 'slack_1', kind, since: 5 }],
        AT,
      ),
    )[0]
  expect(appOf('awaiting', 'blocked')).toMatchObject({ blockedAt: 5 })
  expect(appOf('awaiting', 'skipped')).not.toHaveProperty('blockedAt')
  expect(appOf('attention', 'blocked')).toMatchObject({ isUnstartable: true })
  expect(appOf('disabled', 'blocked')).not.toHaveProperty('isUnstartable')
})

it('an app that is switched on again has the person’s intent again', () => {
  const again = afterCheck(afterCheck(withIntent('skipped'), [offSlack], AT + 1), listed('slack_1'), AT + 2)
  expect(statesOf(again)).toEqual(['slack_1 skipped'])
})

it.each<[title: string, delisted: string[], lapsedAt: number | undefined, expected: string]>([
  ['that the person lost again ends', [], AT + 2, 'slack_1 unconnected'],
  ['that many lists lost for a time stays', ['slack_1'], undefined, 'slack_1 skipped'],
])('a choice about an app %s', (_title, delisted, lapsedAt, expected) => {
  const chosen: AppIntent[] = [{ instance: 'slack_1', kind: 'skipped', since: AT }]
  const away = afterCheck(withIntents(adaWithSlackAndJira, AT, chosen, AT), [], AT + 1)
  const response = { checkedAt: AT + 2, unconnected: listed('slack_1'), delisted: new Set(delisted) }
  const back = withCheck(away, response, AT + 2)
  expect(back.lastCheck?.apps[0]?.lapsedAt).toBe(lapsedAt)
  expect(statesOf(back)).toContain(expected)
})

it.each<[title: string, app: object, expected: string]>([
  ['that was lost since ends', { lapsedAt: AT + 2 * MINUTE }, 'unconnected'],
  ['that moved since, while connected, ends', { movedFrom: 'chat_1', newAt: AT + 2 * MINUTE }, 'unconnected'],
  ['that is new since stays', { newAt: AT + 2 * MINUTE }, 'skipped'],
  ['that was lost a moment later stays, for clocks differ', { lapsedAt: AT + MINUTE }, 'skipped'],
])('a choice of a walk about an app %s', (_title, app, expected) => {
  const { lastCheck } = afterCheck(ada, listed('slack_1'), AT + 3 * MINUTE)
  const apps = lastCheck!.apps.map((one) => ({ ...one, ...app }))
  const chosen: AppIntent[] = [{ instance: 'slack_1', kind: 'skipped', since: AT }]
  const person = { ...ada, lastCheck: { ...lastCheck!, apps } }
  expect(statesOf(withIntents(person, AT + 4 * MINUTE, chosen, AT + 4 * MINUTE))).toEqual([
    `slack_1 ${expected}`,
  ])
})

it('a choice about a lost app stays while the app is switched off', () => {
  const lost = afterCheck(afterCheck(adaWithSlackAndJira, [], AT + 1), listed('slack_1'), AT + 2)
  const chosen: AppIntent[] = [{ instance: 'slack_1', kind: 'skipped', since: AT + 3 }]
  const disabled = afterCheck(withIntents(lost, AT + 3, chosen, AT + 3), [offSlack], AT + 4)
  const on = afterCheck(disabled, listed('slack_1'), AT + 5 * MINUTE)
  expect(statesOf(withIntents(on, AT + 5 * MINUTE, chosen, AT + 5 * MINUTE))).toContain('slack_1 skipped')
})

it('the intents of the newest page stay after a later check of a run', () => {
  const later = afterCheck(withIntent('skipped'), listed('slack_1'), AT + MINUTE)
  const blocked: AppIntent[] = [{ instance: 'slack_1', kind: 'blocked' }]
  expect(statesOf(withIntents(later, AT + 1, blocked, AT + MINUTE))).toEqual(['slack_1 blocked'])
  expect(withIntents(later, AT - 1, blocked, AT + MINUTE)).toBe(later)
})

// prettier-ignore
it.each<[title: string, 'neither ready nor finished' | 'ready' | 'finished', Person]>([
  ['before the first check', 'neither ready nor finished', ada],
  ['without an app to connect', 'ready', afterCheck(ada, [])],
  ['whose only app is switched off', 'ready', withAppStates(ada, { a_1: 'off' }, AT)],
  ['who has connected all other apps', 'finished', withAppStates(ada, { a_1: 'connected', b_1: 'off' }, AT)],
  ['with an unconnected app', 'neither ready nor finished', withAppStates(ada, { a_1: 'connected', b_1: 'skipped' }, AT)],
])('a person %s is %s', (_title, expected, person) => {
  expect(isReady(person)).toBe(expected !== 'neither ready nor finished')
  expect(isFinished(person)).toBe(expected === 'finished')
})

it('a person stays finished since the first time, also after a lapse', () => {
  const done = afterCheck(afterCheck(ada, listed('slack_1')), [], AT + 1)
  const lost = afterCheck(done, listed('slack_1'), AT + 2)
  expect(isFinished(lost)).toBe(false)
  expect(lost.finishedAt).toEqual(AT + 1)
  expect(afterCheck(lost, [], AT + 3).finishedAt).toBe(AT + 1)
})

it('a person whose only app left many lists has finished only after a consent', () => {
  const gone = (consentStartedAt?: number) => {
    const connected = [{ instance: 'jira_1', name: 'jira_1', since: AT, consentStartedAt }]
    const delisted = new Set(['jira_1'])
    const check = { checkedAt: AT + 2, unconnected: [], connected, delisted }
    return withCheck(afterCheck(ada, listed('jira_1')), check, AT + 2).finishedAt
  }
  expect([gone(), gone(AT + 1)]).toEqual([undefined, AT + 2])
})

it('a milestone keeps its first time, and ten sign-ins with one address are kept', () => {
  expect(withMilestone(withMilestone(ada, 'openedAt', AT), 'openedAt', AT + 1).openedAt).toBe(AT)
  let person = ada
  for (let number = 0; number < 12; number++) person = withSignIn(person, `p${number}`)
  expect(person.signIns).toEqual(Array.from({ length: 10 }, (_, index) => `p${index + 2}`))
  expect(withSignIn(person, 'p5')).toBe(person)
})

it('the newest twenty actions are kept', () => {
  let person = ada
  for (let at = 1; at <= 25; at++) person = withAction(person, { at, what: 'renamed', by: 'root' })
  expect(person.actions?.map(({ at }) => at)).toEqual(Array.from({ length: 20 }, (_, nth) => nth + 6))
})

it('details of the list and an opt-out change only what is different', () => {
  const named = { ...ada, name: 'Ada', optedOutAt: AT }
  expect(withDetails(named, { name: 'Ada' })).toBe(named)
  expect(withDetails(named, { name: 'Ada', group: 'Law' })).toEqual({ ...named, group: 'Law' })
  expect(withoutOptOut(ada)).toBe(ada)
  expect(withoutOptOut(named)).toEqual({ ...ada, name: 'Ada' })
})

const types = (before: Person, after: Person) =>
  (withEvents(before, after, AT).person.outbox ?? []).map(({ type, app }) =>
    [type, app?.instance].join(' ').trim(),
  )
const signedInAda = withMilestone(ada, 'signedInAt', AT)
const twoApps = listed('slack_1', 'jira_1')
const checked = afterCheck(signedInAda, twoApps)

const connectedBox = withAppStates(signedInAda, { box_1: 'connected' }, AT)

// prettier-ignore
it.each<[string, string[], Person, Person]>([
  ['someone’s first page lists apps', ['person.signed_in'], ada, checked],
  ['an app is new', ['app.added x_1'], checked, afterCheck(checked, [...twoApps, ...listed('x_1')], AT + 1)],
  ['a first check lists apps', [], signedInAda, checked],
  ['an app was connected', ['app.connected slack_1'], checked, afterCheck(checked, listed('jira_1'), AT + 1)],
  ['the last apps were connected', ['app.connected slack_1', 'app.connected jira_1', 'person.finished'], checked, afterCheck(checked, [], AT + 1)],
  ['an app needs an admin', ['app.waiting_for_admin slack_1'], checked, withIntent('blocked', checked)],
  ['a connected app is disabled', [], connectedBox, withAppStates(signedInAda, { box_1: 'off' }, AT + 1)],
  ['only the invitation was opened', [], checked, { ...checked, openedAt: AT }],
  ['a lost record is restored with its connected apps', [], signedInAda, connectedBox],
])('when %s, the events are %j', (_title, events, before, after) => {
  expect(types(before, after)).toEqual(events)
})

it('each event has an id, and the oldest are dropped if there are too many', () => {
  let person = checked
  let dropped = 0
  for (let turn = 0; turn < 50; turn++) {
    const done = afterCheck(person, turn % 2 === 0 ? [] : listed('slack_1', 'jira_1'), AT + turn + 1)
    const made = withEvents(person, done, AT + turn)
    person = made.person
    dropped += made.dropped
  }
  expect(person.outbox).toHaveLength(50)
  expect(new Set(person.outbox?.map(({ id }) => id)).size).toBe(50)
  expect(dropped).toBe(125 - 50)
  expect(person.outbox?.at(-1)).toMatchObject({ type: 'app.disconnected', tries: 0 })
})

it('each unconfirmed consent is one failure, at the time of the last check for it', () => {
  const unconfirmed = (since: number) => [{ instance: 'slack_1', kind: 'unconfirmed', since }] as const
  const visits = [unconfirmed(5), unconfirmed(5), [], unconfirmed(9), unconfirmed(9)]
  const person = visits.reduce(
    (all, apps, at) => withIntents(all, 10 + at, [...apps], 10 + at),
    newPerson('ada@acme.example', 0),
  )
  const failure = { instance: 'slack_1', code: 'unconfirmed' }
  expect(person.failures).toEqual([
    { ...failure, at: 5 },
    { ...failure, at: 9 },
  ])
})

it.each([
  ['isn’t counted again within an hour', { at: 3_599_999, code: 'a' }, 1],
  ['is counted again after an hour', { at: 3_600_000, code: 'a' }, 2],
  ['is counted with another code', { at: 1, code: 'b' }, 2],
  ['is counted for an app', { at: 1, code: 'a', instance: 'slack_1' }, 2],
])('a failure of a page %s', (_title, next, count) => {
  const first = withFailure(newPerson('ada@acme.example', 0), { at: 0, code: 'a' })
  expect(withFailure(first, next).failures).toHaveLength(count)
})
