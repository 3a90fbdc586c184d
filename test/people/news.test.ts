// What other systems are told of a change, and that it is kept with the person.
import { describe, expect, it } from 'vitest'
import { newPerson, reached, type Person, type Source } from '../../src/people/person.ts'
import { withSources } from '../../src/people/sources.ts'
import { createPeople } from '../../src/people/people.ts'
import { MAX_OUTBOX, eventsOf, withOutbox } from '../../src/people/outbox.ts'
import { united } from '../../src/people/united.ts'
import { createSealer } from '../../src/records/seal.ts'
import { memoryRecords } from '../helpers/memory-records.ts'

const at = Date.UTC(2026, 10, 2)
const ada = newPerson('ada@acme.example', at)

const source = (instance: string, state: Source['state']): Source => ({ instance, name: 'Slack', state, at })
const walked = (before: Person, ...states: Source['state'][]) =>
  withSources(
    before,
    states.map((state, index) => source(`slack_${index}`, state)),
    at,
  )
const told = (before: Person, after: Person) =>
  eventsOf(before, after).map(({ type, app }) => (app === undefined ? type : `${type} ${app.instance}`))

describe('other systems are told', () => {
  it('of the first sign-in, and of no later one', () => {
    const here = reached(ada, 'signedInAt', at)
    expect(told(ada, here)).toEqual(['person.signed_in'])
    expect(told(here, reached(here, 'signedInAt', at + 1))).toEqual([])
  })

  it('of each app that is connected, and of the last one that the person has finished', () => {
    const begun = walked(ada, 'waiting', 'waiting')
    expect(told(ada, begun)).toEqual([])
    const half = walked(begun, 'connected', 'waiting')
    expect(told(begun, half)).toEqual(['app.connected slack_0'])
    expect(told(half, walked(half, 'connected', 'connected'))).toEqual([
      'app.connected slack_1',
      'person.finished',
    ])
  })

  it('again where an app has to be connected again', () => {
    const done = walked(walked(ada, 'waiting'), 'connected')
    const stale = walked(done, 'waiting')
    expect(told(done, stale)).toEqual([])
    expect(told(stale, walked(stale, 'connected'))).toEqual(['app.connected slack_0', 'person.finished'])
  })

  it('of someone who waits for an admin, once', () => {
    const begun = walked(ada, 'waiting')
    const blocked = walked(begun, 'blocked')
    expect(told(begun, blocked)).toEqual(['app.waiting_for_admin slack_0'])
    expect(told(blocked, walked(blocked, 'blocked'))).toEqual([])
  })

  it('of nothing that was known for long, where the record of a person was deleted meanwhile', () => {
    expect(told(ada, walked(ada, 'connected', 'connected'))).toEqual([])
  })
})

describe('what other systems are to be told', () => {
  it('is written with the change, sealed, and the oldest goes where it is too much', async () => {
    const { records, values } = memoryRecords()
    const told: [string, number][] = []
    const sealer = createSealer(['a secret of thirty-two characters'])
    const plain = createPeople({ records, sealer, now: () => at, retentionDays: 90 })
    const people = withOutbox(
      plain,
      () => at,
      (...outbox) => told.push(outbox),
    )
    const { outbox = [] } = await people.change(' Ada@ACME.example', (before) =>
      reached(before, 'signedInAt', at),
    )
    expect(outbox).toMatchObject([{ type: 'person.signed_in', at, tries: 0, dueAt: at }])
    expect(outbox[0]?.id).toMatch(/^msg_[\w-]{22}$/)
    expect(values.size).toBe(1)
    expect((await plain.get('ada@acme.example'))?.outbox).toEqual(outbox)
    for (let count = 0; count <= MAX_OUTBOX; count++)
      await people.change('ada@acme.example', (before) =>
        walked(before, before.sources[0]?.state === 'blocked' ? 'waiting' : 'blocked'),
      )
    for (let count = 0; count < MAX_OUTBOX; count++)
      await people.change('ada@acme.example', (before) =>
        walked(before, before.sources[0]?.state === 'blocked' ? 'waiting' : 'blocked'),
      )
    const kept = (await plain.get('ada@acme.example'))?.outbox ?? []
    expect(kept).toHaveLength(MAX_OUTBOX)
    expect(kept.map(({ type }) => type)).not.toContain('person.signed_in')
    expect(told.at(-1)).toEqual(['ada@acme.example', 1])
  })

  it('is kept from both records of one person', () => {
    const piece = { type: 'person.signed_in', at, tries: 0, dueAt: at } as const
    const [one, two] = [
      { id: 'one', ...piece },
      { id: 'two', ...piece },
    ]
    const both = united(
      { ...ada, outbox: [one], people: ['a'] },
      { ...ada, changedAt: at + 1, outbox: [two], people: ['b', 'a'] },
    )
    expect(both.people).toEqual(['a', 'b'])
    expect(both.outbox?.map(({ id }) => id)).toEqual(['one', 'two'])
  })
})
