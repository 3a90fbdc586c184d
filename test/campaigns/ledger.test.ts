import { describe, expect, it } from 'vitest'
import type { Person } from '../../src/people/person.ts'
import { createPeople } from '../../src/people/people.ts'
import { stampOf } from '../../src/people/sources.ts'
import { mailingsOf, type Policy } from '../../src/campaigns/campaign.ts'
import { createLedger, type Ledger } from '../../src/campaigns/ledger.ts'
import { StoreUnavailable, type Records } from '../../src/records/records.ts'
import { createSealer } from '../../src/records/seal.ts'

const at = Date.parse('2026-11-02T09:00:00Z')
const HOUR = 3_600_000
const ada = { email: 'ada@acme.example' }
const when = { at, known: stampOf(undefined) }
const LISTED = { name: 'Ada', language: 'ja', group: 'Sales' }
const slack = { left: [{ instance: 'slack_1', name: 'Slack', status: 'awaiting' as const }], when }

type Trouble = 'away' | 'answer-lost' | 'mistake'

/** A store that is in trouble with its next writes. */
function flaky() {
  const values = new Map<string, string>()
  const trouble: Trouble[] = []
  const records: Pick<Records, 'get' | 'compareAndSet'> = {
    get: (key) => Promise.resolve(values.get(key)),
    compareAndSet: (key, expected, value) => {
      const what = trouble.shift()
      if (what === 'away') return Promise.reject(new StoreUnavailable(undefined))
      if (what === 'mistake') return Promise.reject(new TypeError('a mistake of ours'))
      if (values.get(key) !== expected) return Promise.resolve(false)
      values.set(key, value)
      return what === 'answer-lost' ? Promise.reject(new StoreUnavailable(undefined)) : Promise.resolve(true)
    },
  }
  return { records, trouble }
}

type Options = {
  campaign?: string
  now?: number
  patienceMs?: number
  signal?: AbortSignal
  policy?: Partial<Policy>
}

const sealer = createSealer(['a secret of thirty-two characters'])

function set() {
  const { records, trouble } = flaky()
  const all = createPeople({ records, sealer, now: () => at, retentionDays: 90 })
  const optOut = (email: string) => all.change(email, (before) => ({ ...before, optedOutAt: at }))
  const ledger = (options: Options = {}) => {
    const { campaign = 'onboarding', now = at, patienceMs = 2_000 } = options
    const { signal = new AbortController().signal } = options
    const people = createPeople({ records, sealer, now: () => now, retentionDays: 90 })
    const policy = {
      campaign,
      maxReminders: 0,
      retryUnknown: false,
      retryFailed: false,
      minGapMs: 48 * HOUR,
      freshMs: 0,
      ...options.policy,
    }
    return createLedger({ people, policy, now: () => now, patienceMs, signal })
  }
  return { ledger, trouble, optOut }
}

const known = async (ledger: Ledger) => (await ledger.look(ada.email)).arrival

/** An email to Ada is on its way. */
async function leaving(ledger: Ledger, reminder = 0) {
  const one = await ledger.intend(ada, reminder, slack)
  if (one === undefined) throw new Error('it may not leave')
  return one
}

const last = (arrival: Person | undefined, campaign = 'onboarding') =>
  arrival === undefined ? undefined : mailingsOf(arrival, campaign).at(-1)

describe('what is written down while mails leave', () => {
  it('lets one mail leave once, whoever asks', async () => {
    const { ledger } = set()
    const [one, other] = [ledger(), ledger()]
    const [mine, theirs] = await Promise.all([leaving(one), other.intend(ada, 0, slack)])
    expect([mine.reminder, theirs]).toEqual([0, undefined])
    expect(await one.settle(ada.email, mine, 'sent')).toBe(1)
    expect(await other.intend(ada, 0, slack)).toBeUndefined()
    expect(last(await known(one))).toEqual({ reminder: 0, state: 'sent', at, tries: 1 })
  })

  it('waits for a store that is away, and knows its own write when the answer was lost', async () => {
    const { ledger, trouble } = set()
    trouble.push('away', 'answer-lost')
    const one = await leaving(ledger())
    trouble.push('answer-lost', 'away')
    expect(await ledger().settle(ada.email, one, 'sent')).toBe(1)
    expect(last(await known(ledger()))).toMatchObject({ state: 'sent', tries: 1 })
  })

  it('lets nothing leave for someone who opted out while the store was away', async () => {
    const { ledger, trouble, optOut } = set()
    trouble.push('answer-lost')
    const intended = ledger().intend(ada, 0, slack)
    await optOut(ada.email)
    expect(await intended).toBeUndefined()
  })

  it('gives up on a store that stays away, and then nothing has left', async () => {
    const { ledger, trouble } = set()
    trouble.push(...Array.from({ length: 50 }, (): Trouble => 'away'))
    await expect(ledger({ patienceMs: 380 }).intend(ada, 0, slack)).rejects.toThrow(StoreUnavailable)
    expect(await known(ledger())).toBeUndefined()
    // It was asked a few times, and not without a pause.
    expect(trouble.length).toBeGreaterThanOrEqual(46)
  })

  it('waits for no store once the run is to stop, nor in any other trouble', async () => {
    const { ledger, trouble } = set()
    trouble.push('away', 'away')
    await expect(ledger({ signal: AbortSignal.abort() }).intend(ada, 0, slack)).rejects.toThrow(
      StoreUnavailable,
    )
    expect(trouble).toHaveLength(1)
    trouble.push('mistake', 'mistake')
    trouble.shift()
    await expect(ledger().intend(ada, 0, slack)).rejects.toThrow(TypeError)
    expect(trouble).toHaveLength(1)
  })

  it('lets no mail leave but the one that is due', async () => {
    const { ledger } = set()
    expect(await ledger().intend(ada, 1, slack)).toBeUndefined()
    expect(await known(ledger())).toBeUndefined()
  })

  it('takes back a mail that could not leave, as if it had not been tried', async () => {
    const { ledger } = set()
    expect(await ledger().settle(ada.email, await leaving(ledger()), 'refused')).toBe(0)
    expect(last(await known(ledger()))).toBeUndefined()
    await ledger().settle(ada.email, await leaving(ledger()), 'deferred')
    await ledger().settle(ada.email, await leaving(ledger()), 'refused')
    expect(last(await known(ledger()))).toMatchObject({ state: 'deferred', tries: 1 })
  })

  it('takes back a delayed try at the end of a run, and nothing that is being sent', async () => {
    const { ledger } = set()
    const reminding = ledger({ policy: { maxReminders: 1, remindAfterMs: 0 } })
    const tried = async (reminder: number, outcome: 'deferred' | 'sent') =>
      await reminding.settle(ada.email, await leaving(reminding, reminder), outcome)
    for (const reminder of [0, 1]) {
      expect([await tried(reminder, 'deferred'), await tried(reminder, 'deferred')]).toEqual([1, 2])
      expect(await reminding.takeBack(ada.email, reminder)).toBe(1)
      expect(last(await known(reminding))).toMatchObject({ reminder, state: 'deferred', tries: 1 })
      const one = await leaving(reminding, reminder)
      expect(await reminding.takeBack(ada.email, reminder)).toBe(2)
      expect(last(await known(reminding))).toMatchObject({ reminder, state: 'sending', tries: 2 })
      await reminding.settle(ada.email, one, 'sent')
    }
  })

  it('takes back nothing of someone who was forgotten meanwhile', async () => {
    expect(await set().ledger().takeBack(ada.email, 0)).toBe(0)
  })

  it('keeps two campaigns from mailing a person within two days', async () => {
    const { ledger } = set()
    await ledger().settle(ada.email, await leaving(ledger()), 'sent')
    const other = (hours: number, policy = {}) =>
      ledger({ campaign: 'other', now: at + hours * HOUR, policy }).intend(ada, 0, slack)
    expect(await other(47)).toBeUndefined()
    expect(await other(49)).toBeDefined()
    const third = ledger({ campaign: 'third', now: at + 49 * HOUR, policy: { minGapMs: 0 } })
    expect(await third.intend(ada, 0, slack)).toBeDefined()
  })

  it('sends what was refused for good again only where that is asked for', async () => {
    const { ledger } = set()
    await ledger().settle(ada.email, await leaving(ledger()), 'failed')
    expect(await ledger().intend(ada, 0, slack)).toBeUndefined()
    expect(await ledger({ policy: { retryFailed: true } }).intend(ada, 0, slack)).toBeDefined()
  })

  it('remembers that the service knew no one, until it does', async () => {
    const { ledger } = set()
    await ledger().observeUnknown(ada)
    expect(await known(ledger())).toMatchObject({ unknownAt: at })
    await ledger().observe(ada, slack)
    expect(await known(ledger())).not.toHaveProperty('unknownAt')
  })

  it('remembers name, language and group that the list gave', async () => {
    const { ledger } = set()
    await ledger().observe({ ...ada, ...LISTED }, { left: [], when })
    expect(await known(ledger())).toMatchObject({ ...LISTED, asOf: at })
    await ledger().observe(ada, slack)
    expect(await known(ledger())).toMatchObject(LISTED)
  })
})

describe('two runs with one email', () => {
  const again = { policy: { retryUnknown: true } }

  it('never undo that the other sent it, whatever came of their own try', async () => {
    for (const outcome of ['deferred', 'failed', 'unknown', 'refused'] as const) {
      const { ledger } = set()
      const [one, other] = [ledger(), ledger(again)]
      const mine = await leaving(one)
      await other.settle(ada.email, await leaving(other), 'sent')
      await one.settle(ada.email, mine, outcome)
      expect(last(await known(one))).toMatchObject({ state: 'sent', tries: 2 })
    }
  })

  it('nor does a write that is tried again because its answer was lost', async () => {
    for (const outcome of ['deferred', 'refused'] as const) {
      const { ledger, trouble } = set()
      const [one, other] = [ledger(), ledger()]
      const mine = await leaving(one)
      trouble.push('answer-lost')
      const settling = one.settle(ada.email, mine, outcome)
      await new Promise((resolve) => setImmediate(resolve))
      await other.settle(ada.email, await leaving(other), 'sent')
      await settling
      expect(last(await known(one))).toMatchObject({ state: 'sent' })
      expect(await other.intend(ada, 0, slack)).toBeUndefined()
    }
  })

  it('keep that it was sent, though the other goes on with it, and write down no one who was forgotten', async () => {
    const { ledger } = set()
    const [one, other] = [ledger(), ledger(again)]
    const mine = await leaving(one)
    const theirs = await leaving(other)
    await one.settle(ada.email, mine, 'sent')
    await other.settle(ada.email, theirs, 'refused')
    expect(last(await known(one))).toMatchObject({ state: 'sent' })
    const empty = set().ledger()
    await empty.settle(ada.email, mine, 'sent')
    expect(await known(empty)).toBeUndefined()
  })

  it('write down what came of it after the other took it for lost', async () => {
    for (const outcome of ['sent', 'deferred', 'failed'] as const) {
      const { ledger } = set()
      const [one, other] = [ledger(), ledger()]
      const mine = await leaving(one)
      const open = last(await known(other))
      if (open !== undefined) await other.leaveOpen(ada.email, open)
      expect(last(await known(other))).toMatchObject({ state: 'unknown', at, tries: 1 })
      await one.settle(ada.email, mine, outcome)
      expect(last(await known(one))).toMatchObject({ state: outcome, tries: 1 })
    }
  })

  it('take for lost only what they found open', async () => {
    const { ledger } = set()
    const [one, other] = [ledger(), ledger(again)]
    const mine = await leaving(one)
    const open = last(await known(other))
    if (open === undefined) throw new Error('it is open')
    const theirs = await leaving(other)
    await one.leaveOpen(ada.email, open)
    expect(last(await known(one))).toMatchObject({ state: 'sending', by: theirs.by })
    await other.settle(ada.email, theirs, 'deferred')
    for (const by of [mine.by, theirs.by]) await one.leaveOpen(ada.email, { ...open, by })
    expect(last(await known(one))).toMatchObject({ state: 'deferred', tries: 2 })
  })
})
