import { expect, it } from 'vitest'
import { createSealer, hashOf, sealedJson } from '../../src/records/seal.ts'

const [SECRET, NEWER] = ['s'.repeat(40), 'n'.repeat(40)]

it('what is sealed with one flipped character anywhere is not opened', async () => {
  const sealer = createSealer([SECRET])
  const sealed = sealer.seal('plain', 'holder')
  for (let at = 0; at < sealed.length; at++) {
    const flipped = sealed.slice(0, at) + (sealed[at] === 'A' ? 'Q' : 'A') + sealed.slice(at + 1)
    expect(sealer.open(flipped, 'holder')).toBeUndefined()
  }
  expect(sealer.open(sealed, 'holder')).toBe('plain')
  expect(sealer.open(sealed, 'other')).toBeUndefined()
})

it('what is sealed never uses an IV again: two texts under one would give both away', () => {
  const sealer = createSealer([SECRET])
  const ivs = Array.from({ length: 1_000 }, () =>
    Buffer.from(sealer.seal('plain', 'holder'), 'base64url').toString('hex', 4, 16),
  )
  expect(new Set(ivs).size).toBe(1_000)
})

it('what is sealed is not opened with a part of its tag, which would be easier to guess', () => {
  const sealer = createSealer([SECRET])
  const empty = Buffer.from(sealer.seal('', 'holder'), 'base64url')
  expect(sealer.open(empty.toString('base64url'), 'holder')).toBe('')
  for (let length = 0; length < empty.length; length++)
    expect(sealer.open(empty.toString('base64url', 0, length), 'holder')).toBeUndefined()
})

it('what is sealed is opened by every secret that is still known, and sealed by the first', () => {
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

it('what is sealed is kept under a name that tells nothing of its holder', () => {
  expect(hashOf('session-id')).toMatch(/^[\w-]{43}$/)
  expect(hashOf('session-id')).not.toContain('session')
})

const sealer = createSealer(['s'.repeat(40)])
const json = sealedJson<{ name: string }>(sealer)

it('sealed JSON is opened with the key that it is kept under and with no other', () => {
  const sealed = json.seal({ name: 'ada' }, 'person:1')
  expect(json.open(sealed, 'person:1')).toEqual({ name: 'ada' })
  expect(json.open(sealed, 'person:2')).toBeUndefined()
  expect(json.open(undefined, 'person:1')).toBeUndefined()
})

it.each(['[]', '7', 'null', 'no json'])('sealed JSON that is no object is none (%s)', (plain) => {
  expect(json.open(sealer.seal(plain, 'person:1'), 'person:1')).toBeUndefined()
})
