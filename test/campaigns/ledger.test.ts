// What a run writes down, while the store is in trouble and beside another run.
import { describe, expect, it } from 'vitest'
import { dueEmail, campaignEmail, ONBOARDING, type ReminderPolicy } from '../../src/campaigns/campaign.ts'
import { EmailLedger } from '../../src/campaigns/ledger.ts'
import { PersonUnreadable } from '../../src/people/people.ts'
import { newPerson, type Person } from '../../src/people/person.ts'
import { StoreUnavailable } from '../../src/records/records.ts'
import { policy } from './office.ts'

const at = Date.parse('2026-11-02T09:00:00Z')
const ada = { email: 'ada@acme.example' }
const slack = { listed: [{ instance: 'slack_1', name: 'Slack', status: 'awaiting' as const }], checkedAt: at }

type Trouble = 'away' | 'answer-lost' | 'mistake'
type Given = { policy?: Partial<ReminderPolicy>; patienceMs?: number; signal?: AbortSignal; isHeld?: boolean }

/** Ada's record in a store that is in trouble with its next writes. */
function kept(get?: () => Promise<never>) {
  let known: Person | undefined
  const trouble: Trouble[] = []
  const people = {
    get: get ?? (() => Promise.resolve(known)),
    change(_email: string, change: (person: Person, isKnown: boolean) => Person): Promise<Person> {
      const what = trouble.shift()
      if (what === 'away') return Promise.reject(new StoreUnavailable(undefined))
      if (what === 'mistake') return Promise.reject(new TypeError('a mistake of ours'))
      const fresh = newPerson(ada.email, at)
      const after = change(known ?? fresh, known !== undefined)
      if (after !== fresh) known = after
      return what === 'answer-lost' ? Promise.reject(new StoreUnavailable(undefined)) : Promise.resolve(after)
    },
  }
  const ledger = ({ patienceMs = 2_000, signal, isHeld = true, ...given }: Given = {}) =>
    new EmailLedger({
      people,
      campaign: ONBOARDING,
      due: (person, at) => dueEmail(person, { ...policy, ...given.policy }, at),
      isHeld: () => Promise.resolve(isHeld),
      now: () => at,
      signal: signal ?? new AbortController().signal,
      patienceMs,
    })
  return {
    ledger,
    trouble,
    known: () => known,
    state: () => known && campaignEmail(known, ONBOARDING, 0)?.state,
    forget: () => (known = undefined),
  }
}

describe('an email', () => {
  it('leaves once, whichever run begins it', async () => {
    const { ledger, state } = kept()
    const [one, other] = [ledger(), ledger()]
    expect(await Promise.all([one.begin(ada, 0, slack), other.begin(ada, 0, slack)])).toEqual([true, false])
    await one.end(ada.email, 0, 'sent')
    expect([await other.begin(ada, 0, slack), state()]).toEqual([false, 'sent'])
  })

  it('that is not the one that is due does not leave, and nothing is written down', async () => {
    const { ledger, known } = kept()
    expect([await ledger().begin(ada, 1, slack), known()]).toEqual([false, undefined])
  })

  it('leaves only while the campaign is held', async () => {
    const { ledger, known } = kept()
    await expect(ledger({ isHeld: false }).begin(ada, 0, slack)).rejects.toThrow('another run took over')
    expect(known()).toBeUndefined()
  })

  it('is begun and ended though the store was away, and though its answers were lost', async () => {
    const { ledger, trouble, state } = kept()
    const run = ledger()
    trouble.push('away', 'answer-lost')
    expect([await run.begin(ada, 0, slack), state()]).toEqual([true, 'sending'])
    trouble.push('answer-lost', 'away')
    await run.end(ada.email, 0, 'sent')
    expect(state()).toBe('sent')
  })

  it('does not leave while the store stays away', async () => {
    const { ledger, trouble, known } = kept()
    trouble.push(...Array.from({ length: 50 }, (): Trouble => 'away'))
    await expect(ledger({ patienceMs: 380 }).begin(ada, 0, slack)).rejects.toThrow(StoreUnavailable)
    expect(known()).toBeUndefined()
    // It was tried a few times, and not without a pause.
    expect(trouble.length).toBeGreaterThanOrEqual(46)
  })

  it('is not waited for once the run is to stop, nor in any other trouble', async () => {
    const { ledger, trouble } = kept()
    trouble.push('away', 'away')
    const stopped = ledger({ signal: AbortSignal.abort() })
    await expect(stopped.begin(ada, 0, slack)).rejects.toThrow(StoreUnavailable)
    trouble.splice(0, 2, 'mistake', 'mistake')
    await expect(ledger().begin(ada, 0, slack)).rejects.toThrow(TypeError)
    expect(trouble).toHaveLength(1)
  })

  it('that another run has sent again on request keeps what became of that', async () => {
    const { ledger, state } = kept()
    const [one, other] = [ledger(), ledger({ policy: { unknown: 'resend' } })]
    await one.begin(ada, 0, slack)
    await other.begin(ada, 0, slack)
    await other.end(ada.email, 0, 'sent')
    await one.end(ada.email, 0, 'deferred')
    expect(state()).toBe('sent')
  })

  it('to someone who was forgotten meanwhile brings nothing of them back', async () => {
    const { ledger, known, forget } = kept()
    const run = ledger()
    await run.begin(ada, 0, slack)
    forget()
    await run.end(ada.email, 0, 'sent')
    expect(known()).toBeUndefined()
  })
})

describe('what is known of someone', () => {
  it('has the name, language and group that the list gave last', async () => {
    const { ledger, known } = kept()
    const listed = { name: 'Ada', language: 'ja', group: 'Sales' }
    await ledger().observe({ ...ada, ...listed }, { listed: [], checkedAt: at })
    expect(known()).toMatchObject({ ...listed, lastCheck: { checkedAt: at } })
    await ledger().observe(ada, slack)
    expect(known()).toMatchObject(listed)
  })

  it('has that the service does not know them, until it does', async () => {
    const { ledger, known } = kept()
    await ledger().observe(ada, undefined)
    expect(known()).toMatchObject({ unknownAt: at })
    await ledger().observe(ada, slack)
    expect(known()).not.toHaveProperty('unknownAt')
  })

  it('may be an opt-out that can’t be read, so they get no email', async () => {
    const { ledger } = kept(() => Promise.reject(new PersonUnreadable('person:x')))
    expect((await ledger().plan(ada.email)).due).toEqual({ kind: 'unreadable' })
  })
})
