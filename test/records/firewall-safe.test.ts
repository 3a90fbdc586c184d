// Random text in URLs and cookies that no rule of a firewall matches.
import { expect, it } from 'vitest'
import { triggersFirewall, decodeFirewallSafe, encodeFirewallSafe } from '../../src/records/seal.ts'

it.each(['a--b', '-0x', '0X1f', 's.nsr', 's.NSr'])(
  'the random value %s triggers a firewall rule',
  (value) => {
    expect(triggersFirewall(value)).toBe(true)
  },
)

it.each(['a-b_c', 'a0x1f', 's.ns1', 's..n'])('the random value %s triggers no firewall rule', (value) => {
  expect(triggersFirewall(value)).toBe(false)
})

it.each(['-', '_', '--', '_d', '_u', '-_d-u_', '_-d', 'd_u-'])(
  'the random value %s survives encoding and decoding',
  (value) => {
    expect(encodeFirewallSafe(value)).toMatch(/^\w+$/)
    expect(decodeFirewallSafe(encodeFirewallSafe(value))).toBe(value)
  },
)
