// Compares two schedules by id. What moved earlier is an error: a client's team planned with the later date.
import { isDeepStrictEqual } from 'node:util'
import { counted, daysBetween, titleOf, type Day, type Entry, type Schedule } from './schedule.ts'
import { printable } from '../command-line/printable.ts'
import type { Paint } from '../command-line/terminal.ts'

type Change =
  | { kind: 'added' | 'withdrawn'; entry: Entry }
  | { kind: 'later' | 'earlier'; entry: Entry; from: Day; to: Day; days: number }
  | { kind: 'reworded'; entry: Entry; members: string[] }

const changesOf = (before: Entry, entry: Entry): Change[] => {
  const changes: Change[] = []
  const [from, to] = [before.removal, entry.removal]
  const days = daysBetween(from, to)
  if (days !== 0) changes.push({ kind: days > 0 ? 'later' : 'earlier', entry, from, to, days })
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(entry))]
  // The date is a change of its own, so it is not among the members.
  const names = new Set([...old.keys(), ...now.keys()].filter((name) => name !== 'removal'))
  const members = [...names].filter((name) => !isDeepStrictEqual(old.get(name), now.get(name)))
  if (members.length > 0) changes.push({ kind: 'reworded', entry, members })
  return changes
}

/** What changed from one schedule to another, in the order of the new one, withdrawn entries last. */
export const compareSchedules = (old: Schedule, now: Schedule): Change[] => {
  const before = new Map(old.map((entry) => [entry.id, entry]))
  const changes = now.flatMap((entry): Change[] => {
    const known = before.get(entry.id)
    before.delete(entry.id)
    return known === undefined ? [{ kind: 'added', entry }] : changesOf(known, entry)
  })
  return [...changes, ...[...before.values()].map((entry): Change => ({ kind: 'withdrawn', entry }))]
}

/** Whether a change breaks the plan of a client's team. */
export const isError = ({ kind }: Change): boolean => kind === 'earlier'

const textOf = (change: Change): string => {
  const item = `${change.entry.id}: ${titleOf(change.entry)}`
  switch (change.kind) {
    case 'added':
      return `added      ${item}, removal on ${change.entry.removal}`
    case 'withdrawn':
      return `withdrawn  ${item}`
    case 'later':
      return `moved      ${item}, from ${change.from} to ${change.to} (${counted(change.days, 'day')} later)`
    case 'earlier':
      return `EARLIER    ${item}, from ${change.from} to ${change.to} (${counted(-change.days, 'day')} earlier)`
    case 'reworded':
      return `changed    ${item}: ${change.members.join(', ')}`
  }
}

/** The changes as text, one a line. */
export const diffText = (changes: readonly Change[], { red }: Paint): string => {
  if (changes.length === 0) return 'The schedules are the same.\n'
  const lines = changes.map((change) => {
    const line = printable(textOf(change))
    return `${isError(change) ? red(line) : line}\n`
  })
  return lines.join('')
}
