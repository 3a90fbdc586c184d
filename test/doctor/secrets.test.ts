// Which secrets doctor calls poor.
import { describe, expect, it } from 'vitest'
import { weaknessOf } from '../../src/doctor/settings/secrets.ts'
import { newSecret } from './set-up.ts'

describe('how a secret is judged', () => {
  it('lets random ones be', () => {
    for (let tries = 0; tries < 500; tries++) expect(weaknessOf(newSecret())).toBeUndefined()
  })

  it.each([
    'changeme',
    'your-secret-here-1234567890',
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
    'abcabcabcabcabcabcabcabc',
    'tooshort1',
    'secret-for-tests-and-nothing',
  ])('knows %s for a poor one', (secret) => expect(weaknessOf(secret)).toBeDefined())
})
