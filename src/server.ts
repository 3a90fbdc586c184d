// Runs the process: reads the settings, composes, listens, drains. Importing any other file starts nothing.
import './require-node.mjs'
import type { Server } from 'node:http'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { createOnramp } from './compose.ts'
import { VERSION } from './version.ts'
import { StoreUnreadable } from './records/records.ts'
import { describeStore } from './records/store.ts'
import { EXIT_SETTINGS, loadSettings, SettingsError, type Settings } from './settings/settings.ts'
import { flushSpans } from './trace/spans.ts'
import { createBoundedServer } from './web/bounded-server.ts'
import { createLog, type Log } from './web/log.ts'
import { refuseMalformed } from './web/malformed.ts'
import { OperatorError } from './problem.ts'

const MAX_DRAIN_MS = 6_500
/** Connections that wait for their next request, or for someone to read a response. */
const MAX_AWAITING_CLIENT = 1_000

/** Listens before it connects to other servers. @throws {SettingsError}; also if a port or DATA_DIR is taken */
export async function startServer(settings: Settings, log: Log) {
  const onramp = createOnramp(settings, log)
  const refuse = refuseMalformed(log, onramp.countProblem)
  const server = createBoundedServer(onramp.app, refuse, MAX_AWAITING_CLIENT)
  server.on('clientError', refuse)
  // Longer than proxies keep idle connections, so that the proxy closes them. `timeout` ends responses that no one
  // reads.
  server.keepAliveTimeout = server.timeout = 75_000
  const metrics =
    settings.METRICS_PORT === undefined
      ? undefined
      : createBoundedServer(onramp.metrics, refuse, MAX_AWAITING_CLIENT)
  try {
    if (metrics) await listen(metrics, settings, 'METRICS_PORT')
    await listen(server, settings, 'PORT')
  } catch (error) {
    metrics?.close()
    await onramp.close()
    throw error
  }
  const opened = onramp.start()
  // Callers that don't await `opened` see the error on each request instead.
  opened.catch(() => {})
  const { PUBLIC_URL, OIDC_ISSUER } = settings
  const store = describeStore(settings).name
  log.info(
    { version: VERSION, address: server.address(), PUBLIC_URL, OIDC_ISSUER, store, node: process.version },
    'onramp is listening',
  )
  return {
    server,
    /** Resolves once the store is open. @throws {StoreUnreadable} */
    opened,
    /** @param drainSeconds how long it keeps serving without being ready */
    async stop(drainSeconds = 0): Promise<void> {
      await stop(server, onramp, drainSeconds, log)
      // Metrics close last, so that the end can be observed.
      metrics?.close()
      metrics?.closeAllConnections()
    },
  }
}

type Serving = Pick<Awaited<ReturnType<typeof startServer>>, 'stop'>

const ADVICE: Record<string, (setting: string) => string> = {
  EADDRINUSE: (setting) => `another process listens there: stop it, or change ${setting}`,
  EACCES: (setting) => `permission denied: set ${setting} to 1024 or more`,
}

class PortUnusable extends OperatorError {
  override name = 'PortUnusable'
  readonly code: string
  constructor(setting: 'PORT' | 'METRICS_PORT', { [setting]: port, HOST: host }: Settings, cause: unknown) {
    const code = codeOf(cause)
    const advice = ADVICE[code]?.(setting) ?? "HOST isn't an address of this machine"
    super(`can't listen on ${setting} ${port} of HOST ${host} (${code}): ${advice}`, { cause })
    this.code = code
  }
}

const codeOf = (error: unknown) => String(Reflect.get(Object(error), 'code'))

/** The previous process may still finish its requests. */
const WAIT_FOR_PORT_MS = 10_000
const POLL_EVERY_MS = 200

async function listen(server: Server, settings: Settings, setting: 'PORT' | 'METRICS_PORT'): Promise<void> {
  for (const until = Date.now() + WAIT_FOR_PORT_MS; ; await pause(POLL_EVERY_MS))
    try {
      server.listen(settings[setting], settings.HOST)
      return void (await once(server, 'listening'))
    } catch (error) {
      if (codeOf(error) !== 'EADDRINUSE' || Date.now() > until)
        throw new PortUnusable(setting, settings, error)
    }
}

/**
 * First serves for DRAIN_SECONDS without being ready, so that proxies notice. Then accepts no new connections, and ends
 * with the last request in flight, or after MAX_DRAIN_MS.
 */
async function stop(
  server: Server,
  onramp: ReturnType<typeof createOnramp>,
  drainSeconds: number,
  log: Pick<Log, 'warn'>,
) {
  onramp.drain()
  await pause(drainSeconds * 1000)
  const serverClosed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  // Idle keep-alive connections would keep the process alive.
  const idleTimer = setInterval(() => server.closeIdleConnections(), 50)
  const drainTimer = setTimeout(() => {
    server.getConnections((_error, connections) =>
      log.warn({ connections }, 'shutting down: cut connections whose requests took too long'),
    )
    server.closeAllConnections()
  }, MAX_DRAIN_MS)
  await serverClosed
  clearInterval(idleTimer)
  clearTimeout(drainTimer)
  await onramp.close()
}

/** After an uncaught error, the state is unknown, so the process ends once its requests in flight are done. */
function endOnUncaughtErrors(running: Serving, log: Pick<Log, 'fatal'>): void {
  let isEnding = false
  process.on('uncaughtException', (fault: unknown, origin) => {
    log.fatal({ err: fault, origin }, 'uncaught error: shutting down')
    if (isEnding) return
    isEnding = true
    void running
      .stop()
      .finally(flushSpans)
      .finally(() => process.exit(1))
  })
}

/** npm signals the shell of a script, and some shells don't pass the signal on, so `npm start` ends after its shell. */
function endWithNpm(end: () => void): void {
  if (process.env['npm_lifecycle_event'] === undefined) return
  const parent = process.ppid
  const poll = setInterval(() => {
    if (process.ppid === parent && isRunning(parent)) return
    clearInterval(poll)
    end()
  }, POLL_EVERY_MS)
  poll.unref()
}

/** Necessary on Windows, where a process keeps the number of a parent that has ended. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

function endOnSignals(
  running: Serving,
  settings: Pick<Settings, 'DRAIN_SECONDS'>,
  log: Pick<Log, 'info'>,
): void {
  let isEnding = false
  const end = (signal: NodeJS.Signals) => {
    // A second signal ends at once.
    if (isEnding) process.exit(130)
    isEnding = true
    log.info({ signal }, 'shutting down: finishing requests in flight')
    void running
      .stop(signal === 'SIGTERM' ? settings.DRAIN_SECONDS : 0)
      .then(flushSpans)
      .then(() => process.exit(0))
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
  // A supervisor may signal the shell, too, so the end of the shell isn't a second signal.
  endWithNpm(() => {
    if (!isEnding) end('SIGTERM')
  })
}

export function endOnEvents(
  running: Serving,
  settings: Pick<Settings, 'DRAIN_SECONDS'>,
  log: Pick<Log, 'info' | 'fatal'>,
): void {
  endOnSignals(running, settings, log)
  endOnUncaughtErrors(running, log)
}

/** @param log absent for faults of the settings or the company file */
function endWith(error: unknown, log?: Log): never {
  if (error instanceof SettingsError) process.stderr.write(`onramp cannot start: ${error.message}\n`)
  else {
    if (log === undefined) throw error
    const why = error instanceof OperatorError || error instanceof StoreUnreadable ? `: ${error.message}` : ''
    log.fatal({ err: error }, `onramp cannot start${why}`)
  }
  process.exit(error instanceof SettingsError || error instanceof StoreUnreadable ? EXIT_SETTINGS : 1)
}

export async function runServer(): Promise<void> {
  let log: Log | undefined
  try {
    const settings = loadSettings(process.env)
    log = createLog(settings.LOG_LEVEL)
    // People must not notice if the reader of the log disappears.
    process.stdout.on('error', () => {})
    const running = await startServer(settings, log)
    endOnEvents(running, settings, log)
    await running.opened
  } catch (error) {
    endWith(error, log)
  }
}

if (import.meta.main) await runServer()
