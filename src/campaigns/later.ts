// Whose mail the mail server put off, until their time has come. Bounded: whoever does not fit is left to the next run,
// which finds them all in what was written down. Pure but for the clock.
import type { Invitee } from './invitee.ts'

export type Later = {
  /** @param tries how often it was tried so far */
  add(person: Invitee, tries: number): void
  /** Somebody whose time has come. */
  take(): Invitee | undefined
}

const FIRST_MS = 60_000
const FACTOR = 4
const MOST = 1_000

/** @param now milliseconds since 1970 */
export function createLater(now: () => number, firstMs: number = FIRST_MS): Later {
  let waiting: { person: Invitee; from: number }[] = []
  return {
    add(person, tries) {
      if (waiting.length >= MOST) return
      waiting.push({ person, from: now() + firstMs * FACTOR ** (tries - 1) })
    },
    take() {
      const found = waiting.find(({ from }) => from <= now())
      if (found !== undefined) waiting = waiting.filter((entry) => entry !== found)
      return found?.person
    },
  }
}
