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
  ['1 MiB', 1, MIB, MIB],
  ['a byte more', 1, MIB + 1, 'RangeError'],
  ['1 MiB in chunks of one byte', MIB, 1, MIB],
  ['a byte more in such chunks', MIB + 1, 1, 'RangeError'],
  ['chunks that fill the first buffer', 4, 4_096, 16_384],
  ['chunks across the first buffer', 3, 16_383, 49_149],
])('a response of %s is read or refused whole', async (_title, chunks, bytes, expected) => {
  const reading = readBody({ status: 200, body: bodyOf(chunks, bytes) })
  const outcome = await reading.then(
    (text) => /^x*$/.test(text) && text.length,
    (error: Error) => error.name,
  )
  expect(outcome).toBe(expected)
})

it('an error response over a limit has no text', async () => {
  expect(await readBody({ status: 503, body: bodyOf(1, MIB + 1) })).toBe('')
})
