// What onramp keep promises, held against every email, every run and every day of the simulated year. Each rule counts how
// often it was tried, and keeps its first breach.
import { summarize, summarizeAll } from '../../../src/admin/person-summary.ts'
import { createReport } from '../../../src/admin/report.ts'
import type { People } from '../../../src/people/people.ts'
import type { Person } from '../../../src/people/person.ts'
import { activeMassDisconnects, type MassDisconnect, type KeepState } from '../../../src/people/keep-state.ts'
import { DAY, HOUR, type Calendar } from './calendar.ts'
import { consentOf, type Consent, type Employee, type World } from './world.ts'

const QUARTER = 91 * DAY
const RETENTION = 90 * DAY
const RULES = {
  noticed: 'every lapse is noticed within 24 hours of runs',
  notice: 'each shared break is one notice to the administrators, and nothing else is',
  held: 'no one is emailed about a shared break before it is released or repaired',
  over: 'a shared break that was released or repaired holds nothing back a day later',
  repaired: 'no email names an app that is connected',
  true: 'no email says that access ended where it did not',
  quarter: 'at most four emails in 91 days to a person',
  lapse: 'at most three emails about one lapse',
  hours: 'emails leave Monday to Friday from 9 to 16 where the person is',
  unwanted: 'no email to people who opted out, left the list, or are unknown to the service',
  missing: 'no one on the list is missing from the figures of a day',
  apart: 'people who are no longer on the list are counted apart',
  erased: 'people who left are erased after the retention',
  ready: 'no one is counted as ready who had lost an app when last asked about',
  runs: 'a run ends early only where the service is down or it was killed',
} as const

export type Rule = keyof typeof RULES

export type Sent = { email: string; apps: readonly string[]; isLapse: boolean }

type Judged = {
  calendar: Calendar
  people: Pick<People, 'get' | 'all'>
  world: () => World
  /** Between the question before an email and the email; milliseconds. */
  moment: number
}

export class Rules {
  readonly #tried = new Map<Rule, number>()
  readonly #broken = new Map<Rule, { count: number; example: string }>()
  readonly #open = new Set<{ employee: Employee; consent: Consent; at: number }>()
  readonly #notices: MassDisconnect[] = []
  #lags: number[] = []
  readonly #judged: Judged

  constructor(judged: Judged) {
    this.#judged = judged
  }

  hold(rule: Rule, isKept: boolean, example: () => string): void {
    this.#tried.set(rule, (this.#tried.get(rule) ?? 0) + 1)
    if (isKept) return
    const known = this.#broken.get(rule)
    if (known !== undefined) known.count++
    else this.#broken.set(rule, { count: 1, example: `${dateOf(this.#judged.calendar.now)}: ${example()}` })
  }

  lapsed(employee: Employee, consent: Consent): void {
    this.#open.add({ employee, consent, at: this.#judged.calendar.now })
  }

  /** @param isOnList of the run that sent it */
  sent({ email, apps, isLapse }: Sent, employee: Employee, isOnList: boolean): void {
    const { calendar, moment } = this.#judged
    const { now } = calendar
    const hold = (rule: Rule, isKept: boolean) =>
      this.hold(rule, isKept, () => `${email} about ${isLapse ? 'the end of ' : ''}${apps.join(', ')}`)
    const { hour, weekday } = localTime(now, employee.timezone)
    hold('hours', !['Sat', 'Sun'].includes(weekday) && hour >= 9 && hour < 16)
    const isGone = !isOnList || (!employee.isKnown && now - employee.knownChangedAt > moment)
    hold('unwanted', !isGone && !employee.isOptedOut)
    hold('quarter', employee.emails.filter((at) => now - at < QUARTER).length < 4)
    for (const instance of apps) {
      const consent = consentOf(employee, instance)
      hold('repaired', !consent.isConnected || now - consent.since < moment)
      const planted = this.#judged.world().planted.find((one) => one.instance === instance)
      const isHeld = planted?.cause === consent.lapse?.cause && planted?.endsAt === Infinity
      hold('held', !isHeld || now - (consent.lapse?.at ?? 0) < moment)
      if (!isLapse) continue
      hold('true', consent.lapse !== undefined || now - consent.since < moment)
      hold('lapse', ++consent.emails <= 3)
    }
  }

  /** One that was sent again because its run was killed has the same Message-ID. */
  told(found: MassDisconnect): void {
    const isAgain = this.#notices.some(
      ({ instance, noticedAt }) => instance === found.instance && noticedAt === found.noticedAt,
    )
    if (!isAgain) this.#notices.push(found)
  }

  async afterRun(keepState: KeepState): Promise<void> {
    const { calendar, people, world } = this.#judged
    const { outage, planted } = world()
    for (const { instance, endsAt } of planted) {
      const isHeld = activeMassDisconnects(keepState).some((one) => one.instance === instance)
      const isLate =
        calendar.now - endsAt > DAY && (calendar.now < outage.from || calendar.now > outage.to + DAY)
      if (isLate) this.hold('over', !isHeld, () => instance)
    }
    for (const open of this.#open) {
      const { employee, consent, at } = open
      const isOver = consent.lapse?.at !== at || !employee.isListed || !employee.isKnown
      const known = (await people.get(employee.email))?.lastCheck?.apps
      const noticedAt = known?.find(({ instance }) => instance === consent.instance)?.lapsedAt
      if (isOver || noticedAt !== undefined) this.#open.delete(open)
      if (isOver) continue
      const until = noticedAt ?? calendar.now
      const down = Math.max(0, Math.min(until, outage.to) - Math.max(at, outage.from))
      const lag = until - at - down
      // An hour until the first run after it.
      if (noticedAt === undefined && lag < 25 * HOUR) continue
      this.#open.delete(open)
      this.#lags.push(lag)
      this.hold(
        'noticed',
        lag <= 25 * HOUR,
        () => `${consent.instance} of ${employee.email}, ${lag / HOUR} h`,
      )
    }
  }

  /** @param listed on the list of the last run */
  async afterDay(listed: ReadonlySet<string>): Promise<string> {
    const { calendar, people, world } = this.#judged
    const { now } = calendar
    const all: Person[] = []
    for await (const person of people.all()) all.push(person)
    const report = await createReport(summarizeAll(given(all)), now)
    const missing = new Set(listed)
    let leftApart = 0
    for (const person of all) {
      missing.delete(person.email)
      const { progress } = summarize(person)
      if (!listed.has(person.email)) {
        leftApart++
        this.hold('apart', progress === 'gone', () => `${person.email} left, and is ${progress}`)
      }
      if (progress !== 'ready') continue
      const employee = world().byEmail.get(person.email)
      const lost = employee?.consents.find(
        ({ isConnected, lapse }) =>
          !isConnected && (lapse === undefined || lapse.at < (person.lastCheck?.checkedAt ?? 0)),
      )
      this.hold('ready', lost === undefined, () => `${person.email} lacks ${lost?.instance}`)
    }
    this.hold('missing', missing.size === 0, () => [...missing].slice(0, 3).join(', '))
    const counted = report.people + report.gone
    this.hold('missing', counted === listed.size + leftApart, () => `${counted} are counted`)
    const states = report.ready + report.inProgress + report.notStarted + report.stuck + report.fellBack
    this.hold('missing', states === report.people, () => `${states} of ${report.people} are in a state`)
    for (const { email, isListed, leftAt } of world().employees) {
      if (isListed || leftAt === 0 || now - leftAt < RETENTION + 2 * DAY) continue
      const known = await people.get(email)
      const { optedOutAt } = known ?? {}
      const isErased = known === undefined || (optedOutAt !== undefined && known.lastCheck === undefined)
      this.hold('erased', isErased, () => `${email} left on ${dateOf(leftAt)}`)
    }
    const { ready, inProgress, notStarted, stuck, fellBack, gone } = report
    return JSON.stringify({ people: report.people, ready, inProgress, notStarted, stuck, fellBack, gone })
  }

  end(): void {
    for (const planted of this.#judged.world().planted) {
      const own = this.#notices.filter(({ instance }) => instance === planted.instance)
      const isOne = own.length === 1 && own[0]!.noticedAt >= planted.at && own[0]!.noticedAt <= planted.endsAt
      const { cause, instance, at, size } = planted
      const what = `the ${cause} one of ${size} (${instance}) of ${dateOf(at)}`
      const noticed = own.map(({ noticedAt, lapsed, had }) => `${dateOf(noticedAt)} ${lapsed}/${had}`)
      this.hold('notice', isOne, () => `${what}: ${noticed.join('; ') || 'none'}`)
    }
    const others = this.#notices.filter(
      ({ instance }) => !this.#judged.world().planted.some((one) => one.instance === instance),
    )
    this.hold('notice', others.length === 0, () => JSON.stringify(others))
  }

  /** One line for each rule. */
  verdicts(): { rule: Rule; isKept: boolean; line: string }[] {
    return (Object.keys(RULES) as Rule[]).map((rule) => {
      const broken = this.#broken.get(rule)
      const tried = (this.#tried.get(rule) ?? 0).toLocaleString('en')
      const line =
        broken === undefined
          ? `kept    ${RULES[rule]} (${tried})`
          : `BROKEN  ${RULES[rule]} (${broken.count.toLocaleString('en')} of ${tried})\n          ${broken.example}`
      return { rule, isKept: broken === undefined, line }
    })
  }

  lag(): string {
    const sorted = this.#lags.toSorted((one, other) => one - other)
    const hours = (share: number) =>
      ((sorted[Math.floor((sorted.length - 1) * share)] ?? 0) / HOUR).toFixed(1)
    return `${sorted.length.toLocaleString('en')} lapses noticed by runs: half within ${hours(0.5)} hours, the last after ${hours(1)}`
  }
}

async function* given<T>(all: readonly T[]): AsyncGenerator<T> {
  for (const one of all) yield await Promise.resolve(one)
}

const dateOf = (at: number) => new Date(at).toISOString().slice(0, 16)

const clocks = new Map<string, Intl.DateTimeFormat>()

/** Worked out apart from the product, so that one mistake can't cancel another. */
function localTime(at: number, timeZone: string) {
  const fields = { timeZone, weekday: 'short', hour: '2-digit', hourCycle: 'h23' } as const
  const clock = clocks.get(timeZone) ?? new Intl.DateTimeFormat('en-GB', fields)
  clocks.set(timeZone, clock)
  const [weekday = '', hour = ''] = clock.format(at).split(/,? /)
  return { weekday, hour: Number(hour) }
}
