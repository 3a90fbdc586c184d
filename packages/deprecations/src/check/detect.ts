// Detects what kind of traffic a file holds by its first bytes, and by its name where the bytes leave it open.
// What cannot be read at all (compressed, binary, an array) is refused with the way to make it readable.

export const formats = ['har', 'ndjson', 'openapi', 'log'] as const
export type Format = (typeof formats)[number]

const byName: Record<string, Format> = {
  har: 'har',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  yaml: 'openapi',
  yml: 'openapi',
}

const isRequest = (line: string) => {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && 'method' in value
  } catch {
    return false
  }
}

const ofJson = (head: string): Format => {
  const line = head.split('\n', 1)[0] ?? ''
  if (isRequest(line)) return 'ndjson'
  // Of Docker, whose lines of a log have it as a text.
  if (/^\{\s*"log"\s*:/.test(head)) return /^[^:]*:\s*"/.test(head) ? 'log' : 'har'
  if (/"openapi"\s*:\s*"3\.|"swagger"\s*:\s*"2\./.test(head)) return 'openapi'
  // Over several lines it is a HAR, unless it begins as a recorded request does.
  return /^\{\s*$/.test(line) && !/^\{\s*"(?:method|url|time|timestamp|request|response|status)"/.test(head)
    ? 'har'
    : 'ndjson'
}

/** Why a file that starts with these bytes cannot be read; undefined when it can be tried. */
export const unreadable = (head: Uint8Array, format: Format | undefined): string | undefined => {
  if (head.length === 0) return 'empty file, so nothing was checked; record some traffic first'
  if (head[0] === 0x1f && head[1] === 0x8b)
    return 'compressed; unpack it first: gunzip -c FILE | onramp deprecations check -'
  if (head.subarray(0, 4096).includes(0)) return 'not text in UTF-8 (UTF-16 or binary); convert it first'
  // Lines of logs begin with `[2026-11-03` or `[GIN]`.
  if (format === undefined && /^\uFEFF?\s*\[(?:[\s\]{]|$)/.test(Buffer.from(head.subarray(0, 64)).toString()))
    return "a JSON array; write one request a line, as jq -c '.[]' FILE does"
  return undefined
}

/** The format of a file by its first bytes and its name. */
export const detectFormat = (head: Uint8Array, name: string): Format => {
  const ending = /\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  const text = Buffer.from(head)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart()
  const named = byName[ending]
  if (named !== undefined && !(named === 'openapi' && text.startsWith('{'))) return named
  if (text.startsWith('{')) return ofJson(text)
  return /^(?:#.*\n|---\s*\n|\s)*["']?(?:openapi|swagger)["']?\s*:/.test(text) ? 'openapi' : 'log'
}
