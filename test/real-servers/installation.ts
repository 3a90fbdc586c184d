// Fixture: onramp at an independent authorization server, with real Chromium. The service is the sandbox's, but the
// issuing server validates access tokens, as at a real service.
import { createServer, request } from 'node:http'
import { existsSync } from 'node:fs'
import { expect } from 'vitest'
import { Visitor } from '../browser/visitor.ts'
import { openChromium } from '../helpers/chromium.ts'
import { freePort, run, type Running } from '../helpers/running.ts'
import { clientUrls } from '../../src/sign-in/server/client-urls.ts'
import { runDoctor } from '../doctor/setup.ts'

export type RealServer = {
  issuer: string
  /** Settings of onramp for this server. */
  settings: Record<string, string>
  /** The server's own validation of an access token. */
  isValid(accessToken: string): Promise<boolean>
  close(): Promise<void>
}

export type Addresses = ReturnType<typeof clientUrls>

export type Installation = Running & {
  server: RealServer
  /** A person with a separate browser. */
  arrive(options?: { javaScriptEnabled: boolean }): Promise<Visitor>
  /** Log lines of these events. */
  audited(event: string): Record<string, unknown>[]
  /** Expects at least `times` refreshes, all ok, and `signIns` sign-ins. */
  expectRefreshed(times: number, signIns?: number): void
  /** The faults that `onramp doctor` reports about the authorization server. */
  doctor(changed?: Record<string, string>): Promise<string[]>
}

/** The reason that tests with Debian's package can't run here. */
export const lacks = (file: string, name: string): string =>
  existsSync(file) ? '' : ` (skipped: ${file} is missing; as root, test/run installs ${name})`

/** A token is valid if the server's userinfo accepts it. */
export const acceptedAtUserinfo =
  (address: string): RealServer['isValid'] =>
  async (token) => {
    const response = await fetch(address, { headers: { authorization: `Bearer ${token}` } })
    await response.body?.cancel()
    return response.ok
  }

const HOST = 'localhost'

/** Forwards each call with a valid token to the sandbox, as its person ada. */
async function startService(target: () => Running, server: RealServer) {
  const gateway = createServer((req, res) => {
    void (async () => {
      const token = /^Bearer (\S+)$/.exec(req.headers.authorization ?? '')?.[1]
      if (token === undefined || !(await server.isValid(token))) return res.writeHead(401).end('Unauthorized')
      const { sandbox } = target()
      const headers = { ...req.headers, authorization: `Bearer ${sandbox.serviceTokens.user('ada')}` }
      const onward = request(sandbox.urls.service + req.url, { method: req.method, headers }, (response) => {
        res.writeHead(response.statusCode ?? 502, response.headers)
        response.pipe(res)
      })
      return req.pipe(onward)
    })().catch(() => res.destroy())
  })
  const port = await freePort()
  await new Promise<void>((resolve) => gateway.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      gateway.closeAllConnections()
      await new Promise((resolve) => gateway.close(resolve))
    },
  }
}

/** @param start the server, for these addresses of onramp */
export async function openInstallation(
  start: (addresses: Addresses) => Promise<RealServer>,
): Promise<Installation> {
  const port = await freePort(HOST)
  const publicUrl = `http://${HOST}:${port}`
  const [browser, server] = await Promise.all([openChromium(), start(clientUrls(publicUrl))])
  const service = await startService(() => onramp, server)
  const onramp: Running = await run({
    host: HOST,
    port,
    settings: {
      OIDC_ISSUER: server.issuer,
      SERVICE_BASE_URL: service.url,
      TOKEN_ISSUED_BY: 'external-idp',
      ...server.settings,
    },
  })
  const { env, log } = onramp
  const audited: Installation['audited'] = (event) =>
    log.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ audit }) => audit === event)
  return {
    ...onramp,
    server,
    async arrive(options) {
      const ada = await Visitor.arrive(browser, onramp, { person: 'ada', ...options })
      ada.context.setDefaultTimeout(30_000)
      return ada
    },
    audited,
    expectRefreshed(times, signIns = 1) {
      const results = audited('refresh').map(({ result }) => result)
      expect(new Set(results)).toEqual(new Set(['ok']))
      expect(results.length).toBeGreaterThanOrEqual(times)
      expect(audited('sign_in')).toHaveLength(signIns)
    },
    async doctor(changed = {}) {
      const { findings } = await runDoctor({ ...env, ...changed })
      return findings
        .filter(({ group, status }) => group === 'Authorization server' && status !== 'ok')
        .map(({ status, says }) => `${status}: ${says}`)
    },
    async close() {
      await browser.close()
      await Promise.all([onramp.close(), service.close(), server.close()])
    },
  }
}
