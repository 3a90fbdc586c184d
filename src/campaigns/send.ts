// A run over the list: each person once, in its order, and those for whom something failed before at its end. Killed
// anywhere and started again, it sends no email twice.
import { createDelivery, type DeliveryParts } from './delivery.ts'
import type { Invitee } from './people-file.ts'
import { RunStopped, type Plan } from './ledger.ts'
import { forEachConcurrent } from './throttle.ts'

export type SendParts = Omit<DeliveryParts, 'mayStart'> & {
  /** How many people at once; as many emails at most are unknown after a crash. */
  atOnce: number
  /** At most so many emails in this run. */
  limit: number
  signal: AbortSignal
}

export type EndedBy = 'list' | 'limit' | 'signal'

type Turn = { invitee: Invitee; reminder: number; plan: Plan }

/** @throws {RunStopped} {MailServerUnusable} {StoreUnavailable} */
export async function sendInvitations(list: readonly Invitee[], parts: SendParts): Promise<EndedBy> {
  const { ledger, tally, atOnce, limit, signal } = parts
  let started = 0
  let hasFailed = false
  const isOver = () => hasFailed || signal.aborted || started >= limit

  const delivery = createDelivery({ ...parts, mayStart: () => started++ < limit })

  async function* turns(): AsyncGenerator<Turn> {
    const seen = new Set<string>()
    const last: Invitee[] = []
    for (const invitee of list) {
      if (isOver()) return
      tally.rows++
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
    await forEachConcurrent(turns(), atOnce, isOver, ({ invitee, reminder, plan }) =>
      delivery.deliver(invitee, reminder, plan).catch((error: unknown) => {
        hasFailed = true
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
