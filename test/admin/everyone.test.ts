// One pass over everyone for all pages of a few seconds, in slices: a page that an admin's browser is sent to again and
// again keeps no one else waiting.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createEveryone } from '../../src/admin/everyone.ts'
import { newPerson, type Person } from '../../src/people/person.ts'
import { noneUnread } from '../../src/people/unread.ts'

const PEOPLE = 5_000

function crowd() {
  const at = { now: 1_000_000, passes: 0, fails: false }
  const people = {
    async *all(unread = noneUnread()): AsyncGenerator<Person> {
      at.passes++
      if (at.fails) throw new Error('away')
      unread.damaged = 3
      for (let number = 0; number < PEOPLE; number++) yield newPerson(`person${number}@acme.example`, at.now)
    },
  }
  return { at, everyone: createEveryone(people, () => at.now) }
}

async function count(all: AsyncIterable<unknown>): Promise<number> {
  let people = 0
  for await (const _person of all) people++
  return people
}

it('is passed once for whoever looks within ten seconds, also at the same time', async () => {
  const { at, everyone } = crowd()
  const unread = noneUnread()
  expect(await Promise.all([count(everyone.all(unread)), count(everyone.all())])).toEqual([PEOPLE, PEOPLE])
  at.now += 10_000
  expect(await count(everyone.all())).toBe(PEOPLE)
  expect([at.passes, unread.damaged]).toEqual([1, 3])
  at.now++
  await count(everyone.all())
  expect(at.passes).toBe(2)
})

it('lets other work in between, however many look', async () => {
  const { everyone } = crowd()
  await count(everyone.all())
  let turns = 0
  const looking = { isOver: false }
  const others = (async () => {
    while (!looking.isOver) {
      turns++
      await nextTurn()
    }
  })()
  await Promise.all(Array.from({ length: 20 }, () => count(everyone.all())))
  looking.isOver = true
  await others
  expect(turns).toBeGreaterThanOrEqual(PEOPLE / 500)
})

it('is asked for again where the store was away', async () => {
  const { at, everyone } = crowd()
  at.fails = true
  await expect(count(everyone.all())).rejects.toThrow('away')
  at.fails = false
  expect(await count(everyone.all())).toBe(PEOPLE)
})
