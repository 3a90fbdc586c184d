// The checks of `bash test/image`: builds both images, runs the compose file with its store and a service with
// certificates of a private authority, then the sandbox. Its argument is the folder that has `clone`.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startSandbox } from '../../packages/sandbox/src/sandbox.ts'
import { statusOf, until } from '../helpers/processes.ts'
import { freePort } from '../helpers/running.ts'
import { makeCertificates, pem, startGateway } from '../helpers/tls.ts'
import { expectSignedIn, print, walk } from './walker.ts'

const folder = process.argv[2] ?? ''
const clone = join(folder, 'clone')
const NAMES = { service: 'service.example', authorizationServer: 'login.example' }
/** The address of this machine in the network of compose. */
const HERE = '172.31.250.1'

const run = (command: string, ...args: string[]): string =>
  execFileSync(command, args, { cwd: clone, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
const compose = (...args: string[]) =>
  run('docker-compose', '--profile', 'sandbox', '--profile', 'valkey', ...args)
const containerOf = (service: string) => compose('ps', '--all', '--quiet', service)
const inspect = (of: string, format: string) => run('docker', 'inspect', '--format', format, of)
const inOnramp = (...args: string[]) => run('docker', 'exec', containerOf('onramp'), ...args)
const healthOf = (service: string) => inspect(containerOf(service), '{{.State.Health.Status}}')
const healthy = async (service: string) => {
  const took = await until(() => healthOf(service) === 'healthy', `${service} to be healthy`, 60_000)
  print(`${service} is healthy after ${(took / 1000).toFixed(1)} s`)
}
const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`
const write = (name: string, values: Record<string, string>) =>
  writeFileSync(
    join(clone, name),
    Object.entries(values)
      .map(([key, value]) => `${key}=${value}\n`)
      .join(''),
  )

function writeOverride(): void {
  const hosts = Object.values(NAMES).map((name) => `${name}:${HERE}`)
  const onHostNetwork = { network: 'host' }
  const services = {
    onramp: { build: onHostNetwork, extra_hosts: hosts, volumes: [`${folder}/ca.crt:/run/authority.crt:ro`] },
    sandbox: { build: onHostNetwork },
  }
  const network = { ipam: { config: [{ subnet: '172.31.250.0/24', gateway: HERE }] } }
  writeFileSync(join(folder, 'compose.yml'), JSON.stringify({ services, networks: { default: network } }))
}

function build(): void {
  for (const service of ['onramp', 'sandbox']) {
    const start = performance.now()
    compose('build', service)
    print(`${service} is built in ${Math.round((performance.now() - start) / 1000)} s`)
  }
}

type Lock = { packages: Record<string, { dev?: true; devOptional?: true }> }

function checkContents(): void {
  const image = `${process.env['COMPOSE_PROJECT_NAME']}_onramp`
  const inImage = (...args: string[]) => run('docker', 'run', '--rm', '--network', 'none', image, ...args)
  const installed = new Set(
    inImage('find', 'node_modules', '-name', 'package.json')
      .split('\n')
      .map((file) => file.slice(0, -13)),
  )
  const { packages } = JSON.parse(readFileSync(join(clone, 'package-lock.json'), 'utf8')) as Lock
  const ofDevelopment = Object.keys(packages).filter((path) => packages[path]?.dev && installed.has(path))
  assert.deepEqual(ofDevelopment, [])
  assert.ok(installed.has('node_modules/express'))
  for (const path of ['node_modules/@onramp/sandbox', 'packages/sandbox', 'test', 'examples', '.env'])
    assert.throws(() => inImage('ls', path), /No such file/, `${path} is in the image`)
  const { version } = JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8')) as { version: string }
  const [release, snapshot = ''] = inImage('node', 'src/cli/onramp.mjs', '--version').split('+')
  assert.equal(release, version)
  assert.match(snapshot, /^[\da-f]{8}$/)
  print('no development package and no sandbox is in it')
  const [base, whole] = ['node:24-slim', image].map((one) => Number(inspect(one, '{{.Size}}')))
  const own = (whole ?? 0) - (base ?? 0)
  print(`it adds ${megabytes(own)} to its base of ${megabytes(base ?? 0)}`)
  assert.ok(own < 80e6, 'the image has become too large')
}

function checkConfinement(): void {
  assert.equal(inOnramp('id', '-u'), '1000')
  assert.throws(() => inOnramp('touch', '/app/src/x'), /Read-only file system/)
  inOnramp('touch', '/app/data/x', '/tmp/x')
  const status = inOnramp('cat', '/proc/1/status')
  assert.match(status, /^Name:\s+(node|MainThread)$/m)
  assert.match(status, /^CapEff:\s+0+$/m)
  assert.match(status, /^NoNewPrivs:\s+1$/m)
  print('it runs as user 1000 without privileges, on a root that is read-only, and node is process 1')
}

/** Resolves the service's names to this machine. */
const connect = () => ({
  ca: readFileSync(join(folder, 'ca.crt'), 'utf8'),
  lookup: ((name: string, { all }: { all?: boolean }, done: (...found: unknown[]) => void) => {
    const address = name.endsWith('.example') ? HERE : '127.0.0.1'
    return all ? done(null, [{ address, family: 4 }]) : done(null, address, 4)
  }) as never,
})

async function checkWithStore(): Promise<void> {
  makeCertificates(folder, { servers: Object.values(NAMES) })
  const port = String(await freePort())
  const url = `http://localhost:${port}`
  const ports = { service: await freePort(), authorizationServer: await freePort() }
  const open = { service: await freePort(), authorizationServer: await freePort() }
  const addresses = {
    service: `https://${NAMES.service}:${open.service}`,
    authorizationServer: `https://${NAMES.authorizationServer}:${open.authorizationServer}`,
  }
  const secret = randomBytes(24).toString('base64url')
  const client = { client_id: 'onramp', client_secret: secret, redirect_uris: [url + '/sign-in/callback'] }
  const switches = { autoConsent: true }
  await using opened = new AsyncDisposableStack()
  const sandbox = await startSandbox({ ports, addresses, clients: [client], switches })
  opened.defer(sandbox.close)

  write('.env', {
    PORT: port,
    REDIS_URL: 'redis://valkey:6379',
    PUBLIC_URL: url,
    SERVICE_BASE_URL: addresses.service,
    OIDC_ISSUER: addresses.authorizationServer,
    OIDC_CLIENT_ID: client.client_id,
    OIDC_CLIENT_SECRET: secret,
    SESSION_SECRET: randomBytes(32).toString('base64url'),
    NODE_EXTRA_CA_CERTS: '/run/authority.crt',
  })
  compose('up', '--no-start', 'onramp', 'valkey')
  for (const name of ['service', 'authorizationServer'] as const) {
    const gateway = await startGateway({
      ...pem(folder, 'servers'),
      target: ports[name],
      port: open[name],
      host: HERE,
    })
    opened.defer(() => {
      gateway.closeAllConnections()
      gateway.close()
    })
  }
  compose('up', '-d', 'onramp', 'valkey')
  await healthy('valkey')
  await healthy('onramp')
  await until(async () => (await statusOf(`${url}/readyz`)) === 200, 'it to be ready')
  checkConfinement()
  const browser = await walk(url, 'ada', connect())
  print('a person signs in and connects everything through the published port')

  for (const service of ['onramp', 'valkey']) {
    compose('restart', service)
    await healthy(service)
    await until(async () => (await statusOf(`${url}/readyz`)) === 200, 'it to be ready again')
    await expectSignedIn(url, browser)
    print(`after a restart of ${service} the person is still signed in`)
  }
  const start = performance.now()
  compose('stop', 'onramp')
  assert.equal(inspect(containerOf('onramp'), '{{.State.ExitCode}}'), '0')
  print(`it stops with 0 after ${((performance.now() - start) / 1000).toFixed(1)} s`)
  compose('down', '--volumes')
}

async function checkSandbox(): Promise<void> {
  const port = String(await freePort())
  const url = `http://localhost:${port}`
  write('.env', { PORT: port })
  compose('up', '-d', 'sandbox')
  const container = containerOf('sandbox')
  await until(() => run('docker', 'logs', container).includes('Onramp is ready'), 'the sandbox', 60_000)
  const switched = await fetch('http://127.0.0.1:4004/control.json', {
    method: 'PATCH',
    body: JSON.stringify({ autoConsent: true }),
  })
  assert.equal(switched.status, 200)
  await walk(url, 'ada')
  print('the same through the published ports of the profile sandbox')
  compose('stop', 'sandbox')
  assert.equal(inspect(container, '{{.State.ExitCode}}'), '0')
  print('it stops with 0')
}

try {
  writeOverride()
  write('.env', {})
  build()
  checkContents()
  await checkWithStore()
  await checkSandbox()
} catch (error) {
  for (const output of ['stdout', 'stderr'] as const)
    if (error instanceof Error && output in error) process.stderr.write(String(Reflect.get(error, output)))
  try {
    process.stderr.write(compose('logs', '--tail', '30'))
  } catch {}
  throw error
}
process.stdout.write('The image is as it should be, and so is what docker-compose.yml makes of it.\n')
