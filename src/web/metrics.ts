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
    'Calls of the service, to the end of its answer; status "none": there was no usable one',
  )
  readonly observeAuthorizationServer = this.#onCall(
    'onramp_authorization_server_call_duration_seconds',
    'Requests to the authorization server, by its endpoint; status "none": there was no usable answer',
  )
  readonly #store = this.#histogram(
    'onramp_store_operation_duration_seconds',
    'Operations of the store, Redis or SQLite; result: done or failed',
    ['operation', 'result'],
  )
  readonly #requests = this.#histogram(
    'onramp_http_request_duration_seconds',
    'From the first byte of a request to the end of its answer; status 499: the browser went away before',
    ['route', 'method', 'status'],
  )
  readonly #problems = this.#counter('onramp_problems_total', 'Failed requests, by problem code', ['code'])
  readonly #deprecations = this.#counter(
    'onramp_deprecated_use_total',
    'Calls of the service that use what is on its deprecation schedule, or whose answers announce an end',
    ['item', 'by'],
  )

  constructor() {
    collectDefaultMetrics({ register: this.registry })
    for (const name of MISNAMED) this.registry.removeSingleMetric(name)
    this.#gauge('onramp_build_info', 'Always 1; which onramp this is', ['version'], (gauge) =>
      gauge.set({ version: VERSION }, 1),
    )
  }

  readonly observeStore = (call: { operation: string; isDone: boolean; seconds: number }): void =>
    this.#store.observe({ operation: call.operation, result: call.isDone ? 'done' : 'failed' }, call.seconds)

  /** 499, nginx's status for a client that left before the response, is counted apart. */
  observeRequest(request: { route: string; method: string; status: number; seconds: number }): void {
    const { route, method, status, seconds } = request
    const shown = status === 499 ? '499' : classOf(status)
    this.#requests.observe({ route, method, status: shown }, seconds)
  }

  readonly countProblem = (code: string): void => this.#problems.inc({ code })

  readonly countDeprecation = ({ item, by }: { item: string; by: string }): void =>
    this.#deprecations.inc({ item, by })

  /** @param isReachable called at each scrape, so it must be cheap */
  watchReachability(isReachable: Record<'store' | 'authorization_server', () => boolean>): void {
    const help =
      '1: in use; 0: requests that need it fail at once, until it is reached again in the background'
    this.#gauge('onramp_dependency_reachable', help, ['dependency'], (gauge) => {
      for (const [dependency, isUp] of Object.entries(isReachable)) gauge.set({ dependency }, Number(isUp()))
    })
  }

  /** @param loadLastRun of `onramp keep`, called at each scrape. No values are shown if it fails, or before a run */
  watchPeople(loadLastRun: () => Promise<LastRun>): void {
    const load = () => loadLastRun().catch((): LastRun => ({}))
    const help = 'People by state, as the last run of onramp keep counted them'
    this.#gauge('onramp_people', help, ['state'], async (gauge) => {
      const { states = {} } = await load()
      gauge.reset()
      for (const [name, count] of Object.entries(states))
        gauge.set({ state: name.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`) }, count)
    })
    const lastRun = 'When a run of onramp keep last ended'
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
        return void refuse(404, 'There is only /metrics.')
      if (!mayRead(req)) {
        const refusal = { code: 'token_refused', method: req.method, route: '/metrics' }
        log.info({ ...refusal, status: token === undefined ? 403 : 401 }, 'metrics were refused')
        if (token === undefined)
          return void refuse(403, 'Metrics need METRICS_TOKEN, or a port of their own: METRICS_PORT.')
        res.setHeader('WWW-Authenticate', 'Bearer')
        return void refuse(401, 'The bearer token is missing or wrong: see METRICS_TOKEN.')
      }
      this.registry.metrics().then(
        (page) => res.writeHead(200, { 'Content-Type': this.registry.contentType }).end(page),
        () => refuse(500, 'The metrics cannot be read.'),
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
