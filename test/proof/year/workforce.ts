// The people of a simulated year and the service: consents, reactions to emails, and changes. People use only onramp's
// pages and emails. MODEL describes and prints all of it.
import { hash } from 'node:crypto'
import type { ListEntry } from '../../../src/campaigns/people-file.ts'
import type { ListedApp } from '../../../src/client-api/responses.ts'
import { withFailure, withMilestone } from '../../../src/people/person.ts'
import type { PeopleStore } from '../../../src/people/people-store.ts'
import type { ProgressRecorder } from '../../../src/onboarding/progress-recorder.ts'
import { applyCheck, block, skip, startConsent, type Walk } from '../../../src/onboarding/walk.ts'
import type { WalkStore } from '../../../src/onboarding/walk-store.ts'
import type { Random } from '../random.ts'
import { DAY, HOUR, MINUTE, type Calendar } from './calendar.ts'

const APPS = ['slack_1', 'drive_1', 'jira_1', 'github_1', 'confluence_1'] as const
const ZONES = ['Europe/Berlin', 'Europe/Berlin', 'America/New_York', 'UTC', 'Asia/Kolkata', 'Asia/Tokyo']
const GROUPS = ['Berlin', 'Berlin', 'Paris']
const WEEK = 7 * DAY
/** After its last change. Later, it is continued from the person's record, but not at another identity provider. */
const WALK_LIFE = 90 * DAY
const UNCONNECTED = {
  isConnected: false,
  since: 0,
  lapse: undefined,
  emails: 0,
  named: 0,
  waited: 0,
  aside: undefined,
  approvals: 0,
  hasWaited: false,
}

const LAPSES_A_WEEK = 0.01
const NEVER = 0.15
const REACTS = 0.6
const CONNECTS = 0.9
const REPAIRS_ALONE = 0.15
const OPTS_OUT = 0.01
/** The share of the people who opt out. */
const MARRIES_LATER = 0.5
const A_WEEK = { leave: 0.002, unknown: 0.0015, join: 0.004, marry: 0.004 }
const COME_BACK = 0.3
const HAS_NEW = 0.8

export const MODEL = `Everyone has five apps to connect, and is in one of five time zones (Berlin, New York, UTC, Kolkata, Tokyo).
One run begins each hour, seven minutes past; it asks 80 times a minute, so a pass over 10,000 takes two hours
(of fewer people it asks so slowly that it takes as long).
After an email 60% open their page, after a day on average, and connect each app with 90%; 15% never react to anything.
A consent lapses at 1% a week. 15% of those who lose one notice it themselves, after two days on average, and repair it.
Each email has 1% of its readers opt out. In a week 0.2% leave the list and 0.15% become unknown to the service; 30% of
both come back two to four weeks later. Each week 0.4% are new.
Twice many lose one app at once: 3 of 10 people (3,000), resumed three days after the notice
(with an even seed two hours after it); and 60, repaired by its cause after two days.
The service is down for one day. One run of 50 is killed at a random step. A run that is due while
another still works finds its lease and does nothing. One email of 200 is put off, one of 500 has an
unknown outcome; one notice to the admins of five can't be sent at first.
One app is new for 80% at once. One is gone from all lists, and an admin says so two days later (with an even seed
never). One is replaced, and has to be connected again. One needs an approval, which its owner gives a day after the email
about it (with an even seed it doesn't work the first time). Three days are quiet, one of them in Paris only, and emails
are paused for four days. In a week 0.4% get a new address: half of the people have an id on the list, and an operator
renames the others, whose first attempt names a colleague's address. Half of those who opt out get a new address
a week later on average. Some who are new get an address that someone else had. The identity provider changes once.`

type Lapse = { at: number; cause: 'alone' | 'big' | 'small' }

export type Consent = {
  instance: string
  /** When the app was new for the person, or another one's successor; absent: they had it from the start. */
  newAt?: number
  /** Emails that may have named it since, and working days on which one could have. */
  named: number
  waited: number
  isConnected: boolean
  /** When it was last connected. */
  since: number
  /** Absent while it is connected, and before. */
  lapse: Lapse | undefined
  emails: number
  /** The person's choice on a page. */
  aside: 'skipped' | 'blocked' | undefined
  /** Emails that it was approved, since the owner's last answer. */
  approvals: number
  /** The person has waited for its approval. */
  hasWaited: boolean
}

export type Employee = {
  email: string
  /** The newest last. */
  formerEmails: string[]
  /** When the present address is from. */
  renamedAt: number
  /** The list has one for every other person. */
  id: string | undefined
  links: { email: string; sentAt: number }[]
  /** Last change of their walk, and the identity provider. */
  walk: { changedAt: number; issuer: string }
  timezone: string
  group: string
  isListed: boolean
  leftAt: number
  isKnown: boolean
  knownChangedAt: number
  isOptedOut: boolean
  neverReacts: boolean
  consents: Consent[]
  emails: number[]
}

/** A mass disconnect: many lose one app at once. */
type Planted = { cause: 'big' | 'small'; instance: string; at: number; endsAt: number; size: number }

type WorkforceOptions = {
  size: number
  days: number
  calendar: Calendar
  random: Random
  people: PeopleStore
  walks: WalkStore
  progress: ProgressRecorder
  onLapse: (employee: Employee, consent: Consent) => void
  note: (line: string) => void
}

export class Workforce {
  readonly employees: Employee[] = []
  readonly byEmail = new Map<string, Employee>()
  /** Addresses that people had before. */
  #marriages = 0
  readonly #free: { email: string; at: number }[] = []
  /** The identity provider. */
  issuer = 'https://id.acme.example'
  /** An app can't be connected before its owner has approved it. */
  readonly unapproved = new Set<string>()
  /** In an order of the seed: each change of the year is about another one. */
  readonly apps: string[]
  readonly planted: Planted[] = []
  readonly outage: { from: number; to: number }
  readonly #calendar: Calendar
  readonly #random: Random
  readonly #options: WorkforceOptions

  constructor(options: WorkforceOptions) {
    const { size, days, calendar, random } = options
    this.#options = options
    this.#calendar = calendar
    this.#random = random
    const start = calendar.now
    this.apps = shuffled(APPS, random)
    for (let count = 0; count < size; count++) this.#join()
    const moment = (from: number, to: number) =>
      start + Math.floor((days * DAY * (from + random.next() * (to - from))) / MINUTE) * MINUTE
    const at = moment(0.2, 0.9)
    this.outage = { from: at, to: at + DAY }
    this.#plant('big', this.apps[0]!, moment(0.35, 0.55), Math.max(Math.round(size * 0.3), 60))
    this.#plant('small', this.apps[1]!, moment(0.65, 0.85), 60)
    for (let week = start; week < start + days * DAY; week += WEEK)
      calendar.at(week, () => this.#planWeek(week))
  }

  list = (): ListEntry[] =>
    this.employees.flatMap(({ email, timezone, group, id, isListed }) =>
      isListed ? [{ email, timezone, group, ...(id !== undefined && { id }) }] : [],
    )

  isDown = (): boolean => this.#calendar.now >= this.outage.from && this.#calendar.now < this.outage.to

  /** In milliseconds, with a mean. */
  #after = (mean: number): number => Math.ceil(-Math.log(1 - this.#random.next()) * mean)

  #join(): void {
    const consents = this.apps.map((instance): Consent => ({ instance, ...UNCONNECTED }))
    const number = this.employees.length
    const id = number % 2 === 0 ? undefined : `id-${number}`
    const employee: Employee = {
      email: (id !== undefined && this.#freeAddress()) || `p${number}@acme.example`,
      formerEmails: [],
      renamedAt: 0,
      id,
      links: [],
      walk: { changedAt: 0, issuer: this.issuer },
      timezone: this.#random.pick(ZONES),
      group: this.#random.pick(GROUPS),
      isListed: true,
      leftAt: 0,
      isKnown: true,
      knownChangedAt: 0,
      isOptedOut: false,
      neverReacts: this.#random.chance(NEVER),
      consents,
      emails: [],
    }
    this.employees.push(employee)
    this.byEmail.set(employee.email, employee)
  }

  #planWeek(week: number): void {
    const listed = this.employees.filter(({ isListed, isKnown }) => isListed && isKnown)
    const some = (share: number, event: (employee: Employee) => void) => {
      for (let count = this.#after(listed.length * share); count > 0; count--) {
        const employee = this.#random.pick(listed)
        this.#calendar.at(week + this.#random.below(WEEK), () => event(employee))
      }
    }
    some(A_WEEK.join, () => this.#join())
    some(A_WEEK.leave, (employee) => this.#leave(employee))
    some(A_WEEK.unknown, (employee) => this.#loseAccount(employee))
    some(A_WEEK.marry, (employee) => this.#marry(employee))
  }

  /** With an id, the next run notices it; otherwise an operator renames the person. */
  async #marry(employee: Employee): Promise<void> {
    const { email: former, formerEmails, isListed, isKnown, id } = employee
    if (!isListed || !isKnown) return
    formerEmails.push(former)
    if (id !== undefined) this.#free.push({ email: former, at: this.#calendar.now })
    // Unlike an address made of the former one: that may be of someone else by now, who marries too.
    employee.email = `m${this.#marriages++}.${formerEmails[0]}`
    employee.renamedAt = this.#calendar.now
    this.byEmail.set(employee.email, employee)
    this.#options.note(`${former} is ${employee.email}`)
    if (id !== undefined) return
    await this.#renameToTaken(employee, former)
    await this.#options.people.rename(former, employee.email)
  }

  /** First the operator mistakes the new address for a colleague's, which has to be refused. */
  async #renameToTaken(employee: Employee, former: string): Promise<void> {
    const { people } = this.#options
    const colleague = this.employees.find((one) => one !== employee && one.isListed && one.isKnown)
    const isTaken = colleague !== undefined && (await people.get(colleague.email)) !== undefined
    if (isTaken) await people.rename(former, colleague.email)
  }

  /** Some people get an address that someone else had, two weeks later at the earliest. */
  #freeAddress(): string | undefined {
    const [first] = this.#free
    if (first === undefined || this.#calendar.now - first.at < 2 * WEEK) return undefined
    return this.#free.shift()?.email
  }

  #comesBack(event: () => void): void {
    if (this.#random.chance(COME_BACK))
      this.#calendar.at(this.#calendar.now + 2 * WEEK + this.#random.below(2 * WEEK), event)
  }

  #leave(employee: Employee): void {
    if (!employee.isListed) return
    employee.isListed = false
    employee.leftAt = this.#calendar.now
    this.#options.note(`${employee.email} leaves`)
    this.#comesBack(() => void (employee.isListed = true))
  }

  #loseAccount(employee: Employee): void {
    if (!employee.isKnown) return
    this.#setKnown(employee, false)
    this.#comesBack(() => this.#setKnown(employee, true))
  }

  #setKnown(employee: Employee, isKnown: boolean): void {
    employee.isKnown = isKnown
    employee.knownChangedAt = this.#calendar.now
    this.#options.note(`${employee.email} is ${isKnown ? 'known again' : 'unknown'}`)
  }

  #plant(cause: Planted['cause'], instance: string, at: number, size: number): void {
    const planted: Planted = { cause, instance, at, endsAt: Infinity, size: 0 }
    this.planted.push(planted)
    this.#calendar.at(at, () => {
      const having = this.employees.flatMap((employee) => {
        const consent = consentOf(employee, instance)
        return consent?.isConnected && employee.isListed && employee.isKnown ? [{ employee, consent }] : []
      })
      for (let remaining = size; remaining > 0 && having.length > 0; remaining--) {
        const [one] = having.splice(this.#random.below(having.length), 1)
        if (one === undefined) continue
        this.#lapse(one.employee, one.consent, cause)
        planted.size++
      }
      this.#options.note(`${cause} break of ${instance}: ${planted.size}`)
      if (cause === 'small') this.#calendar.at(at + 2 * DAY, () => this.repair(planted))
    })
  }

  /** Removes the cause. That repairs the small one; after the big one each person has to connect the app again. */
  repair(planted: Planted): void {
    if (planted.endsAt !== Infinity) return
    planted.endsAt = this.#calendar.now
    this.#options.note(`${planted.cause} break ends`)
    if (planted.cause === 'big') return
    for (const employee of this.employees) {
      const consent = consentOf(employee, planted.instance)
      if (consent?.lapse?.cause === 'small') this.#connect(employee, consent)
    }
  }

  #connect(employee: Employee, consent: Consent): void {
    const since = this.#calendar.now
    Object.assign(consent, { isConnected: true, since, lapse: undefined, emails: 0, aside: undefined })
    this.#calendar.at(since + this.#after(WEEK / LAPSES_A_WEEK), () => {
      const isThere = employee.consents.includes(consent) && consent.isConnected
      if (isThere && consent.since === since) this.#lapse(employee, consent, 'alone')
    })
  }

  #lapse(employee: Employee, consent: Consent, cause: Lapse['cause']): void {
    const at = this.#calendar.now
    Object.assign(consent, { isConnected: false, lapse: { at, cause }, emails: 0 })
    this.#options.onLapse(employee, consent)
    if (employee.neverReacts || !this.#random.chance(REPAIRS_ALONE)) return
    this.#calendar.at(at + this.#after(2 * DAY), () => this.#visit(employee))
  }

  unconnected = ({ consents }: Employee): ListedApp[] =>
    consents.flatMap(({ instance, isConnected, lapse }): ListedApp[] =>
      isConnected
        ? []
        : [{ instance, name: instance, status: lapse?.cause === 'alone' ? 'stale' : 'awaiting' }],
    )

  /** False before it is approved, and while the cause of a mass disconnect keeps its people from connecting. */
  #canConnect = ({ instance, lapse }: Consent): boolean =>
    !this.unapproved.has(instance) &&
    !this.planted.some(
      (one) => one.instance === instance && one.cause === lapse?.cause && one.endsAt === Infinity,
    )

  /** Most of them get an app, at once. */
  addApp(instance: string): void {
    const newAt = this.#calendar.now
    this.apps.push(instance)
    for (const { consents } of this.employees)
      if (this.#random.chance(HAS_NEW)) consents.push({ instance, ...UNCONNECTED, newAt })
  }

  removeApp(instance: string): void {
    this.apps.splice(this.apps.indexOf(instance), 1)
    for (const employee of this.employees)
      employee.consents = employee.consents.filter((one) => one.instance !== instance)
  }

  /** People who had connected it have to connect the other one. */
  replaceApp(former: string, instance: string): void {
    this.apps[this.apps.indexOf(former)] = instance
    for (const employee of this.employees)
      employee.consents = employee.consents.map((one): Consent => {
        if (one.instance !== former) return one
        const moved = { newAt: this.#calendar.now }
        // Someone who lost the former one is told that it moved, unless they were told of the loss.
        const change = one.isConnected ? { ...UNCONNECTED, ...moved } : one.lapse && moved
        return { ...one, instance, ...change }
      })
  }

  /** An email arrived. */
  read(employee: Employee, email: string): void {
    const link = { email, sentAt: this.#calendar.now }
    employee.links.push(link)
    if (employee.neverReacts) return
    if (this.#random.chance(OPTS_OUT))
      this.#calendar.at(this.#calendar.now + this.#after(HOUR), () => this.#optOut(employee, link))
    else if (this.#random.chance(REACTS))
      this.#calendar.at(this.#calendar.now + this.#after(DAY), () => this.#visit(employee))
  }

  async #optOut(employee: Employee, link: Employee['links'][number]): Promise<void> {
    const { now } = this.#calendar
    const address = await this.#options.people.addressAt(link.email, link.sentAt)
    await this.#options.people.change(address, (person) => withMilestone(person, 'optedOutAt', now))
    employee.isOptedOut = true
    this.#options.note(`${employee.email} opts out`)
    if (this.#random.chance(MARRIES_LATER))
      this.#calendar.at(now + this.#after(WEEK), () => this.#marry(employee))
  }

  /** The person opens the page, which checks, connects what they can, and sees the page again. */
  async #visit(employee: Employee): Promise<void> {
    if (!employee.isListed || !employee.isKnown) return
    if (this.isDown()) return this.#calendar.at(this.#calendar.now + DAY, () => this.#visit(employee))
    const changes: ((walk: Walk) => Walk)[] = []
    await this.#openPage(employee, changes)
    const { now } = this.#calendar
    for (const consent of employee.consents) {
      const { instance, aside, approvals } = consent
      const isWaiting = aside === 'blocked' && approvals === 0
      if (consent.isConnected || isWaiting) continue
      if (!this.#random.chance(CONNECTS)) {
        consent.aside = 'skipped'
        changes.push((walk) => skip(walk, instance, now))
      } else if (this.#canConnect(consent)) {
        this.#connect(employee, consent)
        changes.push((walk) => startConsent(walk, { instance, step: instance, now }))
      } else if (this.unapproved.has(instance)) {
        Object.assign(consent, { aside: 'blocked', approvals: 0, hasWaited: true })
        changes.push((walk) => block(walk, instance, now))
        const failure = { at: now, instance, code: 'blocked' }
        await this.#options.people.change(employee.email, (person) => withFailure(person, failure))
      }
    }
    await this.#openPage(employee, changes)
  }

  /** @param changes by buttons of the page before */
  async #openPage(employee: Employee, changes: readonly ((walk: Walk) => Walk)[]): Promise<void> {
    const { now } = this.#calendar
    const { walks, progress } = this.#options
    const { issuer } = this
    const subject = hash('sha256', `${issuer} ${employee.formerEmails[0] ?? employee.email} ${employee.id}`)
    const user = { issuer, subject, email: employee.email, emailVerified: true }
    const isOver = employee.walk.issuer !== issuer && now - employee.walk.changedAt >= WALK_LIFE
    for (const consent of isOver ? employee.consents : []) consent.aside = undefined
    const walk = await walks.load(user)
    const { email } = await progress.followAddress(user, walk.email)
    const emailStoredAt = await walks.rememberAddress(user, walk, email)
    const change = (latest: Walk): Walk => {
      const changed = changes.reduce((before, one) => one(before), latest)
      return { ...applyCheck(changed, this.unconnected(employee), now, 60), issuer, email, emailStoredAt }
    }
    const after = await walks.update(user, change, walk)
    if (JSON.stringify(after) !== JSON.stringify(walk)) employee.walk = { changedAt: now, issuer }
    await progress.recordProgress(user, after, now)
  }
}

/** Undefined: the person doesn't have the app, or no longer. */
export const consentOf = ({ consents }: Employee, instance: string): Consent | undefined =>
  consents.find((one) => one.instance === instance)

function shuffled<T>(list: readonly T[], random: Random): T[] {
  const remaining = [...list]
  return list.map(() => remaining.splice(random.below(remaining.length), 1)[0]!)
}
