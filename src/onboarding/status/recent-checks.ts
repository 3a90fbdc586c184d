// Spares the service: what was asked for a person a moment ago is not asked again for the intranet's counts. Kept in this
// process, because it only saves calls: the counts themselves are made of the walk, which every process reads anew.
import type { User } from '../../session/signed-in.ts'

/** Who a check was made for: the same person in every session. */
export const personOf = ({ issuer, subject }: User): string => `${issuer}\n${subject}`

/** So long an answer of the service counts as fresh; milliseconds. */
const FRESH_MS = 3_000
const MAX_REMEMBERED = 10_000

type Check = { session: string; asked: Promise<unknown>; answeredAt?: number }

export type RecentChecks = {
  /** Asks, or waits for what is being asked, or does nothing when the last answer is fresh. A failure is not kept. */
  ask(person: string, session: string, work: () => Promise<unknown>): Promise<void>
  /** The person's walk was changed here: the next one asks anew, since the change may be what they look for. */
  forget(person: string): void
}

/** @param now milliseconds since 1970 */
export function createRecentChecks(now: () => number): RecentChecks {
  const checks = new Map<string, Check>()

  /** Another session's tokens may be refused where this one's are not: only an answer is shared between sessions. */
  const isUsable = ({ session, answeredAt }: Check, mine: string) =>
    answeredAt === undefined ? session === mine : now() - answeredAt < FRESH_MS

  function start(person: string, session: string, work: () => Promise<unknown>): Promise<unknown> {
    if (checks.size >= MAX_REMEMBERED) checks.clear()
    const check: Check = { session, asked: work() }
    checks.set(person, check)
    return check.asked.then(
      () => {
        check.answeredAt = now()
      },
      (error: unknown) => {
        if (checks.get(person) === check) checks.delete(person)
        throw error
      },
    )
  }

  return {
    async ask(person, session, work) {
      const found = checks.get(person)
      await (found !== undefined && isUsable(found, session) ? found.asked : start(person, session, work))
    },
    forget: (person) => void checks.delete(person),
  }
}
