// A run over the list: who is due, what waits for them, and the email to each (delivery.ts). Killed anywhere and started
// again, it sends no email twice.
import type { Waiting } from '../client-api/answers.ts'
import type { Asked, Asking } from './ask.ts'
import { isToConnect, wordOf, type Person } from '../people/person.ts'
import { stampOf } from '../people/sources.ts'
import { due, isInDoubt, type Due, type Policy } from './campaign.ts'
import { createDelivery, RunStopped, type DeliveryParts } from './delivery.ts'
import type { Invitee } from './invitee.ts'
import type { Row } from './people-file.ts'
import type { Tally } from './tally.ts'

export type SendParts = DeliveryParts &
  Asking & {
    policy: Policy
    /** Is the email about this datasource? */
    isAbout: (instance: string) => boolean
    onFault: (line: number, fault: string) => void
    /** How many people at once; as many emails at most are uncertain after a crash. */
    atOnce: number
    /** At most so many emails in this run. */
    limit: number
    signal: AbortSignal
    /** No more rows are wanted: a list that is still open can be closed. */
    onOver: () => void
    now: () => number
  }

/** Which count goes up for a person who gets no email. */
const COUNTS = {
  sent: 'already',
  uncertain: 'uncertain',
  failed: 'failed',
  'put-off': 'putOff',
  'opted-out': 'optedOut',
  'too-soon': 'tooSoon',
  nothing: 'nothing',
  unknown: 'unknownToService',
  refused: 'refusedByService',
  'no-answer': 'unanswered',
} as const satisfies Record<
  Extract<Due, { kind: 'rest' }>['why'] | Exclude<Asked['kind'], 'left'>,
  keyof Tally
>

/** What the person could connect, except where they wait for their administrator. */
function connectable(arrival: Person | undefined, left: readonly Waiting[]): Waiting[] {
  const known = new Map(arrival?.sources.map((source) => [source.instance, source]))
  return left.filter((entry) => isToConnect(entry) && wordOf(known.get(entry.instance))?.state !== 'blocked')
}

export type EndedBy = 'list' | 'limit' | 'signal'

type Turn = { person: Invitee; isAgain: boolean }

/** @throws {RunStopped} and whatever ask, post and the ledger throw */
export async function sendInvitations(rows: AsyncIterator<Row>, parts: SendParts): Promise<EndedBy> {
  const { ledger, tally, policy, limit, signal } = parts
  const delivery = createDelivery(parts)
  const isDry = parts.post === undefined
  const underWay = new Set<string>()
  /**
   * Who is listed twice, where what is written down doesn't show it: a dry run writes nothing, and a run of a day or more
   * could send a reminder after an email of its own.
   */
  const seen = new Set<string>()
  const over = new AbortController()
  let started = 0

  const isOver = () => over.signal.aborted || signal.aborted || started >= limit
  /** A second row about a person whose email went wrong is not a second try. */
  const isRepeated = (email: string) => underWay.has(email) || seen.has(email) || delivery.isTroubled(email)

  async function one({ person, isAgain }: Turn): Promise<void> {
    const { email } = person
    const { arrival, certainty } = await ledger.look(email)
    if (isInDoubt(certainty, policy)) {
      parts.onTrouble(person, certainty)
      return void tally.inDoubt++
    }
    const then: Due =
      arrival === undefined ? { kind: 'mail', reminder: 0 } : due(arrival, policy, parts.now())
    if (then.kind !== 'mail') {
      const why = then.kind === 'rest' ? then.why : 'uncertain'
      if (then.kind === 'left-open' && !isDry) await ledger.leaveOpen(email, then)
      if (why === 'sent') {
        delivery.earlier()
        parts.answeredBefore(email)
      }
      if (why === 'failed' || why === 'put-off' || why === 'uncertain') parts.onTrouble(person, why)
      return void tally[COUNTS[why]]++
    }
    tally.asked++
    const when = { at: parts.now(), known: stampOf(arrival) }
    const asked = await parts.ask(email)
    if (asked.kind !== 'left') {
      parts.onTrouble(person, asked.kind, 'detail' in asked ? asked.detail : undefined)
      if (asked.kind === 'unknown' && !isDry) await ledger.observeUnknown(person)
      return void tally[COUNTS[asked.kind]]++
    }
    const { left } = asked
    const said = { left, when }
    const apps = connectable(arrival, left).filter(({ instance }) => parts.isAbout(instance))
    if (apps.length === 0) {
      tally.nothing++
      if (!isDry) await ledger.observe(person, said)
    } else if (isAgain || started++ < limit) {
      if (started >= limit) parts.onOver()
      await delivery.mail({ person, reminder: then.reminder, said, apps })
      if (policy.remindAfterMs !== undefined) seen.add(email)
    }
  }

  /** Someone whom the mail server asked us to try later, or the next on the list. */
  async function next(): Promise<Turn | undefined> {
    while (!isOver()) {
      const again = parts.later.take()
      if (again !== undefined) {
        tally.deferred--
        return { person: again, isAgain: true }
      }
      const { done, value: row } = await rows.next()
      // It may have ended meanwhile, perhaps in the middle of a row.
      if (done === true || isOver()) return undefined
      tally.rows++
      if (row.kind === 'fault') {
        tally.invalid++
        parts.onFault(row.line, row.fault)
      } else if (isRepeated(row.person.email)) tally.duplicates++
      else return { person: row.person, isAgain: false }
    }
    return undefined
  }

  async function work(): Promise<void> {
    for (let turn = await next(); turn !== undefined; turn = await next()) {
      const { email } = turn.person
      if (isDry) seen.add(email)
      underWay.add(email)
      await one(turn).finally(() => underWay.delete(email))
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
  await delivery.end()
  const failed = results.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  if (signal.aborted) return 'signal'
  const failure = delivery.failure()
  if (failure !== undefined) throw new RunStopped(failure)
  return started >= limit ? 'limit' : 'list'
}
