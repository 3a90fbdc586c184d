import { describe, expect, it } from 'vitest'
import { createSealer, nameOf } from '../../src/session/seal.ts'
import { sealedJson } from '../../src/session/sealed-json.ts'

const [SECRET, NEWER] = ['s'.repeat(40), 'n'.repeat(40)]

describe('what is sealed', () => {
  it('with one flipped character anywhere is not opened', async () => {
    const sealer = createSealer([SECRET])
    const sealed = sealer.seal('plain', 'holder')
    for (let at = 0; at < sealed.length; at++) {
      const flipped = sealed.slice(0, at) + (sealed[at] === 'A' ? 'Q' : 'A') + sealed.slice(at + 1)
      expect(sealer.open(flipped, 'holder')).toBeUndefined()
    }
    expect(sealer.open(sealed, 'holder')).toBe('plain')
    expect(sealer.open(sealed, 'other')).toBeUndefined()
  })

  it('is another text each time, though its content is the same', () => {
    const sealer = createSealer([SECRET])
    expect(sealer.seal('plain', 'holder')).not.toBe(sealer.seal('plain', 'holder'))
  })

  it('is opened by every secret that is still known, and sealed by the first', () => {
    const old = createSealer([SECRET]).seal('plain', 'holder')
    const rotated = createSealer([NEWER, SECRET])
    expect(rotated.open(old, 'holder')).toBe('plain')
    const fresh = rotated.seal('plain', 'holder')
    expect(createSealer([NEWER]).open(fresh, 'holder')).toBe('plain')
    expect(createSealer([SECRET]).open(fresh, 'holder')).toBeUndefined()
    expect(createSealer([NEWER]).open(old, 'holder')).toBeUndefined()
  })

  it.each(['', 'A', 'AAAA', 'not base64 {}', '=', 'x'.repeat(100_000)])(
    'is not %.20j, and that throws nothing',
    (text) => {
      expect(createSealer([SECRET]).open(text, 'holder')).toBeUndefined()
    },
  )

  it('needs a secret', () => {
    expect(() => createSealer([])).toThrow(RangeError)
  })

  it('is kept under a name that tells nothing of its holder', () => {
    expect(nameOf('session-id')).toMatch(/^[\w-]{43}$/)
    expect(nameOf('session-id')).not.toContain('session')
  })
})

describe('sealed JSON', () => {
  const sealer = createSealer([SECRET])
  const json = sealedJson<{ name: string }>({ sealer, version: 1 })

  it('is opened with the key that it is kept under and with no other, and its version is no part of it', () => {
    const sealed = json.seal({ name: 'ada' }, 'person:1')
    expect(json.open(sealed, 'person:1')).toEqual({ name: 'ada' })
    expect(json.open(sealed, 'person:2')).toBeUndefined()
    expect(json.open(undefined, 'person:1')).toBeUndefined()
  })

  it('without a version is opened only where the previous version wrote none', () => {
    const before = sealer.seal('{"name":"ada"}', 'person:1')
    expect(json.open(before, 'person:1')).toBeUndefined()
    const upgraded = sealedJson<{ name: string }>({ sealer, version: 1, wasUnversioned: true })
    expect(upgraded.open(before, 'person:1')).toEqual({ name: 'ada' })
  })
})
