// Spares the service: the intranet's question about a person, asked again a moment later, is one question.
import type { User } from '../session/signed-in.ts'

/** Who a check is made for: the same person in every session. */
export const personOf = ({ issuer, subject }: User): string => `${issuer}\n${subject}`

/** So long an answer of the service counts as fresh; milliseconds. */
const FRESH_MS = 3_000
const MAX_REMEMBERED = 10_000

type Check = { session: string; asked: Promise<unknown>; answeredAt?: number }

/**
 * For the intranet's counts. Kept in this process, because it only saves calls: the counts are made of the walk, which
 * every process reads anew.
 * @param now milliseconds since 1970
 */
export function createRecentChecks(now: () => number) {
  const checks = new Map<string, Check>()

  /** Another session's tokens may be refused where this one's are not: only an answer is shared between sessions. */
  const isUsable = ({ session, answeredAt }: Check, mine: string) =>
    answeredAt === undefined ? session === mine : now() - answeredAt < FRESH_MS

  /** The oldest come first, more or less, so it ends at the first one that may still be of use. */
  function forgetStale(): void {
    for (const [person, { answeredAt }] of checks) {
      if (answeredAt === undefined || now() - answeredAt < FRESH_MS) return
      checks.delete(person)
    }
  }

  return {
    /** Asks, or waits for what is being asked, or does nothing when the last answer is fresh. A failure is not kept. */
    async ask(person: string, session: string, work: () => Promise<unknown>): Promise<void> {
      const found = checks.get(person)
      if (found !== undefined && isUsable(found, session)) {
        await found.asked
        return
      }
      forgetStale()
      if (checks.size >= MAX_REMEMBERED) checks.clear()
      const check: Check = { session, asked: work() }
      checks.set(person, check)
      try {
        await check.asked
        check.answeredAt = now()
      } catch (error) {
        if (checks.get(person) === check) checks.delete(person)
        throw error
      }
    },
    /** The person's walk was changed here: the next one asks anew, since the change may be what they look for. */
    forget: (person: string) => void checks.delete(person),
  }
}

export type RecentChecks = ReturnType<typeof createRecentChecks>
