// Everyone known, read in one pass for all pages and exports of the next ten seconds, and handed out in slices, so that
// requests in between are answered: any web page may send an admin's browser here as often as it likes.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { People } from '../people/people.ts'
import { profileOf, type Profile } from './profile.ts'
import { makeReport, type Report } from './report.ts'

const FRESH_MS = 10_000
/** What looks at so many people takes a few milliseconds. */
const SLICE = 500

export type Everyone = {
  profiles(): AsyncGenerator<Profile>
  report(): Promise<Report>
}

type Pass = { at: number; profiles: Promise<Profile[]>; report?: Promise<Report> }

/** @param now milliseconds since 1970 */
export function createEveryone(people: Pick<People, 'all'>, now: () => number): Everyone {
  let last: Pass | undefined
  let unread = 0

  async function readAll(): Promise<Profile[]> {
    const found: Profile[] = []
    let count = 0
    for await (const person of people.all(() => count++)) found.push(profileOf(person))
    unread = count
    return found
  }

  function latest(): Pass {
    if (last !== undefined && now() - last.at <= FRESH_MS) return last
    const pass: Pass = { at: now(), profiles: readAll() }
    const forget = () => {
      if (last === pass) last = undefined
    }
    // A store that was away is asked again, and what no one looks at any more is let go.
    pass.profiles.then(() => setTimeout(forget, FRESH_MS).unref(), forget)
    return (last = pass)
  }

  /** One slice a turn over all who look: a slice of each in the same turn would hold up everyone else. */
  let turns: Promise<void> = Promise.resolve()
  const nextSlice = () => (turns = turns.then(() => nextTurn()))

  async function* profilesOf(pass: Pass): AsyncGenerator<Profile> {
    for (const [index, profile] of (await pass.profiles).entries()) {
      if (index % SLICE === 0) await nextSlice()
      yield profile
    }
  }

  return {
    profiles: () => profilesOf(latest()),
    report() {
      const pass = latest()
      return (pass.report ??= makeReport(profilesOf(pass), pass.at, () => unread))
    },
  }
}
