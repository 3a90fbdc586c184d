// How long people stay signed in.
import type { Check } from '../check.ts'
import { ok, skip, warn } from '../finding.ts'

export const sessionLifetimes: Check = {
  id: 'settings.session',
  about: 'Lifetimes of sessions',
  group: 'Settings',
  look({ settings }) {
    const { SESSION_IDLE_MINUTES: idle, SESSION_MAX_HOURS: most } = settings
    if (idle === undefined || most === undefined) return [skip('the settings cannot be read.')]
    return idle > most * 60
      ? [
          warn('A session may idle for longer than it lives, so SESSION_IDLE_MINUTES has no effect.', {
            settings: ['SESSION_IDLE_MINUTES', 'SESSION_MAX_HOURS'],
            mend: 'let the first be the shorter time',
          }),
        ]
      : [ok(`People are signed out after ${idle} idle minutes, and after ${most} hours in any case.`)]
  },
}
