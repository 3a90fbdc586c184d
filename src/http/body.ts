// Bodies of answers: read up to a bound, because a mistake of the other side must not fill the memory.
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'

const MAX_BYTES = 1024 * 1024

/** Some servers compress for everyone, such as a store that keeps its files compressed (RFC 9110 8.4.1). */
const DECODERS = new Map<string, (bytes: Uint8Array, options: { maxOutputLength: number }) => Buffer>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
  ['zstd', zstdDecompressSync],
])

/** `coding` is Content-Encoding: undici leaves a body as it came, and fetch has decoded it. */
type HttpBody = { status: number; body: AsyncIterable<Uint8Array>; coding?: string | string[] | undefined }

/** The whole body; '' if unreadable and the status is an error already. @throws {RangeError} for more than 1 MiB */
export async function readBody({ status, body, coding }: HttpBody): Promise<string> {
  try {
    const bytes = await bytesOf(body)
    const decode = bytes.length === 0 ? undefined : DECODERS.get(String(coding).toLowerCase())
    return (decode?.(bytes, { maxOutputLength: MAX_BYTES }) ?? bytes).toString('utf8')
  } catch (error) {
    if (status >= 300) return ''
    throw error
  }
}

async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > MAX_BYTES) throw new RangeError(`an answer of more than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Undefined for what is not JSON: the parser's own message would quote the answer, which may hold a one-time path. */
export function parseJson(text: string): unknown {
  try {
    // A byte order mark, which a reader may ignore (RFC 8259 8.1).
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}

/** The JSON object that a text is; undefined for anything else. */
export function parseJsonObject(text: string): Record<string, unknown> | undefined {
  const value = parseJson(text)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Record<string, unknown>) : undefined
}
