// Runs of one campaign: the real lease, ledger and delivery over the simulated store, the real questions to the service,
// and a mail server that may take an email and lose its answer. Composing an email is left out.
import { createPersonCheck } from '../../src/campaigns/person-check.ts'
import type { SendResult } from '../../src/campaigns/mail/send-result.ts'
import { Throttle } from '../../src/campaigns/throttle.ts'
import { People } from '../../src/people/people.ts'
import { withCampaignLease } from '../../src/cli/invite/lease.ts'
import { ServiceClient } from '../../src/client-api/client.ts'
import { createKeyRing } from '../../src/records/data-key.ts'
import { office } from '../campaigns/office.ts'
import { current, Dead, within, type Process } from './machine.ts'
import { settings, sharedStore } from './processes.ts'
import type { Rules } from './rules.ts'
import { GLOBAL_TOKEN, type World } from './world.ts'

const now = () => current().now
const clientApi = new ServiceClient({ baseUrl: settings.SERVICE_BASE_URL })

type Around = { world: World; rules: Rules }

/** One run, as `onramp invite send` makes it, in a process of its own. */
export function startCampaign(process: Process, around: Around): void {
  within.run(process, () => {
    run(around).then(
      (end) => current().note(`${process.name} ends: ${end}`),
      (error: unknown) => {
        if (!(error instanceof Dead)) current().note(`${process.name} ends: ${(error as Error).name}`)
      },
    )
  })
}

async function run(around: Around): Promise<string> {
  const end = await withCampaignLease(sharedStore.records, { write: () => true }, (isHeld) =>
    sendAll(around, isHeld),
  )
  return end ?? 'locked'
}

async function sendAll({ world, rules }: Around, isHeld: () => Promise<boolean>): Promise<string> {
  const { records } = sharedStore
  const { signal } = new AbortController()
  const keyRing = createKeyRing(records, settings.SESSION_SECRET, now)
  const ask = createPersonCheck({
    unconnectedApps: (actAs) =>
      clientApi.unconnectedApps({ kind: 'global-token', token: GLOBAL_TOKEN, actAs }),
    throttle: new Throttle(1_000, { now, signal }),
    signal,
  })
  const { people } = world.service
  const everyone = new People({ records, keyRing, retentionDays: 90, now })
  const { endedBy, error } = await office(everyone).run({
    // Who is on a list twice is one person.
    people: [...people, ...people].map(({ email }) => email),
    ask,
    post: (to) => post(to, rules),
    isHeld,
    patienceMs: 10_000,
    atOnce: 2,
  })
  if (endedBy === undefined) throw error
  return endedBy
}

/** An email leaves: it arrives, or not; and what becomes of it is told, or not. */
function post(to: string, rules: Rules): Promise<SendResult> {
  const { random, now: at } = current()
  const process = within.getStore()
  return new Promise((resolve, reject) => {
    const drop = () => reject(new Dead())
    const run = () => {
      const fate = random.next()
      if (fate < 0.05) return resolve({ outcome: 'deferred', reply: '450 not now', reason: 'recipient' })
      if (fate < 0.95) rules.delivered(to)
      const unknown = { outcome: 'unknown', reply: 'the connection broke', reason: 'other' } as const
      const posted: SendResult = fate < 0.85 ? { outcome: 'sent' } : unknown
      current().add({ at: current().now + random.below(50), process, drop, run: () => resolve(posted) })
    }
    const what = `${process?.name ?? ''} sends an email to ${to.split('-', 1)[0] ?? ''}`
    current().add({ at: at + random.below(50), process, run, drop, what })
  })
}
