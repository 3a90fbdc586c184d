// The list that invitations are sent to: a file, or standard input.
import { createReadStream, statSync } from 'node:fs'
import { UsageError } from '@onramp/deprecations/command-line/arguments'
import type { Input, Output } from '@onramp/deprecations/command-line/parts'
import { readPeople } from '../../campaigns/people-file.ts'
import { Explained } from '../../problem.ts'

export type List = {
  /** It can be read twice. */
  isFile: boolean
  open: () => AsyncIterable<Uint8Array | string>
  /** Standard input would keep the process alive while a person can still type. */
  close: () => void
}

const MAX_FAULTS = 100

/** @param file its path, or `-` for standard input @throws {UsageError} when there is no such file */
export function listOf(file: string, stdin: Input): List {
  if (file === '-') return pipeFrom(stdin)
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) throw new UsageError('file not found')
  // Opened with the first byte: a run may end before it wants one.
  async function* open() {
    yield* createReadStream(file) as AsyncIterable<Uint8Array>
  }
  return { isFile: true, open, close: () => {} }
}

/** Once closed, it is at its end, even while a person still types. */
function pipeFrom(stdin: Input): List {
  let isClosed = false
  async function* open() {
    try {
      yield* stdin
    } catch (error) {
      if (!isClosed) throw error
    }
  }
  return {
    isFile: false,
    open,
    close() {
      isClosed = true
      stdin.destroy?.()
    },
  }
}

/**
 * Reads a whole file before anything leaves, so that a faulty row near its end stops nothing halfway.
 * @returns how many people are on it
 * @throws {Explained} after a line about each invalid row, unless they are skipped, and for an empty list
 */
export async function peopleIn(list: List, onInvalid: 'stop' | 'skip', stderr: Output): Promise<number> {
  let people = 0
  let faults = 0
  for await (const row of readPeople(list.open())) {
    if (row.kind === 'person') people++
    if (row.kind === 'person' || onInvalid === 'skip') continue
    stderr.write(`line ${row.line}: ${row.fault}\n`)
    if (++faults >= MAX_FAULTS) break
  }
  if (faults > 0) throw new Explained('fix these lines, or use --on-invalid skip. Nothing was sent.')
  refuseEmpty(people)
  return people
}

/** An export that went wrong is often an empty file. @throws {Explained} */
export function refuseEmpty(people: number): void {
  if (people === 0) throw new Explained('the list is empty. Nothing was sent.')
}
