// Who is due for which mail of a campaign, and what is written down about it. Pure. A mail is written down before it
// leaves: whatever was being sent when a process died stays uncertain, and is not sent again unless asked.
import { isOut, type Arrival, type Mailing } from '../arrivals/arrival.ts'
import { present } from '../present.ts'

export type Policy = {
  campaign: string
  /** Absent: no reminders. */
  remindAfterMs?: number
  maxReminders: number
  /** Send again what may have been sent already. */
  retryUnknown: boolean
  /** Send again what the mail server refused for good. */
  retryFailed: boolean
  /** Mail whom a record may have been about that `invite forget` removed without reading it. */
  mailInDoubt?: boolean
  /** Least time between two mails to a person, whatever the campaigns. */
  minGapMs: number
  /** Somebody of whom the service said so recently that nothing is left is not asked about again. */
  freshMs: number
}

export type Due =
  | { kind: 'mail'; wave: number }
  /** A run that died left this open: it is called uncertain from now on. */
  | { kind: 'left-open'; wave: number; at: number }
  | { kind: 'rest'; why: 'sent' | 'uncertain' | 'failed' | 'opted-out' | 'nothing' | 'too-soon' }

const MOST_TRIES = 5

export const mailingsOf = (arrival: Arrival, campaign: string): Mailing[] =>
  arrival.campaigns.find(({ name }) => name === campaign)?.mailings ?? []

/** A mail of another campaign came only just now; the times within a campaign are those of its reminders. */
const isTooSoon = ({ campaigns }: Arrival, { campaign, minGapMs }: Policy, now: number) =>
  campaigns.some(
    ({ name, mailings }) =>
      name !== campaign &&
      mailings.some((mailing) => isOut(mailing) && Math.abs(now - mailing.at) < minGapMs),
  )

const hasNothing = (arrival: Arrival, { freshMs }: Policy, now: number) =>
  arrival.asOf !== undefined &&
  arrival.asOf <= now &&
  now - arrival.asOf < freshMs &&
  !arrival.sources.some(({ state }) => state === 'waiting' || state === 'skipped')

export function due(arrival: Arrival, policy: Policy, now: number): Due {
  const then = dueOf(arrival, policy, now)
  return then.kind === 'mail' && isTooSoon(arrival, policy, now) ? rest('too-soon') : then
}

function dueOf(arrival: Arrival, policy: Policy, now: number): Due {
  const last = mailingsOf(arrival, policy.campaign).at(-1)
  const again = (wave: number): Due => (policy.retryUnknown ? { kind: 'mail', wave } : rest('uncertain'))
  if (last?.state === 'sending' && !policy.retryUnknown)
    return { kind: 'left-open', wave: last.wave, at: last.at }
  if (arrival.optedOutAt !== undefined) return rest('opted-out')
  if (last !== undefined)
    switch (last.state) {
      case 'sending':
      case 'unknown':
        return again(last.wave)
      case 'failed':
        return policy.retryFailed ? { kind: 'mail', wave: last.wave } : rest('failed')
      case 'deferred':
        return policy.retryFailed || last.tries < MOST_TRIES
          ? { kind: 'mail', wave: last.wave }
          : rest('failed')
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

type Change = { campaign: string; wave: number; state: Mailing['state']; now: number; by?: string }

const withMailings = (arrival: Arrival, campaign: string, mailings: Mailing[]): Arrival => ({
  ...arrival,
  campaigns: [...arrival.campaigns.filter(({ name }) => name !== campaign), { name: campaign, mailings }],
})

/** Writes down how it stands with one mail. @param change.by marks who is sending it */
export function withMailing(arrival: Arrival, { campaign, wave, state, now, by }: Change): Arrival {
  const before = mailingsOf(arrival, campaign)
  const same = before.find((mailing) => mailing.wave === wave)
  const tries = (same?.tries ?? 0) + (state === 'sending' ? 1 : 0)
  const mailing = { wave, state, at: now, tries, ...present({ by }) }
  return withMailings(arrival, campaign, [...before.filter((other) => other.wave !== wave), mailing])
}

/** The mail did not leave, through no fault of its recipient: as if it had not been tried. */
export function withdrawn(arrival: Arrival, { campaign, wave }: Pick<Change, 'campaign' | 'wave'>): Arrival {
  const before = mailingsOf(arrival, campaign)
  const same = before.find((mailing) => mailing.wave === wave)
  if (same === undefined) return arrival
  const others = before.filter((mailing) => mailing !== same)
  const { by: _by, ...rest } = same
  const earlier = { ...rest, state: 'deferred' as const, tries: same.tries - 1 }
  return withMailings(arrival, campaign, earlier.tries === 0 ? others : [...others, earlier])
}
