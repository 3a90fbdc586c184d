// A run over the list: who is due, what waits for them, write down that a mail leaves, let it leave, write down what
// became of it. Killed anywhere and started again, nobody gets a mail twice.
import type { Left } from '../client-api/answers.ts'
import type { Asked } from './ask.ts'
import { isToConnect, wordOf, type Arrival } from '../arrivals/arrival.ts'
import type { Certainty } from '../arrivals/arrivals.ts'
import { due, type Due, type Policy } from './campaign.ts'
import type { Later } from './later.ts'
import type { Ledger } from './ledger.ts'
import type { ComposeMail, Mail } from './mail/mail.ts'
import type { Posted } from './mail/server.ts'
import type { Invitee } from './invitee.ts'
import type { Row } from './people-file.ts'
import type { Pace } from './pace.ts'
import { createRefusals } from './refusals.ts'
import type { Tally } from './tally.ts'

/** The run ends before its list does; the message says why. Starting it again goes on where it ended. */
export class RunStopped extends Error {
  override name = 'RunStopped'
}

export type SendParts = {
  ledger: Ledger
  ask: (email: string) => Promise<Asked>
  compose: ComposeMail
  /** Absent: a dry run, which writes nothing and sends nothing. */
  post?: (mail: Mail) => Promise<Posted>
  mailPace: Pace
  policy: Policy
  /** Is the mail about this datasource? */
  isAbout: (instance: string) => boolean
  later: Later
  /** Is the campaign still this run's? */
  isHeld: () => Promise<boolean>
  onFault: (line: number, fault: string) => void
  onWouldSend: (person: Invitee, wave: number, apps: string[]) => void
  /** A person whose mail needs a look. @param reply what the mail server said, where it did */
  onTrouble: (person: Invitee, trouble: Trouble, reply?: string) => void
  /** How many people at once; as many mails at most are uncertain after a crash. */
  atOnce: number
  /** At most so many mails in this run. */
  limit: number
  /** So many mails in a row that were not sent end the run (`createRefusals`); 0: it goes on. */
  stopAfter: number
  signal: AbortSignal
  /** No more rows are wanted: a list that is still open can be closed. */
  onOver: () => void
  tally: Tally
  now: () => number
}

/** not-taken: the mail server refused it for what we are, not for whom it is to. */
export type Trouble =
  Exclude<Asked['kind'], 'left'> | 'deferred' | 'failed' | 'uncertain' | 'not-taken' | Doubt

/** They may have asked for no mails, in a record that cannot be read, or that was removed without being read. */
type Doubt = 'unreadable' | 'removed'

const TROUBLES = {
  deferred: { count: 'deferred', trouble: 'deferred' },
  failed: { count: 'failed', trouble: 'failed' },
  refused: { count: 'notTaken', trouble: 'not-taken' },
  unknown: { count: 'uncertain', trouble: 'uncertain' },
} as const satisfies Record<Exclude<Posted['outcome'], 'sent'>, { count: keyof Tally; trouble: Trouble }>

const RESTS = {
  sent: 'already',
  uncertain: 'uncertain',
  failed: 'failed',
  'opted-out': 'optedOut',
  'too-soon': 'tooSoon',
  nothing: 'nothing',
} as const satisfies Record<Extract<Due, { kind: 'rest' }>['why'], keyof Tally>

const NO_ANSWERS = {
  nobody: 'unknownToService',
  refused: 'refusedByService',
  'no-answer': 'unanswered',
} as const satisfies Record<Exclude<Asked['kind'], 'left'>, keyof Tally>

/** What the person could connect, without what they wait for their administrator for. */
function nagging(arrival: Arrival | undefined, left: readonly Left[]): Left[] {
  const blocked = arrival?.sources.filter((source) => wordOf(source)?.state === 'blocked') ?? []
  const isBlocked = (entry: Left) => blocked.some(({ instance }) => instance === entry.instance)
  return left.filter((entry) => isToConnect(entry) && !isBlocked(entry))
}

/** Nothing lets a mail leave while a record is there that cannot be read. */
const doubtOf = (certainty: Certainty, { mailInDoubt }: Policy): Doubt | undefined =>
  certainty === 'certain' || (certainty === 'removed' && mailInDoubt) ? undefined : certainty

export type EndedBy = 'list' | 'limit' | 'signal'

/** @throws {RunStopped} and whatever ask, post and the ledger throw */
export async function sendInvitations(rows: AsyncIterator<Row>, parts: SendParts): Promise<EndedBy> {
  const { ledger, tally } = parts
  const isDry = parts.post === undefined
  const underWay = new Set<string>()
  /** In a dry run nothing is written down, so whoever is listed twice is only known here. */
  const seen = new Set<string>()
  /** Whose mail did not go well in this run: a second row about them is no second try. */
  const troubled = new Set<string>()
  const over = new AbortController()
  const refusals = createRefusals(parts.stopAfter)
  /** What the mail server said last to a mail that it refused for what we are, or in words that tell nothing. */
  let refusal = ''
  let started = 0

  /** Who was refused while the run found out that it isn't them: as if their mail had not been tried. */
  async function unmark(): Promise<void> {
    const mails = refusals.toUnmark()
    for (const { email, wave } of mails) await ledger.withdraw(email, wave)
    tally.failed -= mails.length
    tally.notTaken += mails.length
  }

  async function mail(person: Invitee, wave: number, left: Left[], apps: string[]): Promise<void> {
    const { post } = parts
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

  async function one(person: Invitee, isAgain: boolean): Promise<void> {
    const { email } = person
    const { arrival, certainty } = await ledger.look(email)
    const doubt = doubtOf(certainty, parts.policy)
    if (doubt !== undefined) {
      parts.onTrouble(person, doubt)
      return void tally.inDoubt++
    }
    const then: Due =
      arrival === undefined ? { kind: 'mail', wave: 0 } : due(arrival, parts.policy, parts.now())
    if (then.kind === 'rest') {
      if (then.why === 'failed' || then.why === 'uncertain') parts.onTrouble(person, then.why)
      return void tally[RESTS[then.why]]++
    }
    if (then.kind === 'left-open') {
      if (!isDry) await ledger.settle(email, then.wave, 'unknown', then.at)
      parts.onTrouble(person, 'uncertain')
      return void tally.uncertain++
    }
    tally.asked++
    const asked = await parts.ask(email)
    if (asked.kind !== 'left') {
      parts.onTrouble(person, asked.kind)
      return void tally[NO_ANSWERS[asked.kind]]++
    }
    const { left } = asked
    const waiting = nagging(arrival, left).filter(({ instance }) => parts.isAbout(instance))
    if (waiting.length > 0 && (isAgain || started++ < parts.limit)) {
      if (started >= parts.limit) parts.onOver()
      return await mail(
        person,
        then.wave,
        left,
        waiting.map(({ name }) => name),
      )
    }
    if (waiting.length > 0) return
    tally.nothing++
    if (!isDry) await ledger.observe(person, left)
  }

  const isOver = () => over.signal.aborted || parts.signal.aborted || started >= parts.limit

  /** Whose turn it is: whoever the mail server put off a while ago, or the next of the list. */
  async function next(): Promise<{ person: Invitee; isAgain: boolean } | undefined> {
    while (!isOver()) {
      const again = parts.later.take()
      if (again !== undefined) {
        tally.deferred--
        return { person: again, isAgain: true }
      }
      const { done, value: row } = await rows.next()
      // Ended meanwhile, and perhaps in the middle of a row.
      if (done === true || isOver()) return undefined
      tally.rows++
      if (row.kind === 'fault') {
        tally.invalid++
        parts.onFault(row.line, row.fault)
      } else if ([underWay, seen, troubled].some((set) => set.has(row.person.email))) tally.duplicates++
      else return { person: row.person, isAgain: false }
    }
    return undefined
  }

  async function work(): Promise<void> {
    for (let found = await next(); found !== undefined; found = await next()) {
      const { email } = found.person
      if (isDry) seen.add(email)
      underWay.add(email)
      await one(found.person, found.isAgain).finally(() => underWay.delete(email))
    }
  }

  const workers = Array.from({ length: parts.atOnce }, () =>
    work().catch((error: unknown) => {
      over.abort()
      parts.onOver()
      throw error
    }),
  )
  const results = await Promise.allSettled(workers)
  refusals.end()
  await unmark()
  const failed = results.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  if (parts.signal.aborted) return 'signal'
  if (tally.sent === 0 && tally.notTaken > 0) {
    const isUnclear = refusals.toUnmark().length > 0
    const otherwise = isUnclear ? '; if it is the list, --stop-after 0 counts these people as refused' : ''
    throw new RunStopped(
      `the mail server took no mail (it says: ${refusal}): see SMTP_URL and MAIL_FROM${otherwise}`,
    )
  }
  return started >= parts.limit ? 'limit' : 'list'
}
