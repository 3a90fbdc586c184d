// Opens a file or standard input, so that its beginning can be looked at before it is read: as a whole or line by line.
import { StringDecoder } from 'node:string_decoder'
import { InputFault } from '../command-line/input-fault.ts'
import type { Matcher, Use } from '../matching/matching.ts'
import { fileFault } from './document.ts'

/** `head` is the first chunk, which is among `bytes` as well. */
export type Source = { name: string; head: Uint8Array; bytes: AsyncIterable<Uint8Array> }

/** What is in a line, an entry or an operation (`record`, a JSON pointer): what a request uses, or why it can't be read. */
export type Reading = { line?: number; record?: string; time?: unknown } & (
  { uses: Iterable<Use> } | { fault: string }
)

/** Reads a format. @throws {InputFault} for a source that is not in it */
export type Reader = (source: Source, matcher: Matcher, take: (reading: Reading) => void) => Promise<void>

/** Opens a stream under a name. @throws {InputFault}, later also while its bytes are read */
export const openSource = async (name: string, stream: AsyncIterable<Uint8Array>): Promise<Source> => {
  const chunks = stream[Symbol.asyncIterator]()
  const read = async (): Promise<Uint8Array> => {
    try {
      return (await chunks.next()).value ?? new Uint8Array()
    } catch (error) {
      throw fileFault(name, error)
    }
  }
  const first = await read()
  const isMarked = Buffer.from(first.subarray(0, 3)).equals(Buffer.from('\uFEFF'))
  const head = isMarked ? first.subarray(3) : first
  async function* bytes() {
    for (let chunk = head; chunk.length > 0; chunk = await read()) yield chunk
  }
  return { name, head, bytes: bytes() }
}

/** The whole of a source as text. @throws {InputFault} when it is larger than `maxMib` MiB */
export const wholeText = async ({ name, bytes }: Source, maxMib: number): Promise<string> => {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of bytes) {
    length += part.length
    if (length > maxMib * 2 ** 20)
      throw new InputFault(
        name,
        undefined,
        `larger than ${maxMib} MiB, the maximum for this format; split it`,
      )
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** The longest line that is read, in characters. It bounds the memory. */
const MAX_LINE = 2 * 1024 * 1024

/** Reads lines, counted from 1, holding a chunk and one line at most. A blank line is passed over. */
export const lineReader =
  (read: (line: string, matcher: Matcher) => Reading | undefined): Reader =>
  async ({ bytes }, matcher, take) => {
    const decoder = new StringDecoder('utf8')
    let [line, rest]: [number, string | undefined] = [0, '']
    const end = () => {
      line += 1
      if (rest === undefined) take({ fault: 'longer than 2 Mi characters; skipped', line })
      else if (rest.trim() !== '') {
        const reading = read(rest, matcher)
        if (reading !== undefined) take({ ...reading, line })
      }
      rest = ''
    }
    const push = (text: string) => {
      for (const [index, piece] of text.split('\n').entries()) {
        if (index > 0) end()
        rest = rest === undefined || rest.length + piece.length > MAX_LINE ? undefined : rest + piece
      }
    }
    for await (const chunk of bytes) push(decoder.write(Buffer.from(chunk)))
    push(decoder.end())
    end()
  }
