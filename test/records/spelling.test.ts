import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { alarmsFirewalls, fromPlainSpelling, plainSpelling } from '../../src/records/spelling.ts'

describe('a random value in an address', () => {
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
  ])('%s alarms a firewall: %s', (value, expected) => {
    expect(alarmsFirewalls(value)).toBe(expected)
  })

  it.each(['-', '_', '--', '_d', '_u', '-_d-u_', '_-d', 'd_u-'])('%s is what it was after both', (value) => {
    expect(plainSpelling(value)).toMatch(/^\w+$/)
    expect(fromPlainSpelling(plainSpelling(value))).toBe(value)
  })

  it('is spelled with letters, digits and _ alone, whatever it is', () => {
    for (let count = 0; count < 500; count++) {
      const value = randomBytes(60).toString('base64url')
      expect(plainSpelling(value)).toMatch(/^\w+$/)
      expect(fromPlainSpelling(plainSpelling(value))).toBe(value)
    }
  })
})
