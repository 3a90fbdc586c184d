// Two apps with one name: what the card says so that each is connected to an account of its own.
import { describe, expect, it } from 'vitest'
import { skip } from '../../src/onboarding/set-aside.ts'
import type { Waiting } from '../../src/onboarding/walk.ts'
import { t } from '../helpers/texts.ts'
import { CONFIRM, github, NOW, returned, see, seen, slack, waits } from './seen.ts'

const second = waits('slack_2', 'Slack')
const saidFirst = (walk: ReturnType<typeof seen>) => see(walk).step?.paragraphs[0]

describe('the card of an app that shares its name', () => {
  it('says that there are several to connect', () => {
    expect(saidFirst(seen([slack, second, github]))).toBe(
      'Slack is on your list twice: connect one account or workspace here, and the other next.',
    )
    expect(saidFirst(seen([slack, second, waits('slack_3', 'Slack')]))).toBe(
      'Slack is on your list 3 times: connect one account or workspace here, and the others next.',
    )
  })

  it('says which account is taken, once one is connected or being checked', () => {
    const taken = 'Choose a different account or workspace here than for Slack\u00a0(1).'
    expect(saidFirst(seen([second], seen([slack, second])))).toBe(taken)
    expect(saidFirst(returned([slack, second]))).toBe(taken)
    // The person's own account would be the same again.
    const person = 'ada@acme.example'
    expect(see(returned([slack, second]), { person }).account).toBe('')
    expect(see(seen([slack, second]), { person }).account).toContain(person)
    expect(see(returned([slack, github]), { person }).account).toContain(person)
  })

  it('says nothing of it where no other one is left to connect', () => {
    const others = 'You’ll go to'
    expect(saidFirst(skip(seen([slack, second]), 'slack_2', NOW))).toContain(others)
    expect(saidFirst(seen([slack, github]))).toContain(others)
    const walk = seen([slack, second])
    expect(saidFirst({ ...walk, visit: { ...walk.visit, only: ['slack_2'] } })).toContain(others)
  })

  it('says nothing of it where its own account is connected once more', () => {
    expect(saidFirst(seen([waits('slack_1', 'Slack', 'stale'), second]))).toContain('has expired')
  })
})

it('that isn’t connected yet may be another one’s account, where names are alike', () => {
  const causesOf = (...apps: Waiting[]) => {
    const now = NOW + (CONFIRM + 1) * 1_000
    const { step } = see(seen(apps, returned(apps), now), { now, from: 'slack_1' })
    expect(step?.kind).toBe('attend')
    return step?.causes
  }
  const cause = t('attend.causeAlike', { app: 'Slack' })
  expect(causesOf(slack, second)?.[1]).toBe(cause)
  expect(causesOf(slack, github)).not.toContain(cause)
})
