// Reads JSON documents out of a text: one, several after each other, and the events of a stream.
// Pure. What could not be read is told by `broken`, as a body that was not read may hold anything.

export type Parsed = {
  documents: unknown[]
  /** Some of the text is cut off or is not JSON. */
  broken: boolean
}

/** A text that breaks more often than this is given up, so that reading takes linear time. */
const MAX_BREAKS = 20

const opening = /["{}[\]]/g
const scalar = /(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/y
// oxlint-disable-next-line no-control-regex -- RFC 7464 puts a record separator before each document
const between = /[\s,\u001e]*/y

// Not a regular expression over the whole string: on one of megabytes that would exhaust its stack.
/** Just behind the string that starts at `start`; -1 when it does not end. */
export const endOfString = (text: string, start: number): number => {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text[at - 1 - slashes] === '\\') slashes += 1
    if (slashes % 2 === 0) return at + 1
  }
  return -1
}

/** Where the value that starts at `start` ends; -1 when it does not. */
const endOfValue = (text: string, start: number): number => {
  if (text[start] === '"') return endOfString(text, start)
  if (text[start] !== '{' && text[start] !== '[') {
    scalar.lastIndex = start
    return scalar.test(text) ? scalar.lastIndex : -1
  }
  let depth = 0
  opening.lastIndex = start
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    if (found[0] === '"') {
      const end = endOfString(text, found.index)
      if (end < 0) return -1
      opening.lastIndex = end
    } else depth += found[0] === '{' || found[0] === '[' ? 1 : -1
    if (depth === 0) return opening.lastIndex
  }
  return -1
}

const parsed = (text: string): { value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** Every JSON document in a text, whatever white space, commas or record separators (RFC 7464) lie between them. */
export const readDocuments = (text: string): Parsed => {
  const whole = parsed(text)
  if (whole !== undefined) return { documents: [whole.value], broken: false }
  const documents: unknown[] = []
  let breaks = 0
  for (let at = 0; breaks < MAX_BREAKS;) {
    between.lastIndex = at
    between.test(text)
    at = between.lastIndex
    if (at >= text.length) return { documents, broken: breaks > 0 }
    const end = endOfValue(text, at)
    const piece = end < 0 ? '' : text.slice(at, end)
    const document = parsed(piece)
    if (document !== undefined) documents.push(document.value)
    if (document !== undefined || piece === '[DONE]') at = end
    else {
      // The next line may be whole again.
      breaks += 1
      const line = text.indexOf('\n', at)
      at = line < 0 ? text.length : line + 1
    }
  }
  return { documents, broken: true }
}

/** Whether a text begins as a sequence of JSON texts does (RFC 7464). */
export const isSequence = (text: string): boolean => text.startsWith('\u001e')

/** Whether a text begins as a stream of events does (HTML standard, 9.2.5). */
export const isEventStream = (text: string): boolean => /^(?:(?:data|event|id|retry)\s?:|:)/.test(text)

const readEvent = (data: readonly string[]): Parsed => {
  const text = data.join('\n').trim()
  // Words without any structure bear no fields.
  return /^[[{"]/.test(text) || isSequence(text) ? readDocuments(text) : { documents: [], broken: false }
}

/** The JSON documents in the events of a stream; the data of an event may be spread over several lines. */
export const readEventStream = (text: string): Parsed => {
  const documents: unknown[] = []
  let broken = false
  let data: string[] = []
  for (const line of [...text.split(/\r\n|\n|\r/), '']) {
    const [, name, value = ''] = /^([^:]*)(?::[ ]?([^]*))?$/.exec(line) ?? []
    if (name === 'data') data.push(value)
    else if (line === '') {
      const event = readEvent(data)
      documents.push(...event.documents)
      broken ||= event.broken
      data = []
    } else if (name !== '' && !/^(?:event|id|retry)$/.test(name ?? '')) broken = true
  }
  return { documents, broken }
}
