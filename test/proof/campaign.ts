// Runs of one campaign: the real lease, ledger and delivery over the simulated store, real checks at the service, and a
// mail server that may take an email and lose its response. Emails aren't composed.
import { createPersonCheck } from '../../src/campaigns/person-check.ts'
import type { SendResult } from '../../src/campaigns/mail/send-result.ts'
import { Throttle } from '../../src/campaigns/throttle.ts'
import { PeopleStore } from '../../src/people/people-store.ts'
import { withCampaignLease } from '../../src/cli/invite/lease.ts'
import { ServiceClient } from '../../src/client-api/client.ts'
import { createKeyRing } from '../../src/records/data-key.ts'
import { setUpSendRuns } from '../campaigns/run-fixture.ts'
import { current, Dead, within, type Process } from './machine.ts'
import { settings, sharedStore } from './processes.ts'
import type { Rules } from './rules.ts'
import { GLOBAL_TOKEN, type World } from './world.ts'

const now = () => current().now
const serviceClient = new ServiceClient({ baseUrl: settings.SERVICE_BASE_URL })

/** One run of `onramp invite send` in a separate process. */
export function startCampaign(process: Process, world: World, rules: Rules): void {
  within.run(process, () => {
    run(world, rules).then(
      (end) => current().note(`${process.name} ends: ${end}`),
      (error: unknown) => {
        if (!(error instanceof Dead)) current().note(`${process.name} ends: ${(error as Error).name}`)
      },
    )
  })
}

async function run(world: World, rules: Rules): Promise<string> {
  const end = await withCampaignLease(sharedStore.records, (holdsLease) => sendAll(world, rules, holdsLease))
  return end ?? 'locked'
}

async function sendAll(world: World, rules: Rules, holdsLease: () => Promise<boolean>): Promise<string> {
  const { records } = sharedStore
  const { signal } = new AbortController()
  const keyRing = createKeyRing(records, settings.SESSION_SECRET, now)
  const ask = createPersonCheck({
    shownApps: (apps) => apps,
    unconnectedAppsOf: (actAs) =>
      serviceClient.unconnectedApps({ kind: 'global-token', token: GLOBAL_TOKEN, actAs }),
    throttle: new Throttle(1_000, signal),
    signal,
  })
  const emails = world.service.people.map(({ email }) => email)
  const people = new PeopleStore({ records, keyRing, retentionDays: 90, now })
  const { endedBy, error } = await setUpSendRuns(people).run({
    // An address that is on the list twice is one person.
    people: [...emails, ...emails],
    check: ask,
    send: (to) => post(to, rules),
    holdsLease,
    maxOutageMs: 10_000,
    maxConcurrent: 2,
  })
  if (endedBy === undefined) throw error
  return endedBy
}

/** Sends an email: it may be lost, and so may the response. */
function post(to: string, rules: Rules): Promise<SendResult> {
  const { random, now: at } = current()
  const process = within.getStore()
  return new Promise((resolve, reject) => {
    const drop = () => reject(new Dead())
    const settle = () => {
      const fate = random.next()
      if (fate < 0.05) return resolve({ outcome: 'deferred', reply: '450 not now', reason: 'recipient' })
      if (fate < 0.95) rules.delivered(to)
      const unknown = { outcome: 'unknown', reply: 'the connection broke', reason: 'other' } as const
      const result: SendResult = fate < 0.85 ? { outcome: 'sent' } : unknown
      current().add({ at: current().now + random.below(50), process, drop, run: () => resolve(result) })
    }
    const what = `${process?.name ?? ''} sends an email to ${to.split('-', 1)[0] ?? ''}`
    current().add({ at: at + random.below(50), process, run: settle, drop, what })
  })
}
