// A mail server with a rate limit: the run adapts its rate, by a test clock.
import { expect, it } from 'vitest'
import { sendResultOf } from '../../src/campaigns/mail/send-result.ts'
import { Throttle } from '../../src/campaigns/throttle.ts'
import { setUpSendRuns } from './run-fixture.ts'

const MINUTE = 60_000
const people = (count: number) => Array.from({ length: count }, (_, index) => `p${index}@acme.example`)

const resultOfReply = (command: string, response: string) => {
  const responseCode = Number(response.slice(0, 3))
  return sendResultOf(Object.assign(new Error('Failed'), { command, response, responseCode }), false, 1)
}

type Window = (taken: readonly number[], now: number) => boolean
/** Limits of 30 emails in any 60 seconds, and in each minute of the clock. */
const sliding: Window = (taken, now) => taken.filter((at) => now - at < MINUTE).length < 30
const fixed: Window = (taken, now) =>
  taken.filter((at) => Math.floor(at / MINUTE) === Math.floor(now / MINUTE)).length < 30

/** Sends through a server that accepts an email if `takes` returns true. */
async function sendThrough(takes: Window, refusal: ReturnType<typeof resultOfReply>, count = 300) {
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
  'thirty emails in $window minute: each person gets one email ($stage: $reply)',
  async ({ takes, stage, reply }) => {
    const { error, tally, mailboxes, calls, minutes, perMinute, problems } = await sendThrough(
      takes,
      resultOfReply(stage, reply),
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

const BUSY = resultOfReply('DATA', '451 4.3.0 queue file write error')

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

/** A run through a mail server that defers everything, without the pauses. @param onPause gets their number */
async function runWithoutPauses(
  { run }: ReturnType<typeof setUpSendRuns>,
  emails: string[],
  { onPause, onSend = () => {} }: { onPause: (pauses: number) => void; onSend?: (email: string) => void },
) {
  let pauses = 0
  return await run({
    people: emails,
    send(email) {
      onSend(email)
      return BUSY
    },
    overrideDeps: ({ emailThrottle }) => ({
      emailThrottle: { next: () => emailThrottle.next(), slowDown: () => true, rate: 1 },
      events: { onThrottle: () => onPause(++pauses) },
    }),
  })
}

it('an email that waits for a throttling mail server is recorded as deferred', async () => {
  const runs = setUpSendRuns()
  const [ada = ''] = people(1)
  const states = { pause: new Set<unknown>(), send: new Set<unknown>() }

  await runWithoutPauses(runs, [ada], {
    onPause: () => states.pause.add(runs.storedEmailState(ada)),
    onSend: () => states.send.add(runs.storedEmailState(ada)),
  })

  expect([...states.pause, ...states.send]).toEqual(['deferred', 'sending'])
})

it('someone who opts out while the mail server is throttling gets no email', async () => {
  const runs = setUpSendRuns()
  const [ada = '', bob = ''] = people(2)
  const optsOutAt = new Map([
    [3, ada],
    [5, bob],
  ])

  const { error, tally } = await runWithoutPauses(runs, [ada, bob], {
    onPause(pauses) {
      const email = optsOutAt.get(pauses) ?? 'other@acme.example'
      void runs.peopleStore.change(email, (person) => ({ ...person, optedOutAt: 1 }))
    },
  })

  expect(error).toBeUndefined()
  expect(tally).toMatchObject({ sent: 0, deferred: 0 })
})
