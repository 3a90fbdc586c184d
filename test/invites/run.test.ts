// A run with the service and the mail server as functions: what the order of things comes to.
import { describe, expect, it } from 'vitest'
import type { Left } from '../../src/client-api/answers.ts'
import { createArrivals } from '../../src/invites/arrivals.ts'
import type { Asked } from '../../src/invites/ask.ts'
import { createLater } from '../../src/invites/later.ts'
import { createLedger } from '../../src/invites/ledger.ts'
import { MailServerUnusable, type Outcome } from '../../src/invites/mail-server.ts'
import { createPace } from '../../src/invites/pace.ts'
import { readPeople } from '../../src/invites/people-file.ts'
import { RunStopped, sendInvitations } from '../../src/invites/send.ts'
import { newTally } from '../../src/invites/tally.ts'
import { createSealer } from '../../src/session/seal.ts'

const left: Left[] = [{ instance: 'slack_1', name: 'Slack', status: 'awaiting' }]

/** One store over several runs. */
function office() {
  const values = new Map<string, string>()
  const records = {
    get: (key: string) => Promise.resolve(values.get(key)),
    compareAndSet(key: string, expected: string | undefined, value: string) {
      const isSame = values.get(key) === expected
      if (isSame) values.set(key, value)
      return Promise.resolve(isSame)
    },
  }
  const sealer = createSealer(['a secret of thirty-two characters'])
  const arrivals = createArrivals({ records, sealer, now: Date.now, retentionDays: 90 })
  const policy = {
    campaign: 'onboarding',
    maxReminders: 0,
    retryUnknown: false,
    retryFailed: false,
    minGapMs: 0,
    freshMs: 0,
  }

  type Given = {
    people: string[]
    post: (email: string) => Outcome | Promise<Outcome>
    ask?: (email: string) => Promise<Asked>
    isHeld?: () => boolean
    stop?: AbortController
    limit?: number
    atOnce?: number
    /** How long whom the mail server put off is left alone; milliseconds. */
    laterMs?: number
  }

  async function run(given: Given) {
    const { people, post, isHeld = () => true, stop = new AbortController(), limit = Infinity } = given
    const { signal } = stop
    const tally = newTally()
    const trouble: string[] = []
    async function* list() {
      for (const email of people) yield await Promise.resolve(`${email}\n`)
    }
    const pace = createPace({ perSecond: 1e6, now: Date.now, signal })
    const work = sendInvitations(readPeople(list()), {
      ledger: createLedger({ arrivals, policy, now: Date.now, patienceMs: 0, signal }),
      ask: given.ask ?? (() => Promise.resolve({ kind: 'left', left })),
      compose: ({ email }) => Promise.resolve({ ...mail, to: email }),
      post: async ({ to }) => await post(to),
      mailPace: pace,
      policy,
      isAbout: () => true,
      later: createLater(Date.now, given.laterMs),
      isHeld: () => Promise.resolve(isHeld()),
      onFault: () => {},
      onWouldSend: () => {},
      onTrouble: ({ email }, what) => trouble.push(`${email} ${what}`),
      atOnce: given.atOnce ?? 1,
      limit,
      signal,
      tally,
      now: Date.now,
    })
    const error: unknown = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    )
    return { tally, trouble, error }
  }
  return { run, arrivals }
}

const mail = {
  from: { name: '', address: 'search@acme.example' },
  to: '',
  subject: '',
  text: '',
  html: '',
  messageId: '',
  headers: {},
}

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

  it('names whose mail needs a look', async () => {
    const { run } = office()
    const kinds: Record<string, Asked> = {
      'b@acme.example': { kind: 'nobody' },
      'c@acme.example': { kind: 'refused' },
    }
    const outcomes: Record<string, Outcome> = { 'd@acme.example': 'failed', 'e@acme.example': 'unknown' }
    const { trouble } = await run({
      people: ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}@acme.example`),
      ask: (email) => Promise.resolve(kinds[email] ?? { kind: 'left', left }),
      post: (email) => outcomes[email] ?? 'sent',
    })
    expect(trouble).toEqual([
      'b@acme.example nobody',
      'c@acme.example refused',
      'd@acme.example failed',
      'e@acme.example uncertain',
    ])
  })

  it('stops when no mail gets out, after twenty refused ones or two hundred put off', async () => {
    const refused = await office().run({ people: people(300), post: () => 'failed' })
    expect(refused.error).toBeInstanceOf(RunStopped)
    expect(refused.tally.failed).toBe(20)
    const { run } = office()
    const putOff = await run({ people: people(300), post: () => 'deferred' })
    expect(putOff.error).toBeInstanceOf(RunStopped)
    expect((await run({ people: people(300), post: () => 'sent' })).tally.sent).toBe(300)
  })

  it('costs nobody a try when the mail server is away, however often', async () => {
    const { run, arrivals } = office()
    const away = () => Promise.reject(new MailServerUnusable('away'))
    for (let times = 0; times < 7; times++) {
      const { error } = await run({ people: people(3), post: away })
      expect(error).toBeInstanceOf(MailServerUnusable)
    }
    expect((await arrivals.get('person-0@acme.example'))?.campaigns[0]?.mailings).toEqual([])
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
