// A mail server with a rate limit: the run adapts its rate, by a test clock.
import { expect, it } from 'vitest'
import { sendResultOf } from '../../src/campaigns/mail/send-result.ts'
import { Throttle } from '../../src/campaigns/throttle.ts'
import { setUpSendRuns } from './run-fixture.ts'

const MINUTE = 60_000
const people = (count: number) => Array.from({ length: count }, (_, index) => `p${index}@acme.example`)

const replied = (command: string, response: string) => {
  const responseCode = Number(response.slice(0, 3))
  return sendResultOf(Object.assign(new Error('Failed'), { command, response, responseCode }), false, 1)
}

type Window = (taken: readonly number[], now: number) => boolean
/** Limits of 30 emails in any 60 seconds, and in each minute of the clock. */
const sliding: Window = (taken, now) => taken.filter((at) => now - at < MINUTE).length < 30
const fixed: Window = (taken, now) =>
  taken.filter((at) => Math.floor(at / MINUTE) === Math.floor(now / MINUTE)).length < 30

/** Sends through a server that accepts an email if `takes` returns true. */
async function sendThrough(takes: Window, refusal: ReturnType<typeof replied>, count = 300) {
  let clock = 0
  let calls = 0
  const taken: number[] = []
  const mailboxes: string[] = []
  const wait = (ms: number) => Promise.resolve(void (clock += ms))
  const emailThrottle = new Throttle(10, undefined, { now: () => clock, wait })
  const pauses: number[] = []
  const { run, storedEmailState } = setUpSendRuns()
  const done = await run({
    people: people(count),
    maxConcurrent: 3,
    send(email) {
      calls++
      if (!takes(taken, clock)) return refusal
      taken.push(clock)
      mailboxes.push(email)
      return 'sent'
    },
    overrideDeps: () => ({ emailThrottle, events: { onThrottle: (seconds) => pauses.push(seconds) } }),
  })
  return {
    ...done,
    storedEmailState,
    mailboxes,
    calls,
    pauses,
    minutes: clock / MINUTE,
    perMinute: emailThrottle.rate * 60,
  }
}

it.each(
  [
    ['DATA', '432 4.3.2 STOREDRV.ClientSubmit; sender thread limit exceeded'],
    ['DATA', '454 Throttling failure: Maximum sending rate exceeded.'],
    ['MAIL FROM', '421 4.7.0 Try again later, closing connection.'],
    ['DATA', '550 5.7.1 Message rejected: sending rate exceeded'],
    ['RCPT TO', '450 4.7.1 <p@acme.example>: Recipient address rejected: too much mail'],
    ['AUTH PLAIN', '454 4.7.0 Too many login attempts, please try again later.'],
  ].flatMap(([stage = '', reply = '']) => [
    { window: 'any', takes: sliding, stage, reply },
    { window: 'each', takes: fixed, stage, reply },
  ]),
)(
  'a limit of thirty emails in $window minute ($stage: $reply) loses and repeats none',
  async ({ takes, stage, reply }) => {
    const { error, tally, mailboxes, calls, minutes, perMinute, problems } = await sendThrough(
      takes,
      replied(stage, reply),
    )
    expect({ error, problems, ...tally }).toMatchObject({
      error: undefined,
      problems: [],
      sent: 300,
      deferred: 0,
    })
    expect(mailboxes.toSorted()).toEqual(people(300).toSorted())
    // The server gets few rejected requests, and is never idle for long.
    expect(calls).toBeLessThan(360)
    expect(minutes).toBeLessThan(20)
    expect(perMinute).toBeLessThan(60)
  },
)

const BUSY = replied('DATA', '451 4.3.0 queue file write error')

it('a mail server that defers everything for a quarter of an hour ends the run', async () => {
  const { error, tally, pauses, mailboxes, storedEmailState, minutes } = await sendThrough(
    (taken) => taken.length < 2,
    BUSY,
    9,
  )
  expect(String(error)).toBe(
    'RunStopped: the mail server has accepted no email for 15 minutes. Reply: 451 4.3.0 queue file write error',
  )
  expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 300, 300])
  expect(minutes).toBeLessThan(17)
  expect(tally.sent).toBe(2)
  expect(mailboxes).toHaveLength(2)
  expect(storedEmailState('p2@acme.example')).toBe('deferred')
})

it('an email that waits for a throttling mail server is never recorded as unknown', async () => {
  const states: unknown[] = []
  const leaving = new Set<unknown>()
  const { run, storedEmailState, peopleStore } = setUpSendRuns()
  const [ada = '', bob = ''] = people(2)

  const { tally } = await run({
    people: [ada, bob],
    send(email) {
      leaving.add(storedEmailState(email))
      return BUSY
    },
    overrideDeps: ({ emailThrottle }) => ({
      emailThrottle: {
        next: () => emailThrottle.next(),
        slowDown() {
          states.push(storedEmailState(ada))
          return true
        },
        rate: 1,
      },
      // People who opt out meanwhile get no email.
      events: {
        onThrottle() {
          const email = states.length > 4 ? bob : states.length > 2 ? ada : 'other@acme.example'
          void peopleStore.change(email, (person) => ({ ...person, optedOutAt: 1 }))
        },
      },
    }),
  })

  expect([states[0], ...leaving]).toEqual(['deferred', 'sending'])
  expect(tally.sent).toBe(0)
  expect(tally.deferred).toBe(0)
})
