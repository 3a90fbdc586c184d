// Probes without a session. /healthz checks nothing; /readyz writes to the store, because a full or read-only Redis still
// serves reads, and tells whether the authorization server was reached.
import { Router } from 'express'
import type { ConnectionLog } from '../records/redis-connection.ts'
import type { Records } from '../records/records.ts'
import { describeStoreError } from '../records/store-error.ts'

const KEY = 'ready'
const LIFE_SECONDS = 10
const FRESH_MS = 1_000

/** For the doctor: is it onramp that answers at PUBLIC_URL, and does a proxy change pages, such as email addresses? */
export const HEALTH_SAMPLE = {
  // Without the version, which would help attackers.
  header: 'x-onramp',
  value: 'healthz',
  page: '<!doctype html>\n<html lang="en"><head><title>onramp</title></head><body><p>ada@example.com</p></body></html>\n',
} as const

type ProbedRecords = Pick<Records, 'get' | 'put' | 'compareAndSet' | 'remove'>
type AuthorizationServer = { isReady(): boolean; isBlockedByProxy(): boolean }

export class Readiness {
  readonly #records: ProbedRecords
  readonly #log: ConnectionLog
  readonly #authorizationServer: AuthorizationServer
  #isDraining = false
  #lastWrite: { at: number; done: Promise<void> } | undefined
  #loggedCode: string | undefined

  constructor(records: ProbedRecords, log: ConnectionLog, authorizationServer: AuthorizationServer) {
    this.#records = records
    this.#log = log
    this.#authorizationServer = authorizationServer
  }

  /** The process is ending: no new requests should come. */
  drain(): void {
    this.#isDraining = true
  }

  async report() {
    const store = await this.#probeStore()
    const server = this.#authorizationServer
    // Without the proxy's name: anyone can read this.
    const blocked = server.isBlockedByProxy() ? ': the forward proxy does not let calls through' : ''
    const authorizationServer = server.isReady() ? 'ok' : `not reached yet${blocked}`
    const isReady = store === 'ok' && authorizationServer === 'ok' && !this.#isDraining
    return { status: isReady ? 'ok' : 'not ready', store, authorizationServer, draining: this.#isDraining }
  }

  /** Reads each time, and writes, changes and removes a record at most once a second. */
  async #probeStore(): Promise<'ok' | 'refuses' | 'unreachable'> {
    try {
      await this.#records.get(KEY)
      const at = performance.now()
      if (this.#lastWrite === undefined || at - this.#lastWrite.at >= FRESH_MS)
        this.#lastWrite = { at, done: this.#write() }
      await this.#lastWrite.done
    } catch (error) {
      const { code, message, isErrorReply } = describeStoreError(error)
      if (this.#loggedCode !== code)
        this.#log.warn({ err: error, reason: code }, `not ready: ${message} (${code})`)
      this.#loggedCode = code
      return isErrorReply ? 'refuses' : 'unreachable'
    }
    if (this.#loggedCode !== undefined) this.#log.info({}, 'ready again: the store can be written to')
    this.#loggedCode = undefined
    return 'ok'
  }

  async #write(): Promise<void> {
    await this.#records.put(KEY, 'written', LIFE_SECONDS)
    // False if another process was faster, which is as good.
    await this.#records.compareAndSet(KEY, 'written', 'changed', LIFE_SECONDS)
    await this.#records.remove(KEY)
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
