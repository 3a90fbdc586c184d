// The one place that makes a Redis client. What surprises: without an 'error' listener the process dies, with the
// default reconnect strategy a socket time-out ends the client for good, and connect() never settles while Redis is
// down, so nobody awaits it.
import { createClient } from 'redis'

export type RedisConnection = ReturnType<typeof connectRedis>

type Log = { warn(fields: object, message: string): void; info(fields: object, message: string): void }

const RECONNECT_MOST_MS = 1_000

/** Grows from 50 ms to a second, with jitter so that replicas do not come back in step. Never gives up. */
const reconnectIn = (retries: number) =>
  Math.min(50 * 2 ** Math.min(retries, 10), RECONNECT_MOST_MS) + Math.floor(Math.random() * 100)

/**
 * Starts connecting in the background and keeps at it for ever; commands fail at once while there is no connection.
 * @param url redis:// or rediss://; may carry a user name and a password, which are never logged
 */
export function connectRedis(url: string, log: Log) {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    pingInterval: 1_000,
    commandsQueueMaxLength: 10_000,
    socket: { connectTimeout: 2_000, socketTimeout: 3_000, reconnectStrategy: reconnectIn },
  })
  let reachable = true
  client.on('error', (error: Error) => {
    if (reachable) log.warn({ err: error }, 'Redis cannot be reached: trying again until it can')
    reachable = false
  })
  client.on('ready', () => {
    if (!reachable) log.info({}, 'Redis is reached again')
    reachable = true
  })
  client.connect().catch(() => {})
  return client
}
