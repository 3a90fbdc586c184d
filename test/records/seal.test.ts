// Sealed texts: changes, other keys and former secrets.
import { expect, it } from 'vitest'
import { createSealer, sealedJson } from '../../src/records/seal.ts'

const [SECRET, NEWER] = ['s'.repeat(40), 'n'.repeat(40)]

it('a sealed text with one flipped character isn’t opened', async () => {
  const sealer = createSealer([SECRET])
  const sealed = sealer.seal('plain', 'holder')
  for (let at = 0; at < sealed.length; at++) {
    const flipped = sealed.slice(0, at) + (sealed[at] === 'A' ? 'Q' : 'A') + sealed.slice(at + 1)
    expect(sealer.open(flipped, 'holder')).toBeUndefined()
  }
  expect(sealer.open(sealed, 'holder')).toBe('plain')
  expect(sealer.open(sealed, 'other')).toBeUndefined()
})

it('no IV is used twice, and each of its bits is random', () => {
  const sealer = createSealer([SECRET])
  // Two texts with one IV would reveal both.
  const ivs = Array.from({ length: 1_000 }, () =>
    Buffer.from(sealer.seal('plain', 'holder'), 'base64url').subarray(4, 16),
  )
  expect(new Set(ivs.map((iv) => iv.toString('hex'))).size).toBe(1_000)
  for (const bit of Array(96).keys()) {
    const values = ivs.map((iv) => (iv[bit >> 3]! >> (bit & 7)) & 1)
    expect(new Set(values), `bit ${bit}`).toEqual(new Set([0, 1]))
  }
})

it('a sealed text with a shortened tag isn’t opened', () => {
  const sealer = createSealer([SECRET])
  const empty = Buffer.from(sealer.seal('', 'holder'), 'base64url')
  expect(sealer.open(empty.toString('base64url'), 'holder')).toBe('')
  for (let length = 0; length < empty.length; length++)
    expect(sealer.open(empty.toString('base64url', 0, length), 'holder')).toBeUndefined()
})

it('every known secret opens a sealed text, and the first one seals', () => {
  const old = createSealer([SECRET]).seal('plain', 'holder')
  const rotated = createSealer([NEWER, SECRET])
  expect(rotated.open(old, 'holder')).toBe('plain')
  expect(rotated.isCurrent(old)).toBe(false)
  const fresh = rotated.seal('plain', 'holder')
  expect(rotated.isCurrent(fresh)).toBe(true)
  expect(createSealer([NEWER]).open(fresh, 'holder')).toBe('plain')
  expect(createSealer([SECRET]).open(fresh, 'holder')).toBeUndefined()
  expect(createSealer([NEWER]).open(old, 'holder')).toBeUndefined()
})

it('sealed JSON is opened only with its own key', () => {
  const json = sealedJson<{ name: string }>(createSealer([SECRET]))
  const sealed = json.seal({ name: 'ada' }, 'person:1')
  expect(json.open(sealed, 'person:1')).toEqual({ name: 'ada' })
  expect(json.open(sealed, 'person:2')).toBeUndefined()
  expect(json.open(undefined, 'person:1')).toBeUndefined()
})
