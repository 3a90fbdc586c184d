// Limits of a response body, which a server's mistake can't exceed.
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { readBody } from '../../src/http/body.ts'

const MIB = 1024 * 1024
function bodyOf(chunks: number, bytes: number) {
  const chunk = Buffer.alloc(bytes, 'x')
  return Readable.from(Array.from({ length: chunks }, () => chunk))
}

it.each([
  ['1 MiB', 1, MIB, true],
  ['a byte more', 1, MIB + 1, false],
  ['1 MiB in chunks of one byte', MIB, 1, true],
  ['a byte more in such chunks', MIB + 1, 1, false],
  ['chunks that fill the first buffer', 4, 4_096, true],
  ['chunks across the first buffer', 3, 16_383, true],
])('a response of %s is read or refused whole', async (_title, chunks, bytes, isRead) => {
  const reading = readBody({ status: 200, body: bodyOf(chunks, bytes) })
  const outcome = await reading.then(
    (text) => /^x*$/.test(text) && text.length,
    (error: Error) => error.name,
  )
  expect(outcome).toBe(isRead ? chunks * bytes : 'RangeError')
})

it('an error response over a limit has no text', async () => {
  expect(await readBody({ status: 503, body: bodyOf(1, MIB + 1) })).toBe('')
})
