// Bodies of answers: read up to a bound, because a mistake of the other side must not fill the memory.
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib'

const MAX_BYTES = 1024 * 1024
/** Each coding costs a pass over the body, and no server uses more than two. */
const MAX_CODINGS = 3

type Decode = (bytes: Uint8Array, options: { maxOutputLength: number }) => Buffer

/** Some servers leave out the zlib header of "deflate" (RFC 9110 8.4.1.2); the header is told by RFC 1950 2.2. */
const inflate: Decode = (bytes, options) => {
  const [method = 0, flags = 0] = bytes
  const hasHeader = (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0
  return hasHeader ? inflateSync(bytes, options) : inflateRawSync(bytes, options)
}

/** Some servers compress for everyone, such as a store that keeps its files compressed (RFC 9110 8.4.1). */
const DECODERS = new Map<string, Decode>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflate],
  ['br', brotliDecompressSync],
  ['zstd', zstdDecompressSync],
])

export type Body = {
  /** @returns what is wrong where it is too much by now; nothing of it may be used then */
  add(chunk: Uint8Array): RangeError | undefined
  /**
   * @param coding Content-Encoding, where the bytes are still coded
   * @throws for bytes that are not of that coding @throws {RangeError} for more than 1 MiB behind it
   */
  text(coding?: string | string[]): string
}

function decoded(bytes: Buffer, coding: string | string[]): Buffer {
  const codings = String(coding).toLowerCase().split(',')
  if (codings.length > MAX_CODINGS) throw new Error(`an answer that is coded more than ${MAX_CODINGS} times`)
  return codings.reduceRight(
    (coded, one) => DECODERS.get(one.trim())?.(coded, { maxOutputLength: MAX_BYTES }) ?? coded,
    bytes,
  )
}

/** A refusal is told by its status: a body that cannot be read must not make it unheard. */
export const saysEnough = (status: number): boolean => status >= 300

export function createBody(): Body {
  const chunks: Uint8Array[] = []
  let bytes = 0
  return {
    add(chunk) {
      bytes += chunk.length
      if (bytes > MAX_BYTES) return new RangeError(`an answer of more than ${MAX_BYTES} bytes`)
      chunks.push(chunk)
      return undefined
    },
    text: (coding = '') => decoded(Buffer.concat(chunks), bytes === 0 ? '' : coding).toString('utf8'),
  }
}

/** What `readLimited` reads: `coding` is Content-Encoding, for undici leaves a body as it came and fetch has decoded it. */
type Answer = { status: number; body: AsyncIterable<Uint8Array>; coding?: string | string[] | undefined }

/**
 * The body of an answer, whole; '' for one that cannot be read where the status says enough.
 * @throws {RangeError} for more than 1 MiB
 */
export async function readLimited({ status, body: stream, coding }: Answer): Promise<string> {
  try {
    const body = createBody()
    for await (const chunk of stream) {
      const excess = body.add(chunk)
      if (excess !== undefined) throw excess
    }
    return body.text(coding)
  } catch (error) {
    if (saysEnough(status)) return ''
    throw error
  }
}

/** Undefined for what is not JSON: the parser's own message would quote the answer, which may hold a one-time path. */
export function jsonIn(text: string): unknown {
  try {
    // A byte order mark, which a reader may ignore (RFC 8259 8.1).
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}

/** The JSON object that a text is; undefined for anything else. */
export function objectIn(text: string): Record<string, unknown> | undefined {
  const value = jsonIn(text)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Record<string, unknown>) : undefined
}
