// Probes. Neither touches a session; /healthz asks nobody, /readyz asks the store and whether the authorization server
// was reached.
import { Router } from 'express'

export type HealthParts = {
  /** Resolves when the store answers. */
  askStore: () => Promise<unknown>
  authorizationServer: { isReady(): boolean }
  /** True from the moment the process was told to end. */
  isDraining: () => boolean
}

export function createHealthRoutes(parts: HealthParts): Router {
  const router = Router()

  router.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' })
  })

  router.get('/readyz', async (_req, res) => {
    const store = await parts.askStore().then(
      () => 'ok',
      () => 'unreachable',
    )
    const authorizationServer = parts.authorizationServer.isReady() ? 'ok' : 'not reached yet'
    const draining = parts.isDraining()
    const ready = store === 'ok' && authorizationServer === 'ok' && !draining
    res
      .status(ready ? 200 : 503)
      .json({ status: ready ? 'ok' : 'not ready', store, authorizationServer, draining })
  })

  return router
}
