// Classification of network errors.
import { expect, it } from 'vitest'
import { networkErrorOf } from '../../src/http/network-error.ts'

it.each([
  ['ENOTFOUND', 'unknown-name'],
  ['ECONNREFUSED', 'refused'],
  ['UND_ERR_CONNECT_TIMEOUT', 'too-slow'],
  ['EPROTO', 'no-tls'],
  ['ECONNRESET', 'cut-off'],
])('the error code %s is classified as %s, also for several addresses', (code, why) => {
  const cause = Object.assign(new Error('x'), { code })
  expect(networkErrorOf(new TypeError('fetch failed', { cause }))).toBe(why)
  expect(networkErrorOf(new AggregateError([cause, new RangeError('x')]))).toBe(why)
})
