// Reads a HAR 1.2 document into calls. A body is text there, base64 for a binary one, and may have been left out.
import { InputFault } from '../command-line/input-fault.ts'
import { callOf, type Reading } from './exchange.ts'
import { isRecord, type Loose } from './json.ts'

const asRecord = (value: unknown): Loose => (isRecord(value) ? value : {})

/** The entries of a HAR. @throws {InputFault} when it has none to read */
export const harEntries = (document: unknown, file: string): unknown[] => {
  const { entries } = asRecord(asRecord(document).log)
  if (Array.isArray(entries)) return entries
  throw new InputFault(
    file,
    1,
    'not a HAR: it has no log.entries; export the traffic again as HAR with content',
  )
}

/** Recorders write no text and a size of 0 for a body that they passed on unseen, so only its length is a proof. */
const saysEmpty = ({ headers }: Loose) =>
  Array.isArray(headers) &&
  headers
    .map(asRecord)
    .some(({ name, value }) => /^content-length: *0$/i.test(`${String(name)}: ${String(value)}`))

/** A body; undefined where it was not recorded. `isPart`: the recorder saw more of it. */
const bodyOf = (message: Loose, { text, encoding, size }: Loose) => {
  if (typeof text !== 'string' || text === '')
    return { body: saysEmpty(message) ? '' : undefined, isPart: false }
  const bytes = Buffer.from(text, encoding === 'base64' ? 'base64' : 'utf8')
  return { body: bytes.toString('utf8'), isPart: Number(size) > bytes.length }
}

/** Reads one entry of a HAR; undefined for an address that no server is asked for (`data:`, `blob:`, an extension's). */
export const readHarEntry = (entry: unknown): Reading => {
  const { startedDateTime: time, ...messages } = asRecord(entry)
  const [request, response] = [asRecord(messages.request), asRecord(messages.response)]
  if (/^(?!https?:)[a-z][a-z\d+.-]*:/i.test(String(request.url))) return undefined
  const sent = bodyOf(request, asRecord(request.postData))
  const received = bodyOf(response, asRecord(response.content))
  return callOf({
    method: request.method,
    url: request.url,
    status: response.status,
    request: sent.body,
    response: received.body,
    incomplete: [sent.isPart && 'request', received.isPart && 'response'],
    time,
  })
}
