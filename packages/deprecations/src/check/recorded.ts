// What a recorder wrote of a body: the body itself, or a wrapper around it that has a status, headers and a `body` beside.
// Compressed and encoded bodies are turned into text here, so that every format and item is read in the same way.
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { present } from '../present.ts'

/** A body as recorded; `body` undefined: it was not. */
export type Recorded = {
  body?: unknown
  /** Only a part of it was recorded. */
  incomplete?: boolean
  status?: number
}

type Loose = Record<string, unknown>
const isRecord = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What a body can grow to when it is decompressed, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024

const coders: Record<string, (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
  deflate: (bytes, options) => {
    try {
      return inflateSync(bytes, options)
    } catch {
      // Some servers send it without the frame (RFC 9110 8.4.1.2).
      return inflateRawSync(bytes, options)
    }
  },
}

const decompressed = (bytes: Uint8Array, encoding: string): Uint8Array | undefined => {
  const coder = coders[bytes[0] === 0x1f && bytes[1] === 0x8b ? 'gzip' : encoding.trim().toLowerCase()]
  try {
    return coder?.(bytes, { maxOutputLength: MAX_BYTES })
  } catch {
    return undefined
  }
}

const decoded = (bytes: Uint8Array, charset: string): string => {
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

/** The text in bytes. Recorders keep some bodies as they came and some decoded, whatever the header says. */
export const textOf = (bytes: Uint8Array, { encoding = '', type = '' }): string => {
  const charset = /charset\s*=\s*"?([\w-]+)/i.exec(type)?.[1] ?? 'utf-8'
  const text = decoded(bytes, charset)
  if (/^\s*[[{"\d]/.test(text.slice(0, 100)) && !text.includes('\uFFFD')) return text
  const plain = decompressed(bytes, encoding)
  return plain === undefined ? text : decoded(plain, charset)
}

const beside = new Set(
  'body headers status statuscode statustext bodysize size encoding isbase64encoded base64 contenttype mimetype'
    .concat(' method url path query truncated _truncated time timestamp duration httpversion ok reason')
    .split(' '),
)
const plainName = (name: string) => name.toLowerCase().replaceAll('_', '')

/** Whether an object is a wrapper: it has a `body` or a status, and what is said of an answer or a request. */
const isWrapper = (value: Loose): boolean => {
  const names = Object.keys(value)
  const statuses = isStatus(value.status) || isStatus(value.statusCode)
  const saysMore = statuses || isRecord(value.headers) || Array.isArray(value.headers)
  if (names.includes('body') && saysMore) return true
  return (names.includes('body') || saysMore) && names.every(isBeside)
}

const isBeside = (name: string) => beside.has(plainName(name))

/** What clients and recorders call the body beside a status and headers, where it is not `body`. */
const aliases = ['data', 'content', 'text', 'bodyText', 'body_text', 'payload', 'json']

/** The member that holds the body of an answer as clients have it: `{"status", "headers", "data"}`. */
const aliasIn = (value: Loose): string | undefined => {
  const status = isStatus(value.status) || isStatus(value.statusCode)
  const headers = isRecord(value.headers) || Array.isArray(value.headers)
  const alias = aliases.find((name) => value[name] !== undefined && value[name] !== null)
  if (alias === undefined || 'body' in value || !(status || headers)) return undefined
  const isOnly = Object.keys(value).every((name) => name === alias || isBeside(name))
  return (status && headers) || isOnly ? alias : undefined
}

/** The body under the name that it has by contract; a HAR's content has its text one deeper. */
const renamed = (value: Loose): Loose => {
  const alias = aliasIn(value)
  if (alias === undefined) return value
  const { [alias]: inner, ...rest } = value
  if (alias !== 'content' || !isRecord(inner) || typeof inner.text !== 'string')
    return { ...rest, body: inner }
  return { encoding: inner.encoding, ...rest, body: inner.text }
}

const isByte = (value: unknown) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255

/** The bytes in what JSON makes of a Buffer or of a Uint8Array. */
const bytesIn = (value: Loose): Buffer | undefined => {
  const listed =
    value.type === 'Buffer' && Array.isArray(value.data)
      ? value.data
      : Object.hasOwn(value, '0') && Object.keys(value).every((name, index) => name === String(index))
        ? Object.values(value)
        : []
  return listed.length > 0 && listed.every(isByte) ? Buffer.from(listed as number[]) : undefined
}

/** A body with what a wrapper has besides, as that may be a part of the body after all. */
const withOthers = (body: unknown, wrapper: Loose): unknown => {
  const others = Object.entries(wrapper).filter(([name]) => !isBeside(name))
  if (others.length === 0 || body === undefined) return body
  if (typeof body !== 'string') return [Object.fromEntries(others), body]
  return /^\s*(?:[[{]|$)/.test(body) ? `${JSON.stringify(Object.fromEntries(others))}\n${body}` : body
}

const isStatus = (value: unknown): value is number =>
  typeof value === 'number' && value >= 100 && value <= 599

const headerOf = (headers: unknown, wanted: string): string => {
  if (!isRecord(headers)) return ''
  const found = Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1]
  return Array.isArray(found) ? String(found[0]) : typeof found === 'string' ? found : ''
}

const plainBody = (body: unknown, about: Parameters<typeof textOf>[1]): unknown => {
  const bytes = isRecord(body) ? bytesIn(body) : undefined
  return bytes === undefined ? body : textOf(bytes, about)
}

/** The body in what a recorder wrote for one side of a call. Null is what recorders write for a body they did not keep. */
export const recordedBody = (recorded: unknown): Recorded => {
  if (recorded === undefined || recorded === null) return {}
  const value = isRecord(recorded) ? renamed(recorded) : recorded
  if (!isRecord(value)) return { body: value }
  if (!isWrapper(value)) return { body: plainBody(value, {}) }
  const { status, statusCode, headers, body, encoding, isBase64Encoded, base64, truncated, _truncated } =
    value
  const known = [status, statusCode].find(isStatus)
  const isEncoded = encoding === 'base64' || isBase64Encoded === true || base64 === true
  const bytes = typeof body === 'string' && isEncoded ? Buffer.from(body, 'base64') : undefined
  const about = { encoding: headerOf(headers, 'content-encoding'), type: headerOf(headers, 'content-type') }
  return {
    body: withOthers(bytes === undefined ? plainBody(body ?? undefined, about) : textOf(bytes, about), value),
    incomplete: truncated === true || _truncated === true,
    ...present({ status: known }),
  }
}
