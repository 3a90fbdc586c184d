// Bodies of answers: read up to a bound, because a mistake of the other side must not fill the memory.
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'

const MAX_BYTES = 1024 * 1024

/** Some servers compress for everyone, such as a store that keeps its files compressed (RFC 9110 8.4.1). */
const DECODERS: Record<string, (bytes: Uint8Array, options: { maxOutputLength: number }) => Buffer> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
}

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
  const codings = String(coding)
    .toLowerCase()
    .split(/\s*,\s*/)
  return codings.reduceRight(
    (coded, one) => DECODERS[one.trim()]?.(coded, { maxOutputLength: MAX_BYTES }) ?? coded,
    bytes,
  )
}

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

/**
 * A body of undici or fetch, whole.
 * @param coding Content-Encoding: undici leaves a body as it came, fetch has decoded it
 * @throws {RangeError} for more than 1 MiB
 */
export async function readLimited(
  stream: AsyncIterable<Uint8Array>,
  coding?: string | string[],
): Promise<string> {
  const body = createBody()
  for await (const chunk of stream) {
    const excess = body.add(chunk)
    if (excess !== undefined) throw excess
  }
  return body.text(coding)
}

/** Undefined for what is not JSON: the parser's own message would quote the answer, which may hold a one-time path. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
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
