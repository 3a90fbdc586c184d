// Compares two schedules by id. What moved earlier is an error: a client's team planned with the later date.
import { isDeepStrictEqual } from 'node:util'
import { printable } from '../command-line/printable.ts'
import type { Paint } from '../command-line/terminal.ts'
import { counted, daysBetween, titleOf, type Day, type Entry, type Schedule } from './schedule.ts'

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
export const compareSchedules = (old: Schedule, now: Schedule): Change[] => {
  const [before, after] = [old, now].map((entries) => new Map(entries.map((entry) => [entry.id, entry])))
  const withdrawn = old.filter(({ id }) => after?.has(id) === false)
  return [
    ...now.flatMap((entry) => changesOf(before?.get(entry.id), entry)),
    ...withdrawn.map((entry): Change => ({ kind: 'withdrawn', entry })),
  ]
}

/** Whether a change breaks the plan of a client's team. */
export const isError = ({ kind }: Change): boolean => kind === 'earlier'

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

/** The changes as text, one a line. */
export const diffText = (changes: readonly Change[], { red }: Paint): string => {
  if (changes.length === 0) return 'The schedules are the same.\n'
  return changes
    .map((change) => ({ line: printable(textOf(change)), paint: isError(change) ? red : String }))
    .map(({ line, paint }) => `${paint(line)}\n`)
    .join('')
}
