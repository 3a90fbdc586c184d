// One simulated year of `onramp keep`: the real runs over real records, hour by hour; the service, the mail server and
// the clock are functions. After a run is killed at a random operation, each later one fails.
import { createHash } from 'node:crypto'
import type { RunDeps } from '../../../src/campaigns/delivery.ts'
import { KeepRun } from '../../../src/campaigns/keep-run.ts'
import { RunStopped } from '../../../src/campaigns/ledger.ts'
import type { Email } from '../../../src/campaigns/mail/email.ts'
import type { ListEntry } from '../../../src/campaigns/people-file.ts'
import type { SendResult } from '../../../src/campaigns/mail/send-result.ts'
import { newTally } from '../../../src/campaigns/tally.ts'
import type { Approval, KeepState } from '../../../src/people/keep-state.ts'
import { ProgressRecorder } from '../../../src/onboarding/progress-recorder.ts'
import { WalkStore } from '../../../src/onboarding/walk-store.ts'
import { createDelistings } from '../../../src/people/delistings.ts'
import { PeopleStore } from '../../../src/people/people-store.ts'
import { OperatorError } from '../../../src/problem.ts'
import { mail } from '../../campaigns/sample-email.ts'
import { createRandom, type Random } from '../random.ts'
import { Calendar, DAY, HOUR, MINUTE } from './calendar.ts'
import { Changes } from './changes.ts'
import { KeepPromises, type SentEmail } from './promises.ts'
import { createStore } from './store.ts'
import { Workforce, type Employee } from './workforce.ts'
import { newKeepState } from '../../helpers/people.ts'

const STARTS_AT = Date.UTC(2027, 0, 4)
const PAST_THE_HOUR = 7 * MINUTE
/** Duration of a failing call while the service is down, with all retries. */
const DOWN_MS = 10_000
const KILLED = 0.02
const STEPS = [10, 100, 1_000, 10_000]
/** Time between the notice of a mass disconnect and its release. */
const RESUMED_AFTER = { odd: 3 * DAY, even: 2 * HOUR }

class Killed extends Error {}

type StoreRecords = ReturnType<typeof createStore>['records']
type YearOptions = { seed: number; size: number; days: number }

export class Year {
  readonly promises: KeepPromises
  readonly counts = { runs: 0, killed: 0, stopped: 0, emails: 0, notices: 0, questions: 0 }
  /** Figures of the report after the last day. */
  figures = ''
  readonly #options: YearOptions
  readonly #random: Random
  readonly #calendar = new Calendar(STARTS_AT)
  readonly #journal = createHash('sha256')
  readonly #store = createStore(() => this.#calendar.now)
  readonly #answers = new Map<string, number>()
  readonly #activeReplacements = new Map<string, string>()
  readonly #people = this.#openPeople(this.#activeReplacements)
  readonly #workforce: Workforce
  readonly #changes: Changes
  readonly #sent = new WeakMap<Email, SentEmail>()
  readonly #operations: ((state: KeepState) => KeepState)[] = []
  /** 80 checks a minute, or so few that a sweep still spans several runs. */
  readonly #checkMs: number
  #keepState: KeepState = newKeepState()

  constructor(options: YearOptions) {
    const { seed, size, days } = options
    this.#options = options
    this.#checkMs = Math.max(750, Math.round((2 * HOUR) / size))
    this.#random = createRandom(seed, 1)
    const calendar = this.#calendar
    this.#workforce = new Workforce({
      size,
      days,
      calendar,
      random: createRandom(seed, 2),
      people: this.#people,
      walks: new WalkStore({
        ...this.#store,
        checkReturnTo: () => undefined,
        company: {
          activeReplacements: this.#activeReplacements,
          shownApps: (apps) =>
            apps.flatMap((app) => {
              const instance = this.#activeReplacements.get(app.instance) ?? app.instance
              const isOver = instance !== app.instance && apps.some((one) => one.instance === instance)
              return isOver ? [] : { ...app, instance }
            }),
        },
        delistings: { isRemoved: () => false },
        people: this.#people,
        now: this.#now,
      }),
      progress: new ProgressRecorder(this.#people, this.#delistings, { warn: () => {} }, this.#now),
      onLapse: (employee, consent) => this.promises.lapsed(employee, consent),
      note: this.#note,
    })
    this.#changes = new Changes({
      seed,
      days,
      calendar,
      random: createRandom(seed, 3),
      workforce: this.#workforce,
      activeReplacements: this.#activeReplacements,
      answers: this.#answers,
      operate: (change) => void this.#operations.push(change),
    })
    this.promises = new KeepPromises({
      calendar,
      people: this.#people,
      workforce: this.#workforce,
      changes: this.#changes,
      moment: 10_000 + 3 * this.#checkMs,
    })
  }

  /** Pages and each run, as the company file was when they began. */
  #openPeople(
    activeReplacements: ReadonlyMap<string, string>,
    records: Partial<StoreRecords> = {},
  ): PeopleStore {
    return new PeopleStore({
      keyRing: this.#store.keyRing,
      records: { ...this.#store.records, ...records },
      retentionDays: 90,
      company: {
        activeReplacements,
        activateReplacements: () => true,
        shownApps: (apps) => apps,
        isVisible: ({ instance }) => !activeReplacements.has(instance),
      },
      now: () => this.#calendar.now,
    })
  }

  #now = () => this.#calendar.now
  readonly #delistings = createDelistings({ load: () => Promise.resolve(this.#keepState) }, this.#now)
  #note = (line: string) => void this.#journal.update(`${this.#calendar.now} ${line}\n`)

  /** @returns a digest of everything that happened */
  async live(onDay: (day: number, figures: string) => void): Promise<string> {
    const end = STARTS_AT + this.#options.days * DAY
    let nextDay = STARTS_AT + DAY
    for (let tick = STARTS_AT + PAST_THE_HOUR; tick < end; tick += HOUR) {
      // A run that is due while another is at work finds its lease.
      if (this.#now() > tick) continue
      await this.#calendar.pass(tick - this.#now())
      const list = this.#workforce.list()
      const listed = new Set(this.#workforce.employees.filter(({ isListed }) => isListed))
      const isComplete = await this.#run(list, listed)
      await this.promises.afterRun(this.#keepState)
      if (!isComplete || this.#now() < nextDay - HOUR) continue
      this.figures = await this.promises.afterDay(listed, this.#keepState)
      this.#note(this.figures)
      onDay(Math.round((nextDay - STARTS_AT) / DAY), this.figures)
      while (this.#now() >= nextDay - HOUR) nextDay += DAY
    }
    this.promises.afterYear()
    return this.#journal.digest('hex')
  }

  /** @returns whether it came to its end */
  async #run(list: readonly ListEntry[], listed: ReadonlySet<Employee>): Promise<boolean> {
    this.counts.runs++
    const isKilled = this.#random.chance(KILLED)
    const steps = isKilled ? this.#random.below(this.#random.pick(STEPS)) : Infinity
    for (const change of this.#operations.splice(0)) this.#keepState = change(this.#keepState)
    try {
      const options = this.#keepOptions(listed, new Life(steps))
      this.#keepState = await new KeepRun(list, options, options).run()
      return true
    } catch (error) {
      const isStopped = error instanceof RunStopped
      if (!isStopped && !(error instanceof Killed)) throw error
      this.counts[isStopped ? 'stopped' : 'killed']++
      const { from, to } = this.#workforce.outage
      const isExcused = !isStopped || (this.#now() >= from && this.#now() < to + HOUR)
      this.promises.check('runs', isExcused, () => (isStopped ? error.message : ''))
      this.#note(isStopped ? 'stopped' : 'killed')
      return false
    }
  }

  #keepOptions(
    listed: ReadonlySet<Employee>,
    life: Life,
  ): RunDeps & ConstructorParameters<typeof KeepRun>[2] {
    const activeReplacements = new Map(this.#activeReplacements)
    const people = this.#openPeople(activeReplacements)
    const { compareAndSet, compareAndRemove } = this.#store.records
    // A rename writes several records.
    const renaming = this.#openPeople(activeReplacements, {
      compareAndSet: (...args) => life.during(() => compareAndSet(...args)),
      compareAndRemove: (...args) => life.during(() => compareAndRemove(...args)),
    })
    return {
      people: {
        shownApps: (apps) => people.shownApps(apps),
        get: (email) => people.get(email),
        addressAt: (email, at) => people.addressAt(email, at),
        all: () => people.all(),
        change: (email, how) => life.during(() => people.change(email, how)),
      },
      state: this.#keepState,
      company: { timezone: 'UTC', quietDays: this.#changes.quiet, activeReplacements },
      ownersOf: () => ['owner@acme.example'],
      requestApproval: (approval) => this.#askOwner(approval),
      findDecision: async (instance) => {
        const at = this.#answers.get(instance)
        return at === undefined ? undefined : { at, by: 'owner@acme.example' }
      },
      save: (next) => life.during(async () => void (this.#keepState = next)),
      notify: (found) => this.#notify(found, life),
      check: (email) => this.#check(email, life),
      composeFor: (campaign) => (entry, apps, kind) =>
        this.#compose({
          ...kind,
          email: entry.email,
          campaign,
          apps: apps.map(({ instance }) => instance),
          alsoListed: kind.alsoLeft?.map(({ instance }) => instance),
        }),
      rename: async (changes) => {
        const refused = []
        for (const { from, to } of changes) {
          const fault = await renaming.rename(from, to)
          if (fault !== 'renamed') refused.push({ from, to, fault })
        }
        return refused
      },
      send: (email) => this.#send(email, listed, life),
      emailThrottle: { next: () => Promise.resolve(), slowDown: () => false, rate: 10 },
      tally: newTally(),
      maxConcurrent: 3,
      requireConfirmation(message) {
        throw new OperatorError(message)
      },
      isComplete: true,
      holdsLease: () => Promise.resolve(true),
      now: this.#now,
      signal: new AbortController().signal,
    }
  }

  async #notify(found: KeepState['massDisconnects'][number], life: Life) {
    if (found.notifiedAt !== undefined) return {}
    life.step()
    await this.#calendar.pass(1_000)
    if (this.#random.chance(0.2)) return {}
    this.counts.notices++
    this.#note(`notice ${found.instance} ${found.lapsed}`)
    this.promises.noticed(found)
    const { instance, noticedAt } = found
    const after = RESUMED_AFTER[this.#options.seed % 2 === 1 ? 'odd' : 'even']
    this.#calendar.at(this.#now() + after, () => this.#resume(instance, noticedAt))
    life.step()
    return { notifiedAt: this.#now(), eventAt: this.#now() }
  }

  async #askOwner({ instance, stage, stageChangedAt, requestedAt }: Approval): Promise<boolean> {
    await this.#calendar.pass(1_000)
    if (this.#random.chance(0.2)) return false
    this.promises.requested({ instance, stage, id: `${requestedAt} ${stageChangedAt}` })
    this.#changes.askOwner(instance)
    return true
  }

  async #check(email: string, life: Life): ReturnType<RunDeps['check']> {
    life.step()
    this.counts.questions++
    if (this.#workforce.isDown()) {
      await this.#calendar.pass(DOWN_MS)
      return { kind: 'no-response', detail: 'down' }
    }
    await this.#calendar.pass(this.#checkMs)
    const employee = this.#workforce.byEmail.get(email)
    if (employee?.email !== email || !employee.isKnown) return { kind: 'unknown', detail: 'no one' }
    return { kind: 'checked', unconnected: this.#workforce.unconnected(employee) }
  }

  #compose({ email, campaign, apps, alsoListed, nth }: SentEmail): Email {
    const composed = { ...mail, to: email, alsoListed }
    this.#sent.set(composed, { email, campaign, apps, alsoListed, nth })
    return composed
  }

  async #send(email: Email, listed: ReadonlySet<Employee>, life: Life): Promise<SendResult> {
    const sent = this.#sent.get(email)
    const employee = this.#workforce.byEmail.get(sent?.email ?? '')
    if (sent === undefined || employee === undefined) throw new RangeError('an email to no one')
    if (life.isLastStep()) {
      this.promises.begun(sent, employee)
      throw new Killed()
    }
    if (this.#random.chance(0.005))
      return { outcome: 'deferred', reply: '450 4.2.1 later', reason: 'recipient' }
    this.counts.emails++
    this.#note(`${sent.campaign} ${sent.email} ${sent.apps.join()}`)
    this.promises.sent(sent, employee, listed.has(employee))
    this.#workforce.read(employee, sent.email)
    life.step()
    if (this.#random.chance(0.002)) return { outcome: 'unknown', reply: 'timed out', reason: 'recipient' }
    return { outcome: 'sent' }
  }

  /** An admin has looked into it; the next run sees it. */
  #resume(instance: string, noticedAt: number): void {
    const planted = this.#workforce.planted.find((one) => one.instance === instance && one.at <= noticedAt)
    if (planted?.cause !== 'big') return
    this.#workforce.repair(planted)
    this.#operations.push((state) => {
      const massDisconnects = state.massDisconnects.map((one) =>
        one.instance === instance ? { ...one, resumedAt: this.#now() } : one,
      )
      return { ...state, massDisconnects }
    })
  }
}

/** The life of a run, which ends after so many steps. */
class Life {
  #left: number

  constructor(steps: number) {
    this.#left = steps
  }

  step(): void {
    if (--this.#left < 0) throw new Killed()
  }

  isLastStep = (): boolean => this.#left-- === 0

  /** The run may be killed before the work, or after it. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.step()
    const result = await work()
    this.step()
    return result
  }
}
