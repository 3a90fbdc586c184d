// The list that invitations are sent to: a file, or standard input.
import { createReadStream, statSync } from 'node:fs'
import { UsageError } from '@onramp/deprecations/command-line/arguments'
import type { Input, Output } from '@onramp/deprecations/command-line/parts'
import { readPeople } from '../../campaigns/people-file.ts'
import { Explained } from '../../problem.ts'

type List = ReturnType<typeof listOf>

/** @param file its path, or `-` for standard input @throws {UsageError} when there is no such file */
export function listOf(file: string, stdin: Input) {
  const isFile = file !== '-'
  if (isFile && statSync(file, { throwIfNoEntry: false })?.isFile() !== true)
    throw new UsageError('file not found')
  let isClosed = false
  return {
    /** It can be read twice. */
    isFile,
    async *open(): AsyncGenerator<Uint8Array> {
      try {
        // A file is opened with the first byte: a run may end before it wants one.
        yield* isFile ? (createReadStream(file) as AsyncIterable<Uint8Array>) : stdin
      } catch (error) {
        if (!isClosed) throw error
      }
    },
    /** Standard input would keep the process alive while a person can still type. Once closed, it is at its end. */
    close(): void {
      isClosed = true
      if (!isFile) stdin.destroy?.()
    },
  }
}

const MAX_FAULTS = 20

/** One a line, and how many more there are. */
export const faultsShown = (faults: readonly string[]): string[] => [
  ...faults.slice(0, MAX_FAULTS),
  ...(faults.length > MAX_FAULTS ? [`${faults.length - MAX_FAULTS} more lines are invalid`] : []),
]

/**
 * Reads a whole file before anything leaves, so that a faulty row near its end stops nothing halfway.
 * @returns how many people are on it
 * @throws {Explained} after a line about each invalid row, unless they are skipped
 */
export async function peopleIn(
  list: List,
  { onInvalid, includeGuests }: { onInvalid: 'stop' | 'skip'; includeGuests?: true | undefined },
  stderr: Output,
): Promise<number> {
  let people = 0
  const faults: string[] = []
  for await (const row of readPeople(list.open(), (words) => stderr.write(`${words}\n`), includeGuests))
    if (row.kind === 'person') people++
    else if (onInvalid === 'stop') faults.push(`line ${row.line}: ${row.fault}`)
  for (const fault of faultsShown(faults)) stderr.write(`${fault}\n`)
  if (faults.length > 0) throw new Explained('fix these lines, or use --on-invalid skip. Nothing was sent.')
  return people
}
