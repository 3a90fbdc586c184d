// One mail of a run: written down before it leaves, let go at the pace that is allowed, and written down with what became
// of it. Killed in between, it counts as one that may have arrived. Knows when the mail server is against all of them.
import type { Waiting } from '../client-api/answers.ts'
import type { Invitee } from './invitee.ts'
import type { Later } from './later.ts'
import type { Ledger } from './ledger.ts'
import type { ComposeMail, Mail } from './mail/mail.ts'
import type { Posted } from './mail/server.ts'
import type { Pace } from './pace.ts'
import { createRefusals } from './refusals.ts'
import type { Tally } from './tally.ts'
import { RunStopped, type Trouble } from './trouble.ts'

export type DeliveryParts = {
  ledger: Ledger
  compose: ComposeMail
  /** Absent: a dry run, which writes nothing and sends nothing. */
  post?: (mail: Mail) => Promise<Posted>
  mailPace: Pace
  later: Later
  /** Is the campaign still this run's? */
  isHeld: () => Promise<boolean>
  onWouldSend: (person: Invitee, wave: number, apps: string[]) => void
  /** A person whose mail needs a look. @param reply what the mail server said, where it did */
  onTrouble: (person: Invitee, trouble: Trouble, reply?: string) => void
  /** So many mails in a row that were not sent end the run (`createRefusals`); 0: it goes on. */
  stopAfter: number
  tally: Tally
}

export type Delivery = {
  /** @throws {RunStopped} and whatever post and the ledger throw */
  mail(person: Invitee, wave: number, left: Waiting[], apps: string[]): Promise<void>
  /** Did the mail of this person not go well in this run? */
  isTroubled(email: string): boolean
  /** No mail is under way any more: whoever was refused for what is no fault of theirs is as if not tried. */
  end(): Promise<void>
  /** Why a run that let no mail leave has failed, for people; undefined where it has not. */
  failure(): string | undefined
}

const TROUBLES = {
  deferred: { count: 'deferred', trouble: 'deferred' },
  failed: { count: 'failed', trouble: 'failed' },
  refused: { count: 'notTaken', trouble: 'not-taken' },
  unknown: { count: 'uncertain', trouble: 'uncertain' },
} as const satisfies Record<Exclude<Posted['outcome'], 'sent'>, { count: keyof Tally; trouble: Trouble }>

export function createDelivery(parts: DeliveryParts): Delivery {
  const { ledger, tally, post } = parts
  const refusals = createRefusals(parts.stopAfter)
  const troubled = new Set<string>()
  /** What the mail server said last to a mail that it refused for what we are, or in words that tell nothing. */
  let refusal = ''

  async function mail(person: Invitee, wave: number, left: Waiting[], apps: string[]): Promise<void> {
    if (post === undefined) {
      tally.wouldSend++
      return parts.onWouldSend(person, wave, apps)
    }
    const composed = await parts.compose(person, apps, wave)
    await parts.mailPace.turn()
    if (!(await parts.isHeld())) throw new RunStopped('another run took over the campaign')
    if (!(await ledger.intend(person, wave, left))) return void tally.already++
    const posted = await post(composed).catch(async (error: unknown) => {
      await ledger.withdraw(person.email, wave)
      throw error
    })
    const tries = await ledger.settle(person.email, wave, posted.outcome)
    if (posted.outcome === 'sent') tally.sent++
    else {
      const { count, trouble } = TROUBLES[posted.outcome]
      tally[count]++
      troubled.add(person.email)
      parts.onTrouble(person, trouble, 'reply' in posted ? posted.reply : undefined)
    }
    if ('blame' in posted && posted.blame !== 'person') refusal = posted.reply
    if (posted.outcome === 'deferred') parts.later.add(person, tries)
    const why = refusals.note(posted, { email: person.email, wave }, tries === 1)
    if (why !== undefined) throw new RunStopped(why)
  }

  return {
    mail,
    isTroubled: (email) => troubled.has(email),
    async end() {
      refusals.end()
      const mails = refusals.toUnmark()
      for (const { email, wave } of mails) await ledger.withdraw(email, wave)
      tally.failed -= mails.length
      tally.notTaken += mails.length
    },
    failure() {
      if (tally.sent > 0 || tally.notTaken === 0) return undefined
      const isUnclear = refusals.toUnmark().length > 0
      const otherwise = isUnclear ? '; if it is the list, --stop-after 0 counts these people as refused' : ''
      return `the mail server took no mail (it says: ${refusal}): see SMTP_URL and MAIL_FROM${otherwise}`
    },
  }
}
