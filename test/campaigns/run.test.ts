// A run of invite send: recipients, order, records and end.
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { withAppStates } from '../helpers/people.ts'
import { ONBOARDING, withEmail } from '../../src/campaigns/campaign.ts'
import { MailServerUnusable } from '../../src/campaigns/mail/send-result.ts'
import type { Campaign } from '../../src/campaigns/delivery.ts'
import type { ListedApp } from '../../src/client-api/responses.ts'
import { newTally, type Tally } from '../../src/campaigns/tally.ts'
import { StoreUnavailable } from '../../src/records/records.ts'
import {
  connectionLost,
  unknownRecipient,
  greylisted,
  unconnectedApps,
  senderRejected,
  setUpSendRuns,
} from './run-fixture.ts'

const ada = 'ada@acme.example'
const bob = 'bob@acme.example'
const counts = (some: Partial<Tally>) => ({ ...newTally(), ...some })
const addresses = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `p${index + from}@acme.example`)
const recordingSend = (posted: string[]) => (email: string) => {
  posted.push(email)
  return 'sent' as const
}
const refuseToSend = () => {
  throw new Error('no email should leave')
}

it('a person listed several times is emailed once', async () => {
  const { run } = setUpSendRuns()
  const posted: string[] = []
  const input = {
    people: [ada, ada, bob, ada, bob],
    policy: { uncertain: 'resend' as const, remindAfterMs: 0 },
    send(email: string) {
      posted.push(email)
      return email === ada ? connectionLost : ('sent' as const)
    },
  }
  const first = await run({ ...input, maxConcurrent: 3 })
  expect(posted).toEqual([ada, bob])
  expect(first.tally).toEqual(counts({ rows: 5, sent: 1, uncertain: 1 }))
})

it('a run follows the order of its list, with previously failed people last', async () => {
  const { run, storedEmailState } = setUpSendRuns()
  const [first = '', second = '', ...rest] = addresses(4)
  await run({ people: [first, second], send: () => greylisted })
  expect(storedEmailState(first)).toBe('deferred')
  const posted: string[] = []
  await run({ people: [first, ...rest, second], send: recordingSend(posted) })
  expect(posted).toEqual([...rest, first, second])
})

const mailServerAway = (): Promise<never> => Promise.reject(new MailServerUnusable('away'))
it.each<[string, { send: () => Promise<never> | 'sent'; limit?: number }]>([
  ['failed', { send: mailServerAway }],
  ['reached its limit', { send: () => 'sent', limit: 1 }],
])('a run stops reading its list once it has %s', async (_title, options) => {
  const { tally } = await setUpSendRuns().run({ people: [ada, bob], ...options })
  expect(tally.rows).toBe(1)
})

it('a run is ended by its list, its limit or its signal', async () => {
  const run = (options: object) => setUpSendRuns().run({ people: addresses(4), ...options })
  expect(await run({ limit: 3 })).toMatchObject({ endedBy: 'limit', tally: { sent: 3 } })
  expect(await run({ limit: 5 })).toMatchObject({ endedBy: 'list', tally: { sent: 4 } })
  expect(await run({ limit: 2, maxConcurrent: 4 })).toMatchObject({ endedBy: 'limit', tally: { sent: 2 } })
  const stop = new AbortController()
  stop.abort()
  expect(await run({ stop })).toMatchObject({ endedBy: 'signal', tally: { sent: 0 } })
})

it('a dry run shows who would get which email, and records nothing', async () => {
  const { run, peopleStore, storedEmailState } = setUpSendRuns()
  const open = { campaign: ONBOARDING, reminder: 0, state: 'sending', now: 1 } as const
  await peopleStore.change(ada, (before) => withEmail(before, open))
  const jira = { instance: 'jira_1', name: 'Jira', status: 'awaiting' as const }

  const { tally, dryRunEmails, endedBy } = await run({
    people: [ada, bob, 'dan@acme.example', 'ghost@acme.example', bob],
    check: (email) => {
      if (email.startsWith('ghost')) return { kind: 'unknown', detail: '404' }
      return { kind: 'checked', unconnected: email === bob ? [...unconnectedApps, jira] : [] }
    },
    overrideDeps: () => ({ send: undefined }),
  })

  expect(tally).toEqual(counts({ rows: 5, sent: 1, uncertain: 1, unknownToService: 1 }))
  expect(dryRunEmails).toEqual([[bob, 0, ['Slack', 'Jira']]])
  expect(endedBy).toBe('list')
  expect(storedEmailState(ada)).toBe('sending')
  for (const email of [bob, 'dan@acme.example', 'ghost@acme.example'])
    expect(await peopleStore.get(email)).toBeUndefined()
})

/** Composes Ada's email, after these states of her apps. */
async function composeAdas(
  unconnected: ListedApp[],
  states: Parameters<typeof withAppStates>[1],
  isAbout: Campaign['isAbout'] = () => true,
) {
  const { run, peopleStore } = setUpSendRuns()
  await peopleStore.change(ada, (before) => withAppStates(before, states, 1))
  const emails: { apps: string[]; kind: Parameters<Campaign['compose']>[2] }[] = []
  await run({
    people: [ada],
    check: () => ({ kind: 'checked', unconnected }),
    overrideCampaign: ({ compose }) => ({
      isAbout,
      compose(entry, apps, kind) {
        emails.push({ apps: apps.map(({ instance }) => instance), kind })
        return compose(entry, apps, kind)
      },
    }),
  })
  return { emails, recorded: (await peopleStore.get(ada))?.lastCheck?.apps }
}

const listed = (instance: string, status: ListedApp['status'] = 'awaiting'): ListedApp => ({
  instance,
  name: instance,
  status,
})

it('an email names only the person’s connectable apps, and all listed apps are recorded', async () => {
  const all = [listed('slack'), listed('jira'), listed('wiki'), listed('off', 'disabled')]
  const isAbout = ({ instance }: { instance: string }) => instance !== 'wiki'

  const { emails, recorded } = await composeAdas(all, { jira: 'blocked' }, isAbout)

  expect(emails).toMatchObject([{ apps: ['slack'], kind: { reminder: 0, isLapse: false } }])
  expect(recorded).toHaveLength(4)
})

it.each([
  ['is a lapse email about Slack alone', ['slack_1'], true],
  ['isn’t a lapse email about Slack and another app', ['slack_1', 'jira_1'], false],
])('an email to someone who had Slack %s', async (_title, instances, isLapse) => {
  const unconnected = instances.map((instance) => listed(instance))
  const { emails } = await composeAdas(unconnected, { slack_1: 'connected' })
  expect(emails).toMatchObject([{ kind: { isLapse } }])
})

it('an email gets all of the person’s apps, so names match the pages', async () => {
  const all = [...unconnectedApps, listed('wiki_1', 'disabled')]
  const { emails } = await composeAdas(all, { slack_1: 'connected' })
  expect(emails[0]?.kind.allApps?.map(({ instance }) => instance)).toEqual(['slack_1', 'wiki_1'])
})

it('an email is recorded only at its turn, and only while the lease is held', async () => {
  const { run, storedEmailState } = setUpSendRuns()
  const statesAtTurn: unknown[] = []
  const recordState = () => void statesAtTurn.push(storedEmailState(ada))

  const { error } = await run({
    people: [ada],
    send: refuseToSend,
    holdsLease() {
      recordState()
      return false
    },
    overrideDeps: ({ emailThrottle }) => ({
      emailThrottle: {
        next() {
          recordState()
          return emailThrottle.next()
        },
        slowDown: () => true,
        rate: 1,
      },
    }),
  })

  expect(String(error)).toBe('RunStopped: another run took over the campaign')
  expect(statesAtTurn).toEqual([undefined, undefined])
  expect(storedEmailState(ada)).toBeUndefined()
})

it('a person who opts out while their email waits for its turn doesn’t get it', async () => {
  const { run, peopleStore } = setUpSendRuns()
  const next = async () => void (await peopleStore.change(ada, (before) => ({ ...before, optedOutAt: 1 })))
  const emailThrottle = { next, slowDown: () => true, rate: 1 }
  const ran = await run({ people: [ada], send: refuseToSend, overrideDeps: () => ({ emailThrottle }) })
  expect([ran.error, ran.tally]).toEqual([undefined, counts({ rows: 1 })])
})

it.each([
  ['sent', 'sent', 'sent', { sent: 1 }],
  ['rejected', 'deferred', unknownRecipient, { deferred: 1 }],
  ['greylisted', 'deferred', greylisted, { deferred: 1 }],
  ['refused for any other reason', 'deferred', senderRejected, { deferred: 1 }],
  ['cut off after its end', 'unknown', connectionLost, { uncertain: 1 }],
] as const)('an email that is %s is recorded as %s', async (_title, state, posted, count) => {
  const { run, storedEmailState } = setUpSendRuns()
  const { tally, error } = await run({ people: [ada], send: () => posted })
  expect({ error, tally }).toEqual({ error: undefined, tally: counts({ rows: 1, ...count }) })
  expect(storedEmailState(ada)).toBe(state)
})

const rejecting = (bad: readonly string[]) => (email: string) =>
  bad.includes(email) ? unknownRecipient : 'sent'

it('a rejection of people counts in a run with accepted emails', async () => {
  const { run, storedEmailState } = setUpSendRuns()
  const bad = ['first@acme.example', 'last@acme.example']
  const input = { people: ['first@acme.example', ada, 'last@acme.example'], send: rejecting(bad) }
  const { tally, problems } = await run(input)
  expect(tally).toEqual(counts({ rows: 3, sent: 1, failed: 2 }))
  expect(problems).toEqual(bad.map((email) => `${email} failed 550 5.1.1 unknown`))
  expect(bad.map((email) => storedEmailState(email))).toEqual(['failed', 'failed'])
  expect((await run({ ...input, send: refuseToSend })).tally).toEqual(counts({ rows: 3, failed: 2 }))
})

it('rejections of everyone are deferred, and retried by a later run', async () => {
  const { run, storedEmailState } = setUpSendRuns()
  const { tally, error, problems } = await run({ people: addresses(9), send: () => unknownRecipient })
  expect({ error, tally }).toEqual({ error: undefined, tally: counts({ rows: 9, deferred: 9 }) })
  expect(problems).toContain('p0@acme.example deferred 550 5.1.1 unknown')
  expect(addresses(9).map((email) => storedEmailState(email))).toEqual(addresses(9).map(() => 'deferred'))
  expect((await run({ people: addresses(9) })).tally.sent).toBe(9)
})

const words = '554 5.7.1 not you'

it('five failures in a row unrelated to the recipient end the run', async () => {
  const { run, storedEmailState } = setUpSendRuns()
  const { tally, error } = await run({ people: addresses(9), send: () => senderRejected })
  expect(String(error)).toContain(`Reply: ${words}: see SMTP_URL and MAIL_FROM`)
  expect(tally).toEqual(counts({ rows: 5, deferred: 5 }))
  expect(storedEmailState('p5@acme.example')).toBeUndefined()
  const posted: string[] = []
  const next = await run({ people: addresses(9), send: recordingSend(posted) })
  expect(next.tally.sent).toBe(9)
  expect(posted).toEqual([...addresses(4, 5), ...addresses(5)])
})

// prettier-ignore
it.each([
  ['about people', () => greylisted, { sent: 0, deferred: 20 }],
  ['with an accepted email after each four', (nth: number) => (nth % 5 === 0 ? 'sent' : senderRejected), { sent: 4, deferred: 16 }],
] as const)('failures %s don’t end a run', async (_title, resultOf, expected) => {
  let posted = 0
  const send = () => resultOf(++posted)
  const { error, tally } = await setUpSendRuns().run({ people: addresses(20), send })
  expect(error).toBeUndefined()
  expect(tally).toMatchObject(expected)
})

it('five service failures in a row end the run', async () => {
  const { run } = setUpSendRuns()
  const noResponse = { kind: 'no-response', detail: 'it answered 503' } as const

  const { error, tally, problems } = await run({
    people: addresses(9),
    send: refuseToSend,
    check: () => noResponse,
  })

  expect(String(error)).toContain('no valid response for many people in a row: it answered 503')
  expect(tally).toEqual(counts({ rows: 5, deferred: 5 }))
  expect(problems).toContain('p0@acme.example no-response it answered 503')

  const next = await run({
    people: addresses(9),
    check: (email) => (email < 'p5' ? noResponse : { kind: 'checked', unconnected: unconnectedApps }),
  })
  expect(next.calls).toEqual([...addresses(4, 5), ...addresses(5)])
  expect(next.tally).toMatchObject({ sent: 4, deferred: 5 })
})

it('a mail server that can’t be used ends the run at once', async () => {
  // The store is asynchronous, and the run ends only after its writes.
  const { peopleStore, storedEmailState } = setUpSendRuns()
  const change: typeof peopleStore.change = async (...args) => {
    await setImmediate()
    return await peopleStore.change(...args)
  }
  const { run } = setUpSendRuns({ ...peopleStore, change })
  const { error } = await run({ people: addresses(9), send: mailServerAway })
  expect(error).toBeInstanceOf(MailServerUnusable)
  expect(storedEmailState('p0@acme.example')).toBe('deferred')
})

const unknownPerson = { kind: 'unknown', detail: 'it answered 404' } as const
const among = (strangers: readonly string[]) => (email: string) =>
  strangers.includes(email) ? unknownPerson : ({ kind: 'checked', unconnected: unconnectedApps } as const)

it('unknown people don’t fail a run in which the service knows others', async () => {
  const { run, peopleStore } = setUpSendRuns()
  const strangers = addresses(7)
  const input = { people: [ada, ...strangers, bob], check: among(strangers) }
  const { error, tally, problems } = await run(input)
  expect({ error, tally }).toEqual({
    error: undefined,
    tally: counts({ rows: 9, sent: 2, unknownToService: 7 }),
  })
  expect(problems[0]).toBe('p0@acme.example unknownToService')
  expect((await peopleStore.get('p0@acme.example'))?.unknownAt).toBeDefined()
  // In every later run only they are left to check.
  expect(await run(input)).toMatchObject({ error: undefined, endedBy: 'list' })
  expect((await run({ ...input, people: [...strangers, ada] })).error).toBeUndefined()
})

it('five people in a row unknown to the service end the run', async () => {
  const { run } = setUpSendRuns()
  const strangers = addresses(7)
  const { error, tally } = await run({
    people: [...strangers, ada],
    check: among(strangers),
    send: refuseToSend,
  })
  expect(String(error)).toMatch(
    /has no account for any of the first five people: it answered 404\. If .* left, run/,
  )
  expect(tally.unknownToService).toBe(5)
  // The next run checks everyone else first.
  const next = await run({ people: [...strangers, ada], check: among(strangers) })
  expect({ error: next.error, tally: next.tally }).toEqual({
    error: undefined,
    tally: counts({ rows: 8, sent: 1, unknownToService: 7 }),
  })
})

it('a run fails if the service knows no one on the list', async () => {
  const { error } = await setUpSendRuns().run({
    people: [ada],
    check: () => unknownPerson,
    send: refuseToSend,
  })
  expect(String(error)).toBe('RunStopped: the service knows no one on this list: it answered 404')
})

it('a run waits for an unavailable store, and doesn’t take it for another run', async () => {
  let away = 2
  const holdsLease = () => {
    if (away-- > 0) throw new StoreUnavailable(undefined)
    return true
  }
  const { tally, error } = await setUpSendRuns().run({ people: [ada], holdsLease, maxOutageMs: 2_000 })
  expect(tally.sent).toBe(1)
  expect(error).toBeUndefined()
  away = 2
  const ended = await setUpSendRuns().run({ people: [ada], send: refuseToSend, holdsLease })
  expect(ended.error).toBeInstanceOf(StoreUnavailable)
})

it('a rejection that is being recorded when another email is accepted counts as one', async () => {
  const [accepted, rejected] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const sentTo = new Set<string>()
  const { run, storedEmailState } = setUpSendRuns()

  const { tally } = await run({
    people: ['old', 'ada'],
    maxConcurrent: 2,
    async send(email) {
      // Ada's email is accepted once the rejection of the other one is being recorded.
      if (email === 'ada') await rejected.promise
      sentTo.add(email)
      return email === 'ada' ? 'sent' : 'failed'
    },
    overrideDeps: ({ people }) => ({
      people: {
        ...people,
        async change(email, change) {
          if (email === 'old' && sentTo.has('old')) {
            rejected.resolve()
            await accepted.promise
          }
          const person = await people.change(email, change)
          if (sentTo.has('ada') && email === 'ada') void setImmediate().then(accepted.resolve)
          return person
        },
      },
    }),
  })

  expect(tally).toMatchObject({ sent: 1, failed: 1, deferred: 0 })
  expect(storedEmailState('old')).toBe('failed')
})
