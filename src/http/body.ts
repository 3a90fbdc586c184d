// Response bodies, limited to 1 MiB so that a mistake of a server can't fill the memory.
import { Readable } from 'node:stream'
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'

const MAX_BYTES = 1024 * 1024
/** A chunk takes some 100 bytes besides its own, and chunks may have one byte (RFC 9112 7.1). */
const MAX_CHUNKS = 10_000

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

/** @returns '' for an unreadable body of an error response @throws {RangeError} for more than 1 MiB or 10,000 chunks */
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

const bytesOf = (body: Readable): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let length = 0
    body.on('data', (chunk: Uint8Array) => {
      length += chunk.length
      if (length > MAX_BYTES) body.destroy(new RangeError(`response larger than ${MAX_BYTES} bytes`))
      else if (chunks.push(chunk) > MAX_CHUNKS)
        body.destroy(new RangeError(`response in more than ${MAX_CHUNKS} chunks`))
    })
    body.on('end', () => resolve(Buffer.concat(chunks))).on('error', reject)
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

export function parseJsonObject(text: string): Record<string, unknown> | undefined {
  const value = parseJson(text)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Record<string, unknown>) : undefined
}
