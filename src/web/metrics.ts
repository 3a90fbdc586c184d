// GET /metrics for Prometheus: how long requests take, by route pattern (never by address), beside what the process and
// the events of audit.ts say. No label names a person, an instance or a query.
import type { RequestHandler, Router } from 'express'
import { Router as createRouter } from 'express'
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client'

export type Metrics = {
  registry: Registry
  routes: Router
  observe: RequestHandler
  /** Our own calls of the service that use, or were told, something that goes away. */
  countDeprecation: (notice: { item: string; by: string }) => void
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const duration = new Histogram({
    name: 'onramp_http_request_duration_seconds',
    help: 'From the first byte of a request to the end of its answer',
    labelNames: ['route', 'method', 'status'] as const,
    buckets: SECONDS,
    registers: [registry],
  })

  const deprecations = new Counter({
    name: 'onramp_deprecated_use_total',
    help: 'Calls of the service that use what is on its deprecation schedule, or whose answers announce an end',
    labelNames: ['item', 'by'] as const,
    registers: [registry],
  })

  const observe: RequestHandler = (req, res, next) => {
    const began = performance.now()
    res.once('finish', () => {
      const route = (req.route as { path?: unknown } | undefined)?.path
      const pattern = typeof route === 'string' ? route : 'other'
      const method = KNOWN_METHODS.has(req.method) ? req.method : 'other'
      duration.observe(
        { route: pattern, method, status: `${Math.floor(res.statusCode / 100)}xx` },
        (performance.now() - began) / 1000,
      )
    })
    next()
  }

  const routes = createRouter()
  routes.get('/metrics', async (_req, res) => {
    res.setHeader('Content-Type', registry.contentType)
    res.end(await registry.metrics())
  })
  return { registry, routes, observe, countDeprecation: ({ item, by }) => deprecations.inc({ item, by }) }
}

const KNOWN_METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
