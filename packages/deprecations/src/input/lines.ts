// Cuts a stream into lines and hands them out one by one, holding a chunk and one bounded line at most.
// A line longer than the bound is never put together: it is counted, reported and passed over.
import { StringDecoder } from 'node:string_decoder'

/** What receives the lines; numbers count from 1. */
type LineTaker = {
  line: (text: string, number: number) => void
  tooLong: (number: number) => void
  /** Called after each chunk, with the bytes so far. */
  progress: (bytes: number) => void
}

/** The longest line that is read, in characters. It bounds memory; a recorded call is seldom near it. */
export const MAX_LINE = 2 * 1024 * 1024

/** Reads a stream of UTF-8 to its end (LF or CRLF, a byte order mark is dropped). */
export const readLines = async (source: AsyncIterable<Uint8Array>, taker: LineTaker): Promise<void> => {
  const decoder = new StringDecoder('utf8')
  let [bytes, number, rest, isTooLong] = [0, 0, '', false]
  const keep = (piece: string) => {
    isTooLong ||= rest.length + piece.length > MAX_LINE
    rest = isTooLong ? '' : rest + piece
  }
  const finish = () => {
    number += 1
    if (isTooLong) taker.tooLong(number)
    else taker.line(number === 1 ? rest.replace(/^\uFEFF/, '') : rest, number)
    rest = ''
    isTooLong = false
  }
  const push = (text: string) => {
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      keep(text.slice(start, end))
      finish()
      start = end + 1
    }
    keep(text.slice(start))
  }

  for await (const chunk of source) {
    push(decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)))
    bytes += chunk.byteLength
    taker.progress(bytes)
  }
  push(decoder.end())
  if (rest !== '' || isTooLong) finish()
}
