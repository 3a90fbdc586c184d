// Redis as in production: a primary and a replica with three Sentinels, and a cluster of three primaries with a replica
// each.
import { until } from './processes.ts'
import { startRedis, type RedisServer, type RedisOptions } from './redis.ts'

export type SentinelSetUp = Awaited<ReturnType<typeof startSentinels>>

const NAME = 'onramp-test'
const SLOTS = 16_384

const areAll = async (servers: RedisServer[], isSo: (server: RedisServer) => Promise<boolean>) =>
  (await Promise.all(servers.map(isSo))).every(Boolean)

const isSynced = async (server: RedisServer) =>
  String(await server.ask('INFO', 'replication')).includes('link_status:up')

/** @param password of the Redis servers; the Sentinels have none @param downAfterMs until a primary counts as down */
export async function startSentinels(password: string, downAfterMs = 800) {
  const nodeOptions = ['--requirepass', password, '--masterauth', password, '--repl-diskless-sync-delay', '0']
  const replicaOptions = (port: number) => [...nodeOptions, '--replicaof', '127.0.0.1', String(port)]
  const url = (port: number) => `redis://:${password}@127.0.0.1:${port}`
  let options = nodeOptions
  const primary = await startRedis({ url, options: () => options })
  const replica = await startRedis({ url, options: () => replicaOptions(primary.port) })
  await until(() => isSynced(replica), 'sync')
  const watch = [
    `sentinel monitor ${NAME} 127.0.0.1 ${primary.port} 2`,
    `sentinel auth-pass ${NAME} ${password}`,
    `sentinel down-after-milliseconds ${NAME} ${downAfterMs}`,
    `sentinel failover-timeout ${NAME} 4000`,
  ]
  const sentinels = await Promise.all([1, 2, 3].map(() => startRedis({ sentinel: watch })))
  const knowsAll = async (sentinel: RedisServer) => {
    const facts = (await sentinel.ask('SENTINEL', 'MASTER', NAME)) as string[]
    const fact = (name: string) => facts[facts.indexOf(name) + 1]
    return fact('num-other-sentinels') === '2' && fact('num-slaves') === '1'
  }
  await until(() => areAll(sentinels, knowsAll), 'the Sentinels')
  return {
    primary,
    replica,
    sentinels,
    settings: {
      // Nothing listens on this port: only the Sentinels have the address of Redis.
      REDIS_URL: `redis://:${password}@127.0.0.1:1`,
      REDIS_SENTINELS: sentinels.map(({ port }) => `127.0.0.1:${port}`).join(','),
      REDIS_SENTINEL_NAME: NAME,
    } as Record<string, string>,
    /** The port of the primary, as the Sentinels see it. */
    async primaryPort() {
      const ask = (sentinel: RedisServer) => sentinel.ask('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME)
      return Number(((await Promise.any(sentinels.map(ask))) as string[])[1])
    },
    /** Makes the other server the primary, as for maintenance. Sentinel refuses until the last failover has ended. */
    async stepDown() {
      const failover = () => sentinels[0]?.ask('SENTINEL', 'FAILOVER', NAME).catch(() => 'not yet')
      await until(async () => (await failover()) === 'OK', 'the failover to begin')
    },
    /** Starts the killed primary again, as a replica: it is empty, and must not be promoted before it has the data. */
    async bringBack() {
      options = [...replicaOptions(replica.port), '--replica-priority', '0']
      await primary.start()
      await until(() => isSynced(primary), 'the old primary to have everything', 60_000)
      await primary.ask('CONFIG', 'SET', 'replica-priority', '100')
    },
    /** The number of failovers in the logs of the Sentinels. */
    failovers: () => Math.max(...sentinels.map((one) => one.output().split('+switch-master').length - 1)),
    async close() {
      await Promise.all([...sentinels, replica, primary].map((server) => server.close()))
    },
  }
}

export async function startCluster() {
  const options: RedisOptions = {
    options: (_port, folder) =>
      '--cluster-enabled yes --cluster-node-timeout 1000 --cluster-replica-validity-factor 0 --repl-diskless-sync-delay 0'
        .split(' ')
        .concat('--cluster-config-file', `${folder}/nodes.conf`),
  }
  const servers = await Promise.all(Array.from({ length: 6 }, () => startRedis(options)))
  const [primaries, replicas] = [servers.slice(0, 3), servers.slice(3)]
  const [first] = primaries
  if (first === undefined) throw new Error('no server')
  for (const [index, server] of primaries.entries()) {
    const from = Math.ceil((index * SLOTS) / 3)
    const to = Math.ceil(((index + 1) * SLOTS) / 3) - 1
    await server.ask('CLUSTER', 'ADDSLOTSRANGE', String(from), String(to))
    await server.ask('CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1))
  }
  for (const server of servers.slice(1)) await server.ask('CLUSTER', 'MEET', '127.0.0.1', String(first.port))
  const allShow = (fact: string) =>
    areAll(servers, async (server) => String(await server.ask('CLUSTER', 'INFO')).includes(fact))
  await until(() => allShow('cluster_known_nodes:6'), 'the nodes to meet')
  for (const [index, replica] of replicas.entries()) {
    const id = String(await primaries[index]?.ask('CLUSTER', 'MYID'))
    await replica.ask('CLUSTER', 'REPLICATE', id)
  }
  await until(() => allShow('cluster_state:ok'), 'the cluster')
  await until(() => areAll(replicas, isSynced), 'the replicas')
  return {
    primaries,
    replicas,
    settings: { REDIS_URL: first.url, REDIS_CLUSTER: 'yes' } as Record<string, string>,
    close: async () => void (await Promise.all(servers.map((server) => server.close()))),
  }
}
