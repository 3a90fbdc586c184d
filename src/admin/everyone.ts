// Everyone known, read in one pass for all pages and exports of the next seconds, and handed out in slices, so that
// requests in between are answered: any web page may send an admin's browser here as often as it likes.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Person } from '../people/person.ts'
import type { People } from '../people/people.ts'
import { noneUnread, type Unread } from '../people/unread.ts'

const FRESH_MS = 10_000
/** What looks at so many people takes a few milliseconds. */
const SLICE = 500

type Pass = { at: number; people: Promise<Person[]>; unread: Unread }

/** @param now milliseconds since 1970 */
export function createEveryone(all: Pick<People, 'all'>, now: () => number): Pick<People, 'all'> {
  let last: Pass | undefined

  async function readAll(unread: Unread): Promise<Person[]> {
    const found: Person[] = []
    for await (const person of all.all(unread)) found.push(person)
    return found
  }

  function begin(): Pass {
    const unread = noneUnread()
    const pass = { at: now(), people: readAll(unread), unread }
    const forget = () => {
      if (last === pass) last = undefined
    }
    // A store that was away is asked again; and no one looks for ever.
    pass.people.then(() => setTimeout(forget, FRESH_MS).unref(), forget)
    return pass
  }

  return {
    async *all(unread = noneUnread()) {
      if (last === undefined || now() - last.at > FRESH_MS) last = begin()
      const pass = last
      const people = await pass.people
      Object.assign(unread, pass.unread)
      for (const [index, person] of people.entries()) {
        if (index % SLICE === 0) await nextTurn()
        yield person
      }
    },
  }
}
