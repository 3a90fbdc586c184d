// A run over the list: who is due, what waits for them, write down that a mail leaves, let it leave, write down what
// became of it. Killed anywhere and started again, nobody gets a mail twice.
import type { Left } from '../client-api/answers.ts'
import type { Asked } from './ask.ts'
import { isToConnect, withLeft, type Arrival } from './arrival.ts'
import type { Arrivals } from './arrivals.ts'
import { due, withMailing, type Due, type Policy } from './campaign.ts'
import type { ComposeMail, Mail } from './mail.ts'
import type { Outcome } from './mail-server.ts'
import type { Invitee, Row } from './people-file.ts'
import type { Pace } from './pace.ts'
import type { Tally } from './tally.ts'

/** The run ends before its list does; the message says why. Starting it again goes on where it ended. */
export class RunStopped extends Error {
  override name = 'RunStopped'
}

export type SendParts = {
  arrivals: Pick<Arrivals, 'get' | 'change'>
  ask: (email: string) => Promise<Asked>
  compose: ComposeMail
  /** Absent: a dry run, which writes nothing and sends nothing. */
  post?: (mail: Mail) => Promise<Outcome>
  mailPace: Pace
  policy: Policy
  /** Is the campaign still this run's? */
  isHeld: () => boolean
  onFault: (line: number, fault: string) => void
  onWouldSend: (person: Invitee, wave: number, apps: string[]) => void
  /** How many people at once; as many mails at most are uncertain after a crash. */
  atOnce: number
  /** At most so many mails in this run. */
  limit: number
  signal: AbortSignal
  tally: Tally
  now: () => number
}

/** So many in a row that were not sent: something is wrong with the mail server, not with the people. */
const MOST_FAILURES_IN_A_ROW = 20
const WRITE_TRIES = 4

const RESTS = {
  sent: 'already',
  uncertain: 'uncertain',
  failed: 'failed',
  'opted-out': 'optedOut',
  nothing: 'nothing',
} as const satisfies Record<Extract<Due, { kind: 'rest' }>['why'], keyof Tally>

type Answer = { left: Left[]; waiting: Left[] }

/** What the person could connect, without what they wait for their administrator for. */
function nagging(arrival: Arrival | undefined, left: readonly Left[]): Left[] {
  const blocked = arrival?.sources.filter(({ state }) => state === 'blocked') ?? []
  const isBlocked = (entry: Left) => blocked.some(({ instance }) => instance === entry.instance)
  return left.filter((entry) => isToConnect(entry) && !isBlocked(entry))
}

/** @throws {RunStopped} and whatever ask, post and the store throw */
export async function sendInvitations(rows: AsyncIterator<Row>, parts: SendParts): Promise<void> {
  const { arrivals, policy, tally, now } = parts
  const underWay = new Set<string>()
  /** In a dry run nothing is written down, so whoever is listed twice is only known here. */
  const seen = new Set<string>()
  const over = new AbortController()
  let started = 0
  let failuresInARow = 0

  /** Writes down that a mail leaves, unless it has left meanwhile. @returns whether it may */
  async function intend(email: string, wave: number, take: (arrival: Arrival) => Arrival): Promise<boolean> {
    let isMine = false
    await arrivals.change(email, (before) => {
      const then = due(before, policy, now())
      isMine = then.kind === 'mail' && then.wave === wave
      const { campaign } = policy
      return isMine ? withMailing(take(before), { campaign, wave, state: 'sending', now: now() }) : before
    })
    return isMine
  }

  /** What became of a mail is worth several tries; after them it stays uncertain. */
  async function settle(email: string, wave: number, state: Outcome): Promise<void> {
    for (let tries = 1; ; tries++)
      try {
        const { campaign } = policy
        await arrivals.change(email, (before) => withMailing(before, { campaign, wave, state, now: now() }))
        return
      } catch (error) {
        if (tries === WRITE_TRIES) throw error
      }
  }

  function count(outcome: Outcome): void {
    tally[outcome === 'unknown' ? 'uncertain' : outcome]++
    failuresInARow = outcome === 'sent' ? 0 : failuresInARow + 1
    if (failuresInARow >= MOST_FAILURES_IN_A_ROW)
      throw new RunStopped(`${MOST_FAILURES_IN_A_ROW} mails in a row were not sent: look at the mail server`)
  }

  async function mail(person: Invitee, wave: number, { left, waiting }: Answer): Promise<void> {
    const { post } = parts
    const apps = waiting.map(({ name }) => name)
    if (post === undefined) {
      tally.wouldSend++
      return parts.onWouldSend(person, wave, apps)
    }
    const composed = await parts.compose(person, apps, wave)
    await parts.mailPace.turn()
    if (!parts.isHeld()) throw new RunStopped('another run took over the campaign')
    if (!(await intend(person.email, wave, (before) => withLeft(before, left, now())))) return
    const outcome = await post(composed).catch(async (error: unknown) => {
      await settle(person.email, wave, 'deferred')
      throw error
    })
    await settle(person.email, wave, outcome)
    count(outcome)
  }

  async function one(person: Invitee): Promise<void> {
    const { email } = person
    const arrival = await arrivals.get(email)
    const then: Due = arrival === undefined ? { kind: 'mail', wave: 0 } : due(arrival, policy, now())
    if (then.kind === 'rest') return void tally[RESTS[then.why]]++
    if (then.kind === 'left-open') {
      if (parts.post !== undefined) await settle(email, then.wave, 'unknown')
      return void tally.uncertain++
    }
    tally.asked++
    const asked = await parts.ask(email)
    if (asked.kind === 'nobody') return void tally.unknownToService++
    if (asked.kind === 'no-answer') return void tally.unanswered++
    const waiting = nagging(arrival, asked.left)
    if (waiting.length > 0 && started++ < parts.limit)
      return await mail(person, then.wave, { left: asked.left, waiting })
    if (waiting.length > 0) return
    tally.nothing++
    if (parts.post !== undefined)
      await arrivals.change(email, (before) => withLeft(before, asked.left, now()))
  }

  async function work(): Promise<void> {
    while (!over.signal.aborted && !parts.signal.aborted && started < parts.limit) {
      const { done, value: row } = await rows.next()
      if (done === true) return
      tally.rows++
      if (row.kind === 'fault') {
        tally.invalid++
        parts.onFault(row.line, row.fault)
        continue
      }
      const { email } = row.person
      if (underWay.has(email) || seen.has(email)) {
        tally.duplicates++
        continue
      }
      if (parts.post === undefined) seen.add(email)
      underWay.add(email)
      await one(row.person).finally(() => underWay.delete(email))
    }
  }

  const workers = Array.from({ length: parts.atOnce }, () =>
    work().catch((error: unknown) => {
      over.abort()
      throw error
    }),
  )
  const ended = await Promise.allSettled(workers)
  const failed = ended.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}
