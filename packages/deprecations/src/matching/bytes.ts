// Bytes and the text in them: compressed, in another character set, written as base64 or hex, or as a list of numbers.
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib'

/** What a body can grow to when it is decompressed, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024

const isGzip = (bytes: Uint8Array) => bytes[0] === 0x1f && bytes[1] === 0x8b

// RFC 1950 2.2: deflate in a window of 32 KiB, and a check over both bytes.
const isZlib = (bytes: Uint8Array) => bytes[0] === 0x78 && (0x7800 + (bytes[1] ?? 0)) % 31 === 0

type Coder = (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array

const coders: Record<string, readonly Coder[]> = {
  gzip: [gunzipSync],
  'x-gzip': [gunzipSync],
  br: [brotliDecompressSync],
  zstd: [zstdDecompressSync],
  // Some servers send it without the frame (RFC 9110 8.4.1.2).
  deflate: [inflateSync, inflateRawSync],
}

const decompressed = (bytes: Uint8Array, encoding: string, maxBytes: number): Uint8Array | undefined => {
  const kind = isGzip(bytes) ? 'gzip' : isZlib(bytes) ? 'deflate' : encoding.trim().toLowerCase()
  for (const coder of coders[kind] ?? [])
    try {
      return coder(bytes, { maxOutputLength: maxBytes })
    } catch {
      // Recorders keep bodies whose encoding is not the one that the header names.
    }
  return undefined
}

const decoded = (bytes: Uint8Array, charset: string): string => {
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

export type About = {
  encoding?: string
  type?: string
  /** What it may grow to when it is decompressed, in bytes. */
  maxBytes?: number
}

/** The text in bytes. Recorders keep some bodies as they came and some decoded, whatever the header says. */
export const textOf = (
  bytes: Uint8Array,
  { encoding = '', type = '', maxBytes = MAX_BYTES }: About,
): string => {
  const charset = /charset\s*=\s*"?([\w-]+)/i.exec(type)?.[1] ?? 'utf-8'
  const text = decoded(bytes, charset)
  if (/^\s*[[{"\d]/.test(text.slice(0, 100)) && !text.includes('\uFFFD')) return text
  const plain = decompressed(bytes, encoding, maxBytes)
  return plain === undefined ? text : decoded(plain, charset)
}

/** The text of a body that a client handed over as bytes; any other body as it is. */
export const asText = (body: unknown, about: About): unknown => {
  if (body instanceof ArrayBuffer) return textOf(new Uint8Array(body), about)
  if (!ArrayBuffer.isView(body)) return body
  return textOf(new Uint8Array(body.buffer, body.byteOffset, body.byteLength), about)
}

/** The bytes that a list of numbers stands for. */
export const bytesIn = (list: unknown): Uint8Array | undefined =>
  Array.isArray(list) &&
  list.length > 0 &&
  list.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255)
    ? Buffer.from(list as number[])
    : undefined

/** The bytes that a text writes as hex or base64, in a data URL (RFC 2397) or over several lines too. */
export const encodedBytes = (text: string): Uint8Array | undefined => {
  if (!/^[\w+/:;.,=-]{8}/.test(text)) return undefined
  const bare = text.replace(/^(?:data:[^,]{0,200};base64,|0x)/i, '').replaceAll(/\s+/g, '')
  if (bare.length < 12 || !/^[\w+/-]+={0,2}$/.test(bare)) return undefined
  return Buffer.from(bare, /^(?:[\da-f]{2})+$/i.test(bare) ? 'hex' : 'base64')
}

/** Whether a text is the bytes of a body that could not be decompressed, or would have grown too large. */
export const isStillPacked = (bytes: Uint8Array, text: string): boolean =>
  (isGzip(bytes) || isZlib(bytes)) && text.charCodeAt(0) === bytes[0]

const beginsAsBody = (bytes: Buffer) =>
  isGzip(bytes) || isZlib(bytes) || /^\s*[[{]\s*["[{\]}]/.test(bytes.toString('latin1'))

/** Whether bytes written as base64 or hex begin as JSON or a compressed body does. */
export const isEncoded = (text: string): boolean => {
  const start = text.slice(0, 64)
  if (!/^[\w+/-]+={0,2}$/.test(start)) return false
  const isHex = /^(?:[\da-f]{2}){4,}$/i.test(start)
  const isBase64 = start.length >= (text.length % 4 === 0 ? 8 : 24)
  return (
    (isHex && beginsAsBody(Buffer.from(start, 'hex'))) ||
    (isBase64 && beginsAsBody(Buffer.from(start, 'base64')))
  )
}
