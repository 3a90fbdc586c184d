import { describe, expect, it } from 'vitest'
import { createSealer } from '../../src/records/seal.ts'
import { sealedJson } from '../../src/records/sealed-json.ts'

describe('sealed JSON', () => {
  const sealer = createSealer(['s'.repeat(40)])
  const json = sealedJson<{ name: string }>(sealer)

  it('is opened with the key that it is kept under and with no other', () => {
    const sealed = json.seal({ name: 'ada' }, 'person:1')
    expect(json.open(sealed, 'person:1')).toEqual({ name: 'ada' })
    expect(json.open(sealed, 'person:2')).toBeUndefined()
    expect(json.open(undefined, 'person:1')).toBeUndefined()
  })

  it.each(['[]', '7', 'null', 'no json'])('that is no object is none (%s)', (plain) => {
    expect(json.open(sealer.seal(plain, 'person:1'), 'person:1')).toBeUndefined()
  })
})
