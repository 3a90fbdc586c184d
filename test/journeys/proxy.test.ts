// Everything goes through a forward proxy with a password, to servers whose certificates a private authority signed.
// Their names mean nothing to this machine, so no call can go past the proxy.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBehindProxy, type BehindProxy } from '../helpers/behind-proxy.ts'
import { answerConsent } from '../helpers/journey.ts'
import { spawnOne, spawnOnramp, startOnramp, until } from '../helpers/processes.ts'
import { freePort } from '../helpers/running.ts'
import { TestBrowser } from '../helpers/test-browser.ts'

const PASSWORD = 'p@ss:w/rd-1f9c4e77'
const folder = mkdtempSync(join(tmpdir(), 'onramp-behind-'))
let network: BehindProxy
let env: Record<string, string>
beforeAll(async () => {
  network = await startBehindProxy(PASSWORD)
  const port = String(await freePort())
  env = {
    PORT: port,
    HOST: '127.0.0.1',
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    SERVICE_BASE_URL: network.sandbox.urls.service,
    OIDC_ISSUER: network.sandbox.urls.authorizationServer,
    SESSION_SECRET: randomBytes(32).toString('base64url'),
    DATA_DIR: folder,
    NODE_EXTRA_CA_CERTS: network.authority,
    https_proxy: network.proxy,
  }
})
afterAll(async () => {
  await network.close()
  rmSync(folder, { recursive: true })
})

/** The log of a server that cannot get ready, once it says why, and its /readyz. */
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

describe('behind a forward proxy', () => {
  it('onramp registers itself; people sign in, connect an app, search and are signed out from there', async () => {
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
    expect([...network.asked].toSorted()).toEqual(['login.example', 'service.example'])
    expect((await onramp.end('SIGTERM')).code).toBe(0)
    expect(onramp.output()).not.toContain(encodeURIComponent(PASSWORD))
  })

  it('the doctor says which way calls take, without the password, also where the proxy speaks TLS', async () => {
    const node = new URL('../../node_modules/.bin/node', import.meta.url).pathname
    const doctor = spawnOne(node, ['src/cli/onramp.mjs', 'doctor'], {
      PATH: process.env['PATH'],
      ...env,
      https_proxy: network.tlsProxy,
    })
    await until(() => doctor.hasEnded(), 'the doctor')
    const said = doctor.output().replaceAll(/\s+/g, ' ')
    expect(said).toContain(
      `The service is reached through the proxy ${new URL(network.tlsProxy).host} (HTTPS_PROXY).`,
    )
    expect(said).toContain('Client API found at https://service.example')
    expect(said).toContain(`${env['OIDC_ISSUER']} is reachable (OpenID Connect).`)
    expect(said).not.toMatch(/p@ss|p%40ss/)
  })

  it('a wrong password, and an authority that is not trusted, are in the log with what to set', async () => {
    const wrong = network.proxy.replace('onramp:', 'onramp:not-')
    const log = await logOf({ https_proxy: wrong }, 'rejects the username and password (407)')
    expect(log).toContain(`the proxy ${network.proxyName} rejects`)
    expect(log).toContain('not reached yet: the forward proxy does not let calls through')
    expect(log).not.toContain('not-p')
    const untrusted = await logOf({ NODE_EXTRA_CA_CERTS: '' }, 'untrusted certificate')
    expect(untrusted).toContain('NODE_EXTRA_CA_CERTS')
    expect(untrusted).not.toContain('forward proxy')
    await logOf({ NO_PROXY: '.example' }, 'host not found')
  })
})
