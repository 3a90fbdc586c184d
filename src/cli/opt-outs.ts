// Records bounces and opt-outs that a mailbox rule, a script or an operator reports. Audited as log lines on standard error.
import { userInfo } from 'node:os'
import { UsageError } from '@onramp/terminal/arguments'
import type { CommandContext } from '@onramp/terminal/command-context'
import { Registry } from 'prom-client'
import { normalizedAddress } from '../people/address.ts'
import { withMilestone, type EmailRecord, type Person } from '../people/person.ts'
import { loadWithoutClient, type Settings } from '../settings/settings.ts'
import { createAudit, createAuditIds, type Audit } from '../web/audit.ts'
import { createLog } from '../web/log.ts'
import { limitFaults, openList, readList } from './invite/list.ts'
import { openPeople, withStore } from './store.ts'

/** Users in a container may have no name. */
export function operatorName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.()}`
  }
}

/** Writes lines in the form of the audit log. */
export function createOperatorAudit(
  { INVITE_SECRET, SESSION_SECRET }: Settings,
  stderr: CommandContext['stderr'],
): Audit {
  const ids = createAuditIds(INVITE_SECRET ?? SESSION_SECRET, normalizedAddress)
  return createAudit(createLog('info', { write: (line) => void stderr.write(line) }), new Registry(), ids)
}

type AddressChange = {
  event: { event: 'bounced' } | { event: 'opted_out'; result: 'done' }
  change: (person: Person) => Person
  messages: { done: string; unchanged: string }
}

async function changeAddresses(
  emails: Iterable<string>,
  { event, change, messages }: AddressChange,
  context: CommandContext,
) {
  const { env, stdout, stderr, now } = context
  const settings = loadWithoutClient(env)
  const audit = createOperatorAudit(settings, stderr)
  await withStore(settings, async (records) => {
    const people = openPeople({ records, settings, now })
    for (const given of emails) {
      const email = await people.currentAddress(given)
      let isChanged = false
      await people.change(email, (before) => {
        const after = change(before)
        isChanged = after !== before
        return after
      })
      if (isChanged) audit({ ...event, email, operator: operatorName() })
      stdout.write(`${email}: ${isChanged ? messages.done : messages.unchanged}\n`)
    }
  })
}

/** Marks the newest email as rejected: it came back. The same object if nothing changes. */
function withBounce(person: Person): Person {
  const emails = person.campaigns.flatMap((campaign) => campaign.emails)
  const newest = emails
    .filter(({ state }) => state !== 'deferred')
    .reduce<EmailRecord | undefined>(
      (last, one) => (last !== undefined && last.at > one.at ? last : one),
      undefined,
    )
  if (newest === undefined || newest.state === 'failed') return person
  const marked = (one: EmailRecord): EmailRecord => (one === newest ? { ...one, state: 'failed' } : one)
  const campaigns = person.campaigns.map((one) => ({ ...one, emails: one.emails.map(marked) }))
  return { ...person, campaigns }
}

const BOUNCED: AddressChange = {
  event: { event: 'bounced' },
  change: withBounce,
  messages: { done: 'marked as bounced', unchanged: 'unchanged: no email to them, or marked before' },
}

export async function bounced(
  emails: readonly string[],
  { list: file }: { list?: string | undefined },
  context: CommandContext,
): Promise<number> {
  if (emails.length === 0 && file === undefined) throw new UsageError('EMAIL or --list is missing')
  const list = file === undefined ? undefined : openList(file, context.stdin)
  const { people = [], faults = [] } = list ? await readList(list, true, { write: () => {} }) : {}
  const all = new Set([...emails, ...people.map(({ email }) => email)])
  for (const fault of limitFaults(faults)) context.stderr.write(`${fault}\n`)
  await changeAddresses(all, BOUNCED, context)
  return faults.length > 0 ? 1 : 0
}

export async function optOut(email: string, context: CommandContext): Promise<number> {
  const change = (person: Person) => withMilestone(person, 'optedOutAt', context.now())
  const messages = { done: 'gets no more emails', unchanged: 'unchanged: had opted out before' }
  await changeAddresses([email], { event: { event: 'opted_out', result: 'done' }, change, messages }, context)
  return 0
}
