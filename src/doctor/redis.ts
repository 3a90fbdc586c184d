// Redis: can it be reached, does it take what onramp writes, and does it keep it? The server's own code finds the primary
// and tries the store; a connection of the doctor's own gives up, and asks Redis about itself.
import { isCertificateError, describeNetworkError, networkErrorOf } from '../http/network-error.ts'
import { isLoopback } from '../http/loopback.ts'
import { formatFault } from '../records/format.ts'
import {
  newClient,
  NoSuchPrimary,
  createRedisOpener,
  primaryUrl,
  STANDARD_PREFIX,
} from '../records/redis-clients.ts'
import { createRedisRecords, redisAclRules } from '../records/redis-records.ts'
import { rootCause, describeStoreError } from '../records/store-error.ts'
import { topologyOf } from '../records/store.ts'
import type { Settings } from '../settings/settings.ts'
import { within } from '../within.ts'
import type { DoctorContext, Table } from './rule.ts'

type RedisFacts = {
  /** The server, or the primary that the Sentinels name. */
  url: string
  /** Why no Sentinel named a primary, why there is no connection, or what onramp can't do there. */
  failed: { at: 'Sentinels' | 'connecting' | 'records'; error: unknown } | undefined
  /** INFO as a record; empty where the user may not ask. */
  info: Record<string, string>
}

const TIME_LIMIT_MS = 4_000
const LIFE_SECONDS = 5

/** @throws why it can't be reached */
async function infoFrom(url: string): Promise<RedisFacts['info']> {
  // Without a listener the process would die; the reason comes with connect().
  const client = newClient(url).on('error', () => {})
  try {
    await client.connect()
    // Without PING the server considers its own connection lost, every second.
    await client.ping()
    // Last: a proxy closes the connection for a command that it doesn't know.
    const info = await client.info().catch(() => '')
    const lines = info.matchAll(/^([a-z_]+):([^\r\n]*)/gm)
    return Object.fromEntries([...lines].map(([, name, value]) => [name, value]))
  } finally {
    if (client.isOpen) client.destroy()
  }
}

/** Everything that onramp does with records, on one that expires after seconds. @throws what Redis refuses */
async function tryRecords(url: string, settings: Partial<Settings>): Promise<void> {
  const { REDIS_PREFIX: prefix = STANDARD_PREFIX } = settings
  const opened = await createRedisOpener(url, topologyOf(settings), prefix)(() => {})
  try {
    const records = createRedisRecords(opened.commands, prefix)
    // Nothing is written to a store of another format, which its own check reports.
    if ((await formatFault(records)) !== undefined) return
    const key = `doctor:${process.pid}.${Date.now()}`
    await records.put(key, 'written', LIFE_SECONDS)
    await records.get(key)
    await records.compareAndSet(key, 'written', 'changed', LIFE_SECONDS)
    await records.keys(key).next()
    await records.remove(key)
  } finally {
    opened.close()
  }
}

async function look(redisUrl: string, settings: Partial<Settings>): Promise<RedisFacts> {
  const topology = topologyOf(settings)
  const facts: RedisFacts = { url: redisUrl, failed: undefined, info: {} }
  let at: NonNullable<RedisFacts['failed']>['at'] = 'Sentinels'
  try {
    if (topology.kind === 'sentinel') facts.url = await primaryUrl(redisUrl, topology)
    at = 'connecting'
    facts.info = await within(TIME_LIMIT_MS, infoFrom(facts.url))
    at = 'records'
    await tryRecords(redisUrl, settings)
  } catch (error) {
    facts.failed = { at, error }
  }
  return facts
}

const FIXES: Record<string, string> = {
  READONLY: 'set it to the primary',
  OOM: 'give it more memory',
  MISCONF: "check Redis's log: its disk is full, or its folder is not writable",
  CLUSTERDOWN: 'fix the cluster: every slot needs a node',
  NOSUCHCOMMAND: "remove its rename-command from Redis's configuration; onramp needs it",
}

function judgeFailure({ failed }: RedisFacts, { settings }: DoctorContext) {
  const { REDIS_PREFIX: prefix = STANDARD_PREFIX, REDIS_URL: url } = settings
  const topology = topologyOf(settings).kind
  const root = failed && rootCause(failed.error)
  if (!(root instanceof Error)) return undefined
  const { message } = root
  // A cluster answers an ordinary client with MOVED.
  if (topology !== 'cluster' && message.startsWith('MOVED')) return 'cluster'
  const { code, denied, words, isRefusal } = describeStoreError(root)
  const silence = describeNetworkError(code === 'timeout' ? 'too-slow' : networkErrorOf(root))
  const why = isRefusal ? words : message.startsWith('ERR ') ? `it says: ${message.slice(4, 204)}` : silence
  if (failed?.at === 'Sentinels') {
    if (root instanceof NoSuchPrimary) return 'primary'
    return /unknown command/i.test(message) ? 'no-sentinel' : ({ is: 'sentinels', why } as const)
  }
  if (code === 'NOPERM') {
    const isOfKeys = /\bkeys?\b/i.test(message)
    const what = isOfKeys ? 'keys that begin with REDIS_PREFIX' : (denied ?? 'a command')
    const rights = redisAclRules(prefix, topology, url).join(' ')
    return { is: 'denied', rights, denied: what } as const
  }
  // Its nodes name each other, and the client follows.
  if (topology === 'cluster' && failed?.at === 'records' && isCertificateError(networkErrorOf(root)))
    return { is: 'nodes', why } as const
  if (failed?.at === 'connecting' && url?.startsWith('rediss:') && why === describeNetworkError('too-slow'))
    return 'plain'
  if (failed?.at === 'connecting' && FIXES[code] === undefined)
    return { is: 'unreached', why, sentinels: topology === 'sentinel' ? 'REDIS_SENTINELS, ' : '' } as const
  return { is: 'unusable', why, code, fix: FIXES[code] ?? "check Redis's log" } as const
}

const table: Table<RedisFacts> = {
  'store.redis': [
    ({ info: { cluster_enabled: isCluster } }, { settings }) => {
      if (topologyOf(settings).kind === 'cluster') return isCluster === '0' && 'no-cluster'
      return isCluster === '1' && 'cluster'
    },
    judgeFailure,
    ({ info: { valkey_version: valkey, redis_version: redis = '' }, url }) => {
      const { protocol, hostname } = new URL(url)
      const way = protocol === 'rediss:' ? ' over TLS' : isLoopback(hostname) ? '' : ', without TLS'
      return { is: 'fine', name: valkey ? `Valkey ${valkey}` : `Redis ${redis}`.trim(), way }
    },
  ],
  // Sessions that are evicted sign people out in the middle of their walk.
  'store.redis/eviction': [
    ({ info: { maxmemory_policy: policy = 'noeviction' } }) => policy !== 'noeviction' && 'evicting',
  ],
  'store.redis/saving': [
    ({ info: { aof_enabled: isOn, aof_last_write_status: aof, rdb_last_bgsave_status: rdb } }) => {
      if (isOn === undefined) return undefined
      if ((isOn === '1' ? aof : rdb) === 'err') return 'failing'
      return isOn === '1' ? 'fine' : 'snapshots'
    },
  ],
}

export const redis = { look, table }
