// Bodies of answers: read up to a bound, because a mistake of the other side must not fill the memory.

const MAX_BYTES = 1024 * 1024

export type Body = {
  /** @returns what is wrong where it is too much by now; nothing of it may be used then */
  add(chunk: Uint8Array): RangeError | undefined
  text(): string
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
    text: () => Buffer.concat(chunks).toString('utf8'),
  }
}

/** A body of undici or fetch, whole. @throws {RangeError} for more than 1 MiB */
export async function readLimited(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const body = createBody()
  for await (const chunk of stream) {
    const excess = body.add(chunk)
    if (excess !== undefined) throw excess
  }
  return body.text()
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
