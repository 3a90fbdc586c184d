// The guarantees of onramp keep, checked for every email, run and day of the simulated year. Each counts its checks,
// and keeps its first violation.
import { Readable } from 'node:stream'
import { summarize, summarizeAll } from '../../../src/admin/person-summary.ts'
import { createReport } from '../../../src/admin/report.ts'
import type { PeopleStore } from '../../../src/people/people-store.ts'
import type { Person } from '../../../src/people/person.ts'
import { activeMassDisconnects } from '../../../src/people/keep-state.ts'
import type { MassDisconnect, KeepState } from '../../../src/people/keep-state.ts'
import { DAY, HOUR, type Calendar } from './calendar.ts'
import type { Changes } from './changes.ts'
import { checkRecords, RETENTION } from './records.ts'
import { consentOf, type Consent, type Employee, type Workforce } from './workforce.ts'

const QUARTER = 91 * DAY
const PROMISES = {
  noticed: 'every lapse is noticed within 24 hours of runs',
  notice: 'each mass disconnect is one notice to the admins, and nothing else is',
  paused: 'no one is emailed about a mass disconnect before it is resumed or repaired',
  over: 'a mass disconnect that was resumed or repaired pauses no emails a day later',
  repaired: 'no email names an app that is connected',
  true: 'no email says that access ended where it did not',
  quarter: 'at most four emails in 91 days to a person',
  lapse: 'at most three emails about one lapse',
  hours: 'emails leave Monday to Friday from 9 to 16 where the person is',
  unwanted: 'no email to people who opted out, left the list, or are unknown to the service',
  quiet: 'no one is emailed on a quiet day, or while emails are paused',
  announced:
    'everyone is told of each new app within four days on which that is possible, and not by a reminder',
  new: 'no email says that an app is new which is not, and at most three are about one',
  optedOut: 'no opt-out is ever lost',
  renamed: 'people with a new address are followed within a day, and their links lead to them',
  oneRecord: 'two people never become one, and no one becomes two',
  aside: 'what people skipped or wait for goes on, at a new address and a new identity provider, too',
  requested: 'owners get one email for everyone who waits',
  approval: 'no approval email to a second person before it is confirmed, and one to everyone who waits then',
  gone: 'an app that was removed or replaced is in no figure a day later',
  figures: 'every figure equals the people behind its link, and a count over the records',
  missing: 'no one on the list is missing from the figures of a day',
  apart: 'people who are no longer on the list are counted apart',
  erased: 'people who left are erased after the retention',
  ready: 'no one is counted as ready who had lost an app when last asked about',
  runs: 'a run ends early only where the service is down or it was killed',
} as const

type PromiseName = keyof typeof PROMISES

type Check = (promise: PromiseName, isKept: boolean) => void

export type SentEmail = {
  email: string
  campaign: string
  apps: readonly string[]
  /** Other apps that it lists. */
  alsoListed?: string[] | undefined
  nth?: number | undefined
}

type KeepPromisesOptions = {
  calendar: Calendar
  people: PeopleStore
  workforce: Workforce
  changes: Changes
  /** Milliseconds between the check before an email and the email. */
  moment: number
}

export class KeepPromises {
  readonly #checked = new Map<PromiseName, number>()
  readonly #broken = new Map<PromiseName, { count: number; example: string }>()
  readonly #open = new Set<{ employee: Employee; consent: Consent; at: number }>()
  readonly #trialTimes = new Map<string, number>()
  readonly #requested = new Map<string, { stage: string; id: string; at: number }>()
  readonly #notices: MassDisconnect[] = []
  readonly #options: KeepPromisesOptions

  constructor(options: KeepPromisesOptions) {
    this.#options = options
  }

  check(promise: PromiseName, isKept: boolean, example: () => string): void {
    this.#checked.set(promise, (this.#checked.get(promise) ?? 0) + 1)
    if (isKept) return
    const known = this.#broken.get(promise)
    if (known !== undefined) known.count++
    else
      this.#broken.set(promise, { count: 1, example: `${dateOf(this.#options.calendar.now)}: ${example()}` })
  }

  lapsed(employee: Employee, consent: Consent): void {
    this.#open.add({ employee, consent, at: this.#options.calendar.now })
  }

  /** @param isOnList of the run that sent it */
  sent(sent: SentEmail, employee: Employee, isOnList: boolean): void {
    const { calendar, moment } = this.#options
    const { now } = calendar
    const { email, campaign, apps, alsoListed = [] } = sent
    const check = (promise: PromiseName, isKept: boolean) =>
      this.check(promise, isKept, () => `${email}, ${campaign}: ${apps.join(', ')}`)
    const isWorking = (at: number) => {
      const { hour, weekday } = localTime(at, employee.timezone)
      return !['Sat', 'Sun'].includes(weekday) && hour >= 9 && hour < 16
    }
    check('hours', isWorking(now) || isWorking(now - moment))
    const { day } = localTime(now, employee.timezone)
    check('quiet', !this.#options.changes.isQuiet(now, day, employee.group))
    const isGone = !isOnList || (!employee.isKnown && now - employee.knownChangedAt > moment)
    check('unwanted', !isGone && !employee.isOptedOut)
    check('quarter', employee.emails.filter((at) => now - at < QUARTER).length < 4)
    check('quarter', now - (employee.emails.at(-1) ?? 0) >= 20 * HOUR)
    for (const instance of [...apps, ...alsoListed]) {
      const consent = consentOf(employee, instance)
      const goneAt = this.#options.changes.gone.find((one) => one.instance === instance)?.at ?? Infinity
      check('gone', consent !== undefined || now - goneAt < 2 * moment)
      if (consent === undefined) continue
      check('repaired', !consent.isConnected || now - consent.since < moment)
      const planted = this.#options.workforce.planted.find((one) => one.instance === instance)
      const isPaused = planted?.cause === consent.lapse?.cause && planted?.endsAt === Infinity
      check('paused', !isPaused || now - (consent.lapse?.at ?? 0) < moment)
      if (campaign !== 'lapses' || alsoListed.includes(instance)) continue
      check('true', consent.lapse !== undefined || now - consent.since < moment)
      check('lapse', ++consent.emails <= 3)
    }
    this.#sentAboutNew(sent, employee, check)
    if (campaign === 'approvals') this.#sentAboutApproval(sent, employee, check)
    this.begun(sent, employee)
  }

  #sentAboutNew({ campaign, apps, nth }: SentEmail, employee: Employee, check: Check): void {
    const consents = apps.flatMap((instance) => consentOf(employee, instance) ?? [])
    const isInvited = ({ newAt = 0 }: Consent) => newAt > (employee.emails[0] ?? Infinity)
    if (campaign === 'onboarding')
      check('announced', !consents.some((one) => one.named === 0 && isInvited(one)))
    if (campaign !== 'new-apps') return
    check(
      'new',
      consents.every(({ newAt, named }) => newAt !== undefined && named < 3),
    )
    check('announced', (nth === 1) === consents.some(({ named }) => named === 0))
  }

  #sentAboutApproval({ apps }: SentEmail, { consents }: Employee, check: Check): void {
    const { calendar, workforce, changes } = this.#options
    for (const instance of apps) {
      const answeredAt = changes.answerTimes.get(instance) ?? Infinity
      const isConfirmed = workforce.employees
        .flatMap((one) => consentOf(one, instance) ?? [])
        .some(({ since, isConnected, hasWaited }) => isConnected && hasWaited && since >= answeredAt)
      const triedAt = this.#trialTimes.get(instance) ?? 0
      // The next person is emailed if the first one since the decision does nothing for three working days.
      const isNext = triedAt < answeredAt || calendar.now - triedAt > 60 * HOUR
      check('approval', answeredAt < calendar.now && (isConfirmed || isNext))
      if (!isConfirmed) check('approval', (this.#requested.get(instance)?.at ?? 0) < answeredAt)
      this.#trialTimes.set(instance, calendar.now)
      const consent = consents.find((one) => one.instance === instance)
      if (consent !== undefined) check('approval', ++consent.approvals === 1)
    }
  }

  /** @param request of a run that was killed, its email has the same id again */
  requested(request: { instance: string; stage: string; id: string }): void {
    const { now } = this.#options.calendar
    const { instance, stage, id } = request
    const last = this.#requested.get(instance)
    const isLate = last === undefined || last.stage !== stage || now - last.at > 4 * DAY
    if (last?.id === id) return
    this.check('requested', isLate, () => `${instance}, ${stage}`)
    this.#requested.set(instance, { stage, id, at: now })
  }

  /** An email may have arrived: so it counts. */
  begun({ apps }: SentEmail, employee: Employee): void {
    employee.emails.push(this.#options.calendar.now)
    for (const instance of apps) {
      const consent = consentOf(employee, instance)
      if (consent?.newAt !== undefined) consent.named++
    }
  }

  /** A notice that is sent again because its run was killed has the same Message-ID. */
  noticed(found: MassDisconnect): void {
    const isAgain = this.#notices.some(
      ({ instance, noticedAt }) => instance === found.instance && noticedAt === found.noticedAt,
    )
    if (!isAgain) this.#notices.push(found)
  }

  async afterRun(keepState: KeepState): Promise<void> {
    const { calendar, people, workforce } = this.#options
    const { outage, planted } = workforce
    for (const { instance, endsAt } of planted) {
      const isPaused = activeMassDisconnects(keepState).some((one) => one.instance === instance)
      const isLate =
        calendar.now - endsAt > DAY && (calendar.now < outage.from || calendar.now > outage.to + DAY)
      if (isLate) this.check('over', !isPaused, () => instance)
    }
    for (const open of this.#open) {
      const { employee, consent, at } = open
      const isThere = employee.consents.includes(consent)
      const isOver = !isThere || consent.lapse?.at !== at || !employee.isListed || !employee.isKnown
      const known = (await people.get(await people.currentAddress(employee.email)))?.lastCheck?.apps
      const noticedAt = known?.find(({ instance }) => instance === consent.instance)?.lapsedAt
      if (isOver || noticedAt !== undefined) this.#open.delete(open)
      if (isOver) continue
      const until = noticedAt ?? calendar.now
      const down = Math.max(0, Math.min(until, outage.to) - Math.max(at, outage.from))
      const lag = until - at - down
      // The first run after a lapse may begin an hour later.
      if (noticedAt === undefined && lag < 25 * HOUR) continue
      this.#open.delete(open)
      this.check(
        'noticed',
        lag <= 25 * HOUR,
        () => `${consent.instance} of ${employee.email}, ${lag / HOUR} h`,
      )
    }
  }

  /** @param listed on the list of the last run */
  async afterDay(listed: ReadonlySet<Employee>, keepState: KeepState): Promise<string> {
    const { calendar, people, workforce, changes } = this.#options
    const { now } = calendar
    const all: Person[] = []
    for await (const person of people.all()) all.push(person)
    const report = await createReport(summarizeAll(Readable.from(all), keepState), now)
    const missing = new Set(listed)
    let leftApart = 0
    for (const person of all) {
      const employee = workforce.byEmail.get(person.email)
      const isListed = employee !== undefined && missing.delete(employee)
      const { progress } = summarize(person, keepState)
      if (!isListed) {
        leftApart++
        this.check('apart', progress === 'gone', () => `${person.email} left, and is ${progress}`)
      }
      if (progress !== 'ready') continue
      const lost = employee?.consents.find(
        ({ isConnected, lapse, newAt }) =>
          !isConnected && (lapse?.at ?? newAt ?? 0) < (person.lastCheck?.checkedAt ?? 0),
      )
      this.check('ready', lost === undefined, () => `${person.email} lacks ${lost?.instance}`)
    }
    this.check('missing', missing.size === 0, () => [...missing].map(({ email }) => email).join(', '))
    const counted = report.people + report.gone
    this.check('missing', counted === listed.size + leftApart, () => `${counted} are counted`)
    const states = report.ready + report.inProgress + report.notStarted + report.stuck + report.fellBack
    this.check('missing', states === report.people, () => `${states} of ${report.people} are in a state`)
    const time = 25 * HOUR + (now > workforce.outage.from && now < workforce.outage.to + DAY ? DAY : 0)
    for (const { instance, at } of changes.gone) {
      const known = report.datasources.find((one) => one.instance === instance)
      const isCounted = Object.values(known?.counts ?? {}).some((count) => count > 0)
      this.check('gone', !isCounted || now - at < time, () => JSON.stringify(known))
    }
    const check = this.check.bind(this)
    await checkRecords({ all, report, keepState, now, people, workforce, changes, check })
    for (const { email, isListed, leftAt } of workforce.employees) {
      if (isListed || leftAt === 0 || now - leftAt < RETENTION + 2 * DAY) continue
      const known = await people.get(email)
      const isErased =
        known === undefined || (known.optedOutAt !== undefined && known.lastCheck === undefined)
      this.check('erased', isErased, () => `${email} left on ${dateOf(leftAt)}`)
    }
    const { ready, inProgress, notStarted, stuck, fellBack, gone } = report
    return JSON.stringify({ people: report.people, ready, inProgress, notStarted, stuck, fellBack, gone })
  }

  afterYear(): void {
    for (const planted of this.#options.workforce.planted) {
      const own = this.#notices.filter(({ instance }) => instance === planted.instance)
      const isOne = own.length === 1 && own[0]!.noticedAt >= planted.at && own[0]!.noticedAt <= planted.endsAt
      const { cause, instance, at, size } = planted
      const what = `the ${cause} one of ${size} (${instance}) of ${dateOf(at)}`
      const noticed = own.map(({ noticedAt, lapsed, had }) => `${dateOf(noticedAt)} ${lapsed}/${had}`)
      this.check('notice', isOne, () => `${what}: ${noticed.join('; ') || 'none'}`)
    }
    const others = this.#notices.filter(
      ({ instance }) => !this.#options.workforce.planted.some((one) => one.instance === instance),
    )
    this.check('notice', others.length === 0, () => JSON.stringify(others))
  }

  verdicts(): string[] {
    return (Object.keys(PROMISES) as PromiseName[]).map((promise) => {
      const broken = this.#broken.get(promise)
      const checked = (this.#checked.get(promise) ?? 0).toLocaleString('en')
      if (broken === undefined) return `kept    ${PROMISES[promise]} (${checked})`
      const count = broken.count.toLocaleString('en')
      return `BROKEN  ${PROMISES[promise]} (${count} of ${checked})\n          ${broken.example}`
    })
  }

  areKept = (): boolean => this.#broken.size === 0
}

const dateOf = (at: number) => new Date(at).toISOString().slice(0, 16)

const clocks = new Map<string, Intl.DateTimeFormat>()

/** Doesn't use the product's own code, so that one mistake can't cancel another. `day`: YYYY-MM-DD */
function localTime(at: number, timeZone: string) {
  const fields = { timeZone, weekday: 'short', hour: '2-digit', hourCycle: 'h23' } as const
  const date = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
  const clock = clocks.get(timeZone) ?? new Intl.DateTimeFormat('en-GB', { ...fields, ...date })
  clocks.set(timeZone, clock)
  const [weekday = '', day = '', hour = ''] = clock.format(at).split(', ')
  return { weekday, day: day.split('/').toReversed().join('-'), hour: Number(hour) }
}
