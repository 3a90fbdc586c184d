// Logs JSON lines to standard output, one for each failure. Errors of libraries quote their input, which may be a token
// or a one-time path, so messages are redacted.
import pino, { type DestinationStream, type Logger, type LoggerOptions } from 'pino'
import { currentRequest } from '../trace/current-request.ts'

export type Log = Logger

const MAX_CAUSES = 5
const MAX_FRAMES = 4

/** Long words and queries could be secrets. */
export const redact = (message: string): string =>
  message
    .replaceAll(/\?[^\s'"]*/g, '?…')
    .replaceAll(/[\w.~+/=%-]{20,}/g, '…')
    .slice(0, 300)

function describeError(error: unknown): unknown {
  const chain: object[] = []
  for (let current = error; current instanceof Error && chain.length < MAX_CAUSES; current = current.cause) {
    const code = 'code' in current ? { code: String(current.code) } : {}
    const frames = current.stack?.split('\n').filter((line) => line.startsWith('    at ')) ?? []
    const at = frames.slice(0, MAX_FRAMES).map((frame) => frame.trim().replace(/^at /, ''))
    chain.push({ name: current.name, ...code, message: redact(current.message), at })
  }
  return chain.length > 0 ? chain : typeof error
}

function requestIds(): { requestId?: string; traceId?: string | undefined } {
  const request = currentRequest()
  return request === undefined ? {} : { requestId: request.id, traceId: request.traceId }
}

/** Warns once per message in this process. Messages are remembered, so they must come from a bounded set. */
export function warnOnce(log: Pick<Log, 'warn'>): (message: string | undefined, fields?: object) => void {
  const logged = new Set<string>()
  return (message, fields = {}) => {
    if (message === undefined || logged.has(message)) return
    logged.add(message)
    log.warn(fields, message)
  }
}

export function createLog(level: string, destination?: DestinationStream): Log {
  const options: LoggerOptions = {
    level,
    base: null,
    mixin: requestIds,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: describeError },
  }
  if (destination !== undefined || level === 'silent') return pino(options, destination)
  const output = openStandardOutput()
  const log = pino(options, output)
  let dropped = 0
  output.on('drop', () => dropped++)
  output.on('drain', () => {
    if (dropped > 0)
      log.warn({ dropped }, 'lines of the log were dropped, because they could not be written in time')
    dropped = 0
  })
  return log
}

/** Lines that wait, in bytes. More are dropped, so that a frozen reader or a full disk doesn't fill the memory. */
const MAX_BUFFERED = 8 * 1024 * 1024
/** How long an ending process waits for the reader. */
const MAX_EXIT_MS = 1_000

function openStandardOutput() {
  let endAt = Infinity
  // Registered before pino's own listener, which would wait for a frozen reader without an end.
  process.once('exit', () => {
    endAt = performance.now() + MAX_EXIT_MS
    try {
      output.flushSync()
    } catch {
      // The reader is frozen.
    }
    output.destroy()
  })
  const retryEAGAIN = () => performance.now() < endAt
  // process.stdout makes a pipe refuse writes (EAGAIN), which otherwise block the process.
  const dest = process.stdout.fd
  const output = pino.destination({ dest, sync: false, maxLength: MAX_BUFFERED, retryEAGAIN })
  // A full disk fails each write until it has room again. sonic-boom would repeat a synchronous one without an end.
  let isFailing = false
  output.on('error', () => (isFailing = true))
  output.on('write', () => (isFailing = false))
  const flushSync = output.flushSync.bind(output)
  output.flushSync = () => isFailing || flushSync()
  return output
}
