// Each proxy of deploy/proxies in front of two processes of onramp on one Redis: people walk over TLS, and both
// processes are restarted under load. Arguments: a folder, and the proxies (default: all).
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent, errors, request } from 'undici'
import { startOnramp, spawnOne, until, type Spawned } from '../helpers/processes.ts'
import { startRedis } from '../helpers/redis.ts'
import { freePort, run } from '../helpers/running.ts'
import { makeCertificates } from '../helpers/tls.ts'
import type { TestBrowser } from '../helpers/test-browser.ts'
import { startLoad, type LoadRequest } from '../helpers/load.ts'
import { expectSignedIn, print, walk } from './walker.ts'

const [, , folder = '', ...names] = process.argv
const here = new URL('../../deploy/proxies/', import.meta.url).pathname
makeCertificates(folder, { tls: ['localhost'] })
writeFileSync(
  join(folder, 'tls.pem'),
  ['crt', 'key'].map((kind) => readFileSync(`${folder}/tls.${kind}`)).join(''),
)
const ca = readFileSync(join(folder, 'ca.crt'), 'utf8')

type Place = { port: number; ports: readonly [number, number] }

/** The file with these ports and this certificate. */
const configurationOf = (file: string, { port, ports }: Place): string =>
  readFileSync(here + file, 'utf8')
    .replaceAll('/etc/onramp', folder)
    .replaceAll('onramp.example', 'localhost')
    .replaceAll(/(listen |bind |\*|localhost)(:?)443/g, `$1$2${port}`)
    .replaceAll(':3001', `:${ports[0]}`)
    .replaceAll(':3002', `:${ports[1]}`)

/** Number of restarts of both processes. */
const ROUNDS = Number(process.env['ROUNDS'] ?? 1)
const METRICS_TOKEN = randomBytes(24).toString('base64url')

const MODULES = `mpm_event authn_core authz_core ssl socache_shmcb headers slotmem_shm proxy proxy_http
  proxy_balancer lbmethod_byrequests proxy_hcheck`

/** The whole configuration around the file, and the command that starts the proxy with it. */
const proxies: Record<
  string,
  { file: string; whole: (part: string, place: Place) => string; start: string[] }
> = {
  nginx: {
    file: 'nginx.conf',
    whole: (part) => `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log; worker_processes 2;
      events {} http { access_log off; ${part} }`,
    start: ['nginx', '-e', `${folder}/nginx.log`, '-c'],
  },
  haproxy: { file: 'haproxy.cfg', whole: (part) => part, start: ['haproxy', '-db', '-f'] },
  apache: {
    file: 'apache.conf',
    whole: (part, { port }) =>
      `${MODULES.split(/\s+/)
        .map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so\n`)
        .join('')}
ServerName localhost
PidFile ${folder}/apache.pid
DefaultRuntimeDir ${folder}
ErrorLog ${folder}/apache.log
User www-data
Group www-data
Listen ${port}
${part}`,
    start: ['apache2', '-DFOREGROUND', '-f'],
  },
  caddy: {
    file: 'Caddyfile',
    whole: (part) => part.replace('{\n', '{\n\tadmin off\n\tauto_https disable_redirects\n'),
    start: ['caddy', 'run', '--adapter', 'caddyfile', '--config'],
  },
}

/** @returns the status of a response over TLS */
async function get(url: string, agent: Agent, headers: Record<string, string> = {}): Promise<number> {
  const response = await request(url, { dispatcher: agent, headers })
  await response.body.dump()
  return response.statusCode
}

async function checkEdges(url: string, agent: Agent): Promise<void> {
  // With the token, onramp itself serves these.
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` }
  for (const path of ['/metrics', '/METRICS', '/metrics/', '/%6detrics', '//metrics', '/metrics?a'])
    assert.notEqual(await get(url + path, agent, headers), 200, `${path} is public`)
  // A company's domain can have many cookies.
  assert.equal(await get(`${url}/signed-out`, agent, { cookie: `a=${'a'.repeat(12_000)}` }), 200)
  assert.equal(await get(`${url}/signed-out?a=${'a'.repeat(7_000)}`, agent), 200)
  const headersTooLarge = await get(`${url}/signed-out`, agent, { cookie: `a=${'a'.repeat(40_000)}` })
  assert.ok(headersTooLarge >= 400 && headersTooLarge < 500, `headers that are too large: ${headersTooLarge}`)
  const form = { method: 'POST', body: 'a'.repeat(400_000), dispatcher: agent } as const
  // A proxy may close the connection before it has passed on our 413.
  const bodyTooLarge = await request(url + '/sign-out/backchannel', form).catch((error: unknown) => {
    assert.ok(error instanceof errors.SocketError, String(error))
  })
  await bodyTooLarge?.body.dump()
  const { statusCode = 413 } = bodyTooLarge ?? {}
  assert.ok(statusCode >= 400 && statusCode < 500, `a body that is too large: ${statusCode}`)
  assert.equal(await get(`${url}/signed-out`, agent), 200)
}

function workOf(browsers: TestBrowser[], url: string): LoadRequest[] {
  const cookies = browsers.map((browser) => browser.cookieHeader(url))
  const pages = cookies.flatMap((cookie) => [cookie, cookie])
  return [
    ...pages.map((cookie) => ({ method: 'GET', path: '/onboarding', cookie }) as const),
    ...cookies.map((cookie) => ({ method: 'POST', path: '/onboarding/skip/slack_1', cookie }) as const),
    ...cookies.map((cookie) => ({ method: 'POST', path: '/onboarding/unskip/slack_1', cookie }) as const),
  ]
}

async function checkProxy(name: string): Promise<void> {
  const { file, whole, start } =
    proxies[name] ?? assert.fail(`no proxy ${name}: ${Object.keys(proxies).join(', ')}`)
  await using opened = new AsyncDisposableStack()
  const redis = await startRedis()
  opened.defer(() => redis.close())
  const port = await freePort()
  const url = `https://localhost:${port}`
  const ports = [await freePort(), await freePort()] as const
  const settings = {
    PUBLIC_URL: url,
    REDIS_URL: redis.url,
    TRUST_PROXY: '127.0.0.1',
    METRICS_TOKEN,
    SIGN_INS_PER_MINUTE: '100000',
  }
  const switches = { autoConsent: true }
  const running = await run({
    settings: { ...settings, HOST: '127.0.0.1', LOG_LEVEL: 'warn' },
    sandbox: { switches },
  })
  opened.defer(() => running.close())
  await running.stopOnramp()
  const startOn = (one: number) =>
    startOnramp({ ...running.env, OIDC_CLIENT_ID: '', OIDC_CLIENT_SECRET: '', PORT: String(one) })
  const processes = await Promise.all(ports.map(startOn))
  opened.defer(async () => {
    await Promise.all(processes.map((process) => process.end('SIGKILL')))
  })

  const config = join(folder, name)
  writeFileSync(config, whole(configurationOf(file, { port, ports }), { port, ports }))
  const [command = '', ...args] = start
  const env = { PATH: process.env['PATH'], HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  const proxy: Spawned = spawnOne(command, [...args, config], env)
  opened.defer(async () => void (await proxy.end('SIGTERM')))
  const agent = new Agent({ allowH2: false, connect: { ca } })
  opened.defer(() => agent.destroy())
  await until(async () => {
    if (proxy.hasEnded()) throw new Error(`${name} ended: ${proxy.output()}`)
    return (await get(`${url}/readyz`, agent).catch(() => 0)) === 200
  }, `${name} to answer`)

  await checkEdges(url, agent)
  const browsers = [await walk(url, 'ada', { ca }), await walk(url, 'bob', { ca })]
  const load = startLoad(url, workOf(browsers, url), { workers: 3, ca })
  await pause(2_000)
  for (const [index, one] of Array.from({ length: ROUNDS }, () => [...ports.entries()]).flat()) {
    const ended = await processes[index]?.end('SIGTERM')
    assert.equal(ended?.code, 0)
    processes[index] = await startOn(one)
    // The proxy has to notice, as in any restart.
    await pause(2_500)
  }
  await load.stop()
  const lost = load.responses.filter(
    ({ request: sent, status }) => status !== (sent.method === 'POST' ? 303 : 200),
  )
  print(
    `${name}: people walk; of ${load.responses.length} pages and forms, ${lost.length} got lost in restarts`,
  )
  assert.deepEqual(lost, [], `${name}: ${proxy.output().slice(-2_000)}`)
  for (const browser of browsers) await expectSignedIn(url, browser)

  // The proxy has to notice that none is ready.
  await redis.kill()
  await pause(3_000)
  for (const browser of browsers) {
    await browser.open(`${url}/onboarding`)
    assert.match(browser.text, /We.ll be right back/, 'in an outage people read that it is one')
  }
}

for (const name of names.length === 0 ? Object.keys(proxies) : names) await checkProxy(name)
