// Checks that Redis is reachable, usable and persistent. The product's code finds the primary and tries the records;
// INFO is read over a connection without retries.
import { isCertificateError, describeNetworkError, networkErrorOf } from '../http/network-error.ts'
import { isLoopback } from '../http/loopback.ts'
import { formatFault } from '../records/data-key.ts'
import {
  newClient,
  NoSuchPrimary,
  createRedisOpener,
  primaryUrl,
  STANDARD_PREFIX,
  topologyOf,
} from '../records/redis-clients.ts'
import { createRedisRecords, redisAclRules } from '../records/redis-records.ts'
import { rootCause, describeStoreError } from '../records/store-error.ts'
import type { Settings } from '../settings/settings.ts'
import { withTimeout } from '../with-timeout.ts'
import { createCheck, fail, ok, warn, type DoctorContext } from './findings.ts'

const TIME_LIMIT_MS = 4_000
const LIFE_SECONDS = 5

/** @returns INFO; empty if the user may not read it */
async function infoFrom(url: string): Promise<Record<string, string>> {
  // Without a listener, an error would end the process. connect() throws it, too.
  const client = newClient(url).on('error', () => {})
  try {
    await client.connect()
    // The server's connection depends on PING.
    await client.ping()
    // This comes last, because a proxy may close the connection on an unknown command.
    const info = await client.info().catch(() => '')
    const lines = info.matchAll(/^([a-z_]+):([^\r\n]*)/gm)
    return Object.fromEntries([...lines].map(([, name, value]) => [name, value]))
  } finally {
    if (client.isOpen) client.destroy()
  }
}

/** Tries every operation on a record that expires after seconds. @throws the first error of Redis */
async function tryRecords(url: string, settings: Partial<Settings>): Promise<void> {
  const { REDIS_PREFIX: prefix = STANDARD_PREFIX } = settings
  const openedRedis = await createRedisOpener(url, topologyOf(settings), prefix)(() => {})
  try {
    const records = createRedisRecords(openedRedis.commands, prefix)
    // Nothing is written to a store of another format, which the check of records reports.
    if ((await formatFault(records)) !== undefined) return
    const key = `doctor:${process.pid}.${Date.now()}`
    await records.put(key, 'written', LIFE_SECONDS)
    await records.get(key)
    await records.compareAndSet(key, 'written', 'changed', LIFE_SECONDS)
    await records.keys(key).next()
    await records.remove(key)
  } finally {
    openedRedis.close()
  }
}

/** @returns `url` is REDIS_URL, or the URL of the primary that the Sentinels name */
async function collect(redisUrl: string, settings: Partial<Settings>) {
  const topology = topologyOf(settings)
  let url = redisUrl
  let info: Record<string, string> = {}
  let at: 'Sentinels' | 'connecting' | 'records' = 'Sentinels'
  try {
    if (topology.kind === 'sentinel') url = await primaryUrl(redisUrl, topology)
    at = 'connecting'
    info = await withTimeout(TIME_LIMIT_MS, infoFrom(url))
    at = 'records'
    await tryRecords(redisUrl, settings)
  } catch (error) {
    return { url, info, failure: { at, error } }
  }
  return { url, info, failure: undefined }
}

type RedisFacts = Awaited<ReturnType<typeof collect>>

const FIXES: Record<string, string> = {
  READONLY: 'set it to the primary',
  OOM: 'give it more memory',
  MISCONF: "check Redis's log: its disk is full, or its folder is not writable",
  CLUSTERDOWN: 'fix the cluster: every slot needs a node',
  NOSUCHCOMMAND: "remove its rename-command from Redis's configuration; onramp needs it",
}

/** A cluster answers an ordinary client with MOVED. A cluster's client uses the names that the nodes give. */
function failureOf({ failure }: RedisFacts, { settings }: DoctorContext) {
  const { REDIS_PREFIX: prefix = STANDARD_PREFIX, REDIS_URL: url } = settings
  const topology = topologyOf(settings).kind
  const root = failure && rootCause(failure.error)
  if (!(root instanceof Error)) return undefined
  const { message } = root
  if (topology !== 'cluster' && message.startsWith('MOVED')) return IS_CLUSTER
  const { code, denied = 'a command', message: description, isErrorReply } = describeStoreError(root)
  const timedOut = describeNetworkError('too-slow')
  const network = code === 'timeout' ? timedOut : describeNetworkError(networkErrorOf(root))
  const why = isErrorReply
    ? description
    : message.startsWith('ERR ')
      ? `reply: ${message.slice(4, 204)}`
      : network
  if (failure?.at === 'Sentinels') return sentinelFailure(root, why)
  if (code === 'NOPERM')
    return fail(
      `The Redis user in REDIS_URL isn't allowed to use ${/\bkeys?\b/i.test(message) ? 'keys that begin with REDIS_PREFIX' : denied}.`,
      `REDIS_URL: allow all that onramp uses: ACL SETUSER NAME ${redisAclRules(prefix, topology, url).join(' ')}`,
    )
  if (topology === 'cluster' && failure?.at === 'records' && isCertificateError(networkErrorOf(root)))
    return fail(
      `A node of the cluster, at the address that the cluster gives, cannot be reached: ${why}.`,
      'REDIS_CLUSTER, REDIS_URL: if the nodes give IP addresses, set cluster-announce-hostname to a name in the certificate, and cluster-preferred-endpoint-type to hostname, on each of them',
    )
  if (failure?.at === 'connecting' && url?.startsWith('rediss:') && why === timedOut)
    return fail(
      "Redis doesn't respond over TLS: the connection timed out, as on a port without TLS.",
      'REDIS_URL: use its TLS port, or redis:// if it has none',
    )
  if (failure?.at === 'connecting' && FIXES[code] === undefined)
    return fail(
      `Redis cannot be reached: ${why}.`,
      `${topology === 'sentinel' ? 'REDIS_SENTINELS, REDIS_URL' : 'REDIS_URL'}: check the host name, port, database, password and redis:// or rediss://`,
    )
  return fail(`Redis rejects writes: ${why} (${code}).`, `REDIS_URL: ${FIXES[code] ?? "check Redis's log"}`)
}

function sentinelFailure(root: Error, why: string) {
  if (root instanceof NoSuchPrimary)
    return fail(
      'The Sentinels know no primary with that name.',
      'REDIS_SENTINEL_NAME, REDIS_SENTINELS: set it to the name that the Sentinels use for the primary',
    )
  if (/unknown command/i.test(root.message))
    return fail(
      'The server at REDIS_SENTINELS is not a Sentinel.',
      'REDIS_SENTINELS, REDIS_SENTINEL_NAME: list the Sentinels (usually port 26379), or remove REDIS_SENTINELS',
    )
  return fail(
    `No Sentinel can be reached: ${why}.`,
    'REDIS_SENTINELS, REDIS_URL: list the Sentinels as name:port; onramp uses the password and TLS (rediss://) of REDIS_URL',
  )
}

const IS_CLUSTER = fail(
  'Redis is a cluster, but REDIS_CLUSTER is not set to yes.',
  'REDIS_CLUSTER: set it to yes',
)

function connectionFinding(facts: RedisFacts, context: DoctorContext) {
  const { info, url } = facts
  const isCluster = topologyOf(context.settings).kind === 'cluster'
  if (isCluster && info['cluster_enabled'] === '0')
    return fail('REDIS_CLUSTER is yes, but Redis is not a cluster.', 'REDIS_CLUSTER: set it to no')
  if (!isCluster && info['cluster_enabled'] === '1') return IS_CLUSTER
  const failure = failureOf(facts, context)
  if (failure !== undefined) return failure
  const { valkey_version: valkey, redis_version: redis = '' } = info
  const { protocol, hostname } = new URL(url)
  const name = valkey ? `Valkey ${valkey}` : `Redis ${redis}`.trim()
  const way = protocol === 'rediss:' ? ' over TLS' : isLoopback(hostname) ? '' : ', without TLS'
  return ok(`${name} is reachable${way}; onramp can write, read, expire and delete records and run scripts.`)
}

/** Evicting a session would sign the person out. */
const evictionFinding = ({ info: { maxmemory_policy: policy = 'noeviction' } }: RedisFacts) =>
  policy !== 'noeviction' &&
  warn(
    'Redis may evict sessions when memory is full (maxmemory-policy is not noeviction).',
    'REDIS_URL: set maxmemory-policy noeviction in Redis',
  )

function persistenceFinding({ info }: RedisFacts) {
  const { aof_enabled: isOn, aof_last_write_status: aof, rdb_last_bgsave_status: rdb } = info
  if (isOn === undefined) return undefined
  if ((isOn === '1' ? aof : rdb) === 'err')
    return warn(
      "Redis can't save: after a restart the ledger of sent invitations is outdated, and people are emailed twice.",
      "REDIS_URL: check Redis's log: its disk is full, or its folder is not writable",
    )
  if (isOn === '1') return ok('Redis persistence is on (append-only file).')
  return warn(
    'Redis has no append-only file: a crash or a restart loses what the ledger of sent invitations recorded since the last snapshot, if any, and those people are emailed again.',
    'REDIS_URL: turn on the append-only file in Redis: appendonly yes',
  )
}

export const redisCheck = createCheck(collect, {
  'store.redis': (facts, context) => [
    connectionFinding(facts, context),
    evictionFinding(facts),
    persistenceFinding(facts),
  ],
})
