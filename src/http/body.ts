// Response bodies, limited to 1 MiB so that a mistake of a server can't fill the memory.
import { Readable } from 'node:stream'
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'

const MAX_BYTES = 1024 * 1024

/** Some servers ignore Accept-Encoding and compress, such as stores of compressed files (RFC 9110 8.4.1). */
const DECODERS = new Map<string, (bytes: Uint8Array, options: { maxOutputLength: number }) => Buffer>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
  ['zstd', zstdDecompressSync],
])

/** `coding`: Content-Encoding of undici; fetch decodes the body. */
type HttpBody = {
  status: number
  body: AsyncIterable<Uint8Array> | null
  coding?: string | string[] | undefined
}

/** @returns '' for an unreadable body of an error response @throws {RangeError} for more than 1 MiB */
export async function readBody({ status, body, coding }: HttpBody): Promise<string> {
  if (body === null) return ''
  try {
    const bytes = await bytesOf(body instanceof Readable ? body : Readable.from(body))
    const decode = bytes.length === 0 ? undefined : DECODERS.get(String(coding).toLowerCase())
    return (decode?.(bytes, { maxOutputLength: MAX_BYTES }) ?? bytes).toString('utf8')
  } catch (error) {
    if (status >= 300) return ''
    throw error
  }
}

const MIN_COPY_BYTES = 16_384

/** Copies chunks after the first, because an object takes a hundred bytes, and a chunk may have one (RFC 9112 7.1). */
const bytesOf = (body: Readable): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.alloc(0)
    let length = 0
    body.on('data', (chunk: Uint8Array) => {
      const newLength = length + chunk.length
      if (newLength > MAX_BYTES)
        return body.destroy(new RangeError(`response larger than ${MAX_BYTES} bytes`))
      if (length === 0) bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
      else if (newLength > bytes.length) {
        const larger = Buffer.allocUnsafe(Math.max(newLength, 2 * bytes.length, MIN_COPY_BYTES))
        bytes.copy(larger, 0, 0, length)
        bytes = larger
      }
      if (length > 0) bytes.set(chunk, length)
      length = newLength
    })
    body.on('end', () => resolve(bytes.subarray(0, length))).on('error', reject)
  })

/** @returns undefined for invalid JSON, because the parser's error would quote the response */
export function parseJson(text: string): unknown {
  try {
    // A parser may ignore a byte order mark (RFC 8259 8.1).
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}

/** True for a JSON object, which is no list. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function parseJsonObject(text: string): Record<string, unknown> | undefined {
  const value = parseJson(text)
  return isJsonObject(value) ? value : undefined
}
