// What a recorder wrote of a body: the body itself, or a wrapper around it that has a status, headers and a `body` beside.
// Compressed and encoded bodies are turned into text here, so that every format and item is read in the same way.
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { isRecord, type Loose } from './json-scan.ts'

/** A body as recorded; `body` undefined: it was not. */
export type Recorded = {
  body?: unknown
  /** Only a part of it was recorded. */
  incomplete?: boolean
  status?: number | undefined
}

/** What a body can grow to when it is decompressed, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024

const isGzip = (bytes: Uint8Array) => bytes[0] === 0x1f && bytes[1] === 0x8b

type Coder = (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array

const coders: Record<string, readonly Coder[]> = {
  gzip: [gunzipSync],
  'x-gzip': [gunzipSync],
  br: [brotliDecompressSync],
  zstd: [zstdDecompressSync],
  // Some servers send it without the frame (RFC 9110 8.4.1.2).
  deflate: [inflateSync, inflateRawSync],
}

const decompressed = (bytes: Uint8Array, encoding: string): Uint8Array | undefined => {
  for (const coder of coders[isGzip(bytes) ? 'gzip' : encoding.trim().toLowerCase()] ?? [])
    try {
      return coder(bytes, { maxOutputLength: MAX_BYTES })
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

type About = { encoding?: string; type?: string }

/** The text in bytes. Recorders keep some bodies as they came and some decoded, whatever the header says. */
export const textOf = (bytes: Uint8Array, { encoding = '', type = '' }: About): string => {
  const charset = /charset\s*=\s*"?([\w-]+)/i.exec(type)?.[1] ?? 'utf-8'
  const text = decoded(bytes, charset)
  if (/^\s*[[{"\d]/.test(text.slice(0, 100)) && !text.includes('\uFFFD')) return text
  const plain = decompressed(bytes, encoding)
  return plain === undefined ? text : decoded(plain, charset)
}

const BESIDE = new Set(
  (
    'body headers status statuscode statustext bodysize size encoding isbase64encoded base64 contenttype mimetype ' +
    'method url path query truncated time timestamp duration httpversion ok reason'
  ).split(' '),
)

/** Whether a member of this name is about a body. */
const isBeside = (name: string) => BESIDE.has(name.toLowerCase().replaceAll('_', ''))

const statusOf = ({ status, statusCode }: Loose): number | undefined =>
  [status, statusCode].find(
    (value): value is number => typeof value === 'number' && value >= 100 && value <= 599,
  )

const hasStatus = (value: Loose) => statusOf(value) !== undefined
const hasHeaders = ({ headers }: Loose) => isRecord(headers) || Array.isArray(headers)

/** Whether an object is a wrapper: it has a `body` or a status, and other members that describe a message. */
const isWrapper = (value: Loose): boolean => {
  const hasBody = 'body' in value
  const saysMore = hasStatus(value) || hasHeaders(value)
  return (hasBody && saysMore) || ((hasBody || saysMore) && Object.keys(value).every(isBeside))
}

/** What clients and recorders call the body beside a status and headers, where it is not `body`. */
const ALIASES = ['data', 'content', 'text', 'bodyText', 'body_text', 'payload', 'json']

/** An answer as clients have it (`{"status", "headers", "data"}`) with its body under the name `body`. */
const renamed = (value: Loose): Loose => {
  const alias = ALIASES.find((name) => value[name] !== undefined && value[name] !== null)
  const [status, headers] = [hasStatus(value), hasHeaders(value)]
  if (alias === undefined || 'body' in value || !(status || headers)) return value
  const isOnly = Object.keys(value).every((name) => name === alias || isBeside(name))
  if (!isOnly && !(status && headers)) return value
  const { [alias]: inner, ...rest } = value
  // A HAR's content has its text one deeper.
  if (alias === 'content' && isRecord(inner) && typeof inner.text === 'string')
    return { encoding: inner.encoding, ...rest, body: inner.text }
  return { ...rest, body: inner }
}

/** The text of what JSON makes of a Buffer or of a Uint8Array; any other body as it is. */
const plainBody = (body: unknown, about: About): unknown => {
  if (!isRecord(body)) return body
  const isList = Object.hasOwn(body, '0') && Object.keys(body).every((name, index) => name === String(index))
  const listed: unknown = body.type === 'Buffer' ? body.data : isList ? Object.values(body) : []
  const isBytes =
    Array.isArray(listed) &&
    listed.length > 0 &&
    listed.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255)
  return isBytes ? textOf(Buffer.from(listed as number[]), about) : body
}

/** A body with what a wrapper has besides, as that may be a part of the body after all. */
const withOthers = (body: unknown, wrapper: Loose): unknown => {
  const others = Object.entries(wrapper).filter(([name]) => !isBeside(name))
  if (others.length === 0 || body === undefined) return body
  if (typeof body !== 'string') return [Object.fromEntries(others), body]
  return /^\s*(?:[[{]|$)/.test(body) ? `${JSON.stringify(Object.fromEntries(others))}\n${body}` : body
}

const headerOf = (headers: unknown, wanted: string): string => {
  if (!isRecord(headers)) return ''
  const found = Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1]
  const value: unknown = Array.isArray(found) ? found[0] : found
  return typeof value === 'string' ? value : ''
}

/** `{"bodySize": 812}`: a body was there, and was not recorded. */
const isSizeAlone = (recorded: unknown): boolean =>
  isRecord(recorded) &&
  Object.keys(recorded).length > 0 &&
  Object.entries(recorded).every(
    ([name, value]) => /^(?:body|content)?_?(?:size|length)$/i.test(name) && Number(value) > 0,
  )

/** The body in what a recorder wrote for one side of a call. Null is what recorders write for a body they did not keep. */
export const recordedBody = (recorded: unknown): Recorded => {
  if (recorded === undefined || recorded === null) return {}
  // A size, or whether there was one: no body of the two APIs is a number or a boolean.
  if (typeof recorded === 'number' || typeof recorded === 'boolean' || isSizeAlone(recorded)) return {}
  if (!isRecord(recorded)) return { body: recorded }
  const value = renamed(recorded)
  if (!isWrapper(value)) return { body: plainBody(value, {}) }
  const { headers, body, encoding, isBase64Encoded, base64, truncated, _truncated } = value
  const about = { encoding: headerOf(headers, 'content-encoding'), type: headerOf(headers, 'content-type') }
  const isEncoded = encoding === 'base64' || isBase64Encoded === true || base64 === true
  const plain =
    typeof body === 'string' && isEncoded
      ? textOf(Buffer.from(body, 'base64'), about)
      : plainBody(body ?? undefined, about)
  return {
    body: withOthers(plain, value),
    incomplete: truncated === true || _truncated === true,
    status: statusOf(value),
  }
}
