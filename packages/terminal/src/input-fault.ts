// An unusable input file. Never quotes its content, because traffic has tokens.
import { printable } from './printable.ts'

/** `message`: `FILE:LINE: what is wrong; what to do` */
export class InputFault extends Error {
  override name = 'InputFault'

  constructor(file: string, line: number | undefined, what: string, cause?: unknown) {
    super(printable(`${line === undefined ? file : `${file}:${line}`}: ${what}`), { cause })
  }
}
