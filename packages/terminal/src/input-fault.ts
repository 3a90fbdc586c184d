// What is wrong with a file or stream that was handed in, in one line that names the file, the line and what to do.
// Never carries content: JSON.parse's own message quotes what it read, and traffic holds tokens.
import { printable } from './printable.ts'

/** Thrown for input that cannot be used; `message` is `FILE:LINE: what is wrong; what to do`. */
export class InputFault extends Error {
  override name = 'InputFault'

  constructor(file: string, line: number | undefined, what: string, cause?: unknown) {
    super(printable(`${line === undefined ? file : `${file}:${line}`}: ${what}`), { cause })
  }
}
