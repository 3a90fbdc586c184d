// GET /metrics for Prometheus: how long requests take, by route pattern (never by address), beside what the process and
// the events of audit.ts say. No label names a person, an instance or a query.
import type { RequestHandler, Router } from 'express'
import { Router as createRouter } from 'express'
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client'

export type Metrics = {
  registry: Registry
  routes: Router
  observe: RequestHandler
  /** How long the service took. */
  observeCall: (call: { operation: string; status: number | undefined; seconds: number }) => void
  /** A request that could not be answered as it should, by the code of the problem. */
  countProblem: (code: string) => void
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

  const calls = new Histogram({
    name: 'onramp_service_call_duration_seconds',
    help: 'Calls of the service, to the end of its answer; status "none": there was no usable one',
    labelNames: ['operation', 'status'] as const,
    buckets: SECONDS,
    registers: [registry],
  })
  const problems = new Counter({
    name: 'onramp_problems_total',
    help: 'Requests that were not answered as they should, by the code that people and programs are told',
    labelNames: ['code'] as const,
    registers: [registry],
  })
  const deprecations = new Counter({
    name: 'onramp_deprecated_use_total',
    help: 'Calls of the service that use what is on its deprecation schedule, or whose answers announce an end',
    labelNames: ['item', 'by'] as const,
    registers: [registry],
  })

  const requests = remembered(duration)
  const answers = remembered(calls)

  const observe: RequestHandler = (req, res, next) => {
    const began = performance.now()
    res.once('finish', () => {
      const route = (req.route as { path?: unknown } | undefined)?.path
      const labels = {
        route: typeof route === 'string' ? route : 'other',
        method: KNOWN_METHODS.has(req.method) ? req.method : 'other',
        status: classOf(res.statusCode),
      }
      requests(labels).observe((performance.now() - began) / 1000)
    })
    next()
  }

  const routes = createRouter()
  routes.get('/metrics', async (_req, res) => {
    res.setHeader('Content-Type', registry.contentType)
    res.end(await registry.metrics())
  })
  return {
    registry,
    routes,
    observe,
    observeCall({ operation, status, seconds }) {
      answers({ operation, status: status === undefined ? 'none' : classOf(status) }).observe(seconds)
    },
    countProblem: (code) => problems.inc({ code }),
    countDeprecation: ({ item, by }) => deprecations.inc({ item, by }),
  }
}

const classOf = (status: number) => `${Math.floor(status / 100)}xx`

/** One series for each combination, found again by its name: working it out for every request costs more than counting. */
function remembered<L extends string>(histogram: Histogram<L>) {
  const series = new Map<string, { observe(seconds: number): void }>()
  return (labels: Record<L, string>) => {
    const key = Object.values(labels).join(' ')
    const known = series.get(key) ?? histogram.labels(labels)
    series.set(key, known)
    return known
  }
}

const KNOWN_METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
