// What a run makes of each person on its list: who is counted as what, who is named, and what stays written down.
import { describe, expect, it } from 'vitest'
import type { Person, Mailing } from '../../src/people/person.ts'
import type { Asked } from '../../src/campaigns/ask.ts'
import { withMailing } from '../../src/campaigns/campaign.ts'
import { newTally, type Tally } from '../../src/campaigns/tally.ts'
import { office } from './office.ts'

const ada = 'ada@acme.example'
const at = Date.now() - 60_000
const slack = { instance: 'slack_1', name: 'Slack', status: 'awaiting' as const }
const jira = { instance: 'jira_1', name: 'Jira', status: 'awaiting' as const }

const counts = (some: Partial<Tally>) => ({ ...newTally(), ...some })

/** An office that knows something of ada. */
async function knowing(how: (before: Person) => Person) {
  const { run, everyone } = office()
  await everyone.change(ada, how)
  const mailings = async () => (await everyone.get(ada))?.campaigns[0]?.mailings
  return { run, everyone, mailings }
}
const mailed = (state: Mailing['state'], campaign = 'onboarding') =>
  knowing((before) => withMailing(before, { campaign, reminder: 0, state, now: at }))

const never = () => {
  throw new Error('no email should leave')
}

describe('someone on the list', () => {
  it.each<[Mailing['state'], Partial<Tally>, string[]]>([
    ['sent', { already: 1 }, []],
    ['unknown', { uncertain: 1 }, [`${ada} uncertain`]],
    ['failed', { failed: 1 }, [`${ada} failed`]],
    ['sending', { uncertain: 1 }, [`${ada} uncertain`]],
  ])('whose email is %s gets none, and the service is not asked', async (state, some, named) => {
    const { run, mailings } = await mailed(state)
    const { tally, trouble, endedBy } = await run({ people: [ada], post: never })
    expect(tally).toEqual(counts({ rows: 1, ...some }))
    expect(trouble).toEqual(named)
    expect(endedBy).toBe('list')
    // What a run that died left open is uncertain since then.
    const known = state === 'sending' ? 'unknown' : state
    expect(await mailings()).toEqual([{ reminder: 0, state: known, at, tries: Number(state === 'sending') }])
  })

  it.each<[string, (before: Person) => Person, Partial<Tally>]>([
    ['opted out', (before) => ({ ...before, optedOutAt: at }), { optedOut: 1 }],
    [
      'has had an email of another campaign',
      (before) => withMailing(before, { campaign: 'other', reminder: 0, state: 'sent', now: at }),
      { tooSoon: 1 },
    ],
    ['had nothing a minute ago', (before) => ({ ...before, asOf: at }), { nothing: 1 }],
  ])('who %s gets none, and is no trouble', async (_what, how, some) => {
    const { run } = await knowing(how)
    const policy = { minGapMs: 3_600_000, freshMs: 3_600_000 }
    const { tally, trouble } = await run({ people: [ada], post: never, policy })
    expect(tally).toEqual(counts({ rows: 1, ...some }))
    expect(trouble).toEqual([])
  })

  it.each<[Exclude<Asked, { kind: 'left' }>, Partial<Tally>, string | undefined]>([
    [{ kind: 'unknown' }, { unknownToService: 1 }, undefined],
    [{ kind: 'refused' }, { refusedByService: 1 }, undefined],
    [{ kind: 'no-answer', detail: 'it answered 407' }, { unanswered: 1 }, 'it answered 407'],
  ])('about whom the service says %j gets none, and is named', async (asked, some, detail) => {
    const told: unknown[] = []
    const { tally } = await office().run({
      people: [ada],
      post: never,
      ask: () => Promise.resolve(asked),
      parts: () => ({ onTrouble: (...all) => told.push(all) }),
    })
    expect(tally).toEqual(counts({ rows: 1, asked: 1, ...some }))
    expect(told).toEqual([[{ email: ada }, asked.kind, detail]])
  })

  it.each([
    ['unreadable', false, false],
    ['unreadable', true, false],
    ['removed', false, false],
    ['removed', true, true],
  ] as const)(
    'whose record is %s gets one only where that is asked for (%j: %j)',
    async (certainty, mailInDoubt, gets) => {
      const { tally, trouble } = await office().run({
        people: [ada],
        policy: { mailInDoubt },
        post: () => 'sent',
        parts: ({ ledger }) => ({
          ledger: { ...ledger, look: () => Promise.resolve({ arrival: undefined, certainty }) },
        }),
      })
      expect(tally).toEqual(counts(gets ? { rows: 1, asked: 1, sent: 1 } : { rows: 1, inDoubt: 1 }))
      expect(trouble).toEqual(gets ? [] : [`${ada} ${certainty}`])
    },
  )

  it('is written about the apps they can connect, and what else the service lists is kept', async () => {
    const { run, everyone } = await knowing((before) => ({
      ...before,
      sources: [{ instance: 'jira_1', name: 'Jira', state: 'blocked', at }],
    }))
    const off = { instance: 'wiki_1', name: 'Wiki', status: 'disabled' as const }
    const other = { instance: 'other_1', name: 'Other', status: 'awaiting' as const }
    const listed = [slack, jira, off, other]
    const mentioned: unknown[] = []
    const { tally } = await run({
      people: [ada],
      post: () => 'sent',
      ask: () => Promise.resolve({ kind: 'left', left: listed }),
      parts: ({ compose }) => ({
        isAbout: (instance) => instance !== 'other_1',
        compose(person, apps, reminder) {
          mentioned.push(person, apps, reminder)
          return compose(person, apps, reminder)
        },
      }),
    })
    expect(tally).toEqual(counts({ rows: 1, asked: 1, sent: 1 }))
    expect(mentioned).toEqual([{ email: ada }, [slack], 0])
    const known = (await everyone.get(ada))?.sources.map(({ instance, state }) => [instance, state])
    expect(known).toEqual([
      ['slack_1', 'waiting'],
      ['jira_1', 'blocked'],
      ['wiki_1', 'off'],
      ['other_1', 'waiting'],
    ])
  })

  it('with nothing to connect gets none, and that is written down', async () => {
    const { run, everyone } = office()
    const ask = () => Promise.resolve<Asked>({ kind: 'left', left: [] })
    const { tally } = await run({ people: [ada], post: never, ask })
    expect(tally).toEqual(counts({ rows: 1, asked: 1, nothing: 1 }))
    expect(await everyone.get(ada)).toMatchObject({ sources: [], asOf: expect.any(Number) as number })
  })

  it('is reminded once the time has come, in the next reminder', async () => {
    const { run, mailings } = await mailed('sent')
    const policy = { remindAfterMs: 1_000, maxReminders: 1 }
    expect((await run({ people: [ada], policy, post: () => 'sent' })).tally).toMatchObject({ sent: 1 })
    expect((await run({ people: [ada], policy, post: never })).tally).toMatchObject({ already: 1 })
    expect((await mailings())?.map(({ reminder }) => reminder)).toEqual([0, 1])
  })
})
