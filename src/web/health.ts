// Probes without a session. /healthz checks nothing; /readyz writes to the store, and tells whether the authorization
// server was reached.
import { Router } from 'express'
import { describeStoreError } from '../records/store-error.ts'

/** For the doctor: is it onramp that answers at PUBLIC_URL, and does a proxy change pages, such as email addresses? */
export const HEALTH_SAMPLE = {
  // Without the version, which would help attackers.
  header: 'x-onramp',
  value: 'healthz',
  page: '<!doctype html>\n<html lang="en"><head><title>onramp</title></head><body><p>ada@example.com</p></body></html>\n',
} as const

export class Readiness {
  readonly #probeStore: () => Promise<unknown>
  readonly #authorizationServer: { isReady(): boolean; isBlockedByProxy(): boolean }
  #isDraining = false

  /** @param probeStore resolves if the store takes writes */
  constructor(
    probeStore: () => Promise<unknown>,
    authorizationServer: { isReady(): boolean; isBlockedByProxy(): boolean },
  ) {
    this.#probeStore = probeStore
    this.#authorizationServer = authorizationServer
  }

  /** The process is ending: no new requests should come. */
  drain(): void {
    this.#isDraining = true
  }

  async report() {
    const store = await this.#probeStore().then(
      () => 'ok',
      (error: unknown) => (describeStoreError(error).isErrorReply ? 'refuses' : 'unreachable'),
    )
    const server = this.#authorizationServer
    // Without the proxy's name: anyone can read this.
    const blocked = server.isBlockedByProxy() ? ': the forward proxy does not let calls through' : ''
    const authorizationServer = server.isReady() ? 'ok' : `not reached yet${blocked}`
    const isReady = store === 'ok' && authorizationServer === 'ok' && !this.#isDraining
    return { status: isReady ? 'ok' : 'not ready', store, authorizationServer, draining: this.#isDraining }
  }
}

export function createHealthRoutes(readiness: Readiness): Router {
  const router = Router()

  router.get('/healthz', (req, res) => {
    res.setHeader(HEALTH_SAMPLE.header, HEALTH_SAMPLE.value)
    if (req.get('accept') === 'text/html') res.type('html').end(HEALTH_SAMPLE.page)
    else res.json({ status: 'ok' })
  })

  router.get('/readyz', async (_req, res) => {
    const report = await readiness.report()
    res.status(report.status === 'ok' ? 200 : 503).json(report)
  })

  return router
}
