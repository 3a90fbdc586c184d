// What is written down while a run goes on: that a mail leaves, before it does, and what became of it. A store that is
// away for a while is waited for, because the run may take hours and what it would lose is who has got a mail.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Waiting } from '../client-api/answers.ts'
import { StoreUnavailable } from '../records/records.ts'
import { withLeft, type Arrival } from '../arrivals/arrival.ts'
import type { Arrivals, Looked } from '../arrivals/arrivals.ts'
import { due, mailingsOf, withdrawn, withMailing, type Policy } from './campaign.ts'
import type { Outcome } from './mail/server.ts'
import type { Invitee } from './invitee.ts'

export type LedgerParts = {
  arrivals: Pick<Arrivals, 'get' | 'look' | 'change'>
  policy: Policy
  /** Milliseconds since 1970. */
  now: () => number
  /** How long the store may be away; milliseconds. */
  patienceMs?: number
  signal: AbortSignal
}

export type Ledger = {
  /** @throws {StoreUnavailable} as all of them, when the store stays away */
  get(email: string): Promise<Arrival | undefined>
  /** The same, and whether it is all that was ever written down about this person. */
  look(email: string): Promise<Looked>
  /** Writes down that a mail leaves, unless it has left meanwhile. @returns whether it may */
  intend(person: Invitee, wave: number, left: readonly Waiting[]): Promise<boolean>
  /**
   * @param outcome refused: as if it had not been tried, for that was not because of the person
   * @param at when the mail left; now, unless told
   * @returns how often it was tried so far
   */
  settle(email: string, wave: number, outcome: Outcome, at?: number): Promise<number>
  /** The mail did not leave, and that was not because of the person. */
  withdraw(email: string, wave: number): Promise<void>
  /** Nothing leaves; what the service said is written down all the same. */
  observe(person: Invitee, left: readonly Waiting[]): Promise<void>
}

const PATIENCE_MS = 120_000
const LONGEST_PAUSE_MS = 5_000

export function createLedger(parts: LedgerParts): Ledger {
  const { arrivals, policy, now, patienceMs = PATIENCE_MS, signal } = parts
  const { campaign } = policy

  async function patiently<T>(work: () => Promise<T>): Promise<T> {
    const until = Date.now() + patienceMs
    for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS))
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof StoreUnavailable) || Date.now() + pauseMs > until || signal.aborted)
          throw error
        await sleep(pauseMs * (0.5 + Math.random() / 2))
      }
  }

  const grouped = (arrival: Arrival, { group }: Invitee): Arrival =>
    group === undefined || group === arrival.group ? arrival : { ...arrival, group }

  return {
    get: (email) => patiently(() => arrivals.get(email)),
    look: (email) => patiently(() => arrivals.look(email)),
    async intend(person, wave, left) {
      // A write whose answer was lost may have come to pass: its mark says that it was this one.
      const by = randomBytes(6).toString('base64url')
      let isMine = false
      await patiently(() =>
        arrivals.change(person.email, (before) => {
          isMine = mailingsOf(before, campaign).at(-1)?.by === by
          if (isMine) return before
          const then = due(before, policy, now())
          isMine = then.kind === 'mail' && then.wave === wave
          const known = withLeft(grouped(before, person), left, now())
          return isMine ? withMailing(known, { campaign, wave, state: 'sending', by, now: now() }) : before
        }),
      )
      return isMine
    },
    async settle(email, wave, state, at = now()) {
      const after = await patiently(() =>
        arrivals.change(email, (before) =>
          state === 'refused'
            ? withdrawn(before, { campaign, wave })
            : withMailing(before, { campaign, wave, state, now: at }),
        ),
      )
      return mailingsOf(after, campaign).at(-1)?.tries ?? 0
    },
    async withdraw(email, wave) {
      await patiently(() => arrivals.change(email, (before) => withdrawn(before, { campaign, wave })))
    },
    async observe(person, left) {
      await patiently(() =>
        arrivals.change(person.email, (before) => withLeft(grouped(before, person), left, now())),
      )
    },
  }
}
