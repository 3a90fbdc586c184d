// What Prometheus is told: how long requests take, by route pattern (never by address), and what they ask of others,
// beside what the process and the events of audit.ts say. No label names a person, an instance or a query.
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client'
import { VERSION } from '../../version.ts'
import { callTimings, classOf, type CallTimings } from './call-timings.ts'
import { Timings } from './timings.ts'

export type Metrics = CallTimings & {
  registry: Registry
  /** A request that was answered, or given up by the browser. */
  observeRequest: (request: { route: string; method: string; status: number; seconds: number }) => void
  /** A request that could not be answered as it should, by the code of the problem. */
  countProblem: (code: string) => void
  /** Our own calls of the service that use, or were told, something that goes away. */
  countDeprecation: (notice: { item: string; by: string }) => void
  /** Can they be reached? Asked each time that someone reads the metrics, so it must cost nothing. */
  watchReach: (isReached: Record<'store' | 'authorization_server', () => boolean>) => void
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
  return {
    ...callTimings(registry),
    registry,
    observeRequest({ route, method, status, seconds }) {
      const words = status === GIVEN_UP ? String(GIVEN_UP) : classOf(status)
      requests.count({ route, method, status: words }, seconds)
    },
    countProblem: (code) => problems.inc({ code }),
    countDeprecation: ({ item, by }) => deprecations.inc({ item, by }),
    watchReach(isReached) {
      const reachable = new Gauge({
        name: 'onramp_dependency_reachable',
        help: '1: in use; 0: requests that need it fail at once, until it is reached again in the background',
        labelNames: ['dependency'] as const,
        registers: [],
        collect() {
          for (const [dependency, isSo] of Object.entries(isReached)) this.set({ dependency }, Number(isSo()))
        },
      })
      registry.registerMetric(reachable)
    },
  }
}

/** As nginx calls a request whose client went away before the answer. */
export const GIVEN_UP = 499
/**
 * Gauges of the library that are called like counters, which `promtool check metrics` refuses (Prometheus, "Metric and
 * label naming"). Each is the sum of another one by type: sum(nodejs_active_handles).
 */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
]
