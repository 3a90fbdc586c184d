// Reads a file or standard input, as a whole or line by line, with bounded memory.
import { InputFault } from '@onramp/terminal/arguments'
import type { Matcher, Match } from '../matching/matching.ts'
import { fileFault } from './document.ts'

/** `head` is the first chunk, for detecting the format; `bytes` has it too. */
export type Source = { name: string; head: Uint8Array; bytes: AsyncIterable<Uint8Array> }

/** One line, entry or operation (`record`: its JSON pointer): its matches, or why it can't be read. */
export type InputRecord = { line?: number; record?: string; time?: unknown } & (
  { matches: Iterable<Match> } | { fault: string }
)

/** @throws {InputFault} for a source that is not in it */
export type FormatReader = (
  source: Source,
  matcher: Matcher,
  onRecord: (record: InputRecord) => void,
) => Promise<void>

/** @throws {InputFault} here, and later while `bytes` are read */
export const openSource = async (name: string, stream: AsyncIterable<Uint8Array>): Promise<Source> => {
  async function* chunks() {
    try {
      yield* stream
    } catch (error) {
      throw fileFault(name, error)
    }
  }
  const rest = chunks()
  const first = await rest.next()
  const head = first.done === true ? new Uint8Array() : first.value
  async function* bytes() {
    yield head
    yield* rest
  }
  return { name, head, bytes: bytes() }
}

/** @throws {InputFault} for a source larger than `maxMib` MiB */
export const wholeText = async ({ name, bytes }: Source, maxMib: number): Promise<string> => {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of bytes) {
    length += part.length
    const what = `larger than ${maxMib} MiB, the maximum for this format; split it`
    if (length > maxMib * 2 ** 20) throw new InputFault(name, undefined, what)
    parts.push(part)
  }
  return new TextDecoder().decode(Buffer.concat(parts))
}

/** Characters. It bounds the memory. */
const MAX_LINE = 2 * 1024 * 1024

/** Reads lines, counted from 1, and skips blank ones. Holds at most a chunk and one line. */
export const lineReader =
  (read: (line: string, matcher: Matcher) => InputRecord | undefined): FormatReader =>
  async ({ bytes }, matcher, onRecord) => {
    const decoder = new TextDecoder()
    let [line, rest]: [number, string | undefined] = [0, '']
    const end = () => {
      line += 1
      const record =
        rest === undefined ? { fault: 'longer than 2 Mi characters; skipped' } : read(rest, matcher)
      if (record !== undefined && rest?.trim() !== '') onRecord({ ...record, line })
      rest = ''
    }
    const push = (text: string) => {
      for (const [index, piece] of text.split('\n').entries()) {
        if (index > 0) end()
        rest = rest === undefined || rest.length + piece.length > MAX_LINE ? undefined : rest + piece
      }
    }
    for await (const chunk of bytes) push(decoder.decode(chunk, { stream: true }))
    push(decoder.decode())
    end()
  }
