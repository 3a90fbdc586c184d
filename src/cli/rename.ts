// onramp person rename: a person's new address, or those of a file. Audited as log lines on standard error.
import { UsageError } from '@onramp/terminal/arguments'
import type { CommandContext } from '@onramp/terminal/command-context'
import { quoteCell } from '../campaigns/people-columns.ts'
import { addressToInvite } from '../people/address.ts'
import { readCsv } from '../people/csv.ts'
import { PersonUnreadable, type People } from '../people/people.ts'
import { withAction } from '../people/person.ts'
import { loadWithoutClient } from '../settings/settings.ts'
import { COMMAND } from '../version.ts'
import { openList } from './invite/list.ts'
import { createOperatorAudit, operatorName } from './opt-outs.ts'
import { openPeople, withStore } from './store.ts'

/** `where`: its line of the file, for messages. */
type Rename = { from: string; to: string; where: string }

type Outcome = Awaited<ReturnType<People['rename']>> | 'unreadable'

export async function rename(
  [from, to]: readonly string[],
  { file }: { file?: string | undefined },
  context: CommandContext,
): Promise<number> {
  const { env, stdout, stderr, now } = context
  const isOne = from !== undefined && to !== undefined
  if (isOne === (file !== undefined)) throw new UsageError('expects OLD and NEW, or --file FILE')
  const settings = loadWithoutClient(env)
  const audit = createOperatorAudit(settings, stderr)
  const faults: string[] = []
  const read = isOne ? [{ from, to, where: '' }] : await readRenames(file ?? '', context, faults)
  await withStore(settings, async (records) => {
    const people = openPeople({ records, settings, now })
    const onDone = (one: Rename) => {
      audit({ event: 'renamed', result: 'done', email: one.to, former: one.from, operator: operatorName() })
      stdout.write(`${one.from}: is ${one.to} now\n`)
    }
    for (const { from, to, where, outcome } of await renameAll(people, read, now, onDone))
      if (outcome === 'unknown' && (await people.get(to))?.formerEmails?.includes(from) === true)
        stdout.write(`${from}: unchanged: was ${to} before\n`)
      else faults.push(`${where}${explain(outcome, from, to)}`)
  })
  for (const fault of faults) stderr.write(`${fault}\n`)
  return faults.length > 0 ? 1 : 0
}

/** Again while it helps: an address may be free once its person has a new one. @returns those that are refused */
async function renameAll(
  people: Pick<People, 'rename'>,
  all: readonly Rename[],
  now: () => number,
  onDone: (one: Rename) => void,
): Promise<(Rename & { outcome: Outcome })[]> {
  const refused: (Rename & { outcome: Outcome })[] = []
  for (const one of all) {
    const action = { at: now(), what: 'renamed', by: operatorName() } as const
    const outcome = await people
      .rename(one.from, one.to, (person) => withAction(person, action))
      .catch((error: unknown): Outcome => {
        if (!(error instanceof PersonUnreadable)) throw error
        return 'unreadable'
      })
    if (outcome === 'renamed') onDone(one)
    else refused.push({ ...one, outcome })
  }
  return refused.length === all.length ? refused : await renameAll(people, refused, now, onDone)
}

const explain = (outcome: Outcome, from: string, to: string): string =>
  outcome === 'taken'
    ? `${from}: unchanged: ${to} has data of its own, and two people never become one. If it is the same person, "${COMMAND} invite forget ${to}" deletes the newer data first`
    : outcome === 'unknown'
      ? `${from}: unchanged: there is no data for this address`
      : `${from}: unchanged: what is stored about ${from} or ${to} can't be read: ${COMMAND} doctor`

/** @param faults gets the lines that can't be read */
async function readRenames(file: string, { stdin }: CommandContext, faults: string[]): Promise<Rename[]> {
  const renames: Rename[] = []
  const bytes = openList(file, stdin)
  const text = new TextDecoder('utf-8')
  let whole = ''
  for await (const chunk of bytes) whole += text.decode(Buffer.from(chunk), { stream: true })
  const lines = (async function* () {
    yield await Promise.resolve(whole)
  })()
  for await (const { line, cells } of readCsv('csv', whole, lines)) {
    const [from, to, ...more] = cells.map((cell) => addressToInvite(cell))
    const isHeader = renames.length + faults.length === 0 && !cells.join('').includes('@')
    if (from !== undefined && to !== undefined && more.length === 0)
      renames.push({ from, to, where: `line ${line}: ` })
    else if (!isHeader)
      faults.push(
        `line ${line}: expects two addresses, the former and the new one: ${cells.map(quoteCell).join(', ')}`,
      )
  }
  return renames
}
