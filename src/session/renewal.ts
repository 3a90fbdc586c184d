// When what is only read has to be renewed: once in a while, not at every page.

/** Renewed when so much of its idle life has passed. */
const RENEW_AFTER_SHARE = 0.05
/** How many a process remembers to have renewed; forgetting one costs one renewal more. */
const MOST_REMEMBERED = 50_000

export type Renewal = {
  /** How long a record lives from now on: longer than documented by what a skipped renewal may cost. */
  lifeSeconds: number
  /** Is it time? Whoever is told so renews. */
  isDue(name: string): boolean
}

/** @param now milliseconds since 1970 */
export function createRenewal(idleSeconds: number, now: () => number): Renewal {
  const renewed = new Map<string, number>()
  return {
    lifeSeconds: Math.ceil(idleSeconds * (1 + RENEW_AFTER_SHARE)),
    isDue(name) {
      const moment = now()
      if (moment - (renewed.get(name) ?? 0) < idleSeconds * RENEW_AFTER_SHARE * 1000) return false
      if (renewed.size >= MOST_REMEMBERED) renewed.clear()
      renewed.set(name, moment)
      return true
    },
  }
}
