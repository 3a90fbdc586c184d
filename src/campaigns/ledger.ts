// What a run writes down: that an email leaves, before it does, and its outcome after. A store that is away for a while is
// waited for: the run may take hours, and would forget who has had an email.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { UnconnectedApp } from '../client-api/responses.ts'
import { PersonUnreadable, type People } from '../people/people.ts'
import { newPerson, withCheck, withDetails, withoutAccount, type Person } from '../people/person.ts'
import { OperatorError } from '../problem.ts'
import { StoreUnavailable } from '../records/records.ts'
import { campaignEmail, withEmail, type DueEmail } from './campaign.ts'
import type { Invitee } from './people-file.ts'
import type { EmailOutcome } from './mail/send-result.ts'

/** The run ends before its list does; the message says why. Started again, it resumes. */
export class RunStopped extends OperatorError {
  override name = 'RunStopped'
}

/** What the service said is left, and when it was asked (milliseconds since 1970). */
export type CheckedApps = { left: readonly UnconnectedApp[]; checkedAt: number }

/** `checkedAt`: before the service is asked about the person. */
export type Plan = { person: Person | undefined; due: DueEmail; checkedAt: number }

/** Every function throws {StoreUnavailable} when the store stays away. */
export type Ledger = {
  plan(email: string): Promise<Plan>
  /**
   * Writes down that an email leaves.
   * @param apps that it is about, where it is about their lapse
   * @returns false where it must not: they opted out since, or have had it
   * @throws {RunStopped} another run has taken over
   */
  begin(invitee: Invitee, reminder: number, answer: CheckedApps, apps?: readonly string[]): Promise<boolean>
  /** Writes down what came of it, unless another run has gone on with it. */
  end(email: string, reminder: number, outcome: EmailOutcome): Promise<void>
  /** The service gave no answer, so the email waits for a later run. */
  postpone(invitee: Invitee, reminder: number): Promise<void>
  /** Nothing leaves, but the service's answer counts. @param answer undefined: it knows no one with this address */
  observe(invitee: Invitee, answer: CheckedApps | undefined): Promise<void>
}

const PATIENCE_MS = 120_000
const MAX_PAUSE_MS = 5_000

type Given = {
  people: Pick<People, 'get' | 'change'>
  campaign: string
  /** Which email of the campaign is due. @param now milliseconds since 1970 */
  due: (person: Person, now: number) => DueEmail
  /** Does this run still hold the campaign? @throws {StoreUnavailable} */
  isHeld: () => Promise<boolean>
  /** Milliseconds since 1970. */
  now: () => number
  signal: AbortSignal
  /** How long the store may be away; milliseconds. */
  patienceMs?: number
}

export function createLedger(given: Given): Ledger {
  const { people, campaign, due, isHeld, now, signal, patienceMs = PATIENCE_MS } = given
  /** A write may have succeeded although its answer was lost; then this mark is there. */
  const runId = randomBytes(6).toString('base64url')

  async function patiently<T>(work: () => Promise<T>): Promise<T> {
    const until = Date.now() + patienceMs
    for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS))
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof StoreUnavailable) || Date.now() + pauseMs > until || signal.aborted)
          throw error
        await sleep(pauseMs * (0.5 + Math.random() / 2))
      }
  }

  const change = async (email: string, how: (before: Person) => Person): Promise<void> =>
    void (await patiently(() => people.change(email, how)))

  const observed = (before: Person, invitee: Invitee, { left, checkedAt }: CheckedApps): Person =>
    withCheck(withDetails(before, invitee), { checkedAt, listed: left }, now())

  return {
    async plan(email) {
      const person = await patiently(() => people.get(email)).catch((error: unknown) => {
        if (error instanceof PersonUnreadable) return 'unreadable' as const
        throw error
      })
      const checkedAt = now()
      if (person === 'unreadable') return { person: undefined, due: { kind: 'unreadable' }, checkedAt }
      return { person, due: due(person ?? newPerson(email, checkedAt), checkedAt), checkedAt }
    },
    async begin(invitee, reminder, answer, apps) {
      if (!(await patiently(isHeld))) throw new RunStopped('another run took over the campaign')
      let isOurs = false
      await change(invitee.email, (before) => {
        const known = campaignEmail(before, campaign, reminder)
        isOurs = known?.runId === runId && known.state === 'sending'
        if (isOurs) return before
        const then = due(before, now())
        isOurs = then.kind === 'mail' && then.reminder === reminder
        if (!isOurs) return before
        const change = { campaign, reminder, state: 'sending', now: now(), runId, apps } as const
        return withEmail(observed(before, invitee, answer), change)
      })
      return isOurs
    },
    end: (email, reminder, state) =>
      change(email, (before) =>
        campaignEmail(before, campaign, reminder)?.runId === runId
          ? withEmail(before, { campaign, reminder, state, now: now(), runId })
          : before,
      ),
    postpone: (invitee, reminder) =>
      change(invitee.email, (before) =>
        withEmail(withDetails(before, invitee), { campaign, reminder, state: 'deferred', now: now() }),
      ),
    observe: (invitee, answer) =>
      change(invitee.email, (before) =>
        answer === undefined
          ? withoutAccount(withDetails(before, invitee), now())
          : observed(before, invitee, answer),
      ),
  }
}
