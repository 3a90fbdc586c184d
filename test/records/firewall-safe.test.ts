// Random text in URLs and cookies that no rule of a firewall matches.
import { expect, it } from 'vitest'
import { triggersFirewall, decodeFirewallSafe, encodeFirewallSafe } from '../../src/records/seal.ts'

it.each([
  ['a-b_c', false],
  ['a--b', true],
  ['-0x', true],
  ['0X1f', true],
  ['a0x1f', false],
  ['s.nsr', true],
  ['s.NSr', true],
  ['s.ns1', false],
  ['s..n', false],
])('the random value %s triggers a firewall rule: %s', (value, expected) => {
  expect(triggersFirewall(value)).toBe(expected)
})

it.each(['-', '_', '--', '_d', '_u', '-_d-u_', '_-d', 'd_u-'])(
  'the random value %s survives encoding and decoding',
  (value) => {
    expect(encodeFirewallSafe(value)).toMatch(/^\w+$/)
    expect(decodeFirewallSafe(encodeFirewallSafe(value))).toBe(value)
  },
)
