// A run over the list: who is due, what waits for them, and the mail to each (delivery.ts). Killed anywhere and started
// again, it sends no mail twice.
import type { Waiting } from '../client-api/answers.ts'
import type { Asked } from './ask.ts'
import { isToConnect, wordOf, type Arrival } from '../arrivals/arrival.ts'
import { due, type Due, type Policy } from './campaign.ts'
import { createDelivery, type DeliveryParts } from './delivery.ts'
import type { Invitee } from './invitee.ts'
import type { Row } from './people-file.ts'
import type { Tally } from './tally.ts'
import { doubtOf, RunStopped } from './trouble.ts'

export type SendParts = DeliveryParts & {
  ask: (email: string) => Promise<Asked>
  policy: Policy
  /** Is the mail about this datasource? */
  isAbout: (instance: string) => boolean
  onFault: (line: number, fault: string) => void
  /** How many people at once; as many mails at most are uncertain after a crash. */
  atOnce: number
  /** At most so many mails in this run. */
  limit: number
  signal: AbortSignal
  /** No more rows are wanted: a list that is still open can be closed. */
  onOver: () => void
  now: () => number
}

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
function nagging(arrival: Arrival | undefined, left: readonly Waiting[]): Waiting[] {
  const blocked = arrival?.sources.filter((source) => wordOf(source)?.state === 'blocked') ?? []
  const isBlocked = (entry: Waiting) => blocked.some(({ instance }) => instance === entry.instance)
  return left.filter((entry) => isToConnect(entry) && !isBlocked(entry))
}

export type EndedBy = 'list' | 'limit' | 'signal'

/** @throws {RunStopped} and whatever ask, post and the ledger throw */
export async function sendInvitations(rows: AsyncIterator<Row>, parts: SendParts): Promise<EndedBy> {
  const { ledger, tally } = parts
  const delivery = createDelivery(parts)
  const isDry = parts.post === undefined
  const underWay = new Set<string>()
  /** In a dry run nothing is written down, so who is listed twice is only known here. */
  const seen = new Set<string>()
  /** A second row about a person whose mail did not go well is no second try. */
  const isRepeated = (email: string) => underWay.has(email) || seen.has(email) || delivery.isTroubled(email)
  const over = new AbortController()
  let started = 0

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
      return await delivery.mail(
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
      } else if (isRepeated(row.person.email)) tally.duplicates++
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
  await delivery.end()
  const failed = results.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  if (parts.signal.aborted) return 'signal'
  const failure = delivery.failure()
  if (failure !== undefined) throw new RunStopped(failure)
  return started >= parts.limit ? 'limit' : 'list'
}
