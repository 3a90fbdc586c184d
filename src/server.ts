// The process: settings -> parts -> listen -> drain. Importing any other file starts nothing.
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { createOnramp, type Onramp } from './parts.ts'
import { loadSettings, SettingsError, type Settings } from './settings.ts'
import { createLog, type Log } from './web/log.ts'

/** sysexits.h: the configuration is faulty. */
const EXIT_CONFIG = 78
/** In-flight requests have so long to end. */
const DRAIN_MOST_MS = 8_000

function settingsOrExit(): Settings {
  try {
    return loadSettings(process.env)
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    const faults = error.faults.map((fault) => `  - ${fault}\n`).join('')
    process.stderr.write(
      `onramp cannot start: ${error.faults.length} of its settings need mending.\n${faults}`,
    )
    process.exit(EXIT_CONFIG)
  }
}

/** Listens before the authorization server or the store can be reached. @throws when the port is taken */
export async function startServer(
  settings: Settings,
  log: Log,
): Promise<{ server: Server; stop(): Promise<void> }> {
  const onramp = createOnramp(settings, log)
  const server = createServer(
    { requestTimeout: 30_000, headersTimeout: 10_000, maxHeaderSize: 16_384 },
    onramp.app,
  )
  // Longer than a proxy keeps an idle connection, so that the proxy is the one who closes it.
  server.keepAliveTimeout = 75_000
  server.listen(settings.PORT, settings.HOST)
  await once(server, 'listening')
  onramp.start()
  const { PUBLIC_URL, OIDC_ISSUER, REDIS_URL } = settings
  const store = REDIS_URL === undefined ? 'SQLite' : 'Redis'
  log.info(
    { address: server.address(), PUBLIC_URL, OIDC_ISSUER, store, node: process.version },
    'onramp listens',
  )
  return { server, stop: () => stop(server, onramp) }
}

async function stop(server: Server, onramp: Onramp): Promise<void> {
  onramp.drain()
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  server.closeIdleConnections()
  const late = setTimeout(() => server.closeAllConnections(), DRAIN_MOST_MS)
  await closed
  clearTimeout(late)
  await onramp.close()
}

/** Serves with the settings of this process's environment until it is told to end. */
export async function main(): Promise<void> {
  const settings = settingsOrExit()
  const log = createLog(settings.LOG_LEVEL)
  // Whoever reads the log may go away; the people who are connecting must not notice.
  process.stdout.on('error', () => {})
  try {
    const running = await startServer(settings, log)
    const onSignal = (signal: string) => {
      log.info({ signal }, 'ending: requests in flight are finished first')
      void running.stop().then(() => process.exit(0))
    }
    process.once('SIGTERM', onSignal)
    process.once('SIGINT', onSignal)
  } catch (error) {
    log.fatal({ err: error }, 'onramp cannot start')
    process.exit(1)
  }
}

if (import.meta.main) await main()
