// Compares two schedules by id. What moved earlier is an error: somebody planned with the later date.
import { daysBetween, titleOf, type Entry, type Schedule } from './schedule.ts'
import { printable } from '../command-line/printable.ts'
import { counted, type Painter } from './words.ts'

export type Change =
  | { kind: 'added' | 'withdrawn'; entry: Entry }
  | { kind: 'later' | 'earlier'; entry: Entry; from: string; to: string; days: number }
  | { kind: 'reworded'; entry: Entry; members: string[] }

const text = (value: unknown) => JSON.stringify(value)

// The date is a change of its own, so it is not among the members.
const membersThatDiffer = (before: Entry, after: Entry): string[] => {
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))]
  const names = new Set([...old.keys(), ...now.keys()])
  return [...names].filter((name) => name !== 'removal' && text(old.get(name)) !== text(now.get(name)))
}

const changesOf = (before: Entry, after: Entry): Change[] => {
  const [from, to] = [before.removal, after.removal]
  const days = daysBetween(from, to)
  const members = membersThatDiffer(before, after)
  return [
    ...(days === 0
      ? []
      : [{ kind: days > 0 ? ('later' as const) : ('earlier' as const), entry: after, from, to, days }]),
    ...(members.length === 0 ? [] : [{ kind: 'reworded' as const, entry: after, members }]),
  ]
}

/** What changed from one schedule to another, in the order of the new one, withdrawn entries last. */
export const compareSchedules = (old: Schedule, now: Schedule): Change[] => {
  const before = new Map(old.map((entry) => [entry.id, entry]))
  const ids = new Set(now.map(({ id }) => id))
  const changes = now.flatMap((entry): Change[] => {
    const known = before.get(entry.id)
    return known === undefined ? [{ kind: 'added', entry }] : changesOf(known, entry)
  })
  const withdrawn = old
    .filter(({ id }) => !ids.has(id))
    .map((entry): Change => ({ kind: 'withdrawn', entry }))
  return [...changes, ...withdrawn]
}

/** Whether a change breaks somebody's plan. */
export const isError = ({ kind }: Change): boolean => kind === 'earlier'

const sayChange = (change: Change): string => {
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
export const diffText = (changes: readonly Change[], { red }: Painter): string => {
  if (changes.length === 0) return 'The schedules are the same.\n'
  const lines = changes.map((change) => {
    const line = printable(sayChange(change))
    return `${isError(change) ? red(line) : line}\n`
  })
  return lines.join('')
}
