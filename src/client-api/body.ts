// The JSON documents in a body, however it was recorded: parsed, as text, as JSON lines or as server-sent events.
// Pure and lenient: what is not JSON holds no fields, and that is an answer, not an error.

const parse = (text: string): unknown[] => {
  try {
    return [JSON.parse(text)]
  } catch {
    return []
  }
}

/**
 * The JSON documents in a recorded body: one for a parsed value or a JSON text, several for a streamed answer
 * (a document a line, or the `data:` lines of an event stream), none for anything else.
 */
export const documentsIn = (body: unknown): unknown[] => {
  if (typeof body !== 'string') return [body]
  const text = body.trimStart()
  const whole = text.startsWith('{') || text.startsWith('[') ? parse(text) : []
  if (whole.length > 0 || !/^(?:\{|\[|data:|event:|id:|retry:|:)/.test(text)) return whole
  return text.split(/\r\n|\n|\r/).flatMap((line) => parse(line.replace(/^data:/, '')))
}
