// A run with the service and the mail server as functions, over people who are kept for several runs.
import type { UnconnectedApp } from '../../src/client-api/responses.ts'
import type { createPersonCheck } from '../../src/campaigns/person-check.ts'
import { dueEmail, campaignEmail, ONBOARDING, type ReminderPolicy } from '../../src/campaigns/campaign.ts'
import type { Campaign, CampaignRun } from '../../src/campaigns/delivery.ts'
import type { SendResult } from '../../src/campaigns/mail/send-result.ts'
import { Throttle } from '../../src/campaigns/throttle.ts'
import { sendInvitations } from '../../src/campaigns/send.ts'
import { newTally } from '../../src/campaigns/tally.ts'
import { newPerson, type Person } from '../../src/people/person.ts'
import { mail } from './sample-email.ts'

type CheckResult = Awaited<ReturnType<ReturnType<typeof createPersonCheck>>>

export const unconnectedApps: UnconnectedApp[] = [{ instance: 'slack_1', name: 'Slack', status: 'awaiting' }]

export const policy: ReminderPolicy = { unknown: 'wait', freshMs: 0 }

export const unknownRecipient: SendResult = {
  outcome: 'failed',
  reply: '550 5.1.1 unknown',
  reason: 'recipient',
}
export const greylisted: SendResult = { outcome: 'deferred', reply: '450 4.2.0 later', reason: 'recipient' }
export const objects: SendResult = { outcome: 'deferred', reply: '554 5.7.1 not you', reason: 'other' }
export const cutOff: SendResult = { outcome: 'unknown', reply: 'the connection broke', reason: 'other' }

type Input = {
  people: Iterable<string>
  post?: (email: string) => SendResult['outcome'] | SendResult | Promise<SendResult['outcome'] | SendResult>
  ask?: (email: string) => CheckResult | Promise<CheckResult>
  isHeld?: () => boolean | Promise<boolean>
  stop?: AbortController
  /** How long the store may be away; milliseconds. */
  patienceMs?: number
  limit?: number
  atOnce?: number
  now?: number
  policy?: Partial<ReminderPolicy>
  /** What differs in this run, and in its campaign. */
  change?: (usual: CampaignRun) => Partial<CampaignRun>
  campaign?: (usual: Campaign) => Partial<Campaign>
}

const postedOf = (given: SendResult['outcome'] | SendResult): SendResult => {
  if (typeof given !== 'string') return given
  if (given === 'sent') return { outcome: 'sent' }
  return { deferred: objects, failed: unknownRecipient, unknown: cutOff }[given]
}

type AllPeople = CampaignRun['people']

/** @param kept where people are kept; absent: in memory */
export function setUpRuns(kept?: AllPeople) {
  const known = new Map<string, Person>()
  const everyone: AllPeople = kept ?? {
    get: (email: string) => Promise.resolve(known.get(email)),
    change(email: string, change: (person: Person, isKnown: boolean) => Person): Promise<Person> {
      const before = known.get(email)
      const fresh = newPerson(email, 0)
      const after = change(before ?? fresh, before !== undefined)
      if (after !== fresh) known.set(email, after)
      return Promise.resolve(after)
    },
    addressAt: (email: string) => Promise.resolve(email),
    async *all() {
      yield* await Promise.resolve(known.values())
    },
  }

  async function run({ people, post = () => 'sent', ask, ...given }: Input) {
    const { stop = new AbortController(), isHeld = () => true } = given
    const { signal } = stop
    const now = () => given.now ?? Date.now()
    const tally = newTally()
    const trouble: string[] = []
    const shown: unknown[] = []
    const calls: string[] = []
    const list = Array.from(people, (email) => ({ email }))
    const usual: CampaignRun = {
      people: everyone,
      isHeld: () => Promise.resolve().then(isHeld),
      now,
      patienceMs: given.patienceMs ?? 0,
      check(email) {
        calls.push(email)
        return Promise.resolve(ask?.(email) ?? { kind: 'checked', unconnected: unconnectedApps })
      },
      send: async ({ to }) => postedOf(await post(to)),
      emailThrottle: new Throttle(Infinity, signal),
      events: {
        onWouldSend: (...all) => shown.push(all),
        onProblem: (email, what, detail) => trouble.push([email, what, detail].filter(Boolean).join(' ')),
      },
      atOnce: given.atOnce ?? 1,
      signal,
      tally,
    }
    const campaign: Campaign = {
      name: ONBOARDING,
      due: (person, at) => dueEmail(person, { ...policy, ...given.policy }, at),
      isAbout: () => true,
      compose: ({ email }) => Promise.resolve({ ...mail, to: email }),
      isPostponing: true,
    }
    let endedBy: Awaited<ReturnType<typeof sendInvitations>> | undefined
    let error: unknown
    try {
      endedBy = await sendInvitations(
        list,
        { ...usual, ...given.change?.(usual) },
        { ...campaign, ...given.campaign?.(campaign) },
        given.limit ?? Infinity,
      )
    } catch (reason) {
      error = reason
    }
    return { tally, trouble, shown, calls, error, endedBy }
  }
  return {
    run,
    everyone,
    /** What is written down of a person's email. */
    written: (email: string) => {
      const person = known.get(email)
      return person && campaignEmail(person, ONBOARDING, 0)?.state
    },
  }
}
