// Addresses that count as one network: a household may use any address of its IPv6 /64.
import { expect, it } from 'vitest'
import { networkOf } from '../../src/web/network.ts'

it.each([
  ['two spellings of one address', '2001:db8::1', '2001:0DB8:0000:0000:0000:0000:0000:0001'],
  ['two hosts of a /64', '2001:db8::1', '2001:db8:0:0:ffff:eeee:dddd:cccc'],
  ['two hosts of a compressed /64', '2001:db8:0:5::', '2001:db8:0:5:1::9'],
  ['an IPv4 address and its form on a dual-stack socket', '192.0.2.7', '::ffff:192.0.2.7'],
  ['the same in hexadecimal', '192.0.2.7', '::ffff:c000:207'],
  ['the same in full', '192.0.2.7', '0:0:0:0:0:FFFF:C000:0207'],
  ['an IPv4 address with a port, as some proxies forward it', '192.0.2.7', '192.0.2.7:51234'],
  ['an IPv6 address with a port', '2001:db8::1', '[2001:db8::1]:443'],
  ['an IPv6 address in brackets', '2001:db8::1', '[2001:db8::1]'],
  ['a link-local address with and without its zone', 'fe80::1', 'fe80::1%eth0'],
])('%s are one network', (_title, one, other) => {
  expect(networkOf(one)).toBe(networkOf(other))
})

it.each([
  ['two /64 of one provider', '2001:db8::1', '2001:db8:0:1::1'],
  ['two /64 that differ in the first group', '2001:db8::1', '2001:db9::1'],
  ['a long compression in the middle', '2001:db8::5:6:7:8', '2001:db8:5:6:7:8::'],
  ['two IPv4 addresses', '192.0.2.7', '192.0.2.8'],
  ['two mapped IPv4 addresses', '::ffff:192.0.2.7', '::ffff:192.0.2.8'],
  ['loopback and the unspecified network', '::1', '1::'],
])('%s are two networks', (_title, one, other) => {
  expect(networkOf(one)).not.toBe(networkOf(other))
})

it.each(['', 'unknown', ':::', '1:2', '2001:db8::1::2'])(
  'the invalid address %j is its own network',
  (text) => {
    expect(networkOf(text)).toBe(text)
  },
)
