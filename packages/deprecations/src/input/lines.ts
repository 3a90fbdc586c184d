// Cuts a stream into lines and hands them out one by one, holding a chunk and one bounded line at most.
// A line longer than the bound is never put together: it is counted, reported and passed over.
import { StringDecoder } from 'node:string_decoder'

/** What receives the lines; numbers count from 1. */
export type LineTaker = {
  line: (text: string, number: number) => void
  tooLong: (number: number) => void
  /** Called after each chunk. */
  progress?: (bytes: number, lines: number) => void
}

/** The longest line that is read, in characters: the bound is on memory, and a recorded call seldom comes near. */
export const longestLine = 2 * 1024 * 1024

/** Reads a stream of UTF-8 to its end (LF or CRLF, a byte order mark is dropped). Resolves to the number of lines. */
export const readLines = async (
  source: AsyncIterable<Uint8Array>,
  taker: LineTaker,
  longest = longestLine,
): Promise<number> => {
  const cutter = new Cutter(taker, longest)
  const decoder = new StringDecoder('utf8')
  for await (const chunk of source) {
    cutter.push(decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)))
    cutter.bytes += chunk.byteLength
    taker.progress?.(cutter.bytes, cutter.number)
  }
  cutter.push(decoder.end())
  cutter.end()
  return cutter.number
}

class Cutter {
  bytes = 0
  number = 0
  private rest = ''
  private restIsTooLong = false
  private readonly taker: LineTaker
  private readonly longest: number

  constructor(taker: LineTaker, longest: number) {
    this.taker = taker
    this.longest = longest
  }

  push(text: string) {
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.keep(text.slice(start, end))
      this.finish()
      start = end + 1
    }
    this.keep(start === 0 ? text : text.slice(start))
  }

  end() {
    if (this.rest !== '' || this.restIsTooLong) this.finish()
  }

  private keep(piece: string) {
    if (this.restIsTooLong) return
    if (this.rest.length + piece.length > this.longest) {
      this.restIsTooLong = true
      this.rest = ''
    } else this.rest = this.rest === '' ? piece : this.rest + piece
  }

  private finish() {
    this.number += 1
    if (this.restIsTooLong) this.taker.tooLong(this.number)
    else this.taker.line(this.number === 1 ? this.rest.replace(/^\uFEFF/, '') : this.rest, this.number)
    this.rest = ''
    this.restIsTooLong = false
  }
}
