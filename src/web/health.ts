// Probes without a session. /healthz checks nothing. /readyz reports whether the authorization server is usable, and
// writes to the store, because a full or read-only Redis still serves reads.
import { Router } from 'express'
import type { ConnectionLog } from '../records/redis-connection.ts'
import type { Records } from '../records/records.ts'
import { describeStoreError } from '../records/store-error.ts'

const KEY = 'ready'
const LIFE_SECONDS = 10
const FRESH_MS = 1_000

/** Shows the doctor whether onramp answers at PUBLIC_URL, and whether a proxy changes pages (such as addresses). */
export const HEALTH_SAMPLE = {
  // The version is omitted, because it would help attackers.
  header: 'x-onramp',
  value: 'healthz',
  page: '<!doctype html>\n<html lang="en"><head><title>onramp</title></head><body><p>ada@example.com</p></body></html>\n',
} as const

export function createReadiness(
  records: Pick<Records, 'get' | 'put' | 'compareAndSet' | 'remove'>,
  log: ConnectionLog,
  server: { isReady(): boolean; isBlockedByProxy(): boolean },
) {
  let isDraining = false
  let lastWrite: { at: number; done: Promise<void> } | undefined
  let loggedCode: string | undefined

  async function write(): Promise<void> {
    await records.put(KEY, 'written', LIFE_SECONDS)
    // If another process was faster, that proves the same.
    await records.compareAndSet(KEY, 'written', 'changed', LIFE_SECONDS)
    await records.remove(KEY)
  }

  /** Reads each time; writes, changes and removes a record at most once a second. */
  async function probeStore(): Promise<'ok' | 'refuses' | 'unreachable'> {
    try {
      await records.get(KEY)
      const at = performance.now()
      if (lastWrite === undefined || at - lastWrite.at >= FRESH_MS) lastWrite = { at, done: write() }
      await lastWrite.done
    } catch (error) {
      const { code, message, isErrorReply } = describeStoreError(error)
      if (loggedCode !== code) log.warn({ err: error, reason: code }, `not ready: ${message} (${code})`)
      loggedCode = code
      return isErrorReply ? 'refuses' : 'unreachable'
    }
    if (loggedCode !== undefined) log.info({}, 'ready again: the store is writable')
    loggedCode = undefined
    return 'ok'
  }

  async function report() {
    const store = await probeStore()
    // The proxy's name is omitted, because anyone can read this.
    const blocked = server.isBlockedByProxy() ? ': the forward proxy blocks requests' : ''
    const authorizationServer = server.isReady() ? 'ok' : `not usable yet${blocked}`
    const isReady = store === 'ok' && authorizationServer === 'ok' && !isDraining
    return { status: isReady ? 'ok' : 'not ready', store, authorizationServer, draining: isDraining }
  }

  const routes = Router()
    .get('/healthz', (req, res) => {
      res.setHeader(HEALTH_SAMPLE.header, HEALTH_SAMPLE.value)
      if (req.get('accept') === 'text/html') res.type('html').end(HEALTH_SAMPLE.page)
      else res.json({ status: 'ok' })
    })
    .get('/readyz', async (_req, res) => {
      const readiness = await report()
      res.status(readiness.status === 'ok' ? 200 : 503).json(readiness)
    })

  /** `drain`: the process is ending, and should get no new requests. */
  return { routes, report, drain: () => void (isDraining = true) }
}
