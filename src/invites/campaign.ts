// Who is due for which mail of a campaign, and what is written down about it. Pure. A mail is written down before it
// leaves: whatever was being sent when a process died stays uncertain, and is not sent again unless asked.
import type { Arrival, Mailing } from './arrival.ts'

export type Policy = {
  campaign: string
  /** Absent: no reminders. */
  remindAfterMs?: number
  maxReminders: number
  /** Send again what may have been sent already. */
  retryUnknown: boolean
  /** Somebody of whom the service said so recently that nothing is left is not asked about again. */
  freshMs: number
}

export type Due =
  | { kind: 'mail'; wave: number }
  /** A run that died left this open: it is called uncertain from now on. */
  | { kind: 'left-open'; wave: number }
  | { kind: 'rest'; why: 'sent' | 'uncertain' | 'failed' | 'opted-out' | 'nothing' }

const MOST_TRIES = 5

export const mailingsOf = (arrival: Arrival, campaign: string): Mailing[] =>
  arrival.campaigns.find(({ name }) => name === campaign)?.mailings ?? []

const hasNothing = (arrival: Arrival, { freshMs }: Policy, now: number) =>
  arrival.asOf !== undefined &&
  arrival.asOf <= now &&
  now - arrival.asOf < freshMs &&
  !arrival.sources.some(({ state }) => state === 'waiting' || state === 'skipped')

export function due(arrival: Arrival, policy: Policy, now: number): Due {
  const last = mailingsOf(arrival, policy.campaign).at(-1)
  const again = (wave: number): Due => (policy.retryUnknown ? { kind: 'mail', wave } : rest('uncertain'))
  if (last?.state === 'sending' && !policy.retryUnknown) return { kind: 'left-open', wave: last.wave }
  if (arrival.optedOutAt !== undefined) return rest('opted-out')
  if (last !== undefined)
    switch (last.state) {
      case 'sending':
      case 'unknown':
        return again(last.wave)
      case 'failed':
        return rest('failed')
      case 'deferred':
        return last.tries < MOST_TRIES ? { kind: 'mail', wave: last.wave } : rest('failed')
      case 'sent':
        if (!isReminderDue(last, policy, now)) return rest('sent')
    }
  return hasNothing(arrival, policy, now)
    ? rest('nothing')
    : { kind: 'mail', wave: last === undefined ? 0 : last.wave + 1 }
}

const rest = (why: Extract<Due, { kind: 'rest' }>['why']): Due => ({ kind: 'rest', why })

const isReminderDue = (last: Mailing, { remindAfterMs, maxReminders }: Policy, now: number) =>
  remindAfterMs !== undefined && last.wave < maxReminders && now - last.at >= remindAfterMs

type Change = { campaign: string; wave: number; state: Mailing['state']; now: number }

/** Writes down how it stands with one mail. */
export function withMailing(arrival: Arrival, { campaign, wave, state, now }: Change): Arrival {
  const before = mailingsOf(arrival, campaign)
  const same = before.find((mailing) => mailing.wave === wave)
  const tries = (same?.tries ?? 0) + (state === 'sending' ? 1 : 0)
  const mailings = [...before.filter((mailing) => mailing.wave !== wave), { wave, state, at: now, tries }]
  const others = arrival.campaigns.filter(({ name }) => name !== campaign)
  return { ...arrival, campaigns: [...others, { name: campaign, mailings }] }
}
