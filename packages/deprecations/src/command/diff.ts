// `onramp deprecations diff`: compares two schedules by id. An earlier removal is an error, because teams rely on the
// date.
import { isDeepStrictEqual } from 'node:util'
import type { CommandContext } from '@onramp/terminal/command-context'
import { printable } from '@onramp/terminal/printable'
import { colorsFor } from '@onramp/terminal/terminal'
import { countText, statusOn, titleOf, type Entry, type Schedule } from '../schedule/schedule.ts'

type Change = { kind: 'added' | 'withdrawn' | 'later' | 'earlier' | 'changed'; entry: Entry; what: string }

const changesOf = (before: Entry | undefined, entry: Entry): Change[] => {
  const { removal } = entry
  if (before === undefined) return [{ kind: 'added', entry, what: `removal on ${removal}` }]
  const days = statusOn(entry, before.removal).daysLeft
  const members = [...new Set([...Object.keys(before), ...Object.keys(entry)])].filter(
    (name) => name !== 'removal' && !isDeepStrictEqual(Reflect.get(before, name), Reflect.get(entry, name)),
  )
  const changes: Change[] = []
  const moveText = `from ${before.removal} to ${removal} (${countText(Math.abs(days), 'day')})`
  if (days !== 0) changes.push({ kind: days > 0 ? 'later' : 'earlier', entry, what: moveText })
  if (members.length > 0) changes.push({ kind: 'changed', entry, what: members.join(', ') })
  return changes
}

/** Prints changes in the new schedule's order, withdrawn entries last. @returns 1 if a removal moved earlier, else 0 */
export function diff(old: Schedule, now: Schedule, json: boolean, context: CommandContext): number {
  const { stdout, stderr, env } = context
  const find = (schedule: Schedule, id: string) => schedule.find((entry) => entry.id === id)
  const withdrawn = old.filter(({ id }) => find(now, id) === undefined)
  const changes = [
    ...now.flatMap((entry) => changesOf(find(old, entry.id), entry)),
    ...withdrawn.map((entry): Change => ({ kind: 'withdrawn', entry, what: `removal on ${entry.removal}` })),
  ]

  const errors = changes.filter(({ kind }) => kind === 'earlier').length
  const { red } = colorsFor(stdout, env)
  const lines = changes.map(({ kind, entry, what }) => {
    const line = printable(`${kind.padEnd(9)}  ${entry.id}: ${titleOf(entry)}, ${what}`)
    return `${kind === 'earlier' ? red(line) : line}\n`
  })
  if (json) stdout.write(`${JSON.stringify({ errors, changes }, null, 2)}\n`)
  else stdout.write(lines.join('') || 'The schedules are the same.\n')
  if (errors > 0) stderr.write(`${countText(errors, 'removal')} moved earlier: update your plans.\n`)
  return errors > 0 ? 1 : 0
}
