import { assert, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addressToInvite, isSameAddress, maskedAddress } from '../../src/invites/address.ts'

describe('an address to invite', () => {
  it('is taken in lower case and without spaces around', () => {
    expect(addressToInvite(' Ada.Lovelace@Acme.Example ')).toBe('ada.lovelace@acme.example')
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
    'a..b@acme.example',
    `${'a'.repeat(250)}@acme.example`,
    '<ada@acme.example>',
  ])('is not %j', (text) => {
    expect(addressToInvite(text)).toBeUndefined()
  })

  it('never holds anything that ends a header', () => {
    assert(
      property(string({ unit: 'binary' }), (text) => {
        expect(addressToInvite(`${text}@acme.example`) ?? '').not.toMatch(/[\s,;<>"()\p{Cc}]/u)
      }),
    )
  })
})

describe('two spellings of an address', () => {
  it('are one person', () => {
    expect(isSameAddress('ADA@acme.example ', 'ada@ACME.example')).toBe(true)
    expect(isSameAddress('bob@acme.example', 'ada@acme.example')).toBe(false)
  })
})

it('shows an address to somebody else without its name', () => {
  expect(maskedAddress('ada.lovelace@acme.example')).toBe('a••@acme.example')
})
