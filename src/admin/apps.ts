// Apps, as the report counts them. Pure.
import type { AppState } from '../people/person.ts'
import type { Profile } from './profile.ts'

export type App = {
  instance: string
  name: string
  counts: Record<AppState, number>
  /** Among those that are waiting: the consent never showed. */
  unconfirmed: number
}

const MAX_APPS = 500

const noCounts = () => ({ waiting: 0, connected: 0, skipped: 0, blocked: 0, off: 0 })

export function createApps() {
  const apps = new Map<string, App>()
  return {
    count(profile: Profile): void {
      for (const { instance, name, state, isUnconfirmed } of profile.apps) {
        const found = apps.get(instance)
        if (found === undefined && apps.size >= MAX_APPS) continue
        const app = found ?? { instance, name, counts: noCounts(), unconfirmed: 0 }
        app.counts[state]++
        if (isUnconfirmed) app.unconfirmed++
        apps.set(instance, app)
      }
    },
    /** The ones that most people wait for come first. */
    shown: (): App[] =>
      [...apps.values()].sort(
        (one, other) => other.counts.waiting - one.counts.waiting || one.name.localeCompare(other.name, 'en'),
      ),
  }
}

/** People who can do something about the app: it is not switched off for them. */
export const peopleWith = ({ counts }: App): number =>
  counts.waiting + counts.connected + counts.skipped + counts.blocked

export const stuckAt = ({ counts, unconfirmed }: App): number => counts.blocked + unconfirmed
