// onramp person rename: gives a person, or those in a file, a new address. Audits it on standard error.
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { UsageError } from '@onramp/terminal/arguments'
import type { CommandContext } from '@onramp/terminal/command-context'
import type { AddressChange } from '../campaigns/listed-people.ts'
import { quoteCell } from '../campaigns/people-columns.ts'
import { addressToInvite, normalizedAddress } from '../people/address.ts'
import { readCsv } from '../people/csv.ts'
import { PersonUnreadable, type PeopleStore } from '../people/people-store.ts'
import { withAction, type Person } from '../people/person.ts'
import { loadSettingsWithoutClient } from '../settings/settings.ts'
import { COMMAND } from '../version.ts'
import type { Audit } from '../web/audit.ts'
import { openList } from './invite/list.ts'
import { createOperatorAudit, operatorName } from './operator.ts'
import { openPeople, withStore } from './store.ts'

/** `where`: the line in the file, for messages. */
type Rename = AddressChange & { where: string }

export async function rename(
  [from, to]: readonly (string | undefined)[],
  { file }: { file?: string | undefined },
  context: CommandContext,
): Promise<number> {
  const { env, stdout, stderr, now } = context
  const isOne = from !== undefined && to !== undefined
  if (isOne === (file !== undefined)) throw new UsageError('expects OLD and NEW, or --file FILE')
  const settings = loadSettingsWithoutClient(env)
  const faults: string[] = []
  const renames = isOne ? [{ from, to, where: '' }] : await readRenames(file ?? '', context, faults)
  await withStore(settings, async (records) => {
    const people = openPeople({ records, settings, now })
    const onDone = (change: Rename) => void stdout.write(`${change.from}: is ${change.to} now\n`)
    const audit = createOperatorAudit(settings, stderr)
    for (const change of renames) {
      const current = await people.currentAddress(change.from)
      if (current !== normalizedAddress(change.to)) change.from = current
    }
    for (const change of await renameAll(people, renames, { audit, now, onDone }))
      if (change.outcome === 'unchanged') stdout.write(`${change.fault}\n`)
      else faults.push(change.where + change.fault)
  })
  for (const fault of faults) stderr.write(`${fault}\n`)
  return faults.length > 0 ? 1 : 0
}

/** Applies renames. Repeats refused ones, because a rename may free another's new address. @returns refused renames */
export async function renameAll<R extends AddressChange>(
  people: Pick<PeopleStore, 'rename'>,
  all: readonly R[],
  options: {
    audit: Audit
    now: () => number
    onDone: (change: R) => void
    /** If absent, an operator says that these addresses are one person's. */
    by?: 'list'
  },
): Promise<(R & { outcome: keyof typeof FAULTS; fault: string })[]> {
  const { audit, now, onDone, by: source } = options
  const by = operatorName()
  const change = (person: Person): Person => {
    const renamedPerson = withAction(person, { at: now(), what: 'renamed', by })
    return source === 'list' ? renamedPerson : { ...renamedPerson, hasUnlistedAddress: true }
  }
  const refused: (R & { outcome: keyof typeof FAULTS; fault: string })[] = []
  for (const requestedChange of all) {
    const { from, to } = requestedChange
    const isMoving = all.some((other) => other.from === to)
    const outcome = await people.rename(from, to, { change, by: source }).catch((error: unknown) => {
      if (!(error instanceof PersonUnreadable)) throw error
      return 'unreadable' as const
    })
    if (outcome === 'renamed') {
      audit({ event: 'renamed', result: 'done', email: to, former: from, operator: by })
      onDone(requestedChange)
    } else {
      const fault =
        outcome === 'taken' && source === 'list'
          ? takenOnListFault(to, isMoving)
          : FAULTS[outcome](to, isMoving)
      refused.push({ ...requestedChange, outcome, fault: `${from}: unchanged: ${fault}` })
    }
  }
  return refused.length === all.length ? refused : await renameAll(people, refused, options)
}

const THIRD_ADDRESS = 'rename that person first (to swap addresses, use a third one)'
const deleteNewer = (to: string, isMoving: boolean) =>
  isMoving
    ? ''
    : `, or if it is the same person, delete the newer data, and any opt-out with it: "${COMMAND} invite forget ${to}"`
const takenOnListFault = (to: string, isMoving: boolean) =>
  `${to} has data of its own, and two people never become one. If only the ids are wrong, correct them, or leave \`id\` empty in these rows. Otherwise, ${THIRD_ADDRESS}${deleteNewer(to, isMoving)}`

const FAULTS = {
  unchanged: (to: string) => `is ${to} already`,
  unknown: () => 'there is no data for this address',
  taken: (to: string, isMoving: boolean) =>
    `${to} has data of its own, and two people never become one: ${THIRD_ADDRESS}${deleteNewer(to, isMoving)}`,
  unreadable: (to: string) => `what is stored about it or ${to} can't be read: "${COMMAND} doctor"`,
}

/** @param faults gets the unreadable lines */
async function readRenames(file: string, { stdin }: CommandContext, faults: string[]): Promise<Rename[]> {
  const renames: Rename[] = []
  let lines = 0
  const whole = await text(Readable.from(openList(file, stdin)))
  for await (const { line, cells } of readCsv('csv', whole, Readable.from([whole]))) {
    lines++
    const [from, to, ...more] = cells.map((cell) => addressToInvite(cell))
    const isHeader = renames.length + faults.length === 0 && !cells.join('').includes('@')
    if (from !== undefined && to !== undefined && more.length === 0)
      renames.push({ from, to, where: `line ${line}: ` })
    else if (!isHeader)
      faults.push(
        `line ${line}: expects two addresses, the former and the new one: ${cells.map(quoteCell).join(', ')}`,
      )
  }
  if (lines === 0) throw new UsageError('--file: the file is empty')
  return renames
}
