import { describe, expect, it } from 'vitest'
import { newPerson, reached, type Person } from '../../src/people/person.ts'
import { withLeft } from '../../src/people/sources.ts'
import { makeReport } from '../../src/admin/report.ts'

const at = Date.parse('2026-11-02T09:00:00Z')

const members = (group: string, count: number, change: (arrival: Person) => Person = (arrival) => arrival) =>
  Array.from({ length: count }, (_, index) =>
    change({ ...newPerson(`${group}-${index}@acme.example`, at), group }),
  )

async function* these(people: Person[]) {
  yield* people
}

const shownOf = async (people: Person[]) => (await makeReport(these(people), at)).groups

describe('the figures of groups', () => {
  it('count those of fewer than five people together, as they would tell who it is', async () => {
    const signedIn = (arrival: Person) => reached(arrival, 'signedInAt', at)
    const people = [
      ...members('Four', 4, signedIn),
      ...members('One', 1),
      ...members('Five', 5),
      newPerson('nobody-says@acme.example', at),
    ]
    const none = { signedIn: 0, finished: 0, nothing: 0, ready: 0, inProgress: 0, notStarted: 0, stuck: 0 }
    expect(await shownOf(people)).toEqual([
      { ...none, name: 'Five', people: 5, notStarted: 5 },
      { ...none, name: undefined, people: 5, signedIn: 4, inProgress: 4, notStarted: 1 },
    ])
  })

  it('leave out the small ones where even together they are fewer than five', async () => {
    const people = [...members('Five', 5), ...members('Two', 2), ...members('One', 1)]
    expect((await shownOf(people)).map(({ name }) => name)).toEqual(['Five'])
  })

  it('begin with the group that has most to do', async () => {
    const done = (arrival: Person) => withLeft(arrival, [], at)
    const people = [
      ...members('Done', 6, done),
      ...members('Not begun', 6),
      ...members('Half', 3),
      ...members('Half', 3, done),
    ]
    expect((await shownOf(people)).map(({ name }) => name)).toEqual(['Not begun', 'Half', 'Done'])
  })
})
