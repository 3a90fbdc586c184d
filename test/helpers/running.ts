// Starts onramp and the sandbox on loopback, with real settings, sign-in and store.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { createOnramp } from '../../src/compose.ts'
import { startSandbox, type SandboxOptions } from '../../packages/sandbox/src/sandbox.ts'
import { Invitations } from '../../src/invites/token.ts'
import { startServer } from '../../src/server.ts'
import { loadSettings, type Settings } from '../../src/settings/settings.ts'
import { createLog, type Log } from '../../src/web/log.ts'
import { expectDocumented, recordResponses, type JsonResponse } from './json-responses.ts'
import { startOnramp, statusOf, until, type OnrampProcess } from './processes.ts'
import { TestBrowser } from './test-browser.ts'

export type Running = Awaited<ReturnType<typeof run>>

export type RunOptions = {
  settings?: Record<string, string>
  sandbox?: SandboxOptions
  host?: string
  /** The port of onramp, if another server needs its URL first. */
  port?: number
  /** Another clock; milliseconds since 1970. */
  now?: () => number
}

/** Below the ports that the system assigns, so that no connection takes a port between its choice and its use. */
const FIRST_PORT = 12_000
const PORTS_A_WORKER = 2_000
const worker = Number(process.env['VITEST_POOL_ID'] ?? 0) % 10
let nextPort = process.pid

/** A port that nothing uses, of this test worker alone. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (let tries = 0; tries < PORTS_A_WORKER; tries++) {
    const port = FIRST_PORT + worker * PORTS_A_WORKER + (nextPort++ % PORTS_A_WORKER)
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, host, () => resolve(true))
    })
    if (!isFree) continue
    await new Promise((resolve) => server.close(resolve))
    return port
  }
  throw new Error('no port')
}

export const clientAt = (url: string, secret: string) => ({
  client_id: 'onramp',
  client_secret: secret,
  redirect_uris: [url + '/sign-in/callback'],
  post_logout_redirect_uris: [url + '/signed-out'],
  backchannel_logout_uri: url + '/sign-out/backchannel',
})

export async function run(options: RunOptions = {}) {
  const host = options.host ?? 'localhost'
  const port = options.port ?? (await freePort(host))
  const url = `http://${host}:${port}`
  const secret = randomBytes(24).toString('base64url')
  const sandbox = await startSandbox({ ...options.sandbox, clients: [clientAt(url, secret)] })
  const folder = mkdtempSync(join(tmpdir(), 'onramp-test-'))
  const env: Record<string, string> = {
    PORT: String(port),
    HOST: host,
    PUBLIC_URL: url,
    SERVICE_BASE_URL: sandbox.urls.service,
    OIDC_ISSUER: sandbox.urls.authorizationServer,
    OIDC_CLIENT_ID: 'onramp',
    OIDC_CLIENT_SECRET: secret,
    SESSION_SECRET: randomBytes(32).toString('base64url'),
    DATA_DIR: folder,
    ...options.settings,
  }
  const lines: string[] = []
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString())
      done()
    },
  })
  const log = createLog('trace', sink)
  const responses: (readonly JsonResponse[])[] = []
  const start = async (variables: Record<string, string>) => {
    const settings = loadSettings(variables)
    const { now } = options
    const startedServer =
      now === undefined ? await startServer(settings, log) : await startWithClock(settings, log, now)
    responses.push(recordResponses(startedServer.server))
    return startedServer
  }
  let server = await start(env)
  // A test of a refusing Redis continues without it.
  if (env['REDIS_URL'] !== undefined)
    await until(async () => (await statusOf(`${url}/readyz`)) === 200, 'readiness', 2_000).catch(() => {})
  let isRunning = true
  const stopOnramp = async () => {
    if (isRunning) await server.stop()
    isRunning = false
  }
  return {
    url,
    sandbox,
    env,
    log: lines,
    stopOnramp,
    /** Restarts onramp with the same settings, as after a crash. */
    async restart(changed: Record<string, string> = {}) {
      await stopOnramp()
      server = await start({ ...env, ...changed })
      isRunning = true
    },
    async close() {
      await stopOnramp()
      await sandbox.close()
      rmSync(folder, { recursive: true, force: true })
      await expectDocumented(responses.flat())
    },
  }
}

/** Replaces the onramp within the test by a child process. */
export async function startAlone(
  running: Running,
  changed: Record<string, string> = {},
): Promise<OnrampProcess> {
  await running.stopOnramp()
  return await startOnramp({ ...running.env, ...changed })
}

async function startWithClock(settings: Settings, log: Log, now: () => number) {
  const onramp = createOnramp(settings, log, { now })
  const server = createHttpServer(onramp.app)
  await new Promise<void>((resolve) => server.listen(settings.PORT, settings.HOST, resolve))
  await onramp.start()
  return {
    server,
    async stop() {
      const serverClosed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await serverClosed
      await onramp.close()
    },
  }
}

/** Opens `path`, chooses the person at the authorization server, and is back on the page. */
export async function signIn(
  running: Running,
  person: string,
  path = '/onboarding',
  browser = new TestBrowser(),
) {
  await browser.open(running.url + path)
  await chooseAccount(running, browser, person)
  return browser
}

export async function chooseAccount(running: Running, browser: TestBrowser, person: string): Promise<void> {
  const account = running.sandbox.people.find((candidate) => candidate.id === person)
  if (account === undefined) throw new Error(`no person ${person} in the sandbox`)
  await browser.post(browser.page.url, { person: account.id })
}

type Invitation = { email?: string; datasources?: string[]; days?: number; at?: number }

/** The token of an invitation. @param invitation `at`: its time in milliseconds since 1970 */
export function invite({ env, url }: Pick<Running, 'env' | 'url'>, invitation: Invitation = {}) {
  const { email = 'ada@acme.example', datasources = [], days = 14, at = Date.now() } = invitation
  const secrets = [env['SESSION_SECRET'] ?? '']
  return new Invitations(secrets, url, () => at).issue({ email, datasources }, days)
}
