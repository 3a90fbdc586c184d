// One email of a run: written down, let go at the allowed pace, and written down with its outcome. If the process is
// killed in between, the email may have arrived. Also notices when the mail server refuses everyone.
import { calledAs } from '../company/called.ts'
import type { Waiting } from '../client-api/answers.ts'
import type { Asked } from './ask.ts'
import { MAX_TRIES } from './campaign.ts'
import type { Invitee } from './invitee.ts'
import type { Ledger, Said, Standing } from './ledger.ts'
import type { ComposeMail, Mail } from './mail/mail.ts'
import type { BeforeAgain, Posted } from './mail/outcome.ts'
import type { Pace } from './pace.ts'
import { createRefusals } from './refusals.ts'
import type { Tally } from './tally.ts'

/** The run ends before its list does; the message says why. Started again, it goes on where it ended. */
export class RunStopped extends Error {
  override name = 'RunStopped'
}

/** An email that waited to be tried again must no longer leave; the run goes on with others. */
class NotAgain extends Error {
  override name = 'NotAgain'
  readonly why: Exclude<Standing, 'ours'>
  constructor(why: Exclude<Standing, 'ours'>) {
    super(why)
    this.why = why
  }
}

/** not-taken: the mail server refused us, not the recipient. unreadable, removed: what is known may be incomplete. */
export type Trouble =
  | Exclude<Asked['kind'], 'left'>
  | 'deferred'
  | 'put-off'
  | 'failed'
  | 'uncertain'
  | 'not-taken'
  | 'unreadable'
  | 'removed'

/** One email for one person: the reminder it belongs to, what the service listed, and the apps that it mentions. */
export type Sending = { person: Invitee; reminder: number; said: Said; apps: readonly Waiting[] }

export type DeliveryParts = {
  ledger: Ledger
  compose: ComposeMail
  /** Absent: a dry run, which writes nothing and sends nothing. */
  post?: ((mail: Mail, beforeAgain: BeforeAgain) => Promise<Posted>) | undefined
  mailPace: Pace
  later: Later
  /** Does this run still hold the campaign? @throws {StoreUnavailable} */
  isHeld: () => Promise<boolean>
  onWouldSend: (person: Invitee, reminder: number, apps: string[]) => void
  /** A person whose email needs a look. @param reply the mail server's, if it gave one */
  onTrouble: (person: Invitee, trouble: Trouble, reply?: string) => void
  /** So many emails in a row that were not sent end the run (`createRefusals`); 0: it goes on. */
  stopAfter: number
  tally: Tally
}

const TROUBLES = {
  deferred: { count: 'deferred', trouble: 'deferred' },
  failed: { count: 'failed', trouble: 'failed' },
  refused: { count: 'notTaken', trouble: 'not-taken' },
  unknown: { count: 'uncertain', trouble: 'uncertain' },
} as const satisfies Record<Exclude<Posted['outcome'], 'sent'>, { count: keyof Tally; trouble: Trouble }>

export function createDelivery(parts: DeliveryParts) {
  const { ledger, tally, post } = parts
  const refusals = createRefusals(parts.stopAfter)
  const troubled = new Set<string>()
  /** People whose email was delayed on its last try. */
  const spent: Invitee[] = []

  /** @throws {RunStopped} {StoreUnavailable} */
  async function stillHeld(): Promise<void> {
    if (!(await ledger.patiently(parts.isHeld))) throw new RunStopped('another run took over the campaign')
  }

  function leaveOut(person: Invitee, why: NotAgain['why']): void {
    troubled.add(person.email)
    if (why === 'taken') tally.already++
    else if (why === 'unwanted') tally.optedOut++
    else {
      tally.inDoubt++
      parts.onTrouble(person, why)
    }
  }

  return {
    /** Did this person's email go wrong in this run? */
    isTroubled: (email: string) => troubled.has(email),
    /** A person's email was taken in an earlier run. */
    earlier: () => refusals.earlier(),
    /** @throws {RunStopped} and whatever post and the ledger throw */
    async mail({ person, reminder, said, apps }: Sending): Promise<void> {
      if (post === undefined) {
        tally.wouldSend++
        const names = calledAs(apps).map(({ name }) => name)
        return parts.onWouldSend(person, reminder, names)
      }
      const { email } = person
      const composed = await parts.compose(person, apps, reminder)
      await parts.mailPace.turn()
      await stillHeld()
      const one = await ledger.intend(person, reminder, said)
      if (one === undefined) return void tally.already++
      const beforeAgain = async () => {
        await stillHeld()
        const standing = await ledger.standing(email, one)
        if (standing !== 'ours') throw new NotAgain(standing)
      }
      const posted = await post(composed, beforeAgain).catch(async (error: unknown) => {
        await ledger.settle(email, one, 'refused')
        if (error instanceof NotAgain) return error
        throw error
      })
      if (posted instanceof NotAgain) return leaveOut(person, posted.why)
      const tries = await ledger.settle(email, one, posted.outcome)
      if (posted.outcome === 'sent') tally.sent++
      else {
        const { count, trouble } = TROUBLES[posted.outcome]
        tally[count]++
        troubled.add(email)
        parts.onTrouble(person, trouble, 'reply' in posted ? posted.reply : undefined)
      }
      if (posted.outcome === 'deferred') {
        if (tries < MAX_TRIES) parts.later.add(person, tries)
        else spent.push(person)
      }
      const why = refusals.note(posted, { email, reminder }, tries === 1)
      if (why !== undefined) throw new RunStopped(why)
    },
    /** No email is under way now. People who were refused through no fault of theirs count as not tried. */
    async end(): Promise<void> {
      refusals.end()
      const mails = refusals.toUnmark()
      for (const { email, reminder } of mails) await ledger.takeBack(email, reminder)
      const tries = new Map<string, number>()
      for (const { email, reminder } of refusals.putOff())
        tries.set(email, await ledger.takeBack(email, reminder))
      for (const person of spent) {
        if ((tries.get(person.email) ?? MAX_TRIES) < MAX_TRIES) continue
        tally.deferred--
        tally.putOff++
        parts.onTrouble(person, 'put-off')
      }
      tally.failed -= mails.length
      tally.notTaken += mails.length
    },
    /** Why a run that sent no email has failed, for people; undefined where it has not. */
    failure: () => (tally.notTaken > 0 ? refusals.failure() : undefined),
  }
}

export type Later = ReturnType<typeof createLater>

const FIRST_MS = 60_000
const FACTOR = 4
const MAX_LATER = 1_000

/**
 * People whom the mail server asked us to try later, until their time has come. Bounded: the next run finds the others in what was
 * written down. @param now milliseconds since 1970
 */
export function createLater(now: () => number, firstMs: number = FIRST_MS) {
  const waiting: { person: Invitee; from: number }[] = []
  return {
    /** @param tries how often it was tried so far */
    add(person: Invitee, tries: number): void {
      if (waiting.length < MAX_LATER) waiting.push({ person, from: now() + firstMs * FACTOR ** (tries - 1) })
    },
    /** Someone whose time has come. */
    take(): Invitee | undefined {
      const found = waiting.findIndex(({ from }) => from <= now())
      return found < 0 ? undefined : waiting.splice(found, 1)[0]?.person
    },
  }
}
