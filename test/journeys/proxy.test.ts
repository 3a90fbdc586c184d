// All calls go through a forward proxy with a password, to servers with certificates of a private authority. Their
// names don't resolve on this machine, so no call can bypass the proxy.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { LookupFunction } from 'node:net'
import { join } from 'node:path'
import { Server as ForwardProxy, type PrepareRequestFunctionOpts } from 'proxy-chain'
import { request } from 'undici'
import { beforeAll, expect, it } from 'vitest'
import { useFolder } from '../helpers/folder.ts'
import { answerConsent } from '../helpers/journey.ts'
import { BARE_ENV, spawnOne, spawnOnramp, startOnramp, until } from '../helpers/processes.ts'
import { freePort } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'
import { TestBrowser } from '../helpers/test-browser.ts'
import { makeCertificates, pem, startGateway } from '../helpers/tls.ts'
import { startSandbox } from '../../packages/sandbox/src/sandbox.ts'

const PASSWORD = 'p@ss:w/rd-1f9c4e77'
const NAMES = { service: 'service.example', authorizationServer: 'login.example' }

/** Resolves every name to this machine. */
const lookup: LookupFunction = (_name, { all }, done) =>
  all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4)

const folder = useFolder()

/** A company's network, and the settings of onramp for it. The forward proxy is proxy-chain. */
async function startNetwork() {
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
  const requests = new Set<string>()
  const options = {
    host: '127.0.0.1',
    port: 0,
    prepareRequestFunction(opened: PrepareRequestFunctionOpts) {
      requests.add(opened.hostname)
      const isKnown = opened.username === 'onramp' && opened.password === PASSWORD
      return { requestAuthentication: !isKnown, dnsLookup: lookup as never }
    },
  }
  const proxy = new ForwardProxy(options)
  const tlsProxy = new ForwardProxy({ ...options, serverType: 'https', httpsOptions: pem(folder, 'proxy') })
  for (const one of [proxy, tlsProxy]) await one.listen()
  const name = `127.0.0.1:${proxy.port}`
  const user = `onramp:${encodeURIComponent(PASSWORD)}`
  const authority = join(folder, 'ca.crt')
  return {
    sandbox,
    proxy: `http://${user}@${name}`,
    /** The same for a proxy with TLS. */
    tlsProxy: `https://${user}@localhost:${tlsProxy.port}`,
    proxyName: name,
    requests,
    authority,
    /** Connection options for a browser in that network. */
    connect: { ca: readFileSync(authority, 'utf8'), lookup },
    async close() {
      for (const one of [proxy, tlsProxy]) await one.close(true)
      for (const gateway of gateways) {
        gateway.close()
        gateway.closeAllConnections()
      }
      await sandbox.close()
    },
  }
}

const network = shared(startNetwork)
let env: Record<string, string>
beforeAll(async () => {
  const port = String(await freePort())
  env = {
    PORT: port,
    HOST: '127.0.0.1',
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    SERVICE_BASE_URL: network.sandbox.urls.service,
    OIDC_ISSUER: network.sandbox.urls.authorizationServer,
    SESSION_SECRET: randomBytes(32).toString('base64url'),
    DATA_DIR: join(folder, 'data'),
    NODE_EXTRA_CA_CERTS: network.authority,
    https_proxy: network.proxy,
  }
})

/** The log of an unready server with the reason, and its /readyz. */
async function logOf(changed: Record<string, string>, words: string): Promise<string> {
  const onramp = spawnOnramp({ ...env, ...changed })
  try {
    await until(() => onramp.output().includes(words), `“${words}” in ${onramp.output()}`)
    const { body } = await request(`${env['PUBLIC_URL']}/readyz`)
    return onramp.output() + (await body.text())
  } finally {
    await onramp.end('SIGKILL')
  }
}

it('behind a forward proxy, people sign in, connect an app, search and are signed out', async () => {
  const onramp = await startOnramp(env)
  const browser = new TestBrowser(network.connect)
  await browser.open(`${onramp.url}/onboarding`)

  await browser.post(browser.page.url, { person: 'ada' })
  expect(browser.text).toContain('Slack')
  await browser.click('/onboarding/connect')
  await answerConsent(browser, 'allow')
  expect(network.sandbox.state('ada')['slack_1']).toBe('authorized')

  await browser.open(`${onramp.url}/search?q=plan`)
  expect(network.sandbox.count('search')).toBe(1)
  await network.sandbox.endSessions('ada')
  expect(network.sandbox.logouts()).toMatchObject([{ status: 200 }])
  expect(network.sandbox.count('registration')).toBe(1)
  expect([...network.requests].toSorted()).toEqual(['login.example', 'service.example'])
  expect((await onramp.end('SIGTERM')).code).toBe(0)
  expect(onramp.output()).not.toContain(encodeURIComponent(PASSWORD))
})

it('the doctor shows a forward proxy without its password', async () => {
  const node = new URL('../../node_modules/.bin/node', import.meta.url).pathname
  const doctor = spawnOne(node, ['src/cli/onramp.mjs', 'doctor'], {
    ...BARE_ENV,
    ...env,
    https_proxy: network.tlsProxy,
  })
  await until(() => doctor.hasEnded(), 'the doctor')
  const texts = doctor.output().replaceAll(/\s+/g, ' ')
  expect(texts).toContain(
    `The service is reached through the proxy ${new URL(network.tlsProxy).host} (HTTPS_PROXY).`,
  )
  expect(texts).toContain('Client API found at https://service.example')
  expect(texts).toContain(`${env['OIDC_ISSUER']} is reachable (OpenID Connect).`)
  expect(texts).not.toMatch(/p@ss|p%40ss/)
})

it('behind a forward proxy, a wrong password or unknown CA is logged with the setting', async () => {
  const wrong = network.proxy.replace('onramp:', 'onramp:not-')
  const log = await logOf({ https_proxy: wrong }, 'rejects the username and password (407)')
  expect(log).toContain(`the proxy ${network.proxyName} rejects`)
  expect(log).toContain('not usable yet: the forward proxy blocks requests')
  expect(log).not.toContain('not-p')
  const untrusted = await logOf({ NODE_EXTRA_CA_CERTS: '' }, 'its certificate is self-signed')
  expect(untrusted).toContain('NODE_EXTRA_CA_CERTS')
  expect(untrusted).not.toContain('forward proxy')
  await logOf({ NO_PROXY: '.example' }, 'host not found')
})
