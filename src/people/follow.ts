// Follows who signs in and what they do in their walks, so that the report need not ask the service.
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { personKey, type User } from '../session/signed-in.ts'
import { reached, withPerson, type Person, type Source } from './person.ts'
import type { People } from './people.ts'
import { withSources } from './sources.ts'

/** Nothing else that it may carry, such as a one-time path. */
const kept = ({ instance, name, state, at, word, unconfirmed }: Source): Source => ({
  instance,
  name,
  state,
  at,
  ...(word && { word }),
  ...(unconfirmed && { unconfirmed }),
})

/**
 * How a walk stands at a moment, when it began, and when the last of its changes was that count. Milliseconds since 1970.
 * `isAsked`: with what the service said just then, and not only what the person did.
 */
export type Told = {
  sources: readonly Source[]
  at: number
  startedAt: number
  revisedAt: number
  isAsked: boolean
}

export type Follow = {
  signedIn: (user: User) => Promise<void>
  /** @returns whether it is counted, or need not be */
  walked: (user: User, told: Told) => Promise<boolean>
  /** The process ends: what is still to be counted is left to the person's next page. */
  close(): void
}

export type FollowParts = {
  people: Pick<People, 'change'>
  log: { warn(fields: object, message: string): void }
  now: () => number
  /** About how long to wait before each further try, in milliseconds. */
  waits?: readonly number[]
}

/** Longer than a failover or a restart of the store takes. */
const WAITS = [5_000, 15_000, 60_000] as const

/** What is to be counted later: of one person and kind the newest. Counting it again changes nothing. */
type Missed = { count: () => Promise<unknown>; order: number; failure: unknown; tries: number }

const NOT_COUNTED = 'an arrival, or a step of a walk, was not counted for the report'

/** A store that takes no writes for long must not fill the memory. */
const MAX_MISSED = 1_000

/**
 * Only a verified address counts. What cannot be counted while the store is away is counted when it is back, if the person
 * is still known then and was not forgotten meanwhile; else at their next page.
 */
export function createFollow({ people, log, now, waits = WAITS }: FollowParts): Follow {
  const missed = new Map<string, Missed>()
  let isOver = false
  /** What is counted later belongs to no request. */
  const outsideOfRequests = AsyncLocalStorage.snapshot()

  /** It alone removes the entry: what fails meanwhile takes its place in it, and has all the tries again. */
  async function countLater(what: string, entry: Missed): Promise<void> {
    let isCounted = false
    while (!isCounted && entry.tries < waits.length) {
      await sleep((waits[entry.tries++] ?? 0) * (0.5 + Math.random() / 2), undefined, { ref: false })
      if (isOver) return
      const { count } = entry
      try {
        await count()
        isCounted = entry.count === count
      } catch (error) {
        entry.failure = error
      }
    }
    missed.delete(what)
    if (!isCounted) log.warn({ err: entry.failure }, NOT_COUNTED)
  }

  /** @param order of two that could not be counted the higher one is counted later */
  async function count(
    user: User,
    kind: 'signedIn' | 'walked',
    order: number,
    change: (before: Person, isLate: boolean) => Person,
  ): Promise<boolean> {
    const { email, emailVerified } = user
    if (email === undefined || emailVerified !== true) return true
    const person = personKey(user)
    const what = `${kind} ${person}`
    const counted = (before: Person, isLate: boolean) => withPerson(change(before, isLate), person)
    try {
      await people.change(email, (before) => counted(before, false))
      return true
    } catch (error) {
      const failedAt = now()
      const isSame = ({ since = 0 }: Person, isKnown: boolean) => isKnown && since <= failedAt
      const later = () =>
        people.change(email, (before, isKnown) => (isSame(before, isKnown) ? counted(before, true) : before))
      const entry = { count: later, order, failure: error, tries: 0 }
      const underWay = missed.get(what)
      if (underWay !== undefined) {
        if (order >= underWay.order) Object.assign(underWay, entry)
      } else if (missed.size < MAX_MISSED) {
        log.warn({ err: error }, 'an arrival, or a step of a walk, is counted for the report later')
        missed.set(what, entry)
        outsideOfRequests(() => void countLater(what, entry))
      } else log.warn({ err: error }, NOT_COUNTED)
      return false
    }
  }

  return {
    async signedIn(user) {
      const at = now()
      await count(user, 'signedIn', -at, (before) => reached(before, 'signedInAt', at))
    },
    walked(user, { sources, at, startedAt, revisedAt, isAsked }) {
      const own = sources.map(kept)
      const stand = { person: personKey(user), startedAt, revisedAt, isAsked }
      return count(user, 'walked', revisedAt, (before, isLate) =>
        withSources(reached(before, 'signedInAt', at), own, at, { ...stand, isLate }),
      )
    },
    close() {
      isOver = true
      if (missed.size > 0) log.warn({ missed: missed.size }, `${NOT_COUNTED}: the process ends`)
    },
  }
}
