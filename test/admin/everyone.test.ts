// One pass over everyone for all pages of ten seconds, in slices: a page that an admin's browser is sent to again and
// again keeps no one else waiting.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createEveryone } from '../../src/admin/everyone.ts'
import { newPerson, type Person } from '../../src/people/person.ts'

const PEOPLE = 5_000

function crowd() {
  const at = { now: 1_000_000, passes: 0, fails: false }
  const people = {
    async *all(onUnreadable: (key: string) => void = () => {}): AsyncGenerator<Person> {
      at.passes++
      if (at.fails) throw new Error('away')
      for (let number = 0; number < PEOPLE; number++) yield newPerson(`person${number}@acme.example`, at.now)
      for (const key of ['a', 'b', 'c']) onUnreadable(key)
    },
  }
  return { at, everyone: createEveryone(people, () => at.now) }
}

async function count(all: AsyncIterable<unknown>): Promise<number> {
  let people = 0
  for await (const _profile of all) people++
  return people
}

it('is read once for every page and export within ten seconds, also at the same time', async () => {
  const { at, everyone } = crowd()
  const [list, report] = await Promise.all([count(everyone.profiles()), everyone.report()])
  expect([list, report.people, report.unread]).toEqual([PEOPLE, PEOPLE, 3])
  at.now += 10_000
  expect(await count(everyone.profiles())).toBe(PEOPLE)
  expect(await everyone.report()).toBe(report)
  expect(at.passes).toBe(1)
  at.now++
  await everyone.report()
  expect(at.passes).toBe(2)
})

it('lets other work in between, however many look', async () => {
  const { everyone } = crowd()
  await count(everyone.profiles())
  let turns = 0
  const looking = { isOver: false }
  const others = (async () => {
    for (; !looking.isOver; turns++) await nextTurn()
  })()
  await Promise.all(Array.from({ length: 20 }, () => count(everyone.profiles())))
  looking.isOver = true
  await others
  // One slice a turn, over all who look.
  expect(turns).toBeGreaterThanOrEqual((20 * PEOPLE) / 500)
})

it('is read again where the store was away', async () => {
  const { at, everyone } = crowd()
  at.fails = true
  await expect(everyone.report()).rejects.toThrow('away')
  at.fails = false
  expect((await everyone.report()).people).toBe(PEOPLE)
})
