// Records bounces and opt-outs that a mailbox rule, a script or an operator reports. Audits them on standard error.
import { UsageError } from '@onramp/terminal/arguments'
import type { CommandContext } from '@onramp/terminal/command-context'
import { normalizedAddress } from '../people/address.ts'
import { withAction, withMilestone, type EmailRecord, type Person } from '../people/person.ts'
import { loadSettingsWithoutClient } from '../settings/settings.ts'
import { limitFaults, openList, readList } from './invite/list.ts'
import { createOperatorAudit, operatorName } from './operator.ts'
import { openPeople, withStore } from './store.ts'

async function changeAddresses(
  emails: Iterable<string>,
  how: {
    event: { event: 'bounced' } | { event: 'opted_out'; result: 'done' }
    /** @param address as given, perhaps a former one */
    change: (person: Person, now: number, address: string) => Person
    messages: { done: string; unchanged: string }
  },
  context: CommandContext,
) {
  const { event, change, messages } = how
  const { env, stdout, stderr, now } = context
  const settings = loadSettingsWithoutClient(env)
  const audit = createOperatorAudit(settings, stderr)
  await withStore(settings, async (records) => {
    const people = openPeople({ records, settings, now })
    for (const address of emails) {
      const email = await people.currentAddress(address)
      const action = { at: now(), what: event.event, by: operatorName() }
      let isChanged = false
      await people.change(email, (person) => {
        const changedPerson = change(person, action.at, normalizedAddress(address))
        isChanged = changedPerson !== person
        return isChanged ? withAction(changedPerson, action) : person
      })
      if (isChanged) audit({ ...event, email, operator: action.by })
      stdout.write(`${email}: ${isChanged ? messages.done : messages.unchanged}\n`)
    }
  })
}

/**
 * Marks the newest email as rejected, because it came back. If a former address rejected it, it is sent again.
 * @returns the same object if nothing changes
 */
function withBounce(person: Person, _now: number, address: string): Person {
  const { email, formerEmails = [], actions = [] } = person
  const renames = actions.filter(({ what }) => what === 'renamed')
  const nth = formerEmails.lastIndexOf(address) - formerEmails.length
  const leftAt = address === email ? Infinity : (renames.at(nth)?.at ?? -Infinity)
  const emails = person.campaigns.flatMap((campaign) => campaign.emails)
  // A deferred email wasn't sent to the present address. A former one may have rejected it.
  const sentEmails = emails.filter(({ state }) => address !== email || state !== 'deferred')
  const newest = sentEmails.toSorted((one, other) => one.at - other.at).at(-1)
  if (newest === undefined || newest.state === 'failed' || newest.state === 'deferred') return person
  // A newer email went to another address.
  if (newest.at >= leftAt) return person
  const change =
    address === email ? ({ state: 'failed' } as const) : ({ state: 'deferred', wasRejected: true } as const)
  const withOutcome = (one: EmailRecord): EmailRecord => (one === newest ? { ...one, ...change } : one)
  const campaigns = person.campaigns.map((one) => ({ ...one, emails: one.emails.map(withOutcome) }))
  return { ...person, campaigns }
}

export async function markBounced(
  emails: readonly string[],
  { list: file }: { list?: string | undefined },
  context: CommandContext,
): Promise<number> {
  if (emails.length === 0 && file === undefined) throw new UsageError('EMAIL or --list is missing')
  const list = file === undefined ? undefined : openList(file, context.stdin)
  const { people = [], faults = [] } = list ? await readList(list, true, { write: () => {} }) : {}
  const addresses = new Set([...emails, ...people.map(({ email }) => email)])
  for (const fault of limitFaults(faults)) context.stderr.write(`${fault}\n`)
  const messages = {
    done: 'marked as bounced',
    unchanged: 'unchanged: no email to that address, or marked before',
  }
  await changeAddresses(addresses, { event: { event: 'bounced' }, change: withBounce, messages }, context)
  return faults.length > 0 ? 1 : 0
}

export async function optOut(email: string, context: CommandContext): Promise<number> {
  const change = (person: Person, now: number) => withMilestone(person, 'optedOutAt', now)
  const messages = { done: 'gets no more emails', unchanged: 'unchanged: had opted out before' }
  await changeAddresses([email], { event: { event: 'opted_out', result: 'done' }, change, messages }, context)
  return 0
}
