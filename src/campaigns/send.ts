// A run of `onramp invite send` over its list: each person once, in order; people with an earlier failure come last.
// Killed anywhere and started again, it sends no email twice.
import { Delivery, type Campaign, type CampaignRun } from './delivery.ts'
import { RunStopped, type Plan } from './ledger.ts'
import type { Invitee } from './people-file.ts'
import { forEachConcurrent } from './throttle.ts'

type EndedBy = 'list' | 'limit' | 'signal'

/** @param limit of emails @throws {RunStopped} {MailServerUnusable} {StoreUnavailable} */
export async function sendInvitations(
  list: readonly Invitee[],
  run: CampaignRun,
  campaign: Campaign,
  limit: number,
): Promise<EndedBy> {
  const { tally, atOnce, signal } = run
  const delivery = new Delivery(run, campaign, { limit })
  let hasFailed = false
  const isStopped = () => hasFailed || signal.aborted || delivery.isAtLimit
  let failure: string | undefined
  try {
    await forEachConcurrent(dueInOrder(list, delivery, tally, isStopped), atOnce, isStopped, (due) =>
      delivery.deliver(due.invitee, due.plan).catch((error: unknown) => {
        hasFailed = true
        throw error
      }),
    )
  } finally {
    failure = delivery.finish()
  }
  if (signal.aborted) return 'signal'
  if (failure !== undefined) throw new RunStopped(failure)
  return delivery.isAtLimit ? 'limit' : 'list'
}

async function* dueInOrder(
  list: readonly Invitee[],
  delivery: Delivery,
  tally: CampaignRun['tally'],
  isStopped: () => boolean,
): AsyncGenerator<{ invitee: Invitee; plan: Plan }> {
  const seen = new Set<string>()
  const last: Invitee[] = []
  for (const invitee of list) {
    if (isStopped()) return
    tally.rows++
    if (seen.has(invitee.email)) continue
    seen.add(invitee.email)
    const plan = await delivery.plan(invitee.email)
    if (plan.due.kind !== 'mail') delivery.skip(invitee, plan.due)
    else if (plan.due.isRetry) last.push(invitee)
    else yield { invitee, plan }
  }
  for (const invitee of last) {
    const plan = await delivery.plan(invitee.email)
    if (plan.due.kind === 'mail') yield { invitee, plan }
  }
}
