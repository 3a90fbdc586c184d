// Apps, as the report counts them. Pure.
import type { Person, SourceState } from '../people/person.ts'

export type App = {
  instance: string
  name: string
  counts: Record<SourceState, number>
  /** Among those that are waiting: the consent never showed. */
  unconfirmed: number
}

const MAX_APPS = 500

const noCounts = () => ({ waiting: 0, connected: 0, skipped: 0, blocked: 0, off: 0 })

export type Apps = { count: (arrival: Person) => void; shown: () => App[] }

export function createApps(): Apps {
  const apps = new Map<string, App>()
  return {
    count({ sources }) {
      for (const { instance, name, state, unconfirmed } of sources) {
        const found = apps.get(instance)
        if (found === undefined && apps.size >= MAX_APPS) continue
        const app = found ?? { instance, name, counts: noCounts(), unconfirmed: 0 }
        app.counts[state]++
        if (unconfirmed === true) app.unconfirmed++
        apps.set(instance, app)
      }
    },
    /** The ones that most people wait for come first. */
    shown: () =>
      [...apps.values()].sort(
        (one, other) => other.counts.waiting - one.counts.waiting || one.name.localeCompare(other.name, 'en'),
      ),
  }
}

/** People who can do something about the app: it is not switched off for them. */
export const peopleWith = ({ counts }: App): number =>
  counts.waiting + counts.connected + counts.skipped + counts.blocked

export const stuckAt = ({ counts, unconfirmed }: App): number => counts.blocked + unconfirmed
