// Changes in the company during the simulated year: apps, and days without emails.
import type { Company } from '../../../src/company/company.ts'
import type { KeepState } from '../../../src/people/keep-state.ts'
import type { Random } from '../random.ts'
import { DAY, MINUTE, type Calendar } from './calendar.ts'
import { consentOf, type Workforce } from './workforce.ts'

const NEW_APP = 'notion_1'
const ANSWERED_AFTER = 2 * DAY
const PAUSE = 4 * DAY

type ChangesOptions = {
  seed: number
  days: number
  calendar: Calendar
  random: Random
  workforce: Workforce
  /** The company file's `replaces`, the other way around. */
  activeReplacements: Map<string, string>
  /** Time of an owner's last approval of an app. */
  answers: Map<string, number>
  /** Options of the operator for the next run. */
  operate: (change: (state: KeepState) => KeepState) => void
}

export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

export class Changes {
  readonly quiet: Company['quietDays']
  readonly pause = { from: Infinity, until: 0 }
  /** Time of each owner's last decision. */
  readonly answerTimes = new Map<string, number>()
  readonly #options: ChangesOptions
  readonly gone: { instance: string; at: number }[] = []

  constructor(options: ChangesOptions) {
    const { seed, days, calendar, random, workforce, activeReplacements, operate } = options
    this.#options = options
    const start = calendar.now
    const moment = (from: number, to: number) =>
      start + Math.floor((days * DAY * (from + random.next() * (to - from))) / MINUTE) * MINUTE
    const [quiet, quietInParis] = [moment(0.24, 0.28), moment(0.74, 0.78)]
    this.quiet = [
      { from: dayOf(quiet), to: dayOf(quiet + DAY), group: undefined },
      { from: dayOf(quietInParis), to: dayOf(quietInParis), group: 'Paris' },
    ]
    const [, , removed = '', replaced = '', unapproved = ''] = workforce.apps
    workforce.unapproved.add(unapproved)
    calendar.at(moment(0.45, 0.55), () => void (workforce.issuer = 'https://login.acme.example'))
    calendar.at(moment(0.15, 0.22), () => workforce.addApp(NEW_APP))
    calendar.at(moment(0.3, 0.34), () =>
      operate((state) => {
        const pausedUntil = Date.parse(dayOf(calendar.now + PAUSE))
        Object.assign(this.pause, { from: calendar.now, until: pausedUntil })
        return { ...state, pausedUntil }
      }),
    )
    calendar.at(moment(0.55, 0.62), () => {
      workforce.removeApp(removed)
      this.gone.push({ instance: removed, at: calendar.now })
      if (seed % 2 === 1) calendar.at(calendar.now + ANSWERED_AFTER, () => operate(this.#confirmRemoval))
    })
    calendar.at(moment(0.65, 0.72), () => {
      const successor = replaced.replace('_1', '_2')
      workforce.replaceApp(replaced, successor)
      activeReplacements.set(replaced, successor)
      this.gone.push({ instance: replaced, at: calendar.now })
    })
  }

  /** With an even seed the first answer of an owner is wrong. */
  askOwner(instance: string): void {
    const { seed, calendar, workforce, answers } = this.#options
    calendar.at(calendar.now + DAY, () => {
      if (seed % 2 === 1 || this.answerTimes.has(instance)) workforce.unapproved.delete(instance)
      this.answerTimes.set(instance, calendar.now)
      answers.set(instance, calendar.now)
      for (const employee of workforce.employees)
        Object.assign(consentOf(employee, instance) ?? {}, { approvals: 0 })
    })
  }

  #confirmRemoval = (state: KeepState): KeepState => ({
    ...state,
    delistedApps: (state.delistedApps ?? []).map((one) => ({
      ...one,
      markedRemovedAt: one.noticedAt + ANSWERED_AFTER,
    })),
  })

  /** @param day YYYY-MM-DD where the person is */
  isQuiet(now: number, day: string, group: string): boolean {
    const isPaused = now > this.pause.from && Date.parse(day) < this.pause.until
    return (
      isPaused || this.quiet.some((one) => day >= one.from && day <= one.to && (one.group ?? group) === group)
    )
  }
}
