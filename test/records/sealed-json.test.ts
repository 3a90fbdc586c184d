import { describe, expect, it } from 'vitest'
import { StoreUnavailable } from '../../src/records/records.ts'
import { createSealer } from '../../src/records/seal.ts'
import { readable, sealedJson } from '../../src/records/sealed-json.ts'

describe('sealed JSON', () => {
  const sealer = createSealer(['s'.repeat(40)])
  const json = sealedJson<{ name: string }>({ sealer })

  it('is opened with the key that it is kept under and with no other', () => {
    const sealed = json.seal({ name: 'ada' }, 'person:1')
    expect(json.open(sealed, 'person:1')).toEqual({ name: 'ada' })
    expect(json.open(sealed, 'person:2')).toBeUndefined()
    expect(json.open(undefined, 'person:1')).toBeUndefined()
  })

  it.each(['[]', '7', 'null', 'no json'])('that is no object is none (%s)', (plain) => {
    expect(json.open(sealer.seal(plain, 'person:1'), 'person:1')).toBeUndefined()
  })

  it('that must not be taken for none fails like a store that is down, and names the record', () => {
    expect(readable(json, undefined, 'person:1')).toBeUndefined()
    expect(readable(json, json.seal({ name: 'ada' }, 'person:1'), 'person:1')).toEqual({ name: 'ada' })
    const reading = () => readable(json, 'damaged', 'person:1')
    expect(reading).toThrow(StoreUnavailable)
    expect(reading).toThrow(
      expect.objectContaining({
        detail: expect.stringContaining('a record there is damaged'),
        cause: expect.objectContaining({ message: 'person:1 cannot be read' }),
      }),
    )
  })
})
