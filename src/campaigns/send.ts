// A run over the list: each person once, in its order, and those for whom something failed before at its end. Killed
// anywhere and started again, it sends no email twice.
import { createDelivery, type DeliveryParts } from './delivery.ts'
import { type Invitee, type Row } from './people-file.ts'
import { RunStopped, type Plan } from './ledger.ts'
import { eachOf } from './pace.ts'

export type SendParts = Omit<DeliveryParts, 'mayStart'> & {
  /** How many people at once; as many emails at most are unknown after a crash. */
  atOnce: number
  /** At most so many emails in this run. */
  limit: number
  signal: AbortSignal
  onFault: (line: number, fault: string) => void
  /** No more rows are wanted: a list that is still open can be closed. */
  onOver: () => void
}

export type EndedBy = 'list' | 'limit' | 'signal'

type Turn = { invitee: Invitee; reminder: number; plan: Plan }

/** @throws {RunStopped} {MailServerUnusable} {StoreUnavailable} */
export async function sendInvitations(rows: AsyncIterable<Row>, parts: SendParts): Promise<EndedBy> {
  const { ledger, tally, atOnce, limit, signal, onOver } = parts
  let started = 0
  let hasFailed = false
  const isOver = () => hasFailed || signal.aborted || started >= limit

  function mayStart(): boolean {
    if (started >= limit) return false
    if (++started >= limit) onOver()
    return true
  }
  const delivery = createDelivery({ ...parts, mayStart })

  async function* turns(): AsyncGenerator<Turn> {
    const seen = new Set<string>()
    const last: Invitee[] = []
    for await (const row of rows) {
      // It may have ended meanwhile, perhaps in the middle of a row.
      if (isOver()) return
      tally.rows++
      if (row.kind === 'fault') {
        tally.invalid++
        parts.onFault(row.line, row.fault)
        continue
      }
      const { person: invitee } = row
      if (seen.has(invitee.email)) continue
      seen.add(invitee.email)
      const plan = await ledger.plan(invitee.email)
      if (plan.due.kind !== 'mail') delivery.pass(invitee.email, plan.due)
      else if (plan.due.isRetry) last.push(invitee)
      else yield { invitee, reminder: plan.due.reminder, plan }
    }
    for (const invitee of last) {
      const plan = await ledger.plan(invitee.email)
      if (plan.due.kind === 'mail') yield { invitee, reminder: plan.due.reminder, plan }
    }
  }

  let failure: string | undefined
  try {
    await eachOf(turns(), atOnce, isOver, ({ invitee, reminder, plan }) =>
      delivery.deliver(invitee, reminder, plan).catch((error: unknown) => {
        hasFailed = true
        onOver()
        throw error
      }),
    )
  } finally {
    failure = delivery.end()
  }
  if (signal.aborted) return 'signal'
  if (failure !== undefined) throw new RunStopped(failure)
  return started >= limit ? 'limit' : 'list'
}
