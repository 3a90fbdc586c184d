// Who is due for which email, for every standing a person can have, and what is written down of it.
import { describe, expect, it } from 'vitest'
import { newPerson, type Person, type Mailing, type SourceState } from '../../src/people/person.ts'
import {
  due,
  mailingsOf,
  withdrawn,
  withMailing,
  type Due,
  type Policy,
} from '../../src/campaigns/campaign.ts'

const DAY = 86_400_000
const now = Date.parse('2026-11-02T09:00:00Z')

const POLICY: Policy = {
  campaign: 'c',
  maxReminders: 0,
  retryUnknown: false,
  retryFailed: false,
  minGapMs: 2 * DAY,
  freshMs: DAY,
}

const mailing = (state: Mailing['state'], rest: Partial<Mailing> = {}): Mailing => ({
  reminder: 0,
  state,
  at: now - 3 * DAY,
  tries: 1,
  ...rest,
})

type Known = Partial<Person> & { mailings?: Mailing[]; other?: Mailing }

function person({ mailings, other, ...rest }: Known): Person {
  const campaigns = [
    ...(other ? [{ name: 'other', mailings: [mailing('failed', { at: now }), other] }] : []),
    ...(mailings ? [{ name: 'c', mailings }] : []),
  ]
  return { ...newPerson('ada@acme.example', now), campaigns, ...rest }
}

const has = (...states: SourceState[]): Known => ({
  asOf: now - 1,
  sources: states.map((state, n) => ({ instance: `app_${n}`, name: 'App', state, at: now })),
})

const after = (state: Mailing['state'], rest?: Partial<Mailing>) => ({ mailings: [mailing(state, rest)] })
/** Another campaign. */
const wrote = (state: Mailing['state'], at: number) => ({ other: mailing(state, { at }) })

const open = (reminder: number): Due => ({ kind: 'left-open', reminder, at: now - 3 * DAY })
const mail = (reminder: number): Due => ({ kind: 'mail', reminder })
const rest = (why: (Due & { kind: 'rest' })['why']): Due => ({ kind: 'rest', why })
const unknownAgain = { retryUnknown: true }
const failedAgain = { retryFailed: true }
const remind = { remindAfterMs: 3 * DAY, maxReminders: 2 }

describe('someone', () => {
  it.each<[string, Known, Partial<Policy>, Due]>([
    ['whom no one has written to', {}, {}, mail(0)],
    ['who opted out', { optedOutAt: 1 }, {}, rest('opted-out')],
    ['whose email was under way when a run died', after('sending', { reminder: 1 }), {}, open(1)],
    ['the same, to be sent again', after('sending', { reminder: 1 }), unknownAgain, mail(1)],
    ['whose email may have arrived', after('unknown'), {}, rest('uncertain')],
    ['the same, retrying others', after('unknown'), failedAgain, rest('uncertain')],
    ['the same, to be sent again', after('unknown', { reminder: 2 }), unknownAgain, mail(2)],
    ['who was refused', after('failed'), {}, rest('failed')],
    ['the same, retrying others', after('failed'), unknownAgain, rest('failed')],
    ['the same, to be sent again', after('failed', { reminder: 1 }), failedAgain, mail(1)],
    ['who was put off four times', after('deferred', { tries: 4 }), {}, mail(0)],
    ['who was put off five times', after('deferred', { tries: 5 }), {}, rest('put-off')],
    ['the same, to be sent again', after('deferred', { tries: 5 }), failedAgain, mail(0)],
    ['who has had it after many tries', after('sent', { tries: 7 }), {}, rest('sent')],
    [
      'whose last email counts',
      { mailings: [mailing('failed'), mailing('sent', { reminder: 1 })] },
      {},
      rest('sent'),
    ],
    ['who has had it, with reminders', after('sent'), remind, mail(1)],
    ['the same, a moment too early', after('sent', { at: now - 3 * DAY + 1 }), remind, rest('sent')],
    ['who has had one reminder of two', after('sent', { reminder: 1 }), remind, mail(2)],
    ['who has had both', after('sent', { reminder: 2 }), remind, rest('sent')],
    ['who may get no reminder', after('sent'), { ...remind, maxReminders: 0 }, rest('sent')],
    ['who has had it, without reminders', after('sent'), { maxReminders: 2 }, rest('sent')],
    ['who has nothing left', has('connected', 'blocked', 'off'), {}, rest('nothing')],
    ['who had nothing at all', has(), {}, rest('nothing')],
    ['for whom an app waits', has('connected', 'waiting'), {}, mail(0)],
    ['who said "not now"', has('skipped', 'connected'), {}, mail(0)],
    ['about whom the service was never asked', { sources: has('connected').sources ?? [] }, {}, mail(0)],
    ['about whom it was asked a day ago', { ...has('connected'), asOf: now - DAY }, {}, mail(0)],
    [
      'about whom it was asked within a day',
      { ...has('connected'), asOf: now - DAY + 1 },
      {},
      rest('nothing'),
    ],
    ['about whom it was asked just now', { ...has('connected'), asOf: now }, {}, rest('nothing')],
    ['about whom it was asked tomorrow', { ...has('connected'), asOf: now + 1 }, {}, mail(0)],
    ['with nothing left, half done', { ...has('connected'), ...after('deferred') }, {}, mail(0)],
    ['with nothing left, to be reminded', { ...has('connected'), ...after('sent') }, remind, rest('nothing')],
    ['to whom another campaign wrote', wrote('sent', now - 2 * DAY + 1), {}, rest('too-soon')],
    ['to whom it wrote two days ago', wrote('sent', now - 2 * DAY), {}, mail(0)],
    ['to whom it wrote by a clock that is ahead', wrote('sent', now + 1), {}, rest('too-soon')],
    ['the same, far ahead', wrote('sent', now + 2 * DAY), {}, mail(0)],
    ['to whom it may have written', wrote('unknown', now), {}, rest('too-soon')],
    ['to whom it is writing', wrote('sending', now), {}, rest('too-soon')],
    ['to whom it could not write', wrote('deferred', now), {}, mail(0)],
    [
      'whom this campaign put off just now',
      { mailings: [mailing('sent', { at: now }), mailing('deferred', { at: now })] },
      {},
      mail(0),
    ],
    ['who opted out, of an email under way', { optedOutAt: 1, ...after('sending') }, {}, open(0)],
    ['who opted out and was refused', { optedOutAt: 1, ...after('failed') }, {}, rest('opted-out')],
  ])('%s', (_who, known, policy, then) => {
    expect(due(person(known), { ...POLICY, ...policy }, now)).toEqual(then)
  })
})

describe('what is written down of an email', () => {
  const which = { campaign: 'c', reminder: 1 }
  const known = person({ mailings: [mailing('sent')], other: mailing('sent') })
  const written = (arrival: Person, state: Mailing['state'], by?: string) =>
    withMailing(arrival, { ...which, state, now, ...(by !== undefined && { by }) })

  it('counts the tries, marks the one that is under way, and keeps all else', () => {
    const once = written(known, 'sending', 'one')
    expect(mailingsOf(once, 'c')).toEqual([
      mailing('sent'),
      mailing('sending', { reminder: 1, at: now, by: 'one' }),
    ])
    const put = written(once, 'deferred')
    expect(mailingsOf(put, 'c')).toEqual([mailing('sent'), mailing('deferred', { reminder: 1, at: now })])
    const twice = written(put, 'sending', 'two')
    expect(mailingsOf(twice, 'c')[1]).toEqual(
      mailing('sending', { reminder: 1, at: now, tries: 2, by: 'two' }),
    )
    expect({ ...twice, campaigns: [] }).toEqual({ ...known, campaigns: [] })
    expect(twice.campaigns.map(({ name }) => name)).toEqual(['other', 'c'])
    expect(mailingsOf(twice, 'other')).toEqual(mailingsOf(known, 'other'))
    expect(mailingsOf(twice, 'none')).toEqual([])
  })

  it('counts as not tried where it did not leave, through no fault of the person', () => {
    const once = written(known, 'sending', 'one')
    expect(mailingsOf(withdrawn(once, which), 'c')).toEqual([mailing('sent')])
    const twice = written(written(once, 'deferred'), 'sending', 'two')
    expect(mailingsOf(withdrawn(twice, which), 'c')).toEqual([
      mailing('sent'),
      mailing('deferred', { reminder: 1, at: now }),
    ])
    expect(withdrawn(known, which)).toBe(known)
  })

  it.each(['sent', 'unknown'] as const)(
    'is left alone where it is %s: another run may have taken over meanwhile',
    (state) => {
      const settled = written(written(known, 'sending', 'one'), state)
      expect(withdrawn(settled, which)).toBe(settled)
    },
  )
})
