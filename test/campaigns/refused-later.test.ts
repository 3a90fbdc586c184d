// What refusals leave behind for the next runs, over one store and without a mail server.
import { describe, expect, it } from 'vitest'
import type { Posted } from '../../src/campaigns/mail/outcome.ts'
import { withMailing } from '../../src/campaigns/campaign.ts'
import { createRefusals } from '../../src/campaigns/refusals.ts'
import { office } from './office.ts'

const people = (count: number, prefix = 'p') =>
  Array.from({ length: count }, (_, n) => `${prefix}${n}@acme.example`)

const refusedAt = (restricted: string[], posted: Posted) => (email: string) =>
  restricted.includes(email) ? posted : 'sent'
const ofSender: Posted = { outcome: 'refused', reply: '554 5.7.1 sender rejected', blame: 'sender' }
const closing: Posted = { outcome: 'refused', reply: '421 closing', blame: 'closing' }
const ofSystem: Posted = { outcome: 'refused', reply: '554 relay access denied', blame: 'system' }

describe('one recipient whose mailbox refuses the sender', () => {
  it.each<[string, Posted]>([
    ['with words about the sender', ofSender],
    ['by closing', closing],
    ['with words about this machine', ofSystem],
  ])('is one of many %s, and those who joined the list get their email', async (_how, posted) => {
    const { run } = office()
    const known = people(60)
    const restricted = known.filter((_, n) => n % 3 === 2)
    expect((await run({ people: known, post: refusedAt(restricted, posted) })).tally.sent).toBe(40)
    const again = await run({ people: known, post: refusedAt(restricted, posted) })
    expect(again).toMatchObject({ error: undefined, tally: { sent: 0, notTaken: 20 } })
    const joined = await run({
      people: [...known, ...people(5, 'new')],
      post: refusedAt(restricted, posted),
    })
    expect(joined).toMatchObject({ error: undefined, tally: { sent: 5, notTaken: 20, failed: 0 } })
  })

  it('is one of six in a row, and those behind them get their email in the same run', async () => {
    const all = people(20)
    const { error, tally } = await office().run({ people: all, post: refusedAt(all.slice(5, 11), ofSender) })
    expect(error).toBeUndefined()
    expect(tally).toMatchObject({ sent: 14, notTaken: 6, failed: 0 })
    const last = await office().run({ people: people(40), post: refusedAt(people(40).slice(5), ofSender) })
    expect(last.tally).toMatchObject({ sent: 5, notTaken: 20, failed: 0 })
    expect(String(last.error)).toContain('many emails in a row')
    // People who have had their email count for as much as these weigh, and no more.
    const refusals = createRefusals(1)
    refusals.note({ outcome: 'sent' }, { email: 'ada@acme.example', reminder: 0 }, true)
    for (let n = 0; n < 20; n++) {
      expect(refusals.note(ofSender, { email: 'bob@acme.example', reminder: 0 }, true) === undefined).toBe(
        n < 15,
      )
      refusals.earlier()
    }
  })

  it('forgives nothing twice: what an email that was taken forgave is gone', () => {
    const mail = { email: 'bob@acme.example', reminder: 0 }
    const refusals = createRefusals(2)
    refusals.note(ofSystem, mail, true)
    refusals.note({ outcome: 'sent' }, mail, true)
    refusals.earlier()
    expect(refusals.note(ofSystem, mail, true)).toBeUndefined()
    expect(refusals.note(ofSystem, mail, true)).toContain('many emails in a row')
  })

  it('forgives what is held against us, not that people are gone', () => {
    const mail = { email: 'bob@acme.example', reminder: 0 }
    const gone: Posted = { outcome: 'failed', reply: '550 5.1.1 unknown', blame: 'person' }
    /** Twenty who are gone, each beside one who had an email earlier. */
    const twenty = (between?: Posted) => {
      const refusals = createRefusals(5)
      const whys: (string | undefined)[] = []
      for (let n = 1; n <= 20; n++) {
        whys.push(refusals.note(gone, mail, true))
        refusals.earlier()
        if (between) refusals.note(between, mail, true)
      }
      expect(whys.slice(0, 19).every((why) => why === undefined)).toBe(true)
      return whys[19]
    }
    expect(twenty()).toContain('many emails in a row')
    expect(twenty({ outcome: 'sent' })).toContain('more emails were refused than taken')
  })

  it('is not everyone: a server that refuses all is stopped at, also among people who have their email', async () => {
    const { run } = office()
    const known = people(400).filter((_, n) => n % 2 === 0)
    await run({ people: known, post: () => 'sent' })
    const { error, tally } = await run({ people: people(400), post: () => ofSender })
    expect(error).toBeInstanceOf(Error)
    expect(tally.notTaken).toBeLessThanOrEqual(100)
    const behind = await run({ people: [...known, ...people(20, 'new')], post: () => ofSender })
    expect(behind.tally.notTaken).toBe(5)
    expect(String(behind.error)).toContain('many emails in a row')
  })

  it('is told apart from a server that refuses the first five, which says so and how to go on', async () => {
    const { run } = office()
    const { error, tally } = await run({ people: people(40), post: () => ofSender })
    expect(tally).toMatchObject({ notTaken: 5, failed: 0 })
    expect(String(error)).toContain('refuses the sender, so no email can leave (it says: 554 5.7.1')
    expect(String(error)).toContain('--stop-after 0')
  })
})

describe('many people whom the mail server refuses in the same words, as if each were unknown', () => {
  const gone = (email: string): Posted => ({
    outcome: 'failed',
    reply: `550 <${email}>: mailbox unavailable`,
    blame: 'person',
  })

  it.each([0, 5])(
    'are not marked, after %i who got their email: the next run reaches them',
    async (taken) => {
      const { run } = office()
      const all = people(taken + 12)
      const first = await run({
        people: all,
        post: (email) => (all.indexOf(email) < taken ? 'sent' : gone(email)),
      })
      expect(first.tally).toMatchObject({ sent: taken, notTaken: 12, failed: 0 })
      expect((await run({ people: all, post: () => 'sent' })).tally).toMatchObject({ sent: 12, failed: 0 })
    },
  )

  it('fail a run that reached no one, which says what the mail server said', async () => {
    const { run } = office()
    const { error } = await run({ people: people(12), post: gone })
    expect(String(error)).toContain('accepted no email (it says: 550 <')
  })

  it('are marked where they are few, or where others behind them got their email', async () => {
    const few = await office().run({ people: people(9), post: gone })
    expect(few).toMatchObject({ error: undefined, tally: { notTaken: 0, failed: 9 } })
    const left = people(12)
    const post = (email: string) => (left.includes(email) ? gone(email) : 'sent')
    const among = await office().run({ people: [...left, 'new@acme.example'], post })
    expect(among.tally).toMatchObject({ sent: 1, notTaken: 0, failed: 12 })
  })
})

describe('a mail server that takes no email for now', () => {
  it('uses up no one’s tries, however many runs meet it, and then has an email for everyone', async () => {
    const { run } = office()
    const all = people(6)
    for (let times = 0; times < 8; times++) {
      const { tally } = await run({ people: all, post: () => 'deferred' })
      expect(tally).toMatchObject({ deferred: 6, putOff: 0 })
    }
    expect((await run({ people: all, post: () => 'sent' })).tally).toMatchObject({ sent: 6 })
  })

  it('calls no one given up whose tries it gives back', async () => {
    const { run } = office()
    const off = people(6)
    const post = (email: string) => (off.includes(email) ? 'deferred' : 'sent')
    for (let times = 0; times < 4; times++) await run({ people: [...off, `ada${times}@acme.example`], post })
    for (let times = 0; times < 2; times++) {
      const { tally, trouble } = await run({ people: off, post })
      expect(tally).toMatchObject({ asked: 6, deferred: 6, putOff: 0 })
      expect(trouble).not.toContain('p0@acme.example put-off')
    }
    expect((await run({ people: off, post: () => 'sent' })).tally).toMatchObject({ sent: 6 })
  })

  it('takes back nothing but "not now": what may have arrived stays so, and so does a refusal', async () => {
    const { run } = office()
    const off = people(7)
    await run({ people: off, post: () => 'deferred' })
    const tries = new Map<string, number>()
    const { tally } = await run({
      // The list goes on until those who were put off have been tried again.
      people: [...off, ...off],
      laterMs: 0,
      post(email) {
        tries.set(email, (tries.get(email) ?? 0) + 1)
        if (tries.get(email) === 1 || !/^p[01]@/.test(email)) return 'deferred'
        if (email.startsWith('p0')) return 'unknown'
        return { outcome: 'failed', reply: '550 5.1.1 unknown', blame: 'person' }
      },
    })
    expect(tally).toMatchObject({ uncertain: 1, failed: 1 })
    const asked: string[] = []
    await run({ people: off, post: (email) => (asked.push(email), 'sent') })
    expect(asked).toHaveLength(5)
    expect(asked.filter((email) => /^p[01]@/.test(email))).toEqual([])
  })

  it.each(['sent', 'sending'] as const)(
    'takes back nothing that another run has %s meanwhile',
    async (state) => {
      const { run, everyone } = office()
      const off = people(6)
      await run({ people: off, post: () => 'deferred' })
      await run({
        people: off,
        async post(email) {
          if (email === off.at(-1))
            for (const one of off.slice(0, -1)) {
              const sent = { campaign: 'onboarding', reminder: 0, state, now: Date.now() }
              await everyone.change(one, (before) => withMailing(before, sent))
            }
          return 'deferred' as const
        },
      })
      const count = state === 'sent' ? 'already' : 'uncertain'
      expect((await run({ people: off, post: () => 'sent' })).tally).toMatchObject({ sent: 1, [count]: 5 })
    },
  )

  it('gives back every try of a run, so that one "not now" later ends no one’s', async () => {
    const { run } = office()
    const off = people(6)
    await run({ people: off, post: () => 'deferred' })
    await run({ people: [...off, ...off], laterMs: 0, post: () => 'deferred' })
    const { tally } = await run({ people: off, post: () => 'deferred' })
    expect(tally).toMatchObject({ deferred: 6, putOff: 0 })
  })

  it('counts people, not emails: two full mailboxes are two, however often they are tried', async () => {
    const { run } = office()
    for (let times = 0; times < 5; times++) await run({ people: people(2), post: () => 'deferred' })
    const { tally } = await run({ people: people(2), post: () => 'deferred' })
    expect(tally).toMatchObject({ asked: 0, putOff: 2 })
  })

  it.each([
    ['few', 4, false],
    ['many, while it takes those of others', 6, true],
  ])('puts off %s five times, and that is told as it is', async (_who, count, takesOthers) => {
    const { run } = office()
    const off = people(count)
    const post = (email: string) => (off.includes(email) ? 'deferred' : 'sent')
    const next = (times: number, policy = {}) =>
      run({ people: takesOthers ? [...off, `ada${times}@acme.example`] : off, post, policy })
    for (let times = 1; times < 5; times++)
      expect((await next(times)).tally).toMatchObject({ deferred: count, putOff: 0 })
    const asked = takesOthers ? 1 : 0
    const last = await next(5)
    expect(last.tally).toMatchObject({ deferred: 0, putOff: count, asked: count + asked })
    expect(last.trouble).toContain('p0@acme.example put-off')
    expect((await next(6)).tally).toMatchObject({ putOff: count, failed: 0, asked })
    expect((await next(7, { retryFailed: true })).tally).toMatchObject({ asked: count + asked })
  })
})
