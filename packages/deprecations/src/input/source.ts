// What is read: a file or standard input, as a whole or line by line, and what every format's reader hands over.
import { InputFault } from '@onramp/terminal/input-fault'
import type { Matcher, Match } from '../matching/matching.ts'
import { fileFault } from './document.ts'

/** `head` is the first chunk, by which the format is detected; it is among `bytes` as well. */
export type Source = { name: string; head: Uint8Array; bytes: AsyncIterable<Uint8Array> }

/** What is in a line, an entry or an operation (`record`, a JSON pointer): what a request uses, or why it can't be read. */
export type InputRecord = { line?: number; record?: string; time?: unknown } & (
  { uses: Iterable<Match> } | { fault: string }
)

/** Reads a format. @throws {InputFault} for a source that is not in it */
export type FormatReader = (
  source: Source,
  matcher: Matcher,
  take: (reading: InputRecord) => void,
) => Promise<void>

/** Opens a stream under a name. @throws {InputFault}, later also while its bytes are read */
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

/** The whole of a source as text. @throws {InputFault} when it is larger than `maxMib` MiB */
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

/** The longest line that is read, in characters. It bounds the memory. */
const MAX_LINE = 2 * 1024 * 1024

/** Reads lines, counted from 1, holding a chunk and one line at most. A blank line is passed over. */
export const lineReader =
  (read: (line: string, matcher: Matcher) => InputRecord | undefined): FormatReader =>
  async ({ bytes }, matcher, take) => {
    const decoder = new TextDecoder()
    let [line, rest]: [number, string | undefined] = [0, '']
    const end = () => {
      line += 1
      const reading =
        rest === undefined ? { fault: 'longer than 2 Mi characters; skipped' } : read(rest, matcher)
      if (reading !== undefined && rest?.trim() !== '') take({ ...reading, line })
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
