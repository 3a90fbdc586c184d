// The command `onramp deprecations diff`: compares two schedules by id. What moved earlier is an error: a client's team planned
// with the later date.
import { isDeepStrictEqual } from 'node:util'
import type { CliParts } from '../command-line/parts.ts'
import { printable } from '../command-line/printable.ts'
import { painterFor } from '../command-line/terminal.ts'
import { counted, daysBetween, titleOf, type Day, type Entry, type Schedule } from '../schedule/schedule.ts'

type Change =
  | { kind: 'added' | 'withdrawn'; entry: Entry }
  | { kind: 'later' | 'earlier'; entry: Entry; from: Day; to: Day; days: number }
  | { kind: 'reworded'; entry: Entry; members: string[] }

const changesOf = (before: Entry | undefined, entry: Entry): Change[] => {
  if (before === undefined) return [{ kind: 'added', entry }]
  const { removal: from, ...old } = before
  const { removal: to, ...now } = entry
  const days = daysBetween(from, to)
  const moved: Change[] = days === 0 ? [] : [{ kind: days > 0 ? 'later' : 'earlier', entry, from, to, days }]
  const [was, is] = [new Map(Object.entries(old)), new Map(Object.entries(now))]
  const members = [...new Map([...was, ...is]).keys()].filter(
    (name) => !isDeepStrictEqual(was.get(name), is.get(name)),
  )
  return members.length === 0 ? moved : [...moved, { kind: 'reworded', entry, members }]
}

/** What changed from one schedule to another, in the order of the new one, withdrawn entries last. */
const compareSchedules = (old: Schedule, now: Schedule): Change[] => {
  const [before, after] = [old, now].map((entries) => new Map(entries.map((entry) => [entry.id, entry])))
  const withdrawn = old.filter(({ id }) => after?.has(id) === false)
  return [
    ...now.flatMap((entry) => changesOf(before?.get(entry.id), entry)),
    ...withdrawn.map((entry): Change => ({ kind: 'withdrawn', entry })),
  ]
}

const textOf = (change: Change): string => {
  const { kind, entry } = change
  const item = `${entry.id}: ${titleOf(entry)}`
  if ('members' in change) return `changed    ${item}: ${change.members.join(', ')}`
  if (kind === 'added') return `added      ${item}, removal on ${entry.removal}`
  if (!('days' in change)) return `withdrawn  ${item}`
  const { from, to, days } = change
  const word = kind === 'earlier' ? 'EARLIER' : 'moved  '
  return `${word}    ${item}, from ${from} to ${to} (${counted(Math.abs(days), 'day')} ${kind})`
}

/** Compares two schedules. Returns 1 when an item moved earlier, else 0. */
export function diff(old: Schedule, now: Schedule, json: boolean, { stdout, stderr, env }: CliParts): number {
  const changes = compareSchedules(old, now)

  const errors = changes.filter(({ kind }) => kind === 'earlier').length
  const { red } = painterFor(stdout, env)
  const lines = changes.map((change) => {
    const line = printable(textOf(change))
    return `${change.kind === 'earlier' ? red(line) : line}\n`
  })
  if (json) stdout.write(`${JSON.stringify({ errors, changes }, null, 2)}\n`)
  else stdout.write(lines.join('') || 'The schedules are the same.\n')
  if (errors > 0) stderr.write(`${counted(errors, 'removal')} moved earlier: update your plans.\n`)
  return errors > 0 ? 1 : 0
}
