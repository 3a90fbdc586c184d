// What the report learns of a walk: how each app is doing and since when, told when that changes and not at every page.
import { describe, expect, it } from 'vitest'
import type { Source } from '../../src/people/person.ts'
import type { Told } from '../../src/people/follow.ts'
import {
  type Waiting,
  type Walk,
  block,
  comeBack,
  depart,
  observe,
  skip,
  startWalk,
  unskip,
} from '../../src/onboarding/walk.ts'
import { sourcesOf, watchWalks, type OnWalkChanged } from '../../src/onboarding/watched-walks.ts'
import type { Walks } from '../../src/onboarding/walks.ts'
import { CONFIRM, NOW, returned, seen, slack, waits } from './seen.ts'

const LATER = NOW + 60_000
const switchedOff: Waiting[] = [{ ...slack, status: 'disabled' }]
const unconfirmed = (walk: Walk) => observe(walk, [slack], NOW + CONFIRM * 1000, CONFIRM)

describe('an app in the report', () => {
  it.each<[string, Walk, Partial<Source>]>([
    ['waits since it was first seen', seen([slack]), { state: 'waiting', at: NOW }],
    ['is connected since then', seen([], seen([slack]), LATER), { state: 'connected', at: LATER }],
    ['is skipped since then', skip(seen([slack]), 'slack_1', LATER), { state: 'skipped', at: LATER }],
    [
      'waits for an admin since then',
      block(seen([slack]), 'slack_1', LATER),
      { state: 'blocked', at: LATER },
    ],
    ['waits while a consent is being confirmed', returned([slack]), { state: 'waiting', at: NOW }],
    [
      'waits since it was first seen, with the mark that a consent never showed',
      unconfirmed(returned([slack])),
      { state: 'waiting', at: NOW, unconfirmed: true },
    ],
    ['is switched off since it was first seen', seen(switchedOff), { state: 'off', at: NOW }],
    [
      'keeps “not now” while it is switched off',
      seen(switchedOff, skip(seen([slack]), 'slack_1', LATER), LATER),
      { state: 'off', at: NOW, word: { state: 'skipped', at: LATER } },
    ],
    [
      'keeps that an admin is needed while it is switched off',
      seen(switchedOff, block(seen([slack]), 'slack_1', LATER), LATER),
      { state: 'off', at: NOW, word: { state: 'blocked', at: LATER } },
    ],
  ])('%s', (_title, walk, source) => {
    expect(sourcesOf(walk, LATER)).toStrictEqual([{ instance: 'slack_1', name: 'Slack', ...source }])
  })

  it('has no word of the person where they said nothing before it was switched off', () => {
    const off = seen(switchedOff, unconfirmed(returned([slack])), LATER)
    expect(sourcesOf(off, LATER)).toStrictEqual([
      { instance: 'slack_1', name: 'Slack', state: 'off', at: NOW },
    ])
  })
})

const ada = { issuer: 'https://as.example', subject: 'ada' }

/** Walks of one person that are kept in a variable, in any number of processes. */
function kept(first: Walk) {
  let walk = first
  const walks: Walks = {
    load: async () => walk,
    update: async (_user, change, { from = walk } = {}) => (walk = change(from)),
  }
  return walks
}

/** A process. @param answers whether what it tells is counted; at the end, it always is */
function watched(on: Walk | Walks, ...answers: boolean[]) {
  const told: Told[] = []
  const onChanged: OnWalkChanged = async (user, one) => {
    expect(user).toBe(ada)
    told.push(one)
    return answers.shift() ?? true
  }
  let clock = LATER
  const walks = watchWalks('load' in on ? on : kept(on), onChanged, () => clock)
  const look = () => walks.update(ada, (walk) => walk, { isAsked: true })
  return { told, walks, look, pass: (milliseconds: number) => void (clock += milliseconds) }
}

describe('the report is told of a change', () => {
  const disabled = seen([{ ...slack, status: 'disabled' }])
  const early = seen([])
  const leave = (walk: Walk) => depart(walk, { instance: 'slack_1', step: 'step', now: LATER })

  it.each<[string, boolean, Walk, (walk: Walk) => Walk]>([
    ['of the first apps', true, early, (walk) => seen([slack], walk)],
    ['to an app that is connected', true, seen([slack]), (walk) => seen([], walk)],
    ['to “not now”', true, seen([slack]), (walk) => skip(walk, 'slack_1', LATER)],
    ['to “not now” taken back', true, skip(seen([slack]), 'slack_1', NOW), (walk) => unskip(walk, 'slack_1')],
    [
      'to a return from an app that was left to an admin meanwhile',
      true,
      block(leave(seen([slack])), 'slack_1', LATER),
      (walk) => comeBack(walk, 'step', LATER).walk,
    ],
    ['by a further app', true, seen([slack]), (walk) => seen([slack, waits('jira_1')], walk)],
    ['to another app in its place', true, seen([slack]), () => seen([waits('jira_1')])],
    ['to “not now” where it is switched off', true, disabled, (walk) => skip(walk, 'slack_1', LATER)],
    ['to a consent that never shows', true, returned([slack]), unconfirmed],
    ['but not where nothing changed', false, seen([slack]), (walk) => walk],
    ['but not by the same again', false, seen([slack]), (walk) => ({ ...walk, known: [...walk.known] })],
    ['but not by leaving for an app', false, seen([slack]), leave],
    ['but not by coming back', false, leave(seen([slack])), (walk) => comeBack(walk, 'step', LATER).walk],
    ['but not by a new name', false, seen([slack]), (walk) => seen([{ ...slack, name: 'Chat' }], walk)],
    ['but not by the visit', false, seen([slack]), (walk) => ({ ...walk, visit: { only: ['slack'] } })],
  ])('%s', async (_title, isTold, before, change) => {
    const { walks, told, look } = watched(before)
    await look()
    const { revisedAt, ...after } = await walks.update(ada, change)
    expect(after).toEqual(change(before))
    const sources = sourcesOf(after, LATER)
    expect(told.slice(1)).toEqual(
      isTold ? [{ sources, at: LATER, startedAt: NOW, revisedAt: LATER, isAsked: false }] : [],
    )
    expect(told[0]).toEqual({
      sources: sourcesOf(before, LATER),
      at: LATER,
      startedAt: NOW,
      revisedAt: 0,
      isAsked: true,
    })
    expect(revisedAt).toBe(isTold ? LATER : undefined)
    expect(await walks.load(ada)).toEqual({ ...after, revisedAt })
  })

  it('when the service was asked first, and not before', async () => {
    const { walks, told, look } = watched(startWalk(NOW))
    await look()
    await walks.update(ada, (walk) => skip(walk, 'slack_1', LATER))
    expect(told).toEqual([])
    const { revisedAt } = await walks.update(ada, (walk) => seen([], walk), { isAsked: true })
    expect(told).toEqual([{ sources: [], at: LATER, startedAt: NOW, revisedAt: LATER, isAsked: true }])
    expect(revisedAt).toBe(LATER)
  })

  it('by what the walk was when it was changed, not when it was loaded', async () => {
    const { walks, told } = watched(seen([slack]))
    await walks.update(ada, (walk) => skip(walk, 'slack_1', LATER), { from: seen([slack]) })
    await walks.update(ada, (walk) => ({ ...walk, visit: { only: ['slack'] } }))
    expect(told.map(({ sources }) => sources[0]?.state)).toEqual(['skipped'])
  })
})

describe('the report is told of a walk as it is', () => {
  it.each<[string, Walk]>([
    ['with apps', seen([slack])],
    ['of a person who has nothing to connect', seen([])],
  ])('once in a minute, because someone else may say otherwise there: %s', async (_title, walk) => {
    const { told, look, pass } = watched(walk)
    pass(-(LATER % 60_000))
    for (let times = 0; times < 3; times++) {
      await look()
      pass(19_999)
    }
    expect(told.map(({ sources }) => sources)).toEqual([sourcesOf(walk, LATER)])
    pass(3)
    for (let times = 0; times < 3; times++) await look()
    expect(told).toHaveLength(2)
  })

  it('at each page where it could not be counted, until it is', async () => {
    const { walks, told, look } = watched(seen([slack]), true, false, false)
    await look()
    await walks.update(ada, (walk) => skip(walk, 'slack_1', LATER))
    for (let times = 0; times < 4; times++) await look()
    const states = told.map(({ sources, revisedAt }) => [sources[0]?.state, revisedAt])
    expect(states).toEqual([
      ['waiting', 0],
      ['skipped', LATER],
      ['skipped', LATER],
      ['skipped', LATER],
    ])
  })

  it('at the page after something the person said, which is told without the service’s answer', async () => {
    const { walks, told, look } = watched(seen([slack]))
    await look()
    await walks.update(ada, (walk) => skip(walk, 'slack_1', LATER))
    for (let times = 0; times < 2; times++) await look()
    expect(told.map(({ isAsked }) => isAsked)).toEqual([true, false, true])
  })

  it('at the next page after a change whose answer was lost, as nobody told of it', async () => {
    const store = kept(seen([slack]))
    let isLost = false
    const { walks, told, look } = watched({
      ...store,
      async update(...change) {
        const after = await store.update(...change)
        if (isLost) throw new Error('connection lost')
        return after
      },
    })
    await look()
    isLost = true
    await expect(walks.update(ada, (walk) => skip(walk, 'slack_1', LATER))).rejects.toThrow('lost')
    isLost = false
    for (let times = 0; times < 2; times++) await look()
    expect(told.map(({ sources }) => sources[0]?.state)).toEqual(['waiting', 'skipped'])
  })

  it('in another process, at its next page, as the one that changed it may have died before', async () => {
    const store = kept(seen([slack]))
    const [alive, dies] = [watched(store), watched(store)]
    await alive.look()
    await dies.walks.update(ada, (walk) => skip(walk, 'slack_1', LATER))
    for (let times = 0; times < 2; times++) await alive.look()
    expect(alive.told.map(({ sources }) => sources[0]?.state)).toEqual(['waiting', 'skipped'])
    expect(alive.told[1]?.revisedAt).toBe(dies.told[0]?.revisedAt)
  })

  it('by the process that changed it at once, each change later than the one before on any clock', async () => {
    const { walks, told, pass } = watched(seen([slack]))
    await walks.update(ada, (walk) => skip(walk, 'slack_1', LATER))
    pass(-5_000)
    await walks.update(ada, (walk) => unskip(walk, 'slack_1'))
    pass(6_000)
    await walks.update(ada, (walk) => skip(walk, 'slack_1', LATER))
    expect(told.map(({ revisedAt }) => revisedAt)).toEqual([LATER, LATER + 1, LATER + 1_000])
  })
})
