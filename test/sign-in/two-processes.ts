// Fixture: two processes of onramp as `npm start` runs them, on one Redis, and the sandbox.
import { randomBytes } from 'node:crypto'
import { request } from 'undici'
import { startSandbox, type Sandbox, type SandboxOptions } from '../../packages/sandbox/src/sandbox.ts'
import { startOnramp, type OnrampProcess } from '../helpers/processes.ts'
import { startRedis, type RedisServer } from '../helpers/redis.ts'
import { clientAt, freePort } from '../helpers/running.ts'
import { TestBrowser } from '../helpers/test-browser.ts'

export type TwoProcesses = {
  sandbox: Sandbox
  redis: RedisServer
  /** The first one has PUBLIC_URL. Browsers see one host, so both get the same cookie. */
  processes: [OnrampProcess, OnrampProcess]
  url: string
  env: Record<string, string>
  /** Replaces an ended process. */
  startAgain(which: 0 | 1, changed?: Record<string, string>): Promise<void>
  close(): Promise<void>
}

export async function startTwo(
  options: { settings?: Record<string, string>; sandbox?: SandboxOptions } = {},
): Promise<TwoProcesses> {
  const redis = await startRedis()
  const [port, otherPort] = [await freePort('localhost'), await freePort('localhost')]
  const url = `http://localhost:${port}`
  const secret = randomBytes(24).toString('base64url')
  const sandbox = await startSandbox({ ...options.sandbox, clients: [clientAt(url, secret)] })
  const env: Record<string, string> = {
    HOST: 'localhost',
    PUBLIC_URL: url,
    SERVICE_BASE_URL: sandbox.urls.service,
    OIDC_ISSUER: sandbox.urls.authorizationServer,
    OIDC_CLIENT_ID: 'onramp',
    OIDC_CLIENT_SECRET: secret,
    SESSION_SECRET: randomBytes(32).toString('base64url'),
    REDIS_URL: redis.url,
    SIGN_INS_PER_MINUTE: '10000',
    DRAIN_SECONDS: '0',
    ...options.settings,
  }
  for (const [name, value] of Object.entries(env)) if (value === '') delete env[name]
  const start = (which: 0 | 1, changed: Record<string, string> = {}) =>
    startOnramp({ ...env, PORT: String(which === 0 ? port : otherPort), ...changed })
  const processes = await Promise.all([start(0), start(1)])
  return {
    sandbox,
    redis,
    processes,
    url,
    env,
    async startAgain(which, changed) {
      processes[which] = await start(which, changed)
    },
    async close() {
      await Promise.all(processes.map((one) => one.end('SIGKILL')))
      await sandbox.close()
      await redis.close()
    },
  }
}

/** Signs someone in at the first process. */
export async function signInAt(
  two: TwoProcesses,
  person: string,
  path = '/onboarding',
): Promise<TestBrowser> {
  const browser = new TestBrowser()
  await browser.open(two.url + path)
  await browser.post(browser.page.url, { person })
  return browser
}

type PageResponse = { status: number; location: string | undefined }

/** The response to a page request, without redirects; status 0 for a broken connection. */
export async function get(url: string, browser: TestBrowser, path = '/onboarding'): Promise<PageResponse> {
  const headers = { cookie: browser.cookieHeader(url), accept: 'text/html' }
  try {
    const { statusCode, headers: answered, body } = await request(url + path, { headers })
    await body.dump()
    return { status: statusCode, location: answered['location']?.toString() }
  } catch {
    return { status: 0, location: undefined }
  }
}

/** Sends equal requests at once. */
export const getMany = (
  count: number,
  url: string,
  browser: TestBrowser,
  path = '/onboarding',
): Promise<PageResponse[]> => Promise.all(Array.from({ length: count }, () => get(url, browser, path)))
