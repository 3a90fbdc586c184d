// The list that invitations are sent to: a file, or standard input.
import { createReadStream, statSync } from 'node:fs'
import { readPeople } from '../../campaigns/people-file.ts'
import { UsageError } from '@onramp/deprecations/command-line/arguments'
import type { Input, Output } from '@onramp/deprecations/command-line/parts'

export type List = {
  /** It can be read twice. */
  isFile: boolean
  open: () => AsyncIterable<Uint8Array | string>
  /** Standard input that a person still types into would keep the process alive. */
  close: () => void
}

const MAX_FAULTS = 100

/** @param file its path, or `-` for standard input @throws {UsageError} when there is no such file */
export function listOf(file: string, stdin: Input): List {
  if (file === '-') return pipeFrom(stdin)
  const found = statSync(file, { throwIfNoEntry: false })
  if (found?.isFile() !== true) throw new UsageError('there is no file of that name')
  return { isFile: true, open: () => bytesOf(file), close: () => {} }
}

/** Closed, it is at its end, even while a person still types. */
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
): Promise<number | 'unusable'> {
  let people = 0
  let faults = 0
  for await (const row of readPeople(list.open())) {
    if (row.kind === 'person') people++
    if (row.kind === 'person' || onInvalid === 'skip') continue
    stderr.write(`line ${row.line}: ${row.fault}\n`)
    if (++faults >= MAX_FAULTS) break
  }
  if (faults === 0) return people === 0 ? nobodyOn(stderr) : people
  const several = faults === 1 ? 'this line, or leave it out' : 'these lines, or leave them out'
  stderr.write(`onramp invite send: correct ${several} with --on-invalid skip; nothing was sent\n`)
  return 'unusable'
}

/** An export that went wrong is an empty file as often as a faulty one. */
export function nobodyOn(stderr: Output): 'unusable' {
  stderr.write('onramp invite send: the list holds no one; nothing was sent\n')
  return 'unusable'
}
