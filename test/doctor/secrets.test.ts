// Which secrets doctor calls poor.
import { describe, expect, it } from 'vitest'
import { secretQuality, weaknessOf } from '../../src/doctor/settings/secrets.ts'
import type { Subject } from '../../src/doctor/check.ts'
import type { Settings } from '../../src/settings/settings.ts'
import { newSecret } from './set-up.ts'

describe('how a secret is judged', () => {
  it('lets random ones be', () => {
    for (let tries = 0; tries < 500; tries++) expect(weaknessOf(newSecret())).toBeUndefined()
    // One in 60,000 random ones has such a word.
    expect(weaknessOf('Q7v_test9Zk2LmX0aBcD4eFgH5iJkN6oPqR8sTuV1wY')).toBeUndefined()
  })

  it.each([
    'Test-Secret-2024-Onramp',
    'demo-of-a-long-secret-that-someone-wrote-by-hand-1A',
    'Changeme-Q7vZk2LmX0aBcD4eFgH5iJkN6oPqR8sTuV1wY',
    'changeme',
    'your-secret-here-1234567890',
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
    'abcabcabcabcabcabcabcabc',
    'tooshort1',
    'secret-for-tests-and-nothing',
  ])('knows %s for a poor one', (secret) => expect(weaknessOf(secret)).toBeDefined())

  it('compares every secret that signs events, and of other lists the first', () => {
    const [one, two] = [`whsec_${newSecret()}`, `whsec_${newSecret()}`]
    const judged = (settings: Partial<Settings>) =>
      [secretQuality({ settings } as Subject)].flat().map(({ says }) => says)
    expect(judged({ REPORT_TOKEN: two, WEBHOOK_SECRET: [one, two] })).toEqual([
      'WEBHOOK_SECRET is the same secret as REPORT_TOKEN.',
    ])
    const none = ['No secret looks too short, reused or copied from an example.']
    expect(judged({ WEBHOOK_SECRET: [one, one] })).toEqual(none)
    expect(judged({ REPORT_TOKEN: two, SESSION_SECRET: [one, two] })).toEqual(none)
  })
})
