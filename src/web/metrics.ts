// GET /metrics for Prometheus: how long requests take, by route pattern (never by address), beside what the process and
// the events of audit.ts say. No label names a person, an instance or a query.
import { Router, type RequestHandler } from 'express'
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client'
import { routeOf } from './route-of.ts'
import { VERSION } from '../installation.ts'
import { Timings } from './timings.ts'

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

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const name of MISNAMED) registry.removeSingleMetric(name)
  const build = new Gauge({
    name: 'onramp_build_info',
    help: 'Always 1; which onramp this is',
    labelNames: ['version'] as const,
    registers: [registry],
  })
  build.set({ version: VERSION }, 1)
  const requests = new Timings({
    name: 'onramp_http_request_duration_seconds',
    help: 'From the first byte of a request to the end of its answer; status 499: the browser went away before',
    labelNames: ['route', 'method', 'status'],
    registry,
  })
  const calls = new Timings({
    name: 'onramp_service_call_duration_seconds',
    help: 'Calls of the service, to the end of its answer; status "none": there was no usable one',
    labelNames: ['operation', 'status'],
    registry,
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

  const observe: RequestHandler = (req, res, next) => {
    const began = performance.now()
    // Comes after every answer, and without one when the browser has gone away.
    res.once('close', () => {
      const labels = {
        route: routeOf(req) ?? 'other',
        method: KNOWN_METHODS.has(req.method) ? req.method : 'other',
        status: res.writableFinished ? classOf(res.statusCode) : GIVEN_UP,
      }
      requests.count(labels, (performance.now() - began) / 1000)
    })
    next()
  }

  const routes = Router()
  routes.get('/metrics', async (_req, res) => {
    res.setHeader('Content-Type', registry.contentType)
    res.end(await registry.metrics())
  })
  return {
    registry,
    routes,
    observe,
    observeCall({ operation, status, seconds }) {
      calls.count({ operation, status: status === undefined ? 'none' : classOf(status) }, seconds)
    },
    countProblem: (code) => problems.inc({ code }),
    countDeprecation: ({ item, by }) => deprecations.inc({ item, by }),
  }
}

/** As nginx calls a request whose client went away before the answer. */
const GIVEN_UP = '499'
/**
 * Gauges of the library that are called like counters, which `promtool check metrics` refuses (Prometheus, "Metric and
 * label naming"). Each is the sum of another one by type: sum(nodejs_active_handles).
 */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
]

const classOf = (status: number) => `${Math.floor(status / 100)}xx`

const KNOWN_METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
