// Records each email before it is sent, and its outcome afterwards. Waits while the store is unavailable: a run may
// take hours, and an unrecorded email would be sent again.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { PersonUnreadable, type PeopleStore } from '../people/people-store.ts'
import { newPerson, withCheck, withDetails } from '../people/person.ts'
import type { CheckToRecord, EmailRecord, Person } from '../people/person.ts'
import { OperatorError } from '../problem.ts'
import { StoreUnavailable } from '../records/records.ts'
import { campaignEmail, withEmail, type EmailDecision } from './campaign.ts'
import type { ListEntry } from './people-file.ts'
import type { SendResult } from './mail/send-result.ts'

/** The run ended early, for the reason in the message. The next run resumes it. */
export class RunStopped extends OperatorError {
  override name = 'RunStopped'
}

/** `checkedAt`: the start of the check. */
type PlannedEmail = { person: Person; decision: EmailDecision; checkedAt: number }

/** How long to wait for an unavailable store. */
const MAX_OUTAGE_MS = 120_000
const MAX_PAUSE_MS = 5_000

/** Every method throws {StoreUnavailable} if the store stays unavailable. */
export class EmailLedger {
  readonly #deps
  /** Marks this run's writes: if a response is lost, the retry recognizes its own write. */
  readonly #runId = randomBytes(6).toString('base64url')
  readonly #beganAt: number
  /** Addresses with a record before the check. */
  readonly #addressesOnRecord = new Set<string>()

  constructor(deps: {
    people: Pick<PeopleStore, 'get' | 'change' | 'addressAt' | 'shownApps'>
    campaign: string
    decide: (person: Person, now: number) => EmailDecision
    /** True while this run holds the lease of the campaign. @throws {StoreUnavailable} */
    holdsLease: () => Promise<boolean>
    now: () => number
    signal: AbortSignal
    maxOutageMs?: number | undefined
  }) {
    this.#deps = deps
    this.#beganAt = deps.now()
  }

  async plan(email: string): Promise<PlannedEmail> {
    const { people, decide, now } = this.#deps
    const record = await this.#retryDuringOutage(() => people.get(email)).catch((error: unknown) => {
      if (error instanceof PersonUnreadable) return 'unreadable' as const
      throw error
    })
    if (record !== undefined) this.#addressesOnRecord.add(email)
    const checkedAt = now()
    const blankPerson = newPerson(email, checkedAt)
    if (record === 'unreadable') return { person: blankPerson, decision: { kind: 'unreadable' }, checkedAt }
    const address = record
      ? email
      : await this.#retryDuringOutage(() => people.addressAt(email, this.#beganAt))
    if (address !== email) return { person: blankPerson, decision: { kind: 'renamed' }, checkedAt }
    const person = record ?? blankPerson
    return { person, decision: decide(person, checkedAt), checkedAt }
  }

  /**
   * Records that an email is about to be sent.
   * @returns false if it must not be sent: the person has opted out, or has already received it
   * @throws {RunStopped} if another run has taken over
   */
  async recordSending(
    entry: ListEntry,
    reminder: number,
    checked: CheckToRecord,
    about: Pick<EmailRecord, 'apps' | 'alsoListed' | 'isMoved' | 'releasedBy'> = {},
  ): Promise<boolean> {
    const { campaign, decide, holdsLease, now } = this.#deps
    if (!(await this.#retryDuringOutage(holdsLease)))
      throw new RunStopped('another run took over the campaign')
    const runId = this.#runId
    let mayBegin = false
    await this.#change(entry.email, (before) => {
      const sentEmail = campaignEmail(before, campaign, reminder)
      mayBegin = sentEmail?.runId === runId && sentEmail.state === 'sending'
      if (mayBegin) return before
      const current = decide(before, now())
      mayBegin = current.kind === 'email' && current.reminder === reminder
      if (!mayBegin) return before
      const change = { campaign, reminder, state: 'sending', now: now(), runId, ...about } as const
      return withEmail(this.#withCheckApplied(before, entry, checked), change)
    })
    return mayBegin
  }

  /** Records the outcome, unless another run has sent the email again. */
  async recordOutcome(email: string, reminder: number, state: SendResult['outcome']): Promise<void> {
    const { campaign, now } = this.#deps
    const runId = this.#runId
    await this.#change(email, (before) =>
      campaignEmail(before, campaign, reminder)?.runId === runId
        ? withEmail(before, { campaign, reminder, state, now: now(), runId })
        : before,
    )
  }

  async postpone(entry: ListEntry, reminder: number): Promise<void> {
    const { campaign, now } = this.#deps
    await this.#change(entry.email, (before) =>
      withEmail(withDetails(before, entry), { campaign, reminder, state: 'deferred', now: now() }),
    )
  }

  /**
   * Records a check without an email.
   * @param checked undefined: the service knows no such account
   * @param isWithdrawn apps that the service no longer lists were withdrawn, not connected
   */
  async recordCheck(
    entry: ListEntry,
    checked: CheckToRecord | undefined,
    isWithdrawn = false,
  ): Promise<void> {
    await this.#change(entry.email, (before) => {
      const known = isWithdrawn ? withoutOpenApps(before) : before
      if (checked !== undefined) return this.#withCheckApplied(known, entry, checked)
      const person = withDetails(before, entry)
      return person.unknownAt === undefined ? { ...person, unknownAt: this.#deps.now() } : person
    })
  }

  /** Records only that the list was empty, until the next check that is recorded. */
  async recordEmpty(email: string, emptyAt: number): Promise<void> {
    await this.#change(email, (before) =>
      before.lastCheck === undefined || before.lastCheck.emptyAt !== undefined
        ? before
        : { ...before, lastCheck: { ...before.lastCheck, emptyAt } },
    )
  }

  #withCheckApplied(before: Person, entry: ListEntry, checked: CheckToRecord): Person {
    const { people, now } = this.#deps
    const current = { ...checked, unconnected: people.shownApps([...checked.unconnected]) }
    return withCheck(withDetails(before, entry), current, now())
  }

  /** Changes a record. A person who was renamed or forgotten meanwhile gets no second one. */
  async #change(email: string, change: (before: Person) => Person): Promise<void> {
    const isGone = (isKnown: boolean) => !isKnown && this.#addressesOnRecord.has(email)
    await this.#retryDuringOutage(() =>
      this.#deps.people.change(email, (before, isKnown) => (isGone(isKnown) ? before : change(before))),
    )
  }

  async #retryDuringOutage<T>(work: () => Promise<T>): Promise<T> {
    const { maxOutageMs = MAX_OUTAGE_MS, signal } = this.#deps
    const until = Date.now() + maxOutageMs
    for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS))
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof StoreUnavailable) || Date.now() + pauseMs > until || signal.aborted)
          throw error
        await sleep(pauseMs * (0.5 + Math.random() / 2))
      }
  }
}

const withoutOpenApps = ({ lastCheck, ...person }: Person): Person =>
  lastCheck === undefined
    ? person
    : {
        ...person,
        lastCheck: { ...lastCheck, apps: lastCheck.apps.filter(({ status }) => status === 'connected') },
      }
