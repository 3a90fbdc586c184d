// What the order of things in a run comes to.
import { describe, expect, it } from 'vitest'
import type { Asked } from '../../src/campaigns/ask.ts'
import { MailServerUnusable, type Outcome } from '../../src/campaigns/mail/outcome.ts'
import { RunStopped } from '../../src/campaigns/delivery.ts'
import { left, office } from './office.ts'

const people = (count: number) => Array.from({ length: count }, (_, index) => `person-${index}@acme.example`)

describe('a run', () => {
  it('tries again, while it goes on, whom the mail server put off', async () => {
    const posted: string[] = []
    const { run } = office()
    const { tally } = await run({
      people: people(5),
      laterMs: 0,
      post(email) {
        posted.push(email)
        return posted.filter((one) => one === email).length === 1 ? 'deferred' : 'sent'
      },
    })
    expect(posted).toHaveLength(10)
    expect(tally).toMatchObject({ rows: 5, sent: 5, deferred: 0 })
  })

  it('takes somebody who is listed twice for one person, also at the same moment', async () => {
    const { run } = office()
    const { tally, trouble } = await run({
      people: ['ada@acme.example', 'ada@acme.example', 'bob@acme.example', 'ada@acme.example'],
      atOnce: 2,
      post: () => new Promise((resolve) => setTimeout(() => resolve('sent'), 30)),
    })
    expect(tally).toMatchObject({ rows: 4, sent: 2, uncertain: 0 })
    expect(tally.duplicates).toBeGreaterThanOrEqual(1)
    expect(trouble).toEqual([])
  })

  it('tries nobody twice for being listed twice, whatever became of the first try', async () => {
    const { run } = office()
    const posted: string[] = []
    const { tally } = await run({
      people: ['ada@acme.example', 'bob@acme.example', 'ada@acme.example', 'bob@acme.example'],
      policy: { retryUnknown: true, retryFailed: true },
      post(email) {
        posted.push(email)
        return email.startsWith('ada')
          ? 'unknown'
          : { outcome: 'failed', reply: '550 5.1.1 unknown', blame: 'person' }
      },
    })
    expect(posted).toEqual(['ada@acme.example', 'bob@acme.example'])
    expect(tally).toMatchObject({ duplicates: 2, uncertain: 1, failed: 1 })
  })

  it('reminds nobody of an email of its own, however long it lasts', async () => {
    const { run } = office()
    const given = {
      people: ['ada@acme.example', 'bob@acme.example', 'ada@acme.example', 'ada@acme.example'],
      policy: { remindAfterMs: 0, maxReminders: 3 },
      post: () => 'sent' as const,
    }
    expect((await run(given)).tally).toMatchObject({ sent: 2, duplicates: 2 })
    expect((await run({ ...given, atOnce: 4 })).tally).toMatchObject({ sent: 2, duplicates: 2 })
  })

  it('wants no more rows once it has failed or reached its limit, and waits for none', async () => {
    for (const given of [
      { post: () => Promise.reject(new MailServerUnusable('away')) },
      { post: () => 'sent' as const, limit: 1 },
    ]) {
      const { run } = office()
      const { tally } = await run({ people: ['ada@acme.example'], ...given, staysOpen: true, atOnce: 4 })
      expect(tally.rows).toBe(1)
    }
  })

  it('takes no row behind one that ended it', async () => {
    const { run } = office()
    const posted: string[] = []
    const { error } = await run({
      people: ['nobody', ...people(8)],
      atOnce: 4,
      onFault() {
        throw new RunStopped('a faulty row')
      },
      post: (email) => (posted.push(email), 'sent'),
    })
    expect(error).toBeInstanceOf(RunStopped)
    expect(posted).toEqual([])
  })

  it('names whose mail needs a look', async () => {
    const { run } = office()
    const kinds: Record<string, Asked> = {
      'b@acme.example': { kind: 'unknown' },
      'c@acme.example': { kind: 'refused' },
    }
    const outcomes: Record<string, Outcome> = { 'd@acme.example': 'failed', 'e@acme.example': 'unknown' }
    const { trouble } = await run({
      people: ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}@acme.example`),
      ask: (email) => Promise.resolve(kinds[email] ?? { kind: 'left', left }),
      post: (email) => outcomes[email] ?? 'sent',
    })
    expect(trouble).toEqual([
      'b@acme.example unknown',
      'c@acme.example refused',
      'd@acme.example failed',
      'e@acme.example uncertain',
    ])
  })

  it('stops when no mail gets out, after five refused ones or two hundred put off again', async () => {
    const refused = await office().run({ people: people(30), post: () => 'failed' })
    expect(refused.error).toBeInstanceOf(RunStopped)
    expect(refused.tally).toMatchObject({ failed: 0, notTaken: 5 })
    const gone = { outcome: 'failed', reply: '550 5.1.1 unknown', blame: 'person' } as const
    const left = await office().run({ people: people(30), post: () => gone })
    expect(left.tally).toMatchObject({ failed: 0, notTaken: 20 })
    const uncertain = await office().run({ people: people(30), post: () => 'unknown' })
    expect(uncertain.tally.uncertain).toBe(5)
    const { run } = office()
    const greylisting = await run({ people: people(210), post: () => 'deferred' })
    expect(greylisting).toMatchObject({ error: undefined, tally: { deferred: 210 } })
    const putOff = await run({ people: people(210), post: () => 'deferred' })
    expect(putOff.error).toBeInstanceOf(RunStopped)
    expect((await run({ people: people(210), post: () => 'sent' })).tally.sent).toBe(210)
  })

  it('marks no one who was under way when it stopped, whatever is at once', async () => {
    const { run } = office()
    const stopped = await run({
      people: people(40),
      atOnce: 8,
      post: () => new Promise((resolve) => setTimeout(() => resolve('failed'), Math.random() * 5)),
    })
    expect(stopped.error).toBeInstanceOf(RunStopped)
    expect(stopped.tally.failed).toBe(0)
    expect(stopped.tally.notTaken).toBeLessThanOrEqual(13)
    expect((await run({ people: people(40), post: () => 'sent' })).tally.sent).toBe(40)
  })

  it('costs nobody a try when the mail server is away, however often', async () => {
    const { run, everyone } = office()
    const away = () => Promise.reject(new MailServerUnusable('away'))
    for (let times = 0; times < 7; times++) {
      const { error } = await run({ people: people(3), post: away })
      expect(error).toBeInstanceOf(MailServerUnusable)
    }
    expect((await everyone.get('person-0@acme.example'))?.campaigns[0]?.mailings).toEqual([])
    expect((await run({ people: people(3), post: () => 'sent' })).tally.sent).toBe(3)
  })

  it('sends nothing once another run has the campaign', async () => {
    const posted: string[] = []
    const { run } = office()
    const { error } = await run({
      people: people(10),
      isHeld: () => posted.length < 3,
      post: (email) => (posted.push(email), 'sent'),
    })
    expect(error).toBeInstanceOf(RunStopped)
    expect(posted).toHaveLength(3)
  })

  it('lets what is under way end when it is interrupted, and goes on from there', async () => {
    const stop = new AbortController()
    const posted: string[] = []
    const { run } = office()
    await run({
      people: people(10),
      stop,
      post(email) {
        if (posted.push(email) === 4) stop.abort()
        return 'sent'
      },
    })
    expect(posted).toHaveLength(4)
    const { tally } = await run({ people: people(10), post: (email) => (posted.push(email), 'sent') })
    expect(tally).toMatchObject({ already: 4, sent: 6, uncertain: 0 })
    expect(new Set(posted).size).toBe(10)
  })

  it('ends at its limit, and a mail that is tried again counts once', async () => {
    let times = 0
    const { tally } = await office().run({
      people: people(10),
      laterMs: 0,
      limit: 3,
      post: () => (times++ === 0 ? 'deferred' : 'sent'),
    })
    expect(tally.sent + tally.deferred).toBe(3)
  })
})
