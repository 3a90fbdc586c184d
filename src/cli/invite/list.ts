// Reads the list of people from a file or standard input.
import { createReadStream, statSync } from 'node:fs'
import { UsageError } from '@onramp/terminal/arguments'
import type { CommandContext, Output } from '@onramp/terminal/command-context'
import { readPeopleList, type ListEntry } from '../../campaigns/people-file.ts'

type List = AsyncIterable<Uint8Array | string>

/** @param file a path, or `-` for standard input @throws {UsageError} if there is no such file */
export function openList(file: string, stdin: CommandContext['stdin']): List {
  if (file === '-') return stdin
  const stats = statSync(file, { throwIfNoEntry: false })
  // Without the path, because someone may have typed a token there.
  if (stats === undefined) throw new UsageError('file not found')
  if (stats.isDirectory()) throw new UsageError('expects a file, and this is a folder')
  return {
    [Symbol.asyncIterator]: () => createReadStream(file)[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>,
  }
}

const MAX_FAULTS = 20

export const limitFaults = (
  faults: readonly string[],
  describe = (more: number) => `${more} more lines are invalid`,
): string[] => [
  ...faults.slice(0, MAX_FAULTS),
  ...(faults.length > MAX_FAULTS ? [describe(faults.length - MAX_FAULTS)] : []),
]

/** Reads the whole list first, so that an invalid row near its end doesn't stop a run halfway. */
export async function readList(list: List, includeGuests: boolean | undefined, stderr: Output) {
  const people: ListEntry[] = []
  const faults: string[] = []
  const leftOut = { blocked: 0, guest: 0, mailbox: 0 }
  const onNote = (note: string) => void stderr.write(`${note}\n`)
  for await (const row of readPeopleList(list, onNote, includeGuests, leftOut))
    if (row.kind === 'person') people.push(row.person)
    else faults.push(`line ${row.line}: ${row.fault}`)
  return { people, faults, leftOut }
}
