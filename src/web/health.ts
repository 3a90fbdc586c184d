// Probes. Neither touches a session; /healthz asks no one, /readyz tries the store and whether the authorization server
// was reached.
import { Router } from 'express'
import { describeStoreError } from '../records/store-error.ts'

/** By this header the doctor knows that what answers at PUBLIC_URL is onramp. It says nothing of the version. */
export const HEALTH_HEADER = { name: 'x-onramp', value: 'healthz' } as const

/** What the doctor gets instead of JSON, to see whether pages come back as they were sent: so it has an address. */
export const SAMPLE_PAGE =
  '<!doctype html>\n<html lang="en"><head><title>onramp</title></head><body><p>ada@example.com</p></body></html>\n'

export type HealthParts = {
  /** Resolves when the store takes what is written. */
  askStore: () => Promise<unknown>
  authorizationServer: { isReady(): boolean; isBlockedByProxy(): boolean }
  /** True from the moment the process was told to end. */
  isDraining: () => boolean
}

export function createHealthRoutes(parts: HealthParts): Router {
  const router = Router()

  router.get('/healthz', (req, res) => {
    res.setHeader(HEALTH_HEADER.name, HEALTH_HEADER.value)
    if (req.get('accept') === 'text/html') res.type('html').end(SAMPLE_PAGE)
    else res.json({ status: 'ok' })
  })

  router.get('/readyz', async (_req, res) => {
    const store = await parts.askStore().then(
      () => 'ok',
      (error: unknown) => (describeStoreError(error).isRefusal ? 'refuses' : 'unreachable'),
    )
    const server = parts.authorizationServer
    // Its name is for the log: this answer is for anyone.
    const barred = server.isBlockedByProxy() ? ': the forward proxy does not let calls through' : ''
    const authorizationServer = server.isReady() ? 'ok' : `not reached yet${barred}`
    const draining = parts.isDraining()
    const ready = store === 'ok' && authorizationServer === 'ok' && !draining
    res
      .status(ready ? 200 : 503)
      .json({ status: ready ? 'ok' : 'not ready', store, authorizationServer, draining })
  })

  return router
}
