// The one place that makes Redis clients: to one server, to the primary that Sentinels name, to a cluster. None of them
// reconnects: a client that was lost is replaced as a whole (see redis-connection.ts), so that a new one asks
// again where the primary is. Every client has an 'error' listener; without one the process would die.
import { createCluster, RedisClient, type RedisClientOptions } from 'redis'
import { withinDeadline } from './records.ts'
import { rootCause } from './store-error.ts'

/** What is asked of Redis; every command but `scan` touches one key, so that it runs on a cluster. */
export type RedisCommands = {
  get(key: string): Promise<string | null>
  set(key: string, value: string, options: SetOptions): Promise<string | null>
  del(key: string): Promise<number>
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
  /** The keys that match, of every primary: a batch for each SCAN, which may be empty. */
  scan: (pattern: string) => AsyncGenerator<string[]>
}

type SetOptions = { expiration: { type: 'EX'; value: number }; condition?: 'NX' }

/** REDIS_PREFIX, where it is not set: what every key begins with. */
export const STANDARD_PREFIX = 'onramp:'

type RedisNode = { host: string; port: number }

/** Where Redis is; the address gives user, password, TLS and database in each case. */
export type RedisTopology =
  | { kind: 'standalone' }
  | { kind: 'sentinel'; sentinels: readonly RedisNode[]; name: string }
  | { kind: 'cluster' }

export type OpenedRedis = { commands: RedisCommands; close(): void }

/** @param run gives a command to a client @param scan lists keys */
export const commandsOf = (
  run: <T>(command: (client: Omit<RedisCommands, 'scan'>) => Promise<T>) => Promise<T>,
  scan: RedisCommands['scan'],
): RedisCommands => ({
  get: (key) => run((client) => client.get(key)),
  set: (key, value, options) => run((client) => client.set(key, value, options)),
  del: (key) => run((client) => client.del(key)),
  eval: (script, options) => run((client) => client.eval(script, options)),
  scan,
})

const scanning = (pattern: string) => ({ MATCH: pattern, COUNT: 1_000 })

/** Opens a client and makes sure that it answers. @param lost told when the client fails later @throws when it does not open */
export type OpenRedis = (lost: (error: Error) => void) => Promise<OpenedRedis>

/** A connection that is opened must answer its first question within this time. */
const PROBE_MS = 600
const PROBE = 'probe'

/** Also bounds how long opening may take: a frozen server takes the connection and stays silent. */
const SOCKET = {
  connectTimeout: 1_500,
  /** Of a host with several, so that two have their time. */
  autoSelectFamilyAttemptTimeout: 700,
  socketTimeout: 3_000,
  reconnectStrategy: false,
} as const
/**
 * Protocol 2 and no CLIENT SETINFO: proxies answer HELLO with an error, or close the connection for both. No time-out of its
 * own for each command (it makes a timer and a signal every time): ours is in redis-connection.ts.
 */
const CLIENT = {
  RESP: 2,
  disableClientInfo: true,
  commandOptions: { timeout: 0 },
  disableOfflineQueue: true,
  pingInterval: 1_000,
  commandsQueueMaxLength: 10_000,
} as const

type Options = Omit<RedisClientOptions, 'RESP'> & { RESP?: 2 | 3 }

let create: ReturnType<typeof RedisClient.factory> | undefined
/** One class for all: the library's createClient builds it anew for each address (1 MB each, and blocks meanwhile). */
const clientOf = (options: Options) => (create ??= RedisClient.factory())(options)

export const newClient = (url: string) => clientOf({ ...CLIENT, url, socket: { ...SOCKET } })
type Client = ReturnType<typeof newClient>

/** @param prefix REDIS_PREFIX: a user may be allowed nothing but the keys below it */
export function createRedisOpener(
  url: string,
  topology: RedisTopology,
  prefix: string = STANDARD_PREFIX,
): OpenRedis {
  switch (topology.kind) {
    case 'standalone':
      return (lost) => openServer(url, lost, (client) => client.get(prefix + PROBE))
    case 'sentinel':
      return async (lost) => openServer(await primaryUrl(url, topology), lost, refuseReplica)
    case 'cluster':
      return clusterOpener(url, prefix)
  }
}

async function openServer(
  url: string,
  lost: (error: Error) => void,
  probe: (client: Client) => Promise<unknown>,
): Promise<OpenedRedis> {
  const client = newClient(url).on('error', lost)
  try {
    await client.connect()
    await withinDeadline(() => probe(client), PROBE_MS)
    const scan = (pattern: string) => client.scanIterator(scanning(pattern))
    return { commands: commandsOf((command) => command(client), scan), close: () => client.destroy() }
  } catch (error) {
    client.destroy()
    throw error
  }
}

/** A Sentinel may be the last to hear of a failover (redis.io, "Guidelines for Redis clients", step 3). */
async function refuseReplica(client: Client): Promise<void> {
  const found = await client.role()
  if (found?.role !== 'master') throw new Error('what the Sentinels name as the primary is none (yet)')
}

const ASK_MS = 1_000

/** A Sentinel answered, and watches no primary of that name. */
export class NoSuchPrimary extends Error {
  override name = 'NoSuchPrimary'
}

/**
 * Asks every Sentinel and believes the first that knows: one that is away or frozen costs no time.
 * @param url gives user, password, TLS and database
 * @returns the address of the primary, with all of these
 * @throws {Error} when none knows; its cause is what a Sentinel that answered said, or why one cannot be reached
 */
export async function primaryUrl(
  url: string,
  { sentinels, name }: Extract<RedisTopology, { kind: 'sentinel' }>,
): Promise<string> {
  const asked = sentinels.map((sentinel) =>
    withinDeadline(() => askSentinel(withNode(url, sentinel), name), ASK_MS),
  )
  const primary = await Promise.any(asked).catch((error: unknown) => {
    const reasons = (error as AggregateError).errors.map(rootCause)
    const cause = reasons.find((reason) => reason instanceof NoSuchPrimary) ?? reasons[0]
    throw new Error('no Sentinel names a primary: see REDIS_SENTINELS and REDIS_SENTINEL_NAME', { cause })
  })
  return withNode(url, primary)
}

/** Sentinels often have no password though Redis has one: it is told only to one that asks for it. */
async function askSentinel(url: string, name: string): Promise<RedisNode> {
  const known = changed(url, { pathname: '' })
  const open = changed(known, { username: '', password: '' })
  try {
    return await askOnce(open, name)
  } catch (error) {
    if (open !== known && error instanceof Error && error.message.startsWith('NOAUTH'))
      return await askOnce(known, name)
    throw error
  }
}

async function askOnce(url: string, name: string): Promise<RedisNode> {
  const socket = { ...SOCKET, connectTimeout: ASK_MS, socketTimeout: ASK_MS }
  const client = clientOf({ ...CLIENT, url, socket })
  client.on('error', () => {})
  try {
    await client.connect()
    const answer: unknown = await client.sendCommand(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name])
    if (!Array.isArray(answer)) throw new NoSuchPrimary('a Sentinel does not know a primary of this name')
    return { host: String(answer[0]), port: Number(answer[1]) }
  } finally {
    client.destroy()
  }
}

function clusterOpener(url: string, prefix: string): OpenRedis {
  const { username, password, protocol } = new URL(url)
  const defaults = {
    ...CLIENT,
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    socket: protocol === 'rediss:' ? { ...SOCKET, tls: true as const } : SOCKET,
  }
  /** The node of the address may be the one that is gone. */
  let known: RedisNode[] = []

  return async (lost) => {
    const rootNodes = [{ url }, ...known.map((socket) => ({ socket }))]
    const cluster = createCluster({ rootNodes, defaults })
    async function* scanAll(pattern: string) {
      for (const node of cluster.masters)
        yield* (await cluster.nodeClient(node)).scanIterator(scanning(pattern))
    }
    let opened = false
    let reason: unknown
    const onError = (error: Error) => {
      reason = error
      if (opened) lost(error)
    }
    cluster.on('error', onError).on('node-error', onError)
    try {
      await cluster.connect()
      // A primary that refused the first of several tries counts as connected (redis 6.3).
      await Promise.all(cluster.masters.map((node) => cluster.nodeClient(node)))
      await withinDeadline(() => cluster.get(prefix + PROBE), PROBE_MS)
      opened = true
      known = cluster.masters.map(({ host, port }) => ({ host, port }))
      return { commands: commandsOf((command) => command(cluster), scanAll), close: () => cluster.destroy() }
    } catch (error) {
      cluster.destroy()
      throw reason ?? error
    }
  }
}

/** The address with another host in it. */
const withNode = (url: string, { host, port }: RedisNode): string =>
  changed(url, { host: `${host.includes(':') ? `[${host}]` : host}:${port}` })

const changed = (url: string, parts: Partial<URL>): string => Object.assign(new URL(url), parts).href
