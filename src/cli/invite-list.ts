// The list that invitations are sent to: a file, or standard input.
import { createReadStream, statSync } from 'node:fs'
import { readPeople } from '../invites/people-file.ts'
import { UsageError } from './arguments.ts'
import type { Input, Output } from './parts.ts'

export type List = {
  /** Bytes; undefined: not known. */
  size: number | undefined
  open: () => AsyncIterable<Uint8Array | string>
}

const MOST_FAULTS = 100

/** @param file its path, or `-` for standard input @throws {UsageError} when there is no such file */
export function listOf(file: string, stdin: Input): List {
  if (file === '-') return { size: undefined, open: () => stdin }
  const found = statSync(file, { throwIfNoEntry: false })
  if (found?.isFile() !== true) throw new UsageError('there is no file of that name')
  return { size: found.size, open: () => bytesOf(file) }
}

/** Opened when the first byte is wanted, not before: a run may end ahead of it. */
async function* bytesOf(file: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(file) as AsyncIterable<Uint8Array>
}

/**
 * Before anything leaves, a whole file is read once: a faulty row near its end stops nothing halfway.
 * @returns how many people are on it
 */
export async function peopleIn(
  list: List,
  onInvalid: 'stop' | 'skip',
  stderr: Output,
): Promise<number | 'faulty'> {
  let people = 0
  let faults = 0
  for await (const row of readPeople(list.open())) {
    if (row.kind === 'person') people++
    if (row.kind === 'person' || onInvalid === 'skip') continue
    stderr.write(`line ${row.line}: ${row.fault}\n`)
    if (++faults >= MOST_FAULTS) break
  }
  if (faults === 0) return people
  const several = faults === 1 ? 'this line, or leave it out' : 'these lines, or leave them out'
  stderr.write(`onramp invite send: mend ${several} with --on-invalid skip; nothing was sent\n`)
  return 'faulty'
}
