// Email addresses: normal form, equality, and the form shown to others.
import { assert, property, string } from 'fast-check'
import { expect, it } from 'vitest'
import { createAdminCheck } from '../../src/admin/routes.ts'
import {
  addressToInvite,
  maskedAddress,
  normalizedAddress,
  vacatedAddress,
} from '../../src/people/address.ts'
import { character } from '../hostile/inputs.ts'

it('an address is trimmed and lowered', () => {
  expect(addressToInvite('\u00A0Ada.Lovelace@Acme.Example ')).toBe('ada.lovelace@acme.example')
  expect(normalizedAddress('\r\n "Ada  L"@Acme.Example\t\n')).toBe('"ada  l"@acme.example')
})

it('the record of someone without an address has a domain that gets no email', () => {
  expect(vacatedAddress('ada@acme.example', 'E1')).toMatch(/^ada@[0-9a-f]{8}\.left\.invalid$/)
})

it.each([
  'ada',
  'ada@',
  '@acme.example',
  'a@b, c@d',
  'a@b c@d',
  '"a b"@acme.example',
  'ü@acme.example',
  'ada@acme.example\r\nBcc: all@acme.example',
  'ada@acme.example\u0000',
  'ada@@acme.example',
  'ada@acme..example',
  '.ada@acme.example',
  'ada.@acme.example',
  'ada@acme.example-',
  'a..b@acme.example',
  `${'a'.repeat(250)}@acme.example`,
  '<ada@acme.example>',
  'frank\u212A@acme.example',
  'clau\u017Fe@acme.example',
])('%j is rejected as an address to invite', (text) => {
  expect(addressToInvite(text)).toBeUndefined()
})

it('an address to invite can’t end a header', () => {
  assert(
    property(string({ unit: character }), (text) => {
      expect(addressToInvite(`${text}@acme.example`) ?? '').not.toMatch(/[\s,;<>"()\p{Cc}]/u)
    }),
  )
})

it.each([
  ['with the Kelvin sign', 'grace\u212A@acme.example', 'gracek@acme.example'],
  ['with a long s', 'clau\u017Fe@acme.example', 'clause@acme.example'],
  ['with a dotted capital I', '\u0130da@acme.example', 'ida@acme.example'],
  ['in full width', '\uFF41da@acme.example', 'ada@acme.example'],
  ['with a hidden character', 'ada\u200B@acme.example', 'ada@acme.example'],
  ['behind a byte order mark', '\uFEFFada@acme.example', 'ada@acme.example'],
  ['before a hard space', 'ada@acme.example\u00A0', 'ada@acme.example'],
  ['with its letters composed differently', 'ad\u00E4@acme.example', 'ada\u0308@acme.example'],
])('an address that only looks like another %s is another person', (_title, one, other) => {
  expect(normalizedAddress(one)).not.toBe(normalizedAddress(other))
  const isAdmin = createAdminCheck([other], [])
  expect(isAdmin({ issuer: 'i', subject: 's', email: one, emailVerified: true })).toBe(false)
})

it.each([
  ['ada.lovelace@acme.example', 'a••@acme.example'],
  ['a@acme.example', 'a••@acme.example'],
  ['@acme.example', '•••'],
  ['ada', '•••'],
])('%s is shown to other people as %s', (address, masked) => {
  expect(maskedAddress(address)).toBe(masked)
})
