// A company's network: the service and the authorization server have names that only the forward proxy can resolve, and
// certificates of a private authority. The forward proxy is proxy-chain.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer, type Server as TlsServer } from 'node:https'
import { once } from 'node:events'
import type { LookupFunction } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Server as ForwardProxy, type PrepareRequestFunctionOpts } from 'proxy-chain'
import { startSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts'
import { freePort } from './running.ts'

const NAMES = { service: 'service.example', authorizationServer: 'login.example' }

/** Every name is this machine. */
const lookup: LookupFunction = (_name, { all }, done) =>
  all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4)

function makeCertificates(folder: string): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.crt', '-days', '2', '-subj', '/CN=Test CA')
  const sign = (file: string, names: readonly string[]) => {
    openssl('req', ...key, '-keyout', `${file}.key`, '-out', `${file}.csr`, '-subj', `/CN=${file}`)
    writeFileSync(join(folder, 'names'), `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`)
    const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names', '-days', '2']
    openssl('x509', '-req', '-in', `${file}.csr`, '-out', `${file}.crt`, ...signed)
  }
  sign('servers', Object.values(NAMES))
  sign('proxy', ['localhost'])
}

/** A key and its certificate. */
const pem = (folder: string, file: string) => ({
  key: readFileSync(join(folder, `${file}.key`)),
  cert: readFileSync(join(folder, `${file}.crt`)),
})

/** Ends TLS and hands each request on, as a gateway does. */
async function startGateway(folder: string, target: number, port: number): Promise<TlsServer> {
  const server = createServer(pem(folder, 'servers'), (req, res) => {
    const headers = { ...req.headers, 'x-forwarded-proto': 'https' }
    const onward = {
      host: '127.0.0.1',
      port: target,
      method: req.method,
      path: req.url,
      headers,
      agent: false,
    }
    req.pipe(
      request(onward, (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(res)
      }).on('error', () => res.destroy()),
    )
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}

export type BehindProxy = {
  sandbox: Sandbox
  /** HTTPS_PROXY. */
  proxy: string
  /** The same for a proxy that speaks TLS itself. */
  tlsProxy: string
  /** The same without its user and password. */
  proxyName: string
  /** Which hosts the proxy was asked for. */
  asked: Set<string>
  /** The file of the private authority. */
  authority: string
  /** For a browser that is in that network. */
  connect: { ca: string; lookup: LookupFunction }
  close(): Promise<void>
}

export async function startBehindProxy(password: string): Promise<BehindProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'onramp-proxy-'))
  makeCertificates(folder)
  const ports = { service: await freePort(), authorizationServer: await freePort() }
  const open = { service: await freePort(), authorizationServer: await freePort() }
  const addresses = {
    service: `https://${NAMES.service}:${open.service}`,
    authorizationServer: `https://${NAMES.authorizationServer}:${open.authorizationServer}`,
  }
  const sandbox = await startSandbox({ ports, addresses })
  const gateways = [
    await startGateway(folder, ports.service, open.service),
    await startGateway(folder, ports.authorizationServer, open.authorizationServer),
  ]
  const asked = new Set<string>()
  const options = {
    host: '127.0.0.1',
    port: 0,
    prepareRequestFunction(opened: PrepareRequestFunctionOpts) {
      asked.add(opened.hostname)
      const isKnown = opened.username === 'onramp' && opened.password === password
      return { requestAuthentication: !isKnown, dnsLookup: lookup as never }
    },
  }
  const proxy = new ForwardProxy(options)
  const tlsProxy = new ForwardProxy({ ...options, serverType: 'https', httpsOptions: pem(folder, 'proxy') })
  for (const one of [proxy, tlsProxy]) await one.listen()
  const name = `127.0.0.1:${proxy.port}`
  const user = `onramp:${encodeURIComponent(password)}`
  const authority = join(folder, 'ca.crt')
  return {
    sandbox,
    proxy: `http://${user}@${name}`,
    tlsProxy: `https://${user}@localhost:${tlsProxy.port}`,
    proxyName: name,
    asked,
    authority,
    connect: { ca: readFileSync(authority, 'utf8'), lookup },
    async close() {
      for (const one of [proxy, tlsProxy]) await one.close(true)
      for (const gateway of gateways) {
        gateway.close()
        gateway.closeAllConnections()
      }
      await sandbox.close()
      rmSync(folder, { recursive: true })
    },
  }
}
