// Creates Redis clients: for one server, for the primary that Sentinels name, for a cluster. They don't reconnect,
// because only a new client looks up the primary (redis-connection.ts). Without an 'error' listener, the process dies.
import { createCluster, RedisClient } from 'redis'
import { withinDeadline } from './records.ts'
import { rootCause } from './store-error.ts'

/** Every command but `scan` touches one key, so it runs on a cluster. */
export type RedisCommands = {
  get(key: string): Promise<string | null>
  getAll(keys: readonly string[]): Promise<(string | null)[]>
  set(
    key: string,
    value: string,
    options: { expiration: { type: 'EX'; value: number }; condition?: 'NX' },
  ): Promise<string | null>
  del(key: string): Promise<number>
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
  /** Yields the keys of every primary, in batches that may be empty. */
  scan: (pattern: string) => AsyncGenerator<string[]>
}

type RedisNode = { host: string; port: number }

export const STANDARD_PREFIX = 'onramp:'

type RedisTopology =
  | { kind: 'standalone' }
  | { kind: 'sentinel'; sentinels: readonly RedisNode[]; name: string }
  | { kind: 'cluster' }

type OpenedRedis = { commands: RedisCommands; close(): void }

export const commandsOf = (
  run: <T>(command: (client: Omit<RedisCommands, 'getAll' | 'scan'>) => Promise<T>) => Promise<T>,
  scan: RedisCommands['scan'],
): RedisCommands => ({
  get: (key) => run((client) => client.get(key)),
  getAll: (keys) => run((client) => Promise.all(keys.map((key) => client.get(key)))),
  set: (key, value, options) => run((client) => client.set(key, value, options)),
  del: (key) => run((client) => client.del(key)),
  eval: (script, options) => run((client) => client.eval(script, options)),
  scan,
})

const scanOptions = (pattern: string) => ({ MATCH: pattern, COUNT: 1_000 })

/** Opens a client. @param onLost called if the client fails later @throws if Redis doesn't answer */
type OpenRedis = (onLost: (error: Error) => void) => Promise<OpenedRedis>

const PROBE = 'probe'
const PROBE_MS = 600
const QUERY_MS = 1_000

/** Timeouts, also for opening, because a frozen server accepts connections but never answers. */
const SOCKET = {
  connectTimeout: 1_500,
  /** Per address of a host, so that two addresses can be tried. */
  autoSelectFamilyAttemptTimeout: 700,
  socketTimeout: 3_000,
  reconnectStrategy: false,
} as const
/** Proxies reject HELLO (protocol 3) and CLIENT SETINFO, or close. withinDeadline limits commands. */
const CLIENT = {
  RESP: 2,
  disableClientInfo: true,
  commandOptions: { timeout: 0 },
  disableOfflineQueue: true,
  pingInterval: 1_000,
  commandsQueueMaxLength: 10_000,
} as const

let create: ReturnType<typeof RedisClient.factory> | undefined
/** All clients share one class, because the library's createClient builds one for each URL (1 MB, blocking). */
export const newClient = (
  url: string,
  limits: Partial<Record<'connectTimeout' | 'socketTimeout', number>> = {},
) => (create ??= RedisClient.factory())({ ...CLIENT, url, socket: { ...SOCKET, ...limits } })
type OpenClient = ReturnType<typeof newClient>

export function topologyOf(settings: {
  REDIS_SENTINELS?: readonly RedisNode[] | undefined
  REDIS_SENTINEL_NAME?: string
  REDIS_CLUSTER?: 'yes' | 'no'
}): RedisTopology {
  const { REDIS_SENTINELS: sentinels, REDIS_SENTINEL_NAME: name = 'mymaster' } = settings
  if (sentinels !== undefined) return { kind: 'sentinel', sentinels, name }
  return { kind: settings.REDIS_CLUSTER === 'yes' ? 'cluster' : 'standalone' }
}

/** @param prefix REDIS_PREFIX: the user may have no rights outside of it */
export function createRedisOpener(
  url: string,
  topology: RedisTopology = { kind: 'standalone' },
  prefix: string = STANDARD_PREFIX,
): OpenRedis {
  if (topology.kind === 'cluster') return clusterOpener(url, prefix)
  if (topology.kind === 'sentinel')
    return async (onLost) => openServer(await primaryUrl(url, topology), onLost, rejectReplica)
  return (onLost) => openServer(url, onLost, (client) => client.get(prefix + PROBE))
}

async function openServer(
  url: string,
  onLost: (error: Error) => void,
  probe: (client: OpenClient) => Promise<unknown>,
): Promise<OpenedRedis> {
  const client = newClient(url).on('error', onLost)
  try {
    await client.connect()
    await withinDeadline(() => probe(client), PROBE_MS)
    const scan = (pattern: string) => client.scanIterator(scanOptions(pattern))
    return { commands: commandsOf((command) => command(client), scan), close: () => client.destroy() }
  } catch (error) {
    client.destroy()
    throw error
  }
}

/** @throws for a replica: a Sentinel may not know of a failover yet (redis.io, "Guidelines for Redis clients", 3) */
async function rejectReplica(client: OpenClient): Promise<void> {
  const role = await client.role()
  if (role?.role !== 'master') throw new Error("the primary named by the Sentinels isn't one (yet)")
}

/** A Sentinel answered, but knows no primary of that name. */
export class NoSuchPrimary extends Error {
  override name = 'NoSuchPrimary'
}

/**
 * Uses the first answer of any Sentinel, so one that is down or frozen costs no time. The URL keeps the rest of `url`.
 * @throws {Error} if none knows the primary; the cause is a Sentinel's reply, or a network error
 */
export async function primaryUrl(
  url: string,
  { sentinels, name }: Extract<RedisTopology, { kind: 'sentinel' }>,
): Promise<string> {
  const queries = sentinels.map((sentinel) =>
    withinDeadline(() => querySentinel(withNode(url, sentinel), name), QUERY_MS),
  )
  const primary = await Promise.any(queries).catch((error: unknown) => {
    const reasons = (error as AggregateError).errors.map(rootCause)
    const cause = reasons.find((reason) => reason instanceof NoSuchPrimary) ?? reasons[0]
    throw new Error('no Sentinel names a primary: see REDIS_SENTINELS and REDIS_SENTINEL_NAME', { cause })
  })
  return withNode(url, primary)
}

/** Finds the primary. The password is sent only on request: Sentinels often have none, although Redis has one. */
async function querySentinel(url: string, name: string): Promise<RedisNode> {
  const urlWithoutDatabase = withUrlParts(url, { pathname: '' })
  const open = withUrlParts(urlWithoutDatabase, { username: '', password: '' })
  try {
    return await queryOnce(open, name)
  } catch (error) {
    if (open !== urlWithoutDatabase && error instanceof Error && error.message.startsWith('NOAUTH'))
      return await queryOnce(urlWithoutDatabase, name)
    throw error
  }
}

async function queryOnce(url: string, name: string): Promise<RedisNode> {
  const limits = { connectTimeout: QUERY_MS, socketTimeout: QUERY_MS }
  const client = newClient(url, limits).on('error', () => {})
  try {
    await client.connect()
    const reply: unknown = await client.sendCommand(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name])
    if (!Array.isArray(reply)) throw new NoSuchPrimary('a Sentinel knows no primary with this name')
    return { host: String(reply[0]), port: Number(reply[1]) }
  } finally {
    client.destroy()
  }
}

function clusterOpener(url: string, prefix: string): OpenRedis {
  const { username, password, protocol } = new URL(url)
  const defaults = {
    ...CLIENT,
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    socket: protocol === 'rediss:' ? { ...SOCKET, tls: true as const } : SOCKET,
  }
  /** The node of REDIS_URL may be gone. */
  let nodes: RedisNode[] = []

  return async (onLost) => {
    const rootNodes = [{ url }, ...nodes.map((socket) => ({ socket }))]
    const cluster = createCluster({ rootNodes, defaults })
    async function* scanAll(pattern: string) {
      for (const node of cluster.masters)
        yield* (await cluster.nodeClient(node)).scanIterator(scanOptions(pattern))
    }
    let isOpened = false
    let reason: unknown
    const onError = (error: Error) => {
      reason = error
      if (isOpened) onLost(error)
    }
    cluster.on('error', onError).on('node-error', onError)
    try {
      await cluster.connect()
      // A primary that rejected the first of several tries counts as connected (redis 6.3).
      await Promise.all(cluster.masters.map((node) => cluster.nodeClient(node)))
      await withinDeadline(() => cluster.get(prefix + PROBE), PROBE_MS)
      isOpened = true
      nodes = cluster.masters.map(({ host, port }) => ({ host, port }))
      return { commands: commandsOf((command) => command(cluster), scanAll), close: () => cluster.destroy() }
    } catch (error) {
      cluster.destroy()
      throw reason ?? error
    }
  }
}

const withNode = (url: string, { host, port }: RedisNode): string =>
  withUrlParts(url, { host: `${host.includes(':') ? `[${host}]` : host}:${port}` })

const withUrlParts = (url: string, parts: Partial<URL>): string => Object.assign(new URL(url), parts).href
