// Seconds to wait for each form of Retry-After.
import { expect, it } from 'vitest'
import { retryAfterSeconds } from '../../src/http/retry-after.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')

it.each([
  [undefined, 5],
  ['', 5],
  ['0', 1],
  [' 30 ', 30],
  ['1000000000', 300],
  ['9'.repeat(400), 300],
  ['-5', 5],
  ['1.5', 5],
  ['30 seconds', 5],
  ['Sat, 21 Nov 2026 12:00:42 GMT', 42],
  ['Sat, 21 Nov 2026 11:00:00 GMT', 1],
  ['Sat, 21 Nov 2099 11:00:00 GMT', 300],
  ['Saturday, 21-Nov-26 12:00:42 GMT', 42],
  ['Sat Nov 21 12:00:42 2026', 42],
])('Retry-After %j means %i seconds', (header, seconds) => {
  expect(retryAfterSeconds(header, NOW)).toBe(seconds)
})
