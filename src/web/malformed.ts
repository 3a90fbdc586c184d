// Answers requests that Node's parser rejects, or whose body is too long, as Node would, and counts and logs them like
// other failures. Only a response about the size has a body, because a person can act on it.
import { STATUS_CODES, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ProblemCode } from '../problem.ts'
import type { Log } from './log.ts'

/** Statuses of Node. Other errors get 400. */
const RESPONSES: Record<string, { status: number; code: ProblemCode }> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 'too_large' },
  TOO_MANY_HEADERS: { status: 431, code: 'too_large' },
  BODY_TOO_LARGE: { status: 413, code: 'too_large' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, code: 'too_large' },
  UNKNOWN_EXPECTATION: { status: 417, code: 'bad_request' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'bad_request' },
}

/** The texts are in English, because the language is in headers that weren't read. */
const TEXTS: Record<number, string> = {
  413: 'The request body is too large.\n',
  431: 'Your browser sent more than 16 KiB of headers, or more than 100, most likely cookies: delete the cookies of this site, then open the link again.\n',
}

/** A handler of a server's `clientError`. @param count counts a problem by its code */
export const refuseMalformed =
  (log: Pick<Log, 'info'>, count: (code: string) => void) =>
  (error: NodeJS.ErrnoException, socket: Socket): void => {
    const cause = error.code ?? ''
    const isGone = !socket.writable || cause === 'ECONNRESET' || cause === 'HPE_INVALID_EOF_STATE'
    if (isGone) return void socket.destroy()
    const { status, code } = RESPONSES[cause] ?? { status: 400, code: 'bad_request' }
    count(code)
    log.info({ code, status, cause }, 'malformed HTTP request')
    const { _httpMessage: underWay } = socket as Socket & { _httpMessage?: ServerResponse }
    if (underWay?.headersSent !== true) {
      const body = TEXTS[status] ?? ''
      const type = body && `Content-Type: text/plain; charset=utf-8\r\nContent-Length: ${body.length}\r\n`
      socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${type}Connection: close\r\n\r\n${body}`)
    }
    socket.destroySoon()
  }
