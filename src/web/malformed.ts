// Requests that Node refuses before the app sees them: answered as Node would, and counted and logged like other failures.
// Only headers that are too large get a body, because a person can do something about them.
import { STATUS_CODES, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ProblemCode } from '../problem.ts'
import type { Log } from './log.ts'

type Refusal = { status: number; code: ProblemCode }

/** What Node answers with; everything else is 400. */
const REFUSALS: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 'too_large' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, code: 'too_large' },
  UNKNOWN_EXPECTATION: { status: 417, code: 'bad_request' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'bad_request' },
}

/** In English: the request's language is in the headers. */
const TOO_LARGE =
  'Your browser sent more than 16 KiB of headers, most likely cookies: delete the cookies of this site, then open the link again.\n'

type MalformedParts = {
  log: Pick<Log, 'info'>
  /** Counts a problem by its code. */
  count: (code: string) => void
}

/** For `clientError` of a server. */
export const refuseMalformed =
  ({ log, count }: MalformedParts) =>
  (error: NodeJS.ErrnoException, socket: Socket): void => {
    const cause = error.code ?? ''
    const isGone = !socket.writable || cause === 'ECONNRESET' || cause === 'HPE_INVALID_EOF_STATE'
    if (isGone) return void socket.destroy()
    const { status, code } = REFUSALS[cause] ?? { status: 400, code: 'bad_request' }
    count(code)
    log.info({ code, status, cause }, 'what came was no request that can be read')
    const { _httpMessage: underWay } = socket as Socket & { _httpMessage?: ServerResponse }
    if (underWay?.headersSent !== true) {
      const body = status === 431 ? TOO_LARGE : ''
      const type = body && `Content-Type: text/plain; charset=utf-8\r\nContent-Length: ${body.length}\r\n`
      socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${type}Connection: close\r\n\r\n${body}`)
    }
    socket.destroySoon()
  }
