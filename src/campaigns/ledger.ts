// What is written down during a run: that an email leaves, before it does, and its outcome. A store that is away for a
// while is waited for: the run may take hours, and it would forget who has got an email.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Waiting } from '../client-api/answers.ts'
import { StoreUnavailable } from '../records/records.ts'
import type { Person } from '../people/person.ts'
import { withLeft, type When } from '../people/sources.ts'
import type { People, Looked } from '../people/people.ts'
import { due, isInDoubt, mailingOf, withdrawn, withMailing, type Open, type Policy } from './campaign.ts'
import type { Outcome } from './mail/outcome.ts'
import { omitUndefined } from '../omit-undefined.ts'
import type { Invitee } from './invitee.ts'

export type LedgerParts = {
  people: Pick<People, 'look' | 'change'>
  policy: Policy
  /** Milliseconds since 1970. */
  now: () => number
  /** How long the store may be away; milliseconds. */
  patienceMs?: number
  signal: AbortSignal
}

/** What the service said is left, and when it was asked. */
export type Said = { left: readonly Waiting[]; when: When }

/** A try to send an email; `by` tells it from those of other runs. */
export type Try = { reminder: number; by: string }

/** taken: another run goes on with it. unwanted: they opted out, or were removed. unreadable, removed: they may have. */
export type Standing = 'ours' | 'taken' | 'unwanted' | Exclude<Looked['certainty'], 'certain'>

/** Every function throws {StoreUnavailable} when the store stays away. */
export type Ledger = {
  look(email: string): Promise<Looked>
  /** Other work that needs the store, given as much time. */
  patiently<T>(work: () => Promise<T>): Promise<T>
  /** Writes down that an email leaves, unless it has left meanwhile. @returns undefined: it must not leave */
  intend(person: Invitee, reminder: number, said: Said): Promise<Try | undefined>
  /**
   * Writes down what came of it. Where another run has gone on with the email meanwhile, only that it was sent still counts.
   * @param outcome refused: not because of the person, so it counts as not tried
   * @returns how often it was tried so far
   */
  settle(email: string, one: Try, outcome: Outcome): Promise<number>
  /**
   * Before the same email is handed over again, perhaps hours later: another run may have gone on with it since, and the
   * person may have opted out or been removed.
   */
  standing(email: string, one: Try): Promise<Standing>
  /** What a run that died left open is uncertain from now on, unless it was gone on with meanwhile. */
  leaveOpen(email: string, open: Open): Promise<void>
  /**
   * At the end of a run: what was delayed or refused counts as not tried. What is being sent is left alone, as it may arrive.
   * @returns how often it counts as tried now
   */
  takeBack(email: string, reminder: number): Promise<number>
  /** Nothing leaves; the service's answer is written down all the same. */
  observe(person: Invitee, said: Said): Promise<void>
  /** The service knows no one with this address: the export lists it. */
  observeUnknown(person: Invitee): Promise<void>
}

const PATIENCE_MS = 120_000
const LONGEST_PAUSE_MS = 5_000

export function createLedger(parts: LedgerParts): Ledger {
  const { people, policy, now, patienceMs = PATIENCE_MS, signal } = parts
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

  const change = (email: string, how: (before: Person, isKnown: boolean) => Person) =>
    patiently(() => people.change(email, how))

  function observed(before: Person, { name, language, group }: Invitee, { left, when }: Said): Person {
    const { unknownAt: _unknownAt, ...known } = before
    return withLeft({ ...known, ...omitUndefined({ name, language, group }) }, left, now(), when)
  }

  return {
    patiently,
    look: (email) => patiently(() => people.look(email)),
    async intend(person, reminder, said) {
      // A write may have succeeded although its answer was lost; then this mark is there.
      const by = randomBytes(6).toString('base64url')
      let isMine = false
      await change(person.email, (before) => {
        const isWritten = mailingOf(before, { campaign, reminder })?.by === by
        isMine = isWritten && before.optedOutAt === undefined
        if (isWritten) return isMine ? before : withdrawn(before, { campaign, reminder })
        const then = due(before, policy, now())
        isMine = then.kind === 'mail' && then.reminder === reminder
        if (!isMine) return before
        const known = observed(before, person, said)
        return withMailing(known, { campaign, reminder, state: 'sending', by, now: now() })
      })
      return isMine ? { reminder, by } : undefined
    },
    async settle(email, { reminder, by }, state) {
      const after = await change(email, (before, isKnown) => {
        const known = mailingOf(before, { campaign, reminder })
        const isNews = isKnown && state === 'sent' && known?.state !== 'sent'
        if (known?.by !== by && !isNews) return before
        if (state === 'refused') return withdrawn(before, { campaign, reminder })
        return withMailing(before, { campaign, reminder, state, now: now() })
      })
      return mailingOf(after, { campaign, reminder })?.tries ?? 0
    },
    async standing(email, { reminder, by }) {
      const { arrival, certainty } = await patiently(() => people.look(email))
      if (arrival?.optedOutAt !== undefined) return 'unwanted'
      if (isInDoubt(certainty, policy)) return certainty
      if (arrival === undefined) return 'unwanted'
      return mailingOf(arrival, { campaign, reminder })?.by === by ? 'ours' : 'taken'
    },
    async leaveOpen(email, { reminder, at, by }) {
      await change(email, (before) => {
        const known = mailingOf(before, { campaign, reminder })
        if (known?.state !== 'sending' || known.at !== at || known.by !== by) return before
        // With its mark: where that run lives after all, it still writes down what came of it.
        return withMailing(before, { campaign, reminder, state: 'unknown', now: at, by })
      })
    },
    async takeBack(email, reminder) {
      const after = await change(email, (before) => {
        const known = mailingOf(before, { campaign, reminder })
        return known?.state === 'sending' ? before : withdrawn(before, { campaign, reminder })
      })
      return mailingOf(after, { campaign, reminder })?.tries ?? 0
    },
    async observeUnknown({ email, name, language, group }) {
      await change(email, (before) => ({
        ...before,
        ...omitUndefined({ name, language, group }),
        unknownAt: now(),
      }))
    },
    async observe(person, said) {
      await change(person.email, (before) => observed(before, person, said))
    },
  }
}
