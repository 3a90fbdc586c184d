// Why a call to the service failed, by what the network says.
import { expect, it } from 'vitest'
import { networkErrorOf } from '../../src/http/network-error.ts'

const failed = (code: string) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code }) })

it.each([
  ['ENOTFOUND', 'unknown-name'],
  ['ECONNREFUSED', 'refused'],
  ['UND_ERR_CONNECT_TIMEOUT', 'too-slow'],
  ['EPROTO', 'no-tls'],
  ['ECONNRESET', 'cut-off'],
])('the error code %s is classified as a network error: %s', (code, why) =>
  expect(networkErrorOf(failed(code))).toBe(why),
)

it('of several addresses, the first network error counts', () => {
  expect(networkErrorOf(new AggregateError([Object.assign(new Error('x'), { code: 'ECONNREFUSED' })]))).toBe(
    'refused',
  )
})
