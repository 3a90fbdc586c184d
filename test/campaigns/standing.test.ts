// Before an email is handed over again: what has become of it, and of the person, meanwhile?
import { expect, it } from 'vitest'
import { newPerson, type Person } from '../../src/people/person.ts'
import type { Certainty } from '../../src/people/people.ts'
import { withMailing } from '../../src/campaigns/campaign.ts'
import { createLedger } from '../../src/campaigns/ledger.ts'
import { policy } from './office.ts'

const email = 'ada@acme.example'
const mark = (by: string | undefined, state: 'sending' | 'unknown' | 'sent' = 'sending') =>
  withMailing(newPerson(email, 1), { campaign: 'onboarding', reminder: 0, state, now: 1, by })
const ours = mark('ours')
const optedOut = { ...ours, optedOutAt: 2 }

type Case = [what: string, arrival: Person | undefined, certainty: Certainty, standing: string]

it.each<Case>([
  ['nothing else happened', ours, 'certain', 'ours'],
  ['another run took it for lost', mark('ours', 'unknown'), 'certain', 'ours'],
  ['another run is sending it', mark('theirs'), 'certain', 'taken'],
  ['another run sent it', mark(undefined, 'sent'), 'certain', 'taken'],
  ['the person was removed, and is known again', newPerson(email, 1), 'certain', 'taken'],
  ['the person opted out', optedOut, 'certain', 'unwanted'],
  ['the person opted out, and more can’t be read', optedOut, 'unreadable', 'unwanted'],
  ['the person was removed', undefined, 'certain', 'unwanted'],
  ['the person’s data can’t be read', undefined, 'unreadable', 'unreadable'],
  ['some data that may be theirs can’t be read', ours, 'unreadable', 'unreadable'],
  ['some data that may be theirs was removed unread', ours, 'removed', 'removed'],
])('where %s', async (_what, arrival, certainty, standing) => {
  const people = {
    look: () => Promise.resolve({ arrival, certainty }),
    change: () => Promise.reject(new Error('nothing is written')),
  }
  const { signal } = new AbortController()
  const ledger = createLedger({ people, policy, now: () => 3, signal })
  expect(await ledger.standing(email, { reminder: 0, by: 'ours' })).toBe(standing)
  const overruling = { ...policy, mailInDoubt: true }
  const overruled = await createLedger({ people, policy: overruling, now: () => 3, signal }).standing(email, {
    reminder: 0,
    by: 'ours',
  })
  expect(overruled).toBe(certainty === 'removed' ? 'ours' : standing)
})
