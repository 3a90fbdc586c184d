// One run of `onramp keep`: invites, reminds, checks everyone (a sweep) and emails people about new apps and lapses.
// These emails wait for the end of the sweep: a mass disconnect shows only then, and people can't fix it.
import { hash } from 'node:crypto'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { activeMassDisconnects, withActions, withAppEvents, withReplacements } from '../people/keep-state.ts'
import type { AppEvent, Approval, KeepState, KeepStateStore, MassDisconnect } from '../people/keep-state.ts'
import type { Company } from '../company/company.ts'
import { PersonUnreadable, type PeopleStore } from '../people/people-store.ts'
import { isGone, newPerson, withDetails, withListing } from '../people/person.ts'
import type { OperatorAction, Person, PersonApp } from '../people/person.ts'
import { APPROVALS, decideApprovals } from './approvals.ts'
import { campaignEmails, ONBOARDING, type EmailDecision } from './campaign.ts'
import { findClusters, withEvaluation } from './clusters.ts'
import { EmailDelivery, type RunDeps } from './delivery.ts'
import { CAMPAIGNS, decideEmail, isAboutApp, isAlsoListed, type CampaignName } from './episodes.ts'
import { RunStopped } from './ledger.ts'
import type { ComposeEmail } from './mail/email.ts'
import { ListedPeople, type AddressChange } from './listed-people.ts'
import type { ListEntry } from './people-file.ts'
import { forEachConcurrent } from './throttle.ts'
import { isWorkingTime, nextWorkingTime, calendarOf, type WorkCalendar } from './working-time.ts'

/** A check may void the link that a person is following, so no one is checked more often. Empty lists have no links. */
const SWEEP_EVERY_MS = 6 * 3_600_000
const SWEEP_EMPTY_LISTS_EVERY_MS = 30 * 60_000
/** A run ends before the next hourly one starts. */
const CHECKING_MS = 50 * 60_000
const WEEK_MS = 7 * 86_400_000
const ROWS_PER_SLICE = 500

type KeepRunOptions = {
  composeFor: (campaign: string) => ComposeEmail
  state: KeepState
  save: (state: KeepState) => Promise<void>
  company: Pick<Company, 'timezone' | 'quietDays' | 'activeReplacements'>
  ownersOf: (instance: string) => readonly string[]
  /** Emails the owners. @returns true if at least one email was accepted */
  requestApproval: (approval: Approval) => Promise<boolean>
  findDecision: KeepStateStore['findDecision']
  /** Emails admins and sends the webhook, each once. @returns the times of both */
  notify: (disconnect: MassDisconnect) => Promise<Pick<MassDisconnect, 'notifiedAt' | 'eventAt'>>
  /** Called before many people leave the list, or many addresses change. @throws {OperatorError} without --confirm */
  requireConfirmation: (message: string) => void
  /** Every line of the list was read; otherwise no one leaves it. */
  isComplete: boolean
}

export const zonesWithoutRun = ({ zones }: KeepState, now: number): string[] =>
  Object.keys(zones).filter((zone) => now - (zones[zone] ?? now) > WEEK_MS)

type DueContext = Pick<KeepRunOptions, 'state' | 'company'>

/** A person with the emails that are due in this context. */
type DuePerson = {
  person: Person
  entry: ListEntry
  emails: (Extract<EmailDecision, { kind: 'email' }> & { name: CampaignName })[]
  context: Parameters<typeof decideEmail>[2]
}

/** Yields listed people, with or without a record. @param context.now the moment, which may depend on the person */
export async function* duePeople(
  list: readonly ListEntry[],
  people: Pick<PeopleStore, 'all'>,
  { now, state, company }: DueContext & { now: (person: Person, calendar: WorkCalendar) => number },
): AsyncGenerator<DuePerson> {
  await yieldToEventLoop()
  const rows = new ListedPeople(list)
  const dueOf = (stored: Person, entry: ListEntry): DuePerson => {
    const detailed = withDetails(stored, entry)
    const calendar = calendarOf(company, detailed, state)
    const context = { state, now: now(detailed, calendar), calendar }
    const person = withListing(detailed, true, context.now)
    const due = CAMPAIGNS.map((name) => ({ name, email: decideEmail(name, person, context) }))
    const emails = due.flatMap(({ name, email }) => (email.kind === 'email' ? [{ ...email, name }] : []))
    return { person, entry, emails, context }
  }
  for await (const person of people.all()) {
    const entry = rows.matchRow(person)
    if (entry !== undefined) yield dueOf(person, entry)
  }
  for (const [index, entry] of rows.rowsWithoutRecord().entries()) {
    if (index % ROWS_PER_SLICE === 0) await yieldToEventLoop()
    yield dueOf(newPerson(entry.email, 0), entry)
  }
}

/** Counts people whose emails wait for working time, which first begins at `from` (milliseconds since 1970). */
export async function emailsOutOfHours(
  list: readonly ListEntry[],
  people: Pick<PeopleStore, 'all'>,
  { now, ...dueContext }: DueContext & { now: number },
) {
  const starts = new Map<string, number>()
  const startFor = ({ timezone, group }: Person, calendar: WorkCalendar): number => {
    const key = JSON.stringify([timezone, group])
    const start = starts.get(key) ?? Math.max(now, nextWorkingTime(now, calendar) ?? now)
    starts.set(key, start)
    return start
  }
  let outOfHours = { count: 0, from: Infinity, timezone: '' }
  for await (const { emails, context } of duePeople(list, people, { ...dueContext, now: startFor })) {
    if (emails.length === 0 || context.now === now) continue
    const { now: from, calendar } = context
    const first = from < outOfHours.from ? { from, timezone: calendar.timezone } : {}
    outOfHours = { ...outOfHours, ...first, count: outOfHours.count + 1 }
  }
  return outOfHours
}

type Sweep = NonNullable<KeepState['sweep']>

export class KeepRun {
  readonly #deps: RunDeps
  readonly #options: KeepRunOptions
  readonly #beganAt: number
  readonly #list: readonly ListEntry[]
  /** The list without ambiguous rows. Keys are current addresses. */
  entries: ReadonlyMap<string, ListEntry>
  /** Skipped rows whose person is ambiguous, as sentences for the operator. */
  listFaults: string[] = []
  /** Former addresses on the list. */
  outdated: readonly AddressChange[] = []
  #state: KeepState & { sweep: Sweep }
  /** True if the service knows someone on this list. */
  #knowsSomeone = false

  constructor(list: readonly ListEntry[], deps: RunDeps, options: KeepRunOptions) {
    this.#deps = deps
    this.#options = options
    this.#beganAt = deps.now()
    this.#list = list
    this.entries = new Map(list.map((entry) => [entry.email, entry]))
    const { state } = options
    this.#state = { ...state, sweep: currentSweep(state, this.#beganAt), zones: this.#zonesOf(list) }
  }

  /**
   * @returns the new state, without the day's counts
   * @throws {OperatorError} if many would leave the list; {RunStopped} {MailServerUnusable} {StoreUnavailable}; and the
   * signal's reason if interrupted, with the progress saved
   */
  async run(): Promise<KeepState> {
    const { signal, tally } = this.#deps
    await this.#updateListing(tally)
    await this.#save({})
    // Approval emails don't depend on the checks. The checks decide whether an app is new or lapsed.
    await this.#sendApprovalsAndEpisodes([APPROVALS])
    await this.#inviteAndCheck()
    signal.throwIfAborted()
    for (const disconnect of activeMassDisconnects(this.#state)) await this.#notify(disconnect)
    await this.#sendApprovalsAndEpisodes(CAMPAIGNS.filter((name) => name !== ONBOARDING))
    signal.throwIfAborted()
    // A listed person without an account may have been erased during the run.
    await this.#updateListing({ ...tally })
    return this.#state
  }

  #duePeople(): AsyncGenerator<DuePerson> {
    const { people, now } = this.#deps
    return duePeople([...this.entries.values()], people, { ...this.#options, state: this.#state, now })
  }

  async #save(change: Partial<KeepState & { sweep: Sweep }>): Promise<void> {
    const { activeReplacements } = this.#options.company
    const state = { ...this.#state, ...change }
    this.#state = { ...state, massDisconnects: withReplacements(state.massDisconnects, activeReplacements) }
    await this.#options.save(this.#state)
  }

  /** For each zone, the last run in its working time, else the first run with that zone. */
  #zonesOf(list: readonly ListEntry[]): Record<string, number> {
    const before = this.#options.state.zones
    const seenAt = (zone: string) =>
      isWorkingTime(this.#beganAt, { timezone: zone }) ? this.#beganAt : (before[zone] ?? this.#beganAt)
    const zones = new Set(list.map(({ timezone = this.#options.company.timezone }) => timezone))
    return Object.fromEntries([...zones].map((zone) => [zone, seenAt(zone)]))
  }

  /** Records who joined the list and who left it. @throws {OperatorError} */
  async #updateListing(tally: RunDeps['tally']): Promise<void> {
    const { people, rename, events, now } = this.#deps
    const { state, isComplete, requireConfirmation } = this.#options
    const addresses = new Set(this.#list.map(({ email }) => email))
    const withRow = (person: Person, entry: ListEntry | undefined) => {
      const withAddress = addresses.has(person.email) ? withListedAddress(person) : person
      return withListing(entry ? withDetails(withAddress, entry) : withAddress, entry !== undefined, now())
    }
    await yieldToEventLoop()
    const rows = new ListedPeople(this.#list)
    const changedAddresses: string[] = []
    for await (const person of people.all()) {
      const entry = rows.matchRow(person)
      if (entry !== undefined && wasInterrupted(person, state)) tally.uncertain++
      if (entry === undefined && !isComplete) continue
      if (withRow(person, entry) !== person) changedAddresses.push(entry?.email ?? person.email)
    }
    const doubt = rows.doubt(isComplete)
    if (doubt !== undefined) requireConfirmation(doubt)
    if (rows.rowsWithNewIds.length > 0) {
      for (const row of rows.rowsWithNewIds)
        await people.change(row.email, (person) => withDetails(person, row))
      return await this.#updateListing({ ...tally })
    }
    for (const kept of rows.sameNames) events?.onRenamed?.(kept)
    const refusedChanges = rows.changes.length > 0 ? ((await rename?.(rows.changes)) ?? []) : []
    this.entries = new Map(rows.rowsByCurrentAddress(refusedChanges).map((entry) => [entry.email, entry]))
    await yieldToEventLoop()
    this.outdated = rows.outdated
    this.listFaults = rows.faults
    const refusedAddresses = new Set(refusedChanges.flatMap(({ from, to }) => [from, to]))
    const addressesToChange = [...changedAddresses, ...rows.rowsWithoutRecord().map(({ email }) => email)]
    for (const email of addressesToChange.filter((address) => !refusedAddresses.has(address)))
      await people
        .change(email, (person) => withRow(person, this.entries.get(email)))
        .catch((error: unknown) => {
          if (!(error instanceof PersonUnreadable)) throw error
          tally.unreadable++
        })
  }

  /** Sends due invitations and reminders, then continues the sweep. @throws {RunStopped} */
  async #inviteAndCheck(): Promise<void> {
    const { maxConcurrent, now, signal, tally } = this.#deps
    const { toRemind, toCheck, withOtherEmail, isOnlyUnknownLeft } = await this.#pendingPeople()
    const delivery = this.#deliveryOf(ONBOARDING)
    const pending = new Set([...toRemind, ...toCheck])
    tally.rows += this.entries.size - pending.size
    const countRow = (entry: ListEntry) => (tally.rows += Number(pending.delete(entry)))
    const isLate = () => signal.aborted || now() - this.#beganAt >= CHECKING_MS
    await this.#sendDue(delivery, toRemind, countRow)
    const isThrough = await forEachConcurrent(toCheck.values(), maxConcurrent, isLate, async (entry) => {
      const plan = await delivery.plan(entry.email)
      // The other due email is sent after the checks, and has priority over a reminder.
      if (plan.decision.kind === 'email' && withOtherEmail.has(entry))
        plan.decision = { kind: 'not-due', wasSent: true }
      if (!['unreadable', 'renamed'].includes(plan.decision.kind) && this.#isUnchecked(plan.person))
        await delivery.deliver(entry, plan)
      countRow(entry)
    })
    const failure = delivery.finish()
    if (failure !== undefined) throw new RunStopped(failure)
    await delivery.recordEmptied(toCheck.length > 0)
    const isComplete = (isThrough || isOnlyUnknownLeft) && !signal.aborted
    if (isComplete && this.#state.sweep.endedAt === undefined) await this.#endSweep()
  }

  /** True if no check of this person began after the sweep did. */
  #isUnchecked({ lastCheck }: Person): boolean {
    const { beganAt, endedAt } = this.#state.sweep
    return endedAt === undefined && (lastCheck?.checkedAt ?? 0) < beganAt
  }

  async #pendingPeople() {
    /** To be reminded now. */
    const toRemind: ListEntry[] = []
    /** Another email than a reminder is due. */
    const withOtherEmail = new Set<ListEntry>()
    /** To be checked in this sweep, shuffled. People unknown to the service come last: five in a row end a run. */
    const toCheck: { entry: ListEntry; isUnknown: boolean; order: string }[] = []
    for await (const { person, entry, emails } of this.#duePeople()) {
      if (emails[0]?.name === ONBOARDING && person.lastCheck !== undefined) toRemind.push(entry)
      if (emails[0] !== undefined && emails[0].name !== ONBOARDING) withOtherEmail.add(entry)
      const isUnknown = person.unknownAt !== undefined
      const order = `${Number(isUnknown)} ${hash('sha256', `${this.#beganAt} ${person.email}`)}`
      if (this.#isUnchecked(person)) toCheck.push({ entry, isUnknown, order })
      this.#knowsSomeone ||= (person.lastCheck?.checkedAt ?? 0) >= this.#state.sweep.beganAt
    }
    await yieldToEventLoop()
    toCheck.sort((one, other) => (one.order < other.order ? -1 : 1))
    // If true, the sweep ends, even if they are too many for one run.
    const isOnlyUnknownLeft = toCheck.every(({ isUnknown }) => isUnknown)
    return { toRemind, toCheck: toCheck.map(({ entry }) => entry), withOtherEmail, isOnlyUnknownLeft }
  }

  async #endSweep(): Promise<void> {
    const { now, people } = this.#deps
    await this.#save({})
    const at = now()
    const { sweep, emptyLists } = this.#state
    const { appEvents, returned, ...update } = await findClusters(this.#listedPeople(), this.#state, at)
    const massDisconnects = [...this.#state.massDisconnects, ...update.massDisconnects]
    const evaluation = { ...update, massDisconnects, returned, isAfterOutage: emptyLists !== undefined, at }
    const evaluate = (person: Person) => withEvaluation(person, evaluation)
    for await (const person of people.all())
      if (!isGone(person) && evaluate(person) !== person) await people.change(person.email, evaluate)
    const ended = { ...update, evaluatedAt: sweep.beganAt, sweep: { ...sweep, endedAt: now() } }
    await this.#save(withAppEvents({ ...this.#state, ...ended }, appEvents))
  }

  async *#listedPeople(): AsyncGenerator<Person> {
    for await (const person of this.#deps.people.all()) if (this.entries.has(person.email)) yield person
  }

  async #notify(notifiable: MassDisconnect): Promise<void> {
    const notified = { ...notifiable, ...(await this.#options.notify(notifiable)) }
    const massDisconnects = this.#state.massDisconnects.map((app) => (app === notifiable ? notified : app))
    await this.#save({ massDisconnects })
  }

  /** Sends these emails in this run, because the next one may come tomorrow. */
  async #sendApprovalsAndEpisodes(names: readonly CampaignName[]): Promise<void> {
    await this.#requestApprovals()
    const due: DuePerson[] = []
    for await (const duePerson of this.#duePeople())
      if (duePerson.emails.some(({ name }) => names.includes(name))) due.push(duePerson)
    for (const name of names) {
      const delivery = this.#deliveryOf(name)
      const isAbout = ({ emails }: DuePerson) => emails.some((email) => email.name === name)
      const entries = due.filter(isAbout).map(({ entry }) => entry)
      await this.#sendDue(delivery, entries)
      delivery.finish()
    }
  }

  async #requestApprovals(): Promise<void> {
    const { now } = this.#deps
    const { company, ownersOf, requestApproval, findDecision } = this.#options
    const calendar = calendarOf(company, {}, this.#state)
    const approvals: Approval[] = []
    const actions: OperatorAction[] = []
    const appEvents: AppEvent[] = []
    const context = { now: now(), calendar, activeReplacements: company.activeReplacements, ownersOf }
    for (const decision of await decideApprovals(this.#listedPeople(), this.#state, findDecision, context)) {
      const { approval, isRequestDue, newOwners, isNewlyApproved, leftToConnect, isOver } = decision
      const { instance, name, approvedAt: at, by = '' } = approval
      if (isNewlyApproved) actions.push({ at, by, app: instance, what: 'approved' })
      if (leftToConnect !== undefined)
        appEvents.push({ at: now(), what: 'approved', instance, name, people: leftToConnect })
      if (isOver) continue
      const isDue = isRequestDue && (approval.owners.length === 0 || isWorkingTime(now(), calendar))
      // New owners get their first email.
      const emailed = newOwners ? { ...approval, owners: newOwners, requestedAt: 0 } : approval
      const isRequested = isDue && (await requestApproval(emailed))
      const isForAll = emailed.owners.length === approval.owners.length
      const request = isForAll && { requestedAt: now(), requestedForCount: approval.waitingPeople }
      const requested = isRequested && { ...request, requestedFrom: approval.owners }
      approvals.push({ ...approval, ...requested, isUndelivered: isDue && !isRequested && isForAll })
    }
    await this.#save({ ...withAppEvents(withActions(this.#state, actions), appEvents), approvals })
  }

  #approvalComposer(): ComposeEmail {
    const compose = this.#options.composeFor(APPROVALS)
    const { approvals = [] } = this.#state
    return (entry, apps, kind) => {
      const ofEmail = approvals.filter(({ instance }) => apps.some((app) => app.instance === instance))
      const approval = ofEmail.every(({ stage }) => stage === 'confirmed') ? 'confirmed' : 'approved'
      const othersWait = ofEmail.some(({ waitingPeople }) => waitingPeople > 1)
      return compose(entry, apps, { ...kind, approval, othersWait })
    }
  }

  #deliveryOf(name: CampaignName): EmailDelivery {
    const state = this.#state
    const calendarFor = (person: Person) => calendarOf(this.#options.company, person, state)
    const withContext = (rule: typeof isAboutApp) => (app: PersonApp, person: Person) =>
      rule(name, app, person, { state, now: this.#deps.now(), calendar: calendarFor(person) })
    const campaign = {
      name,
      decide: (person: Person, now: number) =>
        decideEmail(name, person, { state, now, calendar: calendarFor(person) }),
      isAbout: withContext(isAboutApp),
      isAlsoListed: withContext(isAlsoListed),
      compose: name === APPROVALS ? this.#approvalComposer() : this.#options.composeFor(name),
      state,
      postponesFailedChecks: false,
    }
    return new EmailDelivery(this.#deps, campaign, this.#knowsSomeone, Infinity)
  }

  async #sendDue(delivery: EmailDelivery, list: readonly ListEntry[], onDone?: (entry: ListEntry) => void) {
    const { maxConcurrent, signal } = this.#deps
    const isStopped = () => signal.aborted
    await forEachConcurrent(list.values(), maxConcurrent, isStopped, async (entry) => {
      const plan = await delivery.plan(entry.email)
      if (plan.decision.kind === 'email') await delivery.deliver(entry, plan)
      onDone?.(entry)
    })
  }
}

function currentSweep({ sweep, emptyLists }: KeepState, now: number): NonNullable<KeepState['sweep']> {
  const every = emptyLists === undefined ? SWEEP_EVERY_MS : SWEEP_EMPTY_LISTS_EVERY_MS
  const isDue = sweep === undefined || (sweep.endedAt !== undefined && Math.abs(now - sweep.beganAt) >= every)
  return isDue ? { beganAt: now } : sweep
}

/** @returns the same object if a list had the address before */
function withListedAddress(person: Person): Person {
  const { hasUnlistedAddress, ...listed } = person
  return hasUnlistedAddress === undefined ? person : listed
}

/** True if a killed run left an email to this person without an outcome. */
const wasInterrupted = (person: Person, { lastRunAt = 0 }: KeepState): boolean =>
  CAMPAIGNS.flatMap((campaign) => campaignEmails(person, campaign)).some(
    ({ state, at }) => state === 'sending' && at >= lastRunAt,
  )
