import { describe, expect, it } from 'vitest'
import { StoreUnavailable } from '../../src/records/records.ts'
import { createSealer } from '../../src/records/seal.ts'
import { openJson, readable, sealedJson } from '../../src/records/sealed-json.ts'

const [SECRET, NEWER] = ['s'.repeat(40), 'n'.repeat(40)]

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
    expect(upgraded.open(sealer.seal('[]', 'person:1'), 'person:1')).toBeUndefined()
  })

  const form = { sealer, version: 5 }
  const sealed = (version: unknown, key = 'person:1') => sealer.seal(JSON.stringify({ version }), key)
  const damaged = { kind: 'unreadable', why: 'damaged' }

  it.each([4, 5, 6])('of the version before, ours or the next is read (%i)', (version) => {
    expect(openJson(sealed(version), 'person:1', form)).toEqual({
      kind: 'json',
      json: { version },
      isCurrent: true,
    })
  })

  it.each([
    ['older by two versions', sealed(3), damaged],
    ['newer by two versions', sealed(7), { kind: 'unreadable', why: 'newer' }],
    ['without a version', sealed(undefined), damaged],
    ['with a version that is text', sealed('5'), damaged],
    ['that is a list', sealer.seal('[]', 'person:1'), damaged],
    ['that was cut off', sealed(5).slice(0, -4), damaged],
    ['of another key', sealed(5, 'person:2'), damaged],
    [
      'of another secret',
      createSealer([NEWER]).seal('{}', 'person:1'),
      { kind: 'unreadable', why: 'otherSecret' },
    ],
  ])('%s is unreadable, and says why', (_what, text, opened) => {
    expect(openJson(text, 'person:1', form)).toEqual(opened)
    expect(openJson(text, 'person:1', { ...form, formerHolder: 'people' })).toEqual(opened)
  })

  it('that the version before bound to something else is read, and due to be sealed anew', () => {
    const opened = { kind: 'json', json: { version: 5 }, isCurrent: false }
    expect(openJson(sealed(5, 'people'), 'person:1', { ...form, formerHolder: 'people' })).toEqual(opened)
    expect(openJson(sealed(5, 'people'), 'person:1', form)).toEqual(damaged)
  })

  it('that a retiring secret sealed is due to be sealed anew', () => {
    const rotated = { ...form, sealer: createSealer([NEWER, SECRET]) }
    expect(openJson(sealed(5), 'person:1', rotated)).toMatchObject({ kind: 'json', isCurrent: false })
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
