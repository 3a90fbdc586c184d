// Fixture: runs of `invite send` over the same people, with functions in place of the service and the mail server.
import type { ListedApp } from '../../src/client-api/responses.ts'
import type { createPersonCheck } from '../../src/campaigns/person-check.ts'
import {
  decideOnboardingEmail,
  campaignEmail,
  ONBOARDING,
  type ReminderPolicy,
} from '../../src/campaigns/campaign.ts'
import type { Campaign, RunDeps } from '../../src/campaigns/delivery.ts'
import type { SendResult } from '../../src/campaigns/mail/send-result.ts'
import { Throttle } from '../../src/campaigns/throttle.ts'
import { sendInvitations } from '../../src/campaigns/delivery.ts'
import { newTally } from '../../src/campaigns/tally.ts'
import { newPerson, type Person } from '../../src/people/person.ts'
import { newKeepState } from '../helpers/people.ts'
import { mail } from './sample-email.ts'

type CheckResult = Awaited<ReturnType<ReturnType<typeof createPersonCheck>>>

export const unconnectedApps: ListedApp[] = [{ instance: 'slack_1', name: 'Slack', status: 'awaiting' }]

export const policy: ReminderPolicy = { uncertain: 'wait', checkValidMs: 0 }

export const unknownRecipient: SendResult = {
  outcome: 'failed',
  reply: '550 5.1.1 unknown',
  reason: 'recipient',
}
export const greylisted: SendResult = { outcome: 'deferred', reply: '450 4.2.0 later', reason: 'recipient' }
export const senderRejected: SendResult = { outcome: 'deferred', reply: '554 5.7.1 not you', reason: 'other' }
export const connectionLost: SendResult = {
  outcome: 'unknown',
  reply: 'the connection broke',
  reason: 'other',
}

type Input = {
  people: Iterable<string>
  send?: (email: string) => SendResult['outcome'] | SendResult | Promise<SendResult['outcome'] | SendResult>
  check?: (email: string) => CheckResult | Promise<CheckResult>
  holdsLease?: () => boolean | Promise<boolean>
  stop?: AbortController
  /** Tolerated outage of the store, in milliseconds. */
  maxOutageMs?: number
  limit?: number
  maxConcurrent?: number
  now?: number
  policy?: Partial<ReminderPolicy>
  /** Overrides of the run and of its campaign. */
  overrideDeps?: (usual: RunDeps) => Partial<RunDeps>
  overrideCampaign?: (usual: Campaign) => Partial<Campaign>
}

const sendResultOf = (outcome: SendResult['outcome'] | SendResult): SendResult => {
  if (typeof outcome !== 'string') return outcome
  if (outcome === 'sent') return { outcome: 'sent' }
  return { deferred: senderRejected, failed: unknownRecipient, unknown: connectionLost }[outcome]
}

type AllPeople = RunDeps['people']

/** @param store (default: in memory) */
export function setUpSendRuns(store?: AllPeople) {
  const records = new Map<string, Person>()
  const peopleStore: AllPeople = store ?? {
    get: (email: string) => Promise.resolve(records.get(email)),
    change(email: string, change: (person: Person, isKnown: boolean) => Person): Promise<Person> {
      const before = records.get(email)
      const fresh = newPerson(email, 0)
      const after = change(before ?? fresh, before !== undefined)
      if (after !== fresh) records.set(email, after)
      return Promise.resolve(after)
    },
    addressAt: (email: string) => Promise.resolve(email),
    shownApps: (apps) => apps,
    async *all() {
      yield* await Promise.resolve(records.values())
    },
  }

  async function run({ people, send = () => 'sent', check, ...options }: Input) {
    const { stop = new AbortController(), holdsLease = () => true } = options
    const { signal } = stop
    const now = () => options.now ?? Date.now()
    const tally = newTally()
    const problems: string[] = []
    const dryRunEmails: unknown[] = []
    const calls: string[] = []
    const list = Array.from(people, (email) => ({ email }))
    const defaults: RunDeps = {
      people: peopleStore,
      holdsLease: () => Promise.resolve().then(holdsLease),
      now,
      maxOutageMs: options.maxOutageMs ?? 0,
      check(email) {
        calls.push(email)
        return Promise.resolve(check?.(email) ?? { kind: 'checked', unconnected: unconnectedApps })
      },
      send: async ({ to }) => sendResultOf(await send(to)),
      emailThrottle: new Throttle(Infinity, signal),
      events: {
        onWouldSend: (...all) => dryRunEmails.push(all),
        onProblem: (email, what, detail) => problems.push([email, what, detail].filter(Boolean).join(' ')),
      },
      maxConcurrent: options.maxConcurrent ?? 1,
      signal,
      tally,
    }
    const campaign: Campaign = {
      name: ONBOARDING,
      decide: (person, at) => decideOnboardingEmail(person, { ...policy, ...options.policy }, at),
      isAbout: () => true,
      compose: ({ email }) => ({ ...mail, to: email }),
      state: newKeepState(),
      postponesFailedChecks: true,
    }
    let endedBy: Awaited<ReturnType<typeof sendInvitations>> | undefined
    let error: unknown
    try {
      endedBy = await sendInvitations(
        list,
        { ...defaults, ...options.overrideDeps?.(defaults) },
        { ...campaign, ...options.overrideCampaign?.(campaign) },
        options.limit ?? Infinity,
      )
    } catch (reason) {
      error = reason
    }
    return { tally, problems, dryRunEmails, calls, error, endedBy }
  }
  return {
    run,
    peopleStore,
    /** The recorded state of a person's email. */
    storedEmailState: (email: string) => {
      const person = records.get(email)
      return person && campaignEmail(person, ONBOARDING, 0)?.state
    },
  }
}
