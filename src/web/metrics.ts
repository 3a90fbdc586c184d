// Metrics for Prometheus: durations of requests (by route pattern), of calls of other servers, and of the store. No
// label contains a person, an instance, an address or a query.
import type { IncomingMessage, RequestListener } from 'node:http'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { OnCall } from '../trace/measure-call.ts'
import { VERSION } from '../version.ts'
import { hasBearer } from './bearer.ts'
import type { Log } from './log.ts'

const BOUNDS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Gauges of the library with names of counters, which `promtool check metrics` rejects. Each is the sum of others. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
]

type LastRun = { states?: Record<string, number> | undefined; lastRunAt?: number | undefined }

const classOf = (status: number): string => `${Math.floor(status / 100)}xx`
/** 401 and 403 are counted apart, because they reject a token or client. */
const callClassOf = (status: number | undefined): string =>
  status === undefined ? 'none' : status === 401 || status === 403 ? String(status) : classOf(status)

export class Metrics {
  readonly registry = new Registry()
  readonly observeService = this.#onCall(
    'onramp_service_call_duration_seconds',
    'Duration of service calls, including the response body; status "none": no valid response',
  )
  readonly observeAuthorizationServer = this.#onCall(
    'onramp_authorization_server_call_duration_seconds',
    'Duration of requests to the authorization server, by endpoint; status "none": no valid response',
  )
  readonly #store = this.#histogram(
    'onramp_store_operation_duration_seconds',
    'Duration of store operations (Redis or SQLite); result: done or failed',
    ['operation', 'result'],
  )
  readonly #requests = this.#histogram(
    'onramp_http_request_duration_seconds',
    'Duration of HTTP requests, from first byte to end of response; status 499: the client disconnected',
    ['route', 'method', 'status'],
  )
  readonly #problems = this.#counter('onramp_problems_total', 'Failed requests, by problem code', ['code'])
  readonly #deprecations = this.#counter(
    'onramp_deprecated_use_total',
    'Service calls that use a deprecated endpoint or field, or whose response announces a removal',
    ['item', 'by'],
  )

  constructor() {
    collectDefaultMetrics({ register: this.registry })
    for (const name of MISNAMED) this.registry.removeSingleMetric(name)
    this.#gauge('onramp_build_info', 'Always 1, labeled with the running version', ['version'], (gauge) =>
      gauge.set({ version: VERSION }, 1),
    )
  }

  readonly observeStore = (call: { operation: string; isDone: boolean; seconds: number }): void =>
    this.#store.observe({ operation: call.operation, result: call.isDone ? 'done' : 'failed' }, call.seconds)

  /** Counts a request. 499, nginx's status for a client that left before the response, is counted apart. */
  observeRequest(request: { route: string; method: string; status: number; seconds: number }): void {
    const { route, method, status, seconds } = request
    const statusLabel = status === 499 ? '499' : classOf(status)
    this.#requests.observe({ route, method, status: statusLabel }, seconds)
  }

  readonly countProblem = (code: string): void => this.#problems.inc({ code })

  readonly countDeprecation = ({ item, by }: { item: string; by: string }): void =>
    this.#deprecations.inc({ item, by })

  /** @param isReachable called at each scrape, so it must be cheap */
  watchReachability(isReachable: Record<'store' | 'authorization_server', () => boolean>): void {
    const help = '1: reachable; 0: unreachable, so requests that need it fail at once until a retry succeeds'
    this.#gauge('onramp_dependency_reachable', help, ['dependency'], (gauge) => {
      for (const [dependency, isUp] of Object.entries(isReachable)) gauge.set({ dependency }, Number(isUp()))
    })
  }

  /** @param loadLastRun of `onramp keep`, called at each scrape. No values are shown if it fails, or before a run */
  watchPeople(loadLastRun: () => Promise<LastRun>): void {
    const load = () => loadLastRun().catch((): LastRun => ({}))
    const help = 'People by state, counted by the last run of onramp keep'
    this.#gauge('onramp_people', help, ['state'], async (gauge) => {
      const { states = {} } = await load()
      gauge.reset()
      for (const [name, count] of Object.entries(states))
        gauge.set({ state: name.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`) }, count)
    })
    const lastRun = 'Unix time at which onramp keep last finished'
    this.#gauge('onramp_last_run_timestamp_seconds', lastRun, [], async (gauge) => {
      const { lastRunAt } = await load()
      gauge.remove()
      if (lastRunAt !== undefined) gauge.set(lastRunAt / 1000)
    })
  }

  /**
   * /metrics, for requests with METRICS_TOKEN; without a token, for everyone who can reach METRICS_PORT. This machine
   * is no exception, because a proxy on it makes every request look local.
   * @param token METRICS_TOKEN @param hasOwnPort METRICS_PORT is set, and serves nothing else
   */
  scrape(token: string | undefined, hasOwnPort: boolean, log: Pick<Log, 'info'>): RequestListener {
    const mayRead = (req: IncomingMessage) => (token === undefined ? hasOwnPort : hasBearer(req, token))

    return (req, res) => {
      const refuse = (status: number, words: string) =>
        res.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${words}\n`)
      if (hasOwnPort && req.url?.split('?', 1)[0] !== '/metrics')
        return void refuse(404, 'Only /metrics is served here.')
      if (!mayRead(req)) {
        const refusal = { code: 'token_refused', method: req.method, route: '/metrics' }
        log.info({ ...refusal, status: token === undefined ? 403 : 401 }, 'metrics request refused')
        if (token === undefined)
          return void refuse(403, 'To read metrics, set METRICS_TOKEN or METRICS_PORT.')
        res.setHeader('WWW-Authenticate', 'Bearer')
        return void refuse(401, 'The bearer token is missing or wrong: see METRICS_TOKEN.')
      }
      this.registry.metrics().then(
        (page) => res.writeHead(200, { 'Content-Type': this.registry.contentType }).end(page),
        () => refuse(500, 'The metrics could not be collected.'),
      )
    }
  }

  #histogram<L extends string>(name: string, help: string, labelNames: L[]): Histogram<L> {
    return new Histogram({ name, help, labelNames, buckets: BOUNDS_SECONDS, registers: [this.registry] })
  }

  #onCall(name: string, help: string): OnCall {
    const calls = this.#histogram(name, help, ['operation', 'status'])
    return ({ operation, status, seconds }) =>
      calls.observe({ operation, status: callClassOf(status) }, seconds)
  }

  #counter<L extends string>(name: string, help: string, labelNames: L[]): Counter<L> {
    return new Counter({ name, help, labelNames, registers: [this.registry] })
  }

  #gauge<L extends string>(
    name: string,
    help: string,
    labelNames: L[],
    set: (gauge: Gauge<L>) => void | Promise<void>,
  ): void {
    const registers = [this.registry]
    const gauge: Gauge<L> = new Gauge({ name, help, labelNames, registers, collect: () => set(gauge) })
  }
}
