// What the report learns of a walk: how each app is doing and since when, told when that changes and not at every page.
import { describe, expect, it } from 'vitest'
import type { Source } from '../../src/arrivals/arrival.ts'
import { comeBack, depart } from '../../src/onboarding/attempts.ts'
import { block, skip, unskip } from '../../src/onboarding/set-aside.ts'
import { observe, startWalk, type Waiting, type Walk } from '../../src/onboarding/walk.ts'
import { sourcesOf, watchWalks } from '../../src/onboarding/watched-walks.ts'
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

/** Walks of one person that are kept in a variable. */
function watched(kept: Walk) {
  const told: (readonly Source[])[] = []
  const walks: Walks = {
    load: async () => kept,
    update: async (_user, change, from = kept) => (kept = change(from)),
  }
  const onChanged = async (user: typeof ada, sources: readonly Source[]) => {
    expect(user).toBe(ada)
    told.push(sources)
  }
  return { told, walks: watchWalks(walks, onChanged, () => LATER) }
}

describe('the report is told of a change', () => {
  const disabled = seen([{ ...slack, status: 'disabled' }])
  const early = startWalk(NOW)
  const leave = (walk: Walk) => depart(walk, { instance: 'slack_1', step: 'step', now: LATER })

  it.each<[string, boolean, Walk, (walk: Walk) => Walk]>([
    ['of the first apps', true, early, (walk) => seen([slack], walk)],
    ['of a person who has nothing to connect', true, early, (walk) => walk],
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
    const { walks, told } = watched(before)
    const after = await walks.update(ada, change)
    expect(after).toEqual(change(before))
    expect(told).toEqual(isTold ? [sourcesOf(after, LATER)] : [])
    expect(await walks.load(ada)).toBe(after)
  })

  it('by what the walk was when it was changed, not when it was loaded', async () => {
    const { walks, told } = watched(seen([slack]))
    await walks.update(ada, (walk) => skip(walk, 'slack_1', LATER), seen([slack]))
    await walks.update(ada, (walk) => ({ ...walk, visit: { only: ['slack'] } }))
    expect(told.map(([source]) => source?.state)).toEqual(['skipped'])
  })

  it('where it is not known what the walk was before, too', async () => {
    const loaded = seen([slack])
    const told: (readonly Source[])[] = []
    const elsewhere = skip(loaded, 'slack_1', LATER)
    const walks = { load: async () => loaded, update: async () => elsewhere }
    const onChanged = async (_user: object, sources: readonly Source[]) => void told.push(sources)
    await watchWalks(walks, onChanged, () => LATER).update(ada, (walk) => walk)
    expect(told).toEqual([sourcesOf(elsewhere, LATER)])
  })
})
