// Limits of a response body, which a server's mistake can't exceed.
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { readBody } from '../../src/http/body.ts'

const MIB = 1024 * 1024
const bodyOf = (chunks: number, bytes: number) =>
  Readable.from(Array.from({ length: chunks }, () => Buffer.alloc(bytes, 'x')))

it.each([
  ['1 MiB', 1, MIB, true],
  ['a byte more', 1, MIB + 1, false],
  ['10,000 chunks', 10_000, 1, true],
  ['a chunk more', 10_001, 1, false],
])('a response of %s is read or refused whole', async (_size, chunks, bytes, isRead) => {
  const reading = readBody({ status: 200, body: bodyOf(chunks, bytes) })
  const outcome = await reading.then(
    (text) => text.length,
    (error: Error) => error.name,
  )
  expect(outcome).toBe(isRead ? chunks * bytes : 'RangeError')
})

it('an error response over a limit has no text', async () => {
  for (const [chunks, bytes] of [[1, MIB + 1] as const, [10_001, 1] as const])
    expect(await readBody({ status: 503, body: bodyOf(chunks, bytes) })).toBe('')
})
