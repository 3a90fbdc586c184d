import { describe, expect, it } from 'vitest'
import type { Arrival } from '../../src/arrivals/arrival.ts'
import { createArrivals } from '../../src/arrivals/arrivals.ts'
import { mailingsOf, type Policy } from '../../src/campaigns/campaign.ts'
import { createLater } from '../../src/campaigns/delivery.ts'
import { createLedger, type Ledger } from '../../src/campaigns/ledger.ts'
import { StoreUnavailable, type Records } from '../../src/records/records.ts'
import { createSealer } from '../../src/session/seal.ts'

const at = Date.parse('2026-11-02T09:00:00Z')
const HOUR = 3_600_000
const ada = { email: 'ada@acme.example' }
const slack = [{ instance: 'slack_1', name: 'Slack', status: 'awaiting' as const }]

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

function set() {
  const { records, trouble } = flaky()
  const ledger = (options: Options = {}) => {
    const { campaign = 'onboarding', now = at, patienceMs = 2_000 } = options
    const { signal = new AbortController().signal } = options
    const sealer = createSealer(['a secret of thirty-two characters'])
    const arrivals = createArrivals({ records, sealer, now: () => now, retentionDays: 90 })
    const policy = {
      campaign,
      maxReminders: 0,
      retryUnknown: false,
      retryFailed: false,
      minGapMs: 48 * HOUR,
      freshMs: 0,
      ...options.policy,
    }
    return createLedger({ arrivals, policy, now: () => now, patienceMs, signal })
  }
  return { ledger, trouble }
}

const known = async (ledger: Ledger) => (await ledger.look(ada.email)).arrival

const last = (arrival: Arrival | undefined, campaign = 'onboarding') =>
  arrival === undefined ? undefined : mailingsOf(arrival, campaign).at(-1)

describe('what is written down while mails leave', () => {
  it('lets one mail leave once, whoever asks', async () => {
    const { ledger } = set()
    const [one, other] = [ledger(), ledger()]
    expect(await Promise.all([one.intend(ada, 0, slack), other.intend(ada, 0, slack)])).toEqual([true, false])
    expect(await one.settle(ada.email, 0, 'sent')).toBe(1)
    expect(await other.intend(ada, 0, slack)).toBe(false)
    expect(last(await known(one))).toEqual({ wave: 0, state: 'sent', at, tries: 1 })
  })

  it('waits for a store that is away, and knows its own write when the answer was lost', async () => {
    const { ledger, trouble } = set()
    trouble.push('away', 'answer-lost')
    expect(await ledger().intend(ada, 0, slack)).toBe(true)
    trouble.push('answer-lost', 'away')
    expect(await ledger().settle(ada.email, 0, 'sent')).toBe(1)
    expect(last(await known(ledger()))).toMatchObject({ state: 'sent', tries: 1 })
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
    expect(await ledger().intend(ada, 1, slack)).toBe(false)
    expect(await known(ledger())).toBeUndefined()
  })

  it('takes back a mail that could not leave, as if it had not been tried', async () => {
    const { ledger } = set()
    await ledger().intend(ada, 0, slack)
    expect(await ledger().settle(ada.email, 0, 'refused')).toBe(0)
    expect(last(await known(ledger()))).toBeUndefined()
    await ledger().intend(ada, 0, slack)
    await ledger().settle(ada.email, 0, 'deferred')
    await ledger().intend(ada, 0, slack)
    await ledger().settle(ada.email, 0, 'refused')
    expect(last(await known(ledger()))).toMatchObject({ state: 'deferred', tries: 1 })
  })

  it('takes back a delayed try at the end of a run, and nothing that is being sent', async () => {
    const { ledger } = set()
    const reminding = ledger({ policy: { maxReminders: 1, remindAfterMs: 0 } })
    const tried = async (wave: number, outcome: 'deferred' | 'sent') => {
      expect(await reminding.intend(ada, wave, slack)).toBe(true)
      return await reminding.settle(ada.email, wave, outcome)
    }
    for (const wave of [0, 1]) {
      expect([await tried(wave, 'deferred'), await tried(wave, 'deferred')]).toEqual([1, 2])
      expect(await reminding.takeBack(ada.email, wave)).toBe(1)
      expect(last(await known(reminding))).toMatchObject({ wave, state: 'deferred', tries: 1 })
      await reminding.intend(ada, wave, slack)
      expect(await reminding.takeBack(ada.email, wave)).toBe(2)
      expect(last(await known(reminding))).toMatchObject({ wave, state: 'sending', tries: 2 })
      await reminding.settle(ada.email, wave, 'sent')
    }
  })

  it('takes back nothing of someone who was forgotten meanwhile', async () => {
    expect(await set().ledger().takeBack(ada.email, 0)).toBe(0)
  })

  it('keeps two campaigns from mailing a person within two days', async () => {
    const { ledger } = set()
    await ledger().intend(ada, 0, slack)
    await ledger().settle(ada.email, 0, 'sent')
    const other = (hours: number, policy = {}) =>
      ledger({ campaign: 'other', now: at + hours * HOUR, policy }).intend(ada, 0, slack)
    expect(await other(47)).toBe(false)
    expect(await other(49)).toBe(true)
    const third = ledger({ campaign: 'third', now: at + 49 * HOUR, policy: { minGapMs: 0 } })
    expect(await third.intend(ada, 0, slack)).toBe(true)
  })

  it('sends what was refused for good again only where that is asked for', async () => {
    const { ledger } = set()
    await ledger().intend(ada, 0, slack)
    await ledger().settle(ada.email, 0, 'failed')
    expect(await ledger().intend(ada, 0, slack)).toBe(false)
    expect(await ledger({ policy: { retryFailed: true } }).intend(ada, 0, slack)).toBe(true)
  })

  it('remembers the group that the list gave', async () => {
    const { ledger } = set()
    await ledger().observe({ ...ada, group: 'Sales' }, [])
    expect(await known(ledger())).toMatchObject({ group: 'Sales', asOf: at })
    await ledger().observe(ada, slack)
    expect(await known(ledger())).toMatchObject({ group: 'Sales' })
  })
})

describe('whom the mail server put off', () => {
  it('comes back after a minute, then four, and only so many are kept', () => {
    let now = 0
    const later = createLater(() => now)
    later.add(ada, 1)
    later.add({ email: 'bob@acme.example' }, 2)
    now = 59_000
    expect(later.take()).toBeUndefined()
    now = 60_000
    expect(later.take()).toEqual(ada)
    expect(later.take()).toBeUndefined()
    now = 240_000
    expect(later.take()).toEqual({ email: 'bob@acme.example' })
    for (let count = 0; count < 1_500; count++) later.add(ada, 1)
    now += 60_000
    let taken = 0
    while (later.take() !== undefined) taken++
    expect(taken).toBe(1_000)
  })
})
