// What a run writes down of an email that it may no longer be the one to speak for: by its state, its mark and its time.
import { expect, it } from 'vitest'
import { newPerson, type Person, type Mailing } from '../../src/people/person.ts'
import { createLedger, type Ledger } from '../../src/campaigns/ledger.ts'
import { policy } from './office.ts'

const email = 'ada@acme.example'
const open = { reminder: 0, state: 'sending', at: 1, tries: 1, by: 'mine' } as const

/** What a run has written down of an email, if anything. */
async function written(mailings: Mailing[] | undefined, write: (ledger: Ledger) => Promise<unknown>) {
  const before: Person = {
    ...newPerson(email, 1),
    campaigns: mailings === undefined ? [] : [{ name: policy.campaign, mailings }],
  }
  let after = before
  const people = {
    look: () => Promise.reject(new Error('nothing is read')),
    change: (_email: string, change: (arrival: Person, isKnown: boolean) => Person) =>
      Promise.resolve((after = change(before, true))),
  }
  const { signal } = new AbortController()
  await write(createLedger({ people, policy, now: () => 9, signal }))
  return after === before ? [] : [after.campaigns[0]?.mailings[0]]
}

it.each<[string, Mailing[] | undefined, Partial<Mailing> | undefined]>([
  ['that very try', [open], { state: 'unknown', at: 1, by: 'mine' }],
  ['what was sent meanwhile', [{ ...open, state: 'sent' }], undefined],
  ['a later try', [{ ...open, at: 2 }], undefined],
  ['another run’s try', [{ ...open, by: 'theirs' }], undefined],
  ['an email of which nothing is known any longer', undefined, undefined],
])('takes for lost what was left open: %s', async (_what, mailings, becomes) => {
  const changed = await written(mailings, (ledger) => ledger.leaveOpen(email, open))
  expect(changed).toMatchObject(becomes === undefined ? [] : [becomes])
})

it.each<[string, 'sent' | 'deferred' | 'failed', Mailing[] | undefined, Partial<Mailing> | undefined]>([
  ['its own, whatever it is', 'deferred', [open], { state: 'deferred', at: 9 }],
  [
    'of another run’s try only that it was sent',
    'sent',
    [{ ...open, by: 'theirs' }],
    { state: 'sent', at: 9 },
  ],
  ['of another run’s try nothing else', 'deferred', [{ ...open, by: 'theirs' }], undefined],
  ['nothing of what is known to be sent', 'sent', [{ ...open, by: undefined, state: 'sent' }], undefined],
  ['that it was sent where nothing is known of it', 'sent', undefined, { state: 'sent', at: 9 }],
  ['nothing else where nothing is known of it', 'failed', undefined, undefined],
])('writes down what came of an email: %s', async (_what, outcome, mailings, becomes) => {
  const changed = await written(mailings, (ledger) =>
    ledger.settle(email, { reminder: 0, by: 'mine' }, outcome),
  )
  expect(changed).toMatchObject(becomes === undefined ? [] : [becomes])
})
