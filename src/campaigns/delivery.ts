// Checks the people of a run one by one and sends the email that is due. Five failures in a row that aren't about
// a person stop the run: the cause is the service, the mail server or onramp.
import { withUniqueNames } from '../company/app-names.ts'
import { delistedInstances, type KeepState } from '../people/keep-state.ts'
import type { PeopleStore } from '../people/people-store.ts'
import {
  appsOf,
  withCheck,
  type CheckToRecord,
  type OperatorAction,
  type Person,
  type PersonApp,
} from '../people/person.ts'
import { APPROVALS, MOVED_APPROVALS } from './approvals.ts'
import type { EmailDecision } from './campaign.ts'
import { emailKindOf, forCampaign, LAPSES, NEW_APPS, type CampaignName } from './episodes.ts'
import { isSuspiciouslyMany, type AddressChange } from './listed-people.ts'
import { EmailLedger, RunStopped } from './ledger.ts'
import type { ComposeEmail, Email } from './mail/email.ts'
import { quoteReply, type SendResult } from './mail/send-result.ts'
import type { ListEntry } from './people-file.ts'
import type { createPersonCheck } from './person-check.ts'
import type { Tally } from './tally.ts'
import { forEachConcurrent, type Throttle } from './throttle.ts'

type PlannedEmail = Awaited<ReturnType<EmailLedger['plan']>>

/** Why a person got no email. `no-response`: the service didn't respond; counted as deferred. */
type EmailProblem = Exclude<keyof Tally, 'rows' | 'sent' | 'limited' | 'emptied' | 'invalid'> | 'no-response'

/** Dependencies of a run of `keep` or `invite send`. */
export type RunDeps = Pick<
  ConstructorParameters<typeof EmailLedger>[0],
  'holdsLease' | 'now' | 'signal' | 'maxOutageMs'
> & {
  people: Pick<PeopleStore, 'get' | 'change' | 'all' | 'addressAt' | 'shownApps'>
  check: ReturnType<typeof createPersonCheck>
  /** Absent: a dry run, which writes nothing and sends nothing. @throws {MailServerUnusable} */
  send?: ((email: Email) => Promise<SendResult>) | undefined
  emailThrottle: Pick<Throttle, 'next' | 'slowDown' | 'rate'>
  tally: Tally
  /** True if an operator confirms many lists that are empty at once. Absent: their checks aren't recorded. */
  confirmEmptyLists?: () => boolean
  /** Renames people. Absent in a dry run. @returns refused changes */
  rename?: (changes: readonly AddressChange[]) => Promise<(AddressChange & { fault: string })[]>
  /** People handled concurrently. A crash leaves at most this many emails with an unknown outcome. */
  maxConcurrent: number
  /** Events for the terminal. Scheduled runs only count; /admin lists the people. */
  events?: {
    onWouldSend?(email: string, reminder: number, apps: string[]): void
    /** `detail` quotes the mail server or the service. */
    onProblem?(email: string, problem: EmailProblem, detail?: string): void
    /** The mail server requested a pause of `seconds`. */
    onThrottle?(seconds: number, reply: string): void
    onRenamed?(change: AddressChange): void
  }
}

const MAX_FAILURES_IN_A_ROW = 5
/** Seconds; each pause is twice as long as the one before. Eight in a row last a quarter of an hour. */
const FIRST_PAUSE = 5
const MAX_PAUSE = 300
const MAX_PAUSES = 8

export class EmailDelivery {
  readonly #deps: RunDeps
  readonly #campaign: Campaign
  readonly #ledger: EmailLedger
  readonly #failuresInARow = { service: 0, mailServer: 0 }
  readonly #limit: number
  #emailsStarted = 0
  /** Addresses that the service refused or doesn't know, which count once. A temporary failure is tried again. */
  readonly #refusedAddresses = new Set<string>()
  #knowsSomeone: boolean
  #lastUnknown: string | undefined
  #hasAccepted = false
  #pauses = 0
  /** Checks of this run. `several`: of people who had several apps left. `listed`: with an app on the list. */
  readonly #checks = { several: 0, listed: 0 }
  readonly #emptiedChecks = new Map<string, { entry: ListEntry; checked: CheckToRecord; appsLeft: number }>()
  /** Rejections before the first accepted email: the mail server may reject everyone. */
  readonly #firstRejections: { email: string; reminder: number; reply: string }[] = []

  /** @param knowsSomeone true if an earlier check of this run found an account @param limit of emails */
  constructor(deps: RunDeps, campaign: Campaign, knowsSomeone: boolean, limit: number) {
    this.#deps = deps
    this.#campaign = campaign
    this.#ledger = new EmailLedger({ ...deps, campaign: campaign.name, decide: campaign.decide })
    this.#knowsSomeone = knowsSomeone
    this.#limit = limit
  }

  get isAtLimit(): boolean {
    return this.#emailsStarted >= this.#limit
  }

  plan(email: string): Promise<PlannedEmail> {
    return this.#ledger.plan(email)
  }

  countNotDue({ email }: ListEntry, decision: Exclude<EmailDecision, { kind: 'email' }>): void {
    if (decision.kind === 'not-due') {
      this.#knowsSomeone ||= decision.wasSent
      this.#deps.tally.limited += Number(decision.isLimited === true)
    } else if (decision.kind !== 'renamed') this.#count(email, decision.kind)
  }

  /** Checks a person and sends the due email. @throws {RunStopped} {MailServerUnusable} {StoreUnavailable} */
  async deliver(entry: ListEntry, { person, decision, checkedAt }: PlannedEmail): Promise<void> {
    const { check: checkPerson, now } = this.#deps
    const { name, state } = this.#campaign
    if (this.#refusedAddresses.has(entry.email) || this.#emptiedChecks.has(entry.email)) return
    const check = await checkPerson(entry.email)
    if (check.kind === 'refused' || check.kind === 'unknown') this.#refusedAddresses.add(entry.email)
    if (check.kind === 'unknown') return await this.#onUnknown(entry, check.detail)
    if (check.kind !== 'checked') {
      this.#count(entry.email, check.kind, check.detail)
      const isPostponed = decision.kind === 'email' && this.#campaign.postponesFailedChecks && !this.#isDryRun
      if (isPostponed) await this.#ledger.postpone(entry, decision.reminder)
      const cause = `the service sent no valid response for many people in a row: ${check.detail}`
      return this.#countFailureInARow('service', cause)
    }
    this.#knowsSomeone = true
    this.#failuresInARow.service = 0
    const checked = { unconnected: check.unconnected, checkedAt, delisted: delistedInstances(state) }
    if (this.#setAsideEmptied(entry, person, checked)) return
    const allApps = appsOf(forCampaign(name, withCheck(person, checked, now()), state))
    const byInstance = new Map(allApps.map((app) => [app.instance, app]))
    const apps = check.unconnected
      .flatMap(({ instance }) => byInstance.get(instance) ?? [])
      .filter((app) => isConnectable(app, this.#campaign) && this.#campaign.isAbout(app, person))
    if (decision.kind === 'email' && apps.length > 0) {
      if (this.#emailsStarted++ >= this.#limit) return
      await this.#sendEmail(entry, decision.reminder, { checked, apps, allApps, person })
    } else if (!this.#isDryRun) await this.#ledger.recordCheck(entry, checked)
  }

  /** Call it when no email is being sent any longer. @returns the reason if the run failed, for people */
  finish(): string | undefined {
    for (const { email, reply } of this.#firstRejections.splice(0)) this.#count(email, 'deferred', reply)
    if (this.#knowsSomeone || this.#lastUnknown === undefined) return undefined
    return `the service knows no one on this list: ${this.#lastUnknown}`
  }

  /** Counts a check. @returns true if it lists nothing, though the person had apps left: see `recordEmptied` */
  #setAsideEmptied(entry: ListEntry, person: Person, checked: CheckToRecord): boolean {
    const appsLeft = appsOf(person).filter(({ state }) => state !== 'connected' && state !== 'off').length
    const isListed = checked.unconnected.length > 0
    this.#checks.several += Number(appsLeft > 1)
    this.#checks.listed += Number(isListed)
    if (isListed || appsLeft === 0) return false
    this.#emptiedChecks.set(entry.email, { entry, checked, appsLeft })
    return true
  }

  /**
   * Records the checks that list nothing. The service may be failing for a department if many of these people had
   * several apps left. Their records then stay as they were, and later runs check them again.
   * @param isSweep everyone is checked. If no list has an app, all checks are recorded, and the sweep evaluates them
   */
  async recordEmptied(isSweep: boolean): Promise<void> {
    const { confirmEmptyLists, tally } = this.#deps
    const emptied = [...this.#emptiedChecks.values()]
    const several = emptied.filter(({ appsLeft }) => appsLeft > 1)
    const isForAll = isSweep && this.#checks.listed === 0
    const isDoubtful = isSuspiciouslyMany(several, this.#checks.several) && !isForAll
    const isConfirmed = isDoubtful && confirmEmptyLists?.() === true
    const isUnrecorded = isDoubtful && !isConfirmed
    if (isUnrecorded) tally.emptied += emptied.length
    if (this.#isDryRun) return
    for (const { entry, checked } of emptied)
      if (isUnrecorded) await this.#ledger.recordEmpty(entry.email, checked.checkedAt)
      else await this.#ledger.recordCheck(entry, checked, isConfirmed)
  }

  get #isDryRun(): boolean {
    return this.#deps.send === undefined
  }

  #count(email: string, problem: EmailProblem, detail?: string): void {
    this.#deps.tally[problem === 'no-response' ? 'deferred' : problem]++
    this.#deps.events?.onProblem?.(email, problem, detail)
  }

  #countFailureInARow(side: 'service' | 'mailServer', reason: string): void {
    if (++this.#failuresInARow[side] >= MAX_FAILURES_IN_A_ROW) throw new RunStopped(reason)
  }

  async #onUnknown(entry: ListEntry, detail: string): Promise<void> {
    this.#count(entry.email, 'unknownToService')
    if (!this.#isDryRun) await this.#ledger.recordCheck(entry, undefined)
    this.#lastUnknown = detail
    if (!this.#knowsSomeone)
      this.#countFailureInARow(
        'service',
        `the service has no account for any of the first five people: ${detail}. If these people have left, run the command again: it starts with others`,
      )
  }

  /** @param about.apps the apps of the email @param about.allApps all apps of the person */
  async #sendEmail(
    entry: ListEntry,
    reminder: number,
    about: { person: Person; checked: CheckToRecord } & Record<'apps' | 'allApps', readonly PersonApp[]>,
  ): Promise<void> {
    const { person, checked, apps, allApps } = about
    const { send, tally, events } = this.#deps
    if (send === undefined) {
      tally.sent++
      const names = withUniqueNames(apps).map(({ name }) => name)
      return events?.onWouldSend?.(entry.email, reminder, names)
    }
    const { name, state, isAlsoListed } = this.#campaign
    const alsoLeft = allApps.filter((app) => !apps.includes(app) && isAlsoListed?.(app, person))
    const isShared = apps.some((app) => isMassLoss(app, state))
    const kind = { reminder, allApps, alsoLeft, isShared, ...emailKindOf(apps, person, name) }
    const email = this.#campaign.compose(entry, apps, kind)
    const isMoved = kind.isNew ? kind.hasMoved : undefined
    const { alsoListed } = email
    const releasedBy = kind.nth === 1 ? releaserOf(apps, this.#campaign) : undefined
    const recorded = { apps: apps.map(({ instance }) => instance), alsoListed, isMoved, releasedBy }
    const begin = () => this.#ledger.recordSending(entry, reminder, checked, recorded)
    const result = await this.#sendOnceAccepted(() => send(email), begin, { email: entry.email, reminder })
    if (result !== undefined) await this.#record(entry.email, reminder, result)
  }

  /** Retries more slowly while the mail server is throttling. @returns undefined if no email is due any longer */
  async #sendOnceAccepted(
    send: () => Promise<SendResult>,
    begin: () => Promise<boolean>,
    { email, reminder }: { email: string; reminder: number },
  ): Promise<SendResult | undefined> {
    for (;;) {
      await this.#deps.emailThrottle.next()
      if (!(await begin())) return undefined
      const result = await send().catch(async (error: unknown) => {
        await this.#ledger.recordOutcome(email, reminder, 'deferred')
        throw error
      })
      if (result.outcome === 'sent' || result.reason !== 'throttled') return result
      await this.#ledger.recordOutcome(email, reminder, 'deferred')
      if (this.#pauses >= MAX_PAUSES) {
        this.#count(email, 'deferred', result.reply)
        const reply = quoteReply(result.reply, 'Reply: ')
        throw new RunStopped(`the mail server has accepted no email for 15 minutes. ${reply}`)
      }
      this.#slowDown(result.reply)
    }
  }

  /** Pauses all emails. Concurrent throttled ones share one pause. */
  #slowDown(reply: string): void {
    const seconds = Math.min(FIRST_PAUSE * 2 ** this.#pauses, MAX_PAUSE)
    if (!this.#deps.emailThrottle.slowDown(seconds)) return
    this.#pauses++
    this.#deps.events?.onThrottle?.(seconds, reply)
  }

  async #record(email: string, reminder: number, result: SendResult): Promise<void> {
    const isFirstRejection = result.outcome === 'failed' && !this.#hasAccepted
    await this.#ledger.recordOutcome(email, reminder, isFirstRejection ? 'deferred' : result.outcome)
    if (result.outcome === 'sent') return await this.#onAccepted()
    const { outcome, reply, reason } = result
    if (isFirstRejection) this.#firstRejections.push({ email, reminder, reply })
    // Another email may have been accepted while this one was recorded.
    if (isFirstRejection && this.#hasAccepted) await this.#countFirstRejections()
    if (!isFirstRejection) this.#count(email, outcome === 'unknown' ? 'uncertain' : outcome, reply)
    const cause = quoteReply(reply, 'Reply: ', 'Cause: ')
    const message = `too many emails in a row were not sent. ${cause}: see SMTP_URL and MAIL_FROM`
    if (reason === 'other') this.#countFailureInARow('mailServer', message)
  }

  async #onAccepted(): Promise<void> {
    this.#deps.tally.sent++
    this.#failuresInARow.mailServer = 0
    this.#pauses = 0
    this.#hasAccepted = true
    await this.#countFirstRejections()
  }

  /** Records the first rejections: an accepted email proves that they were about the recipients. */
  async #countFirstRejections(): Promise<void> {
    for (const { email, reminder, reply } of this.#firstRejections.splice(0)) {
      await this.#ledger.recordOutcome(email, reminder, 'failed')
      this.#count(email, 'failed', reply)
    }
  }
}

export type Campaign = {
  name: CampaignName
  decide: (person: Person, now: number) => EmailDecision
  /** @param person as recorded before the check */
  isAbout: (app: PersonApp, person: Person) => boolean
  /** True if emails about other apps also list this one. Default: no. */
  isAlsoListed?: Campaign['isAbout']
  compose: ComposeEmail
  /** Names the apps on hold, which no email lists, and the delisted apps, whose return is no lapse. */
  state: KeepState
  /** Records failed checks, so that these people come last in the next run. */
  postponesFailedChecks: boolean
}

/**
 * Runs `onramp invite send`: handles each person once, in order, and people with an earlier failure last. A run that
 * is killed and started again sends no email twice.
 * @param limit of emails @throws {RunStopped} {MailServerUnusable} {StoreUnavailable}
 */
export async function sendInvitations(
  list: readonly ListEntry[],
  deps: RunDeps,
  campaign: Campaign,
  limit: number,
): Promise<'list' | 'limit' | 'signal'> {
  const { tally, maxConcurrent, signal } = deps
  const delivery = new EmailDelivery(deps, campaign, false, limit)
  let hasFailed = false
  const isStopped = () => hasFailed || signal.aborted || delivery.isAtLimit
  let failure: string | undefined
  try {
    await forEachConcurrent(dueInOrder(list, delivery, tally, isStopped), maxConcurrent, isStopped, (due) =>
      delivery.deliver(due.entry, due.plan).catch((error: unknown) => {
        hasFailed = true
        throw error
      }),
    )
  } finally {
    failure = delivery.finish()
  }
  await delivery.recordEmptied(false)
  if (signal.aborted) return 'signal'
  if (failure !== undefined) throw new RunStopped(failure)
  return delivery.isAtLimit ? 'limit' : 'list'
}

async function* dueInOrder(
  list: readonly ListEntry[],
  delivery: EmailDelivery,
  tally: RunDeps['tally'],
  isStopped: () => boolean,
): AsyncGenerator<{ entry: ListEntry; plan: PlannedEmail }> {
  const seen = new Set<string>()
  const last: ListEntry[] = []
  for (const entry of list) {
    if (isStopped()) return
    tally.rows++
    if (seen.has(entry.email)) continue
    seen.add(entry.email)
    const plan = await delivery.plan(entry.email)
    if (plan.decision.kind !== 'email') delivery.countNotDue(entry, plan.decision)
    else if (plan.decision.isRetry) last.push(entry)
    else yield { entry, plan }
  }
  for (const entry of last) {
    const plan = await delivery.plan(entry.email)
    if (plan.decision.kind === 'email') yield { entry, plan }
  }
}

/** True if many people lost the app at once. */
const isMassLoss = ({ instance, lapsedAt }: PersonApp, { massDisconnects }: KeepState): boolean =>
  massDisconnects.some(
    ({ instance: lost, since, resumedAt = Infinity }) =>
      lost === instance && lapsedAt !== undefined && since <= lapsedAt && lapsedAt < resumedAt,
  )

/** The operator who released the email about these losses and moves; undefined if none of them was paused. */
function releaserOf(apps: readonly PersonApp[], { name, state: { actions = [] } }: Campaign) {
  if (name !== LAPSES && name !== NEW_APPS) return undefined
  const coversLossOrMove = (
    { at, since = 0 }: OperatorAction,
    { lapsedAt, newAt = Infinity, movedFrom }: PersonApp,
  ) => (lapsedAt === undefined ? movedFrom !== undefined && newAt <= at : since <= lapsedAt && lapsedAt <= at)
  return actions.findLast(
    (action) =>
      action.what === 'released' &&
      apps.some((app) => [app.instance, app.movedFrom].includes(action.app) && coversLossOrMove(action, app)),
  )?.by
}

/** True if the person can act on the app: in an approval email, blocked apps; in others, unconnected ones. */
const isConnectable = ({ state }: PersonApp, { name }: Campaign): boolean =>
  state === 'blocked'
    ? name === APPROVALS || name === MOVED_APPROVALS
    : state === 'unconnected' || state === 'skipped'
