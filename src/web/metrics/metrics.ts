// What Prometheus reads: how long requests take, by route pattern (never by address), and how long others take for what
// they are asked. No label names a person, an instance or a query.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { OnOperation } from '../../records/store.ts'
import type { OnCall } from '../../trace/calls.ts'
import { VERSION } from '../../version.ts'

const BOUNDS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** As nginx calls a request whose client went away before the answer. */
export const CLIENT_CLOSED = 499

/**
 * Gauges of the library that are called like counters, which `promtool check metrics` refuses (Prometheus, "Metric and
 * label naming"). Each is the sum of another one by type: sum(nodejs_active_handles).
 */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
]

export type Metrics = {
  registry: Registry
  observeService: OnCall
  observeAuthorizationServer: OnCall
  observeStore: OnOperation
  /** A request that was answered, or given up by the browser. */
  observeRequest: (request: { route: string; method: string; status: number; seconds: number }) => void
  /** A request that could not be answered as it should, by the code of the problem. */
  countProblem: (code: string) => void
  /** Our own calls of the service that use something that goes away, or whose answers announce it. */
  countDeprecation: (notice: { item: string; by: string }) => void
  /** Can they be reached? Asked each time that someone reads the metrics, so it must cost nothing. */
  watchReach: (isReached: Record<'store' | 'authorization_server', () => boolean>) => void
  /** What the last run of `onramp keep` left, read for each scrape. Absent where it can't be read or never ran. */
  watchPeople: (read: () => Promise<LastRun>) => void
}

/** `lastRunAt`: milliseconds since 1970. */
type LastRun = { states?: Record<string, number> | undefined; lastRunAt?: number | undefined }

/** `2xx` of 204. */
const classOf = (status: number): string => `${Math.floor(status / 100)}xx`
/** Of a call: a token or client that is refused counts apart. */
const callClassOf = (status: number): string =>
  status === 401 || status === 403 ? String(status) : classOf(status)

const histogram = <L extends string>(registry: Registry, name: string, help: string, labelNames: L[]) =>
  new Histogram({ name, help, labelNames, buckets: BOUNDS_SECONDS, registers: [registry] })

export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  for (const name of MISNAMED) registry.removeSingleMetric(name)
  const build = new Gauge({
    name: 'onramp_build_info',
    help: 'Always 1; which onramp this is',
    labelNames: ['version'],
    registers,
  })
  build.set({ version: VERSION }, 1)
  const service = histogram(
    registry,
    'onramp_service_call_duration_seconds',
    'Calls of the service, to the end of its answer; status "none": there was no usable one',
    ['operation', 'status'],
  )
  const authorizationServer = histogram(
    registry,
    'onramp_authorization_server_call_duration_seconds',
    'Requests to the authorization server, by its endpoint; status "none": there was no usable answer',
    ['operation', 'status'],
  )
  const store = histogram(
    registry,
    'onramp_store_operation_duration_seconds',
    'Operations of the store, Redis or SQLite; result: done or failed',
    ['operation', 'result'],
  )
  const observed =
    (calls: typeof service): OnCall =>
    ({ operation, status, seconds }) =>
      calls.observe({ operation, status: status === undefined ? 'none' : callClassOf(status) }, seconds)
  const requests = histogram(
    registry,
    'onramp_http_request_duration_seconds',
    'From the first byte of a request to the end of its answer; status 499: the browser went away before',
    ['route', 'method', 'status'],
  )
  const problems = new Counter({
    name: 'onramp_problems_total',
    help: 'Requests that were not answered as they should, by the code that people and programs are told',
    labelNames: ['code'],
    registers,
  })
  const deprecations = new Counter({
    name: 'onramp_deprecated_use_total',
    help: 'Calls of the service that use what is on its deprecation schedule, or whose answers announce an end',
    labelNames: ['item', 'by'],
    registers,
  })
  /** @param collect sets it, each time that someone reads the metrics */
  function gauge<L extends string>(
    name: string,
    help: string,
    labelNames: L[],
    collect: (made: Gauge<L>) => void | Promise<void>,
  ): void {
    const made: Gauge<L> = new Gauge({ name, help, labelNames, registers, collect: () => collect(made) })
  }
  return {
    observeService: observed(service),
    observeAuthorizationServer: observed(authorizationServer),
    observeStore: ({ operation, isDone, seconds }) =>
      store.observe({ operation, result: isDone ? 'done' : 'failed' }, seconds),
    registry,
    observeRequest({ route, method, status, seconds }) {
      const shown = status === CLIENT_CLOSED ? String(CLIENT_CLOSED) : classOf(status)
      requests.observe({ route, method, status: shown }, seconds)
    },
    countProblem: (code) => problems.inc({ code }),
    countDeprecation: ({ item, by }) => deprecations.inc({ item, by }),
    watchReach(isReached) {
      const help =
        '1: in use; 0: requests that need it fail at once, until it is reached again in the background'
      gauge('onramp_dependency_reachable', help, ['dependency'], (made) => {
        for (const [dependency, isSo] of Object.entries(isReached)) made.set({ dependency }, Number(isSo()))
      })
    },
    watchPeople(read) {
      const lastRun = () => read().catch((): LastRun => ({}))
      const help = 'People by state, as the last run of onramp keep counted them'
      gauge('onramp_people', help, ['state'], async (made) => {
        const { states = {} } = await lastRun()
        made.reset()
        for (const [name, count] of Object.entries(states))
          made.set({ state: name.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`) }, count)
      })
      gauge('onramp_last_run_timestamp_seconds', 'When a run of onramp keep last ended', [], async (made) => {
        const { lastRunAt } = await lastRun()
        made.remove()
        if (lastRunAt !== undefined) made.set(lastRunAt / 1000)
      })
    },
  }
}
