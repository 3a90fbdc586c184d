// The due email for each state of a person's record.
import { expect, it } from 'vitest'
import { withAppStates } from '../helpers/people.ts'
import { decideOnboardingEmail, campaignEmail, ONBOARDING, withEmail } from '../../src/campaigns/campaign.ts'
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

const DECISIONS = {
  'the invitation': { kind: 'email', reminder: 0, isRetry: false },
  'the first reminder': { kind: 'email', reminder: 1, isRetry: false },
  'the third reminder': { kind: 'email', reminder: 3, isRetry: false },
  'the invitation, after everyone else’s': { kind: 'email', reminder: 0, isRetry: true },
  'the first reminder, after everyone else’s': { kind: 'email', reminder: 1, isRetry: true },
  'the second reminder, after everyone else’s': { kind: 'email', reminder: 2, isRetry: true },
  'no email, because the last may have arrived': { kind: 'uncertain' },
  'no email, because the last was rejected': { kind: 'failed' },
  'no email': { kind: 'not-due', wasSent: false },
  'no further email': { kind: 'not-due', wasSent: true },
  'no further email, because of the limit': { kind: 'not-due', wasSent: true, isLimited: true },
  'no further email, with or without the limit': { kind: 'not-due', wasSent: true, isLimited: false },
} satisfies Record<string, EmailDecision>

const uncertainAgain = { uncertain: 'resend' } as const
const remind = { remindAfterMs: 3 * DAY }
const asSent = { ...remind, uncertain: 'sent' } as const

// prettier-ignore
it.each<[string, keyof typeof DECISIONS, KnownPerson, Partial<ReminderPolicy>]>([
  ['who was never emailed or checked', 'the invitation', {}, {}],
  ['who opted out', 'no email', { optedOutAt: 1 }, {}],
  ['who opted out, of an email under way', 'no email', { optedOutAt: 1, ...after('sending') }, uncertainAgain],
  ['who opted out and was rejected', 'no email', { optedOutAt: 1, ...after('failed') }, {}],
  ['whose email was open when a run died', 'no email, because the last may have arrived', after('sending', { reminder: 1 }), {}],
  ['whose email was open, to be resent', 'the first reminder, after everyone else’s', after('sending', { reminder: 1 }), uncertainAgain],
  ['whose email may have arrived', 'no email, because the last may have arrived', after('unknown'), {}],
  ['whose email may have arrived, to be resent', 'the second reminder, after everyone else’s', after('unknown', { reminder: 2 }), uncertainAgain],
  ['whose email counts as sent', 'no email', after('unknown', { at: now - 3 * DAY + 1 }), asSent],
  ['whose email counts as sent, once a reminder is due', 'the first reminder', after('unknown'), asSent],
  ['whose email was open when a run died, once a reminder is due', 'the first reminder', after('sending'), asSent],
  ['whose last reminder counts as sent', 'no email', after('unknown', { reminder: 3 }), asSent],
  ['who was rejected', 'no email, because the last was rejected', after('failed'), uncertainAgain],
  ['whose email was deferred', 'the first reminder, after everyone else’s', after('deferred', { reminder: 1 }), {}],
  ['whom the service did not know', 'the invitation, after everyone else’s', { unknownAt: 1 }, {}],
  ['who has had the invitation', 'no further email', after('sent'), {}],
  ['whose newest email was sent, after one that was rejected', 'no further email', { emails: [email('failed'), email('sent', { reminder: 1 })] }, {}],
  ['who has had it three days ago, with reminders', 'the first reminder', after('sent'), remind],
  ['who has had it less than three days ago', 'no further email', after('sent', { at: now - 3 * DAY + 1 }), remind],
  ['who has had two reminders of three', 'the third reminder', after('sent', { reminder: 2 }), remind],
  ['who has had all three reminders', 'no further email', after('sent', { reminder: 3 }), remind],
  ['who has nothing left', 'no email', personWithApps('connected', 'blocked', 'off'), {}],
  ['who had nothing at all', 'no email', personWithApps(), {}],
  ['for whom an app waits', 'the invitation', personWithApps('connected', 'unconnected'), {}],
  ['who chose "not now"', 'the invitation', personWithApps('skipped', 'connected'), {}],
  ['who was checked a day ago', 'the invitation', connectedAt(now - DAY), {}],
  ['who was checked within a day', 'no email', connectedAt(now - DAY + 1), {}],
  ['who was checked tomorrow, by the clock', 'the invitation', connectedAt(now + 1), {}],
  ['with nothing left, to be retried', 'the invitation, after everyone else’s', { ...done, ...after('deferred') }, {}],
  ['with nothing left, to be reminded', 'no further email', { ...done, ...after('sent') }, remind],
  ['whom another campaign emailed less than two days ago', 'no email', wrote('sent', now - 2 * DAY + 1), {}],
  ['whom another campaign emailed two days ago', 'the invitation', wrote('sent', now - 2 * DAY), {}],
  ['whom another campaign emailed by a clock that is ahead', 'no email', wrote('sent', now + 1), {}],
  ['whom another campaign emailed by a clock that is far ahead', 'the invitation', wrote('sent', now + 2 * DAY), {}],
  ['whom another campaign may have emailed', 'no email', wrote('unknown', now), {}],
  ['whom another campaign is emailing', 'no email', wrote('sending', now), {}],
  ['whom another campaign could not email', 'the invitation', wrote('deferred', now), {}],
  ['with three emails in a quarter', 'the third reminder', { emails: inQuarter.slice(1) }, remind],
  ['with four emails in a quarter', 'no further email, because of the limit', { emails: inQuarter }, remind],
  ['with the oldest of four emails 91 days ago', 'the third reminder', { emails: fourSince(91) }, remind],
  ['with one of four emails a quarter ahead, by the clock', 'the third reminder', { emails: fourSince(-91) }, remind],
  [
    'with four emails in a quarter, and nothing left',
    'no further email, with or without the limit',
    { ...connectedAt(now - 9 * DAY), emails: inQuarter },
    remind,
  ],
])('a person %s gets %s', (_title, decision, known, policy) => {
  expect(decideOnboardingEmail(person(known), { ...POLICY, ...policy }, now)).toEqual(DECISIONS[decision])
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
