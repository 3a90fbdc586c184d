// The due email for each state of a person's record.
import { expect, it } from 'vitest'
import { withAppStates } from '../helpers/people.ts'
import { dueEmail, campaignEmail, ONBOARDING, withEmail } from '../../src/campaigns/campaign.ts'
import type { EmailDecision, ReminderPolicy } from '../../src/campaigns/campaign.ts'
import { newPerson, type EmailRecord, type Person, type PersonApp } from '../../src/people/person.ts'

const DAY = 86_400_000
const now = Date.parse('2026-11-02T09:00:00Z')

const POLICY: ReminderPolicy = { uncertain: 'wait', checkValidMs: DAY }

const email = (state: EmailRecord['state'], rest: Partial<EmailRecord> = {}): EmailRecord => ({
  reminder: 0,
  state,
  at: now - 3 * DAY,
  ...rest,
})

type KnownPerson = Partial<Person> & { emails?: EmailRecord[]; other?: EmailRecord }

function person({ emails, other, ...rest }: KnownPerson): Person {
  const campaigns = [
    ...(other ? [{ name: 'other', emails: [email('failed', { at: now }), other] }] : []),
    ...(emails ? [{ name: ONBOARDING, emails }] : []),
  ]
  return { ...newPerson('ada@acme.example', now), campaigns, ...rest }
}

/** A person with these app states, as reported by the service. */
const personWithApps = (...states: PersonApp['state'][]): KnownPerson => {
  const apps = Object.fromEntries(states.map((state, n) => [`app_${n}`, state]))
  const { lastCheck, intents } = withAppStates(newPerson('', now), apps, now - 1)
  return { ...(lastCheck && { lastCheck }), ...(intents && { intents }) }
}
const connectedAt = (checkedAt: number): KnownPerson => ({
  lastCheck: { checkedAt, apps: personWithApps('connected').lastCheck?.apps ?? [] },
})

const done = personWithApps('connected')
const after = (state: EmailRecord['state'], rest?: Partial<EmailRecord>) => ({ emails: [email(state, rest)] })
/** An email of another campaign. */
const wrote = (state: EmailRecord['state'], at: number) => ({ other: email(state, { at }) })

/** Four emails. @param days since the oldest */
const fourSince = (days: number) =>
  [days, 60, 30, 9].map((age, index) =>
    email('sent', { reminder: Math.max(0, index - 1), at: now - age * DAY }),
  )
const inQuarter = fourSince(91 - 1 / DAY)

const mail = (reminder: number): EmailDecision => ({ kind: 'email', reminder, isRetry: false })
const retry = (reminder: number): EmailDecision => ({ kind: 'email', reminder, isRetry: true })
const uncertain: EmailDecision = { kind: 'uncertain' }
const failed: EmailDecision = { kind: 'failed' }
const notDue: EmailDecision = { kind: 'not-due', wasSent: false }
const wasSent: EmailDecision = { kind: 'not-due', wasSent: true }
const uncertainAgain = { uncertain: 'resend' } as const
const remind = { remindAfterMs: 3 * DAY }
const asSent = { ...remind, uncertain: 'sent' } as const

it.each<[string, KnownPerson, Partial<ReminderPolicy>, EmailDecision]>([
  ['who was never emailed', {}, {}, mail(0)],
  ['who opted out', { optedOutAt: 1 }, {}, notDue],
  ['who opted out, of an email under way', { optedOutAt: 1, ...after('sending') }, uncertainAgain, notDue],
  ['who opted out and was rejected', { optedOutAt: 1, ...after('failed') }, {}, notDue],
  ['whose email was open when a run died', after('sending', { reminder: 1 }), {}, uncertain],
  ['whose email was open, to be resent', after('sending', { reminder: 1 }), uncertainAgain, retry(1)],
  ['whose email may have arrived', after('unknown'), {}, uncertain],
  ['whose email may have arrived, to be resent', after('unknown', { reminder: 2 }), uncertainAgain, retry(2)],
  ['whose email counts as sent', after('unknown', { at: now - 3 * DAY + 1 }), asSent, notDue],
  ['whose email counts as sent, once a reminder is due', after('unknown'), asSent, mail(1)],
  ['whose email was open when a run died, once a reminder is due', after('sending'), asSent, mail(1)],
  ['whose last reminder counts as sent', after('unknown', { reminder: 3 }), asSent, notDue],
  ['who was rejected', after('failed'), uncertainAgain, failed],
  ['whose email was deferred', after('deferred', { reminder: 1 }), {}, retry(1)],
  ['whom the service did not know', { unknownAt: 1 }, {}, retry(0)],
  ['who has had it', after('sent'), {}, wasSent],
  ['whose newest counts', { emails: [email('failed'), email('sent', { reminder: 1 })] }, {}, wasSent],
  ['who has had it, with reminders', after('sent'), remind, mail(1)],
  ['who has had it, a moment before a reminder', after('sent', { at: now - 3 * DAY + 1 }), remind, wasSent],
  ['who has had two reminders of three', after('sent', { reminder: 2 }), remind, mail(3)],
  ['who has had all three', after('sent', { reminder: 3 }), remind, wasSent],
  ['who has nothing left', personWithApps('connected', 'blocked', 'off'), {}, notDue],
  ['who had nothing at all', personWithApps(), {}, notDue],
  ['for whom an app waits', personWithApps('connected', 'unconnected'), {}, mail(0)],
  ['who chose "not now"', personWithApps('skipped', 'connected'), {}, mail(0)],
  ['who was checked a day ago', connectedAt(now - DAY), {}, mail(0)],
  ['who was checked within a day', connectedAt(now - DAY + 1), {}, notDue],
  ['who was checked tomorrow, by the clock', connectedAt(now + 1), {}, mail(0)],
  ['with nothing left, to be retried', { ...done, ...after('deferred') }, {}, retry(0)],
  ['with nothing left, to be reminded', { ...done, ...after('sent') }, remind, wasSent],
  ['whom another campaign emailed', wrote('sent', now - 2 * DAY + 1), {}, notDue],
  ['whom it emailed two days ago', wrote('sent', now - 2 * DAY), {}, mail(0)],
  ['whom it emailed by a clock that is ahead', wrote('sent', now + 1), {}, notDue],
  ['whom it emailed by a clock that is far ahead', wrote('sent', now + 2 * DAY), {}, mail(0)],
  ['whom it may have emailed', wrote('unknown', now), {}, notDue],
  ['whom it is emailing', wrote('sending', now), {}, notDue],
  ['whom it could not email', wrote('deferred', now), {}, mail(0)],
  ['with three emails in a quarter', { emails: inQuarter.slice(1) }, remind, mail(3)],
  ['with four emails in a quarter', { emails: inQuarter }, remind, { ...wasSent, isLimited: true }],
  ['with the oldest of four emails 91 days ago', { emails: fourSince(91) }, remind, mail(3)],
  ['with one of four emails a quarter ahead, by the clock', { emails: fourSince(-91) }, remind, mail(3)],
  [
    'with four emails in a quarter, and nothing left',
    { ...connectedAt(now - 9 * DAY), emails: inQuarter },
    remind,
    { ...wasSent, isLimited: false },
  ],
])('a person gets the email that is due, or none: one %s', (_who, known, policy, then) => {
  expect(dueEmail(person(known), { ...POLICY, ...policy }, now)).toEqual(then)
})

it('the state of an email is recorded beside the others', () => {
  const known = person({ emails: [email('sent')], other: email('sent') })
  const change = { campaign: ONBOARDING, reminder: 1, now, runId: 'one' }
  const open = withEmail(known, { ...change, state: 'sending' })
  const ended = withEmail(open, { ...change, state: 'deferred' })
  expect(campaignEmail(open, ONBOARDING, 1)).toEqual(email('sending', { reminder: 1, at: now, runId: 'one' }))
  expect(campaignEmail(ended, ONBOARDING, 1)?.state).toBe('deferred')
  expect(campaignEmail(ended, ONBOARDING, 0)).toEqual(email('sent'))
  expect(campaignEmail(ended, 'none', 0)).toBeUndefined()
  expect(ended.campaigns.map(({ name, emails }) => [name, emails.length])).toEqual([
    ['other', 2],
    [ONBOARDING, 2],
  ])
})
