// What the overview shows while a consent is being confirmed: it holds no one up.
import { describe, expect, it } from 'vitest'
import { comeBack } from '../../src/onboarding/walk.ts'
import { CONFIRM, NOW, drive, github, returned, see, seen, slack } from './seen.ts'

describe('an app that is being confirmed', () => {
  it('waits, looks again by itself, and can be told to stop where the person is', () => {
    const walk = { ...returned([slack, github]), visit: { only: ['slack', 'github'], returnTo: '/search' } }
    const overview = see(walk, { from: 'slack_1' })
    expect(overview.refresh).toEqual({ seconds: 3, url: '/onboarding/callback?step=step-1' })
    expect(overview.checking).toMatchObject({
      title: 'Checking Slack…',
      denied: { href: '/onboarding/connect/slack_1', label: 'Canceled? Try Slack again' },
      control: {
        lookAgain: '/onboarding/callback?step=step-1',
        stop: '/onboarding?datasource=slack&datasource=github&return_to=%2Fsearch&still=yes',
      },
      focus: true,
    })
  })

  it('makes the next app the main action while one is being confirmed', () => {
    const { step, entries, title } = see(returned([slack, github, drive]), { from: 'slack_1' })
    expect(step).toMatchObject({
      kind: 'connect',
      main: { href: '/onboarding/connect/github_1', label: 'Continue to GitHub' },
      focus: false,
    })
    expect(title).toBe('Checking Slack… - 0 of 3 connected')
    expect(entries.map(({ status }) => status)).toEqual(['Checking…', 'Next'])
    expect(entries[0]?.connect).toMatchObject({ label: 'Try again', forApp: 'Slack' })
  })

  it('tells its script when to look, when to ask, and when the time to confirm is over', () => {
    const once = returned([slack, github])
    const watch = { go: '/onboarding/callback?step=step-1', seen: '0 2 0', left: CONFIRM }
    expect(see(once).watch).toEqual({ ...watch, looksFirst: true, pauses: '3 10 20 30' })
    const twice = comeBack(once, 'step-1', NOW + 3_000).walk
    const later = see(twice, { now: NOW + 3_000 }).watch
    expect(later).toEqual({ ...watch, looksFirst: false, pauses: '10 20 30 30', left: CONFIRM - 3 })
    expect(see(twice, { now: NOW + CONFIRM * 2_000 }).watch?.left).toBe(0)
    expect(see(seen([slack])).watch).toBeUndefined()
  })

  it('takes the focus to what is waited for once, and leaves it alone at every further look', () => {
    const once = returned([slack, github])
    expect(see(once, { from: 'slack_1' }).checking?.focus).toBe(true)
    expect(see(once).checking?.focus).toBe(false)
    const twice = comeBack(once, 'step-1', NOW + 2_000).walk
    expect(see(twice, { from: 'slack_1' })).toMatchObject({ checking: { focus: false }, banner: undefined })
    const alone = comeBack(returned([slack]), 'step-1', NOW + 2_000).walk
    expect(see(alone, { from: 'slack_1' })).toMatchObject({ step: { focus: false }, banner: undefined })
  })
})
