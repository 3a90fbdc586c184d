// What a dry run shows, how a run ends, and what it leaves written down.
import { describe, expect, it } from 'vitest'
import type { Asked } from '../../src/campaigns/ask.ts'
import { withMailing } from '../../src/campaigns/campaign.ts'
import { RunStopped } from '../../src/campaigns/delivery.ts'
import { newTally, type Tally } from '../../src/campaigns/tally.ts'
import type { SendParts } from '../../src/campaigns/send.ts'
import { StoreUnavailable } from '../../src/records/records.ts'
import { left, office } from './office.ts'

const ada = 'ada@acme.example'
const counts = (some: Partial<Tally>) => ({ ...newTally(), ...some })

const never = () => {
  throw new Error('no email should leave')
}

describe('a dry run', () => {
  it('shows who would get what, tells twins apart, and writes nothing down', async () => {
    const { run, everyone } = office()
    const sending = { campaign: 'onboarding', reminder: 0, state: 'sending', now: 1 } as const
    await everyone.change(ada, (before) => withMailing(before, sending))
    const shown: unknown[] = []
    const jira = { instance: 'jira_1', name: 'Jira', status: 'awaiting' as const }
    const none: Asked = { kind: 'left', left: [] }
    const { tally, endedBy } = await run({
      people: [ada, 'bob@acme.example', 'dan@acme.example', 'bob@acme.example'],
      post: never,
      ask: (email) =>
        Promise.resolve(email.startsWith('dan') ? none : { kind: 'left', left: [...left, jira] }),
      parts: () => ({ post: undefined, onWouldSend: (...all) => shown.push(all) }),
    })
    expect(tally).toEqual(
      counts({ rows: 4, asked: 2, uncertain: 1, wouldSend: 1, nothing: 1, duplicates: 1 }),
    )
    expect(shown).toEqual([[{ email: 'bob@acme.example' }, 0, ['Slack', 'Jira']]])
    expect(endedBy).toBe('list')
    expect((await everyone.get(ada))?.campaigns[0]?.mailings[0]).toMatchObject({ state: 'sending' })
    for (const email of ['bob@acme.example', 'dan@acme.example'])
      expect(await everyone.get(email)).toBeUndefined()
  })
})

describe('the end of a run', () => {
  const people = ['a', 'b', 'c', 'd'].map((name) => `${name}@acme.example`)

  it('is its limit, its list or its signal', async () => {
    const run = (given: Partial<Parameters<ReturnType<typeof office>['run']>[0]>) =>
      office().run({ people, post: () => 'sent', ...given })
    expect(await run({ limit: 3 })).toMatchObject({ endedBy: 'limit', tally: { rows: 3, sent: 3 } })
    expect(await run({ limit: 4 })).toMatchObject({ endedBy: 'limit', tally: { sent: 4 } })
    expect(await run({ limit: 5 })).toMatchObject({ endedBy: 'list', tally: { sent: 4 } })
    expect(await run({ limit: 2, atOnce: 4 })).toMatchObject({ endedBy: 'limit', tally: { sent: 2 } })
    const stop = new AbortController()
    stop.abort()
    expect(await run({ stop })).toMatchObject({ endedBy: 'signal', tally: { rows: 0 } })
  })

  it('comes with rows that are no people, each named by its line', async () => {
    const faults: unknown[] = []
    const { tally } = await office().run({
      people: ['nobody', ada],
      post: () => 'sent',
      parts: () => ({ onFault: (...all) => faults.push(all) }),
    })
    expect(tally).toEqual(counts({ rows: 2, invalid: 1, asked: 1, sent: 1 }))
    expect(faults).toEqual([[2, '"nobody" is not a valid email address']])
  })

  it('is told once to a list that is still open', async () => {
    const told: number[] = []
    const { tally } = await office().run({
      people,
      limit: 2,
      post: () => 'sent',
      parts: (usual) => ({ onOver: () => told.push(usual.tally.asked) }),
    })
    expect(tally.sent).toBe(2)
    expect(told).toEqual([2])
  })

  it('comes with people who are listed again: they have had their email', async () => {
    const { tally } = await office().run({ people: [ada, ...people, ada], post: () => 'sent' })
    expect(tally).toEqual(counts({ rows: 6, asked: 5, sent: 5, already: 1 }))
  })

  it('comes with people to whom another run wrote meanwhile, or with that run', async () => {
    const parts = ({ ledger }: SendParts) => ({
      ledger: { ...ledger, intend: () => Promise.resolve(undefined) },
    })
    const { tally } = await office().run({ people: [ada], post: never, parts })
    expect(tally).toEqual(counts({ rows: 1, asked: 1, already: 1 }))
    const { error } = await office().run({ people: [ada], post: never, isHeld: () => false })
    expect(String(error)).toBe('RunStopped: another run took over the campaign')
  })

  it('leaves nothing written down of an email whose turn or lease has not come', async () => {
    const { run, everyone } = office()
    const written: unknown[] = []
    const note = async () => void written.push((await everyone.get(ada))?.campaigns[0]?.mailings)
    const parts = ({ mailPace }: SendParts): Partial<SendParts> => ({
      mailPace: {
        ...mailPace,
        turn: async () => {
          await note()
          return await mailPace.turn()
        },
      },
      isHeld: async () => {
        await note()
        return false
      },
    })
    const { error } = await run({ people: [ada], post: never, parts })
    expect(String(error)).toBe('RunStopped: another run took over the campaign')
    await note()
    expect(written).toEqual([undefined, undefined, undefined])
  })

  it('comes before an email goes out again that another run may have', async () => {
    const { run, everyone } = office()
    let held = 1
    const parts = (): Partial<SendParts> => ({
      post: async (_mail, beforeAgain) => {
        await beforeAgain()
        return { outcome: 'sent' }
      },
    })
    const given = { people: [ada], post: never, parts }
    const { error } = await run({ ...given, isHeld: () => held-- > 0 })
    expect(String(error)).toBe('RunStopped: another run took over the campaign')
    expect((await everyone.get(ada))?.campaigns[0]?.mailings).toEqual([])
    expect((await run(given)).tally.sent).toBe(1)
  })

  it.each([
    ['another run has gone on with it', 'taken', { already: 1 }],
    ['what is known of the person became unreadable', 'unreadable', { inDoubt: 1 }],
    ['what was known of the person was removed unread', 'removed', { inDoubt: 1 }],
  ] as const)('is not near where %s before a further try', async (_what, standing, count) => {
    const parts = ({ ledger }: SendParts): Partial<SendParts> => ({
      ledger: { ...ledger, standing: (email) => Promise.resolve(email === ada ? standing : 'ours') },
      post: async (_mail, beforeAgain) => {
        await beforeAgain()
        return { outcome: 'sent' }
      },
    })
    const given = { people: [ada, 'bob@acme.example', ada], post: never, parts }
    const { run, everyone } = office()
    const { error, tally, trouble } = await run(given)
    const wanted = counts({ rows: 3, asked: 2, sent: 1, duplicates: 1, ...count })
    expect([error, tally]).toEqual([undefined, wanted])
    // Nothing had left, so once all can be read again they are due as before.
    expect((await everyone.get(ada))?.campaigns[0]?.mailings).toEqual([])
    expect(trouble).toEqual(standing === 'taken' ? [] : [`${ada} ${standing}`])
  })

  it('undoes nothing of another run that sent the email before a further try', async () => {
    const { run, everyone } = office()
    const theirs = { campaign: 'onboarding', reminder: 0, state: 'sent', now: Date.now() } as const
    const parts = (): Partial<SendParts> => ({
      post: async (_mail, beforeAgain) => {
        await everyone.change(ada, (before) => withMailing(before, theirs))
        await beforeAgain()
        return { outcome: 'sent' }
      },
    })
    const { tally } = await run({ people: [ada], post: never, parts })
    expect(tally).toEqual(counts({ rows: 1, asked: 1, already: 1 }))
    expect((await everyone.get(ada))?.campaigns[0]?.mailings).toMatchObject([{ state: 'sent' }])
  })

  it.each(['opted out', 'was removed'])(
    'is not near where one person %s before a further try',
    async (what) => {
      const { run, everyone } = office()
      const bob = 'bob@acme.example'
      const parts = (): Partial<SendParts> => ({
        post: async ({ to }, beforeAgain) => {
          if (to === ada && what === 'was removed') await everyone.forget(ada)
          else if (to === ada) await everyone.change(ada, (before) => ({ ...before, optedOutAt: Date.now() }))
          await beforeAgain()
          return { outcome: 'sent' }
        },
      })
      const { error, tally } = await run({ people: [ada, bob], post: never, parts })
      expect([error, tally]).toEqual([undefined, counts({ rows: 2, asked: 2, optedOut: 1, sent: 1 })])
      const after = await everyone.get(ada)
      expect(after === undefined).toBe(what === 'was removed')
      expect(after?.campaigns[0]?.mailings ?? []).toEqual([])
    },
  )

  it('is not another run’s doing where the store was away: it is waited for', async () => {
    let away = 2
    const isHeld = () => {
      if (away-- > 0) throw new StoreUnavailable(undefined)
      return true
    }
    const { tally, error } = await office().run({
      people: [ada],
      post: () => 'sent',
      isHeld,
      patienceMs: 2_000,
    })
    expect([tally.sent, error]).toEqual([1, undefined])
    away = 2
    const gone = await office().run({ people: [ada], post: never, isHeld })
    expect(gone.error).toBeInstanceOf(StoreUnavailable)
  })

  it('is a failure where the only one who is known was refused earlier', async () => {
    const { run } = office()
    const gone = { outcome: 'failed', reply: '550 5.1.1 unknown', blame: 'person' } as const
    await run({ people: [ada], post: () => gone })
    const posted = { outcome: 'refused', reply: '550 5.7.60 no', blame: 'sender' } as const
    const { error } = await run({ people: [ada, ...people], post: () => posted })
    expect(String(error)).toContain('refuses the sender, so no email can leave')
  })

  it('is a failure where no email was taken, in the mail server’s words', async () => {
    const posted = { outcome: 'refused', reply: '554 relay access denied', blame: 'system' } as const
    const told: unknown[] = []
    const { error, tally } = await office().run({
      people: [ada],
      post: () => posted,
      parts: () => ({ onTrouble: (...all) => told.push(all) }),
    })
    expect(error).toBeInstanceOf(RunStopped)
    expect(String(error)).toContain('accepted no email (it says: 554 relay access denied)')
    expect(tally).toEqual(counts({ rows: 1, asked: 1, notTaken: 1 }))
    expect(told).toEqual([[{ email: ada }, 'not-taken', '554 relay access denied']])
  })

  it.each([
    ['deferred', { deferred: 1 }, 'deferred', 1],
    ['unknown', { uncertain: 1 }, 'unknown', 1],
    ['failed', { failed: 1 }, 'failed', 1],
  ] as const)('leaves one that is %s written down as such', async (outcome, some, state, tries) => {
    const { run, everyone } = office()
    const { tally, error } = await run({ people: [ada], post: () => outcome, stopAfter: 0 })
    expect(error).toBeUndefined()
    expect(tally).toEqual(counts({ rows: 1, asked: 1, ...some }))
    expect((await everyone.get(ada))?.campaigns[0]?.mailings).toMatchObject([{ state, tries }])
  })
})
