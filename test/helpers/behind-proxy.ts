// A company's network: the service and the authorization server have names that only the forward proxy can resolve, and
// certificates of a private authority. The forward proxy is proxy-chain.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { LookupFunction } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Server as ForwardProxy, type PrepareRequestFunctionOpts } from 'proxy-chain'
import { startSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts'
import { freePort } from './running.ts'
import { makeCertificates, pem, startGateway } from './tls.ts'

const NAMES = { service: 'service.example', authorizationServer: 'login.example' }

/** Every name is this machine. */
const lookup: LookupFunction = (_name, { all }, done) =>
  all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4)

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
  makeCertificates(folder, { servers: Object.values(NAMES), proxy: ['localhost'] })
  const ports = { service: await freePort(), authorizationServer: await freePort() }
  const open = { service: await freePort(), authorizationServer: await freePort() }
  const addresses = {
    service: `https://${NAMES.service}:${open.service}`,
    authorizationServer: `https://${NAMES.authorizationServer}:${open.authorizationServer}`,
  }
  const sandbox = await startSandbox({ ports, addresses })
  const servers = pem(folder, 'servers')
  const gateways = [
    await startGateway({ ...servers, target: ports.service, port: open.service }),
    await startGateway({ ...servers, target: ports.authorizationServer, port: open.authorizationServer }),
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
