// The JSON in a body as it was recorded. A body that can't be read is not one that holds nothing: it may hold anything. Pure.

export type Body = {
  documents: object[]
  /** Why some or all of it could not be read, as the end of a sentence. */
  unread?: string
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Reads a body: a value that was parsed, bytes, JSON as text, or several documents of a line each (JSON Lines). */
export const readBody = (body: unknown): Body => {
  if (body instanceof Uint8Array) return readBody(Buffer.from(body).toString('utf8'))
  if (isObject(body)) return { documents: [body] }
  if (typeof body !== 'string') return { documents: [], unread: 'is no JSON object' }
  const text = body.replace(/^\uFEFF/, '').trim()
  if (text === '') return { documents: [] }
  const whole = parsed(text)
  if (whole !== undefined)
    return isObject(whole) ? { documents: [whole] } : { documents: [], unread: 'is no JSON object' }
  const lines = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(parsed)
  const documents = lines.filter(isObject)
  return documents.length === lines.length ? { documents } : { documents, unread: 'is cut off or not JSON' }
}
