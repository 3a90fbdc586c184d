// Reading what was sent.
import type { IncomingMessage } from 'node:http'

const limit = 1_000_000

/** The whole body as text. @throws Error beyond one megabyte */
export async function readText(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of req as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > limit) throw new Error('The body is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The fields of a form. */
export async function readForm(req: IncomingMessage): Promise<URLSearchParams> {
  return new URLSearchParams(await readText(req))
}
