// Redis: can it be reached, does it take what onramp writes, and does it keep it? The server's own code finds the primary
// and tries the store; a connection of the doctor's own gives up, and asks Redis about itself.
import { createClient } from 'redis'
import { silenceInWords, silenceOf } from '../client-api/silence.ts'
import { isLoopback } from '../loopback.ts'
import { NoSuchPrimary, openerOf, primaryUrl, STANDARD_PREFIX } from '../records/redis-clients.ts'
import { createRedisRecords, redisAccess } from '../records/redis-records.ts'
import { rootOf, storeTrouble, type StoreTrouble } from '../records/store-trouble.ts'
import { topologyOf } from '../records/store.ts'
import type { Settings } from '../settings/settings.ts'
import { within } from './ask.ts'
import type { Table } from './rule.ts'

/** `message` is that of the error below all wrappers, Redis's own where it answered. */
type Failure = StoreTrouble & { message: string; error: unknown }

type RedisFacts = {
  /** The server, or the primary that the Sentinels name. */
  url: string
  isSentinel: boolean
  isCluster: boolean
  /** All that the user has to be allowed. */
  rights: string
  /** Why no Sentinel named a primary, why there is no connection, or what onramp can't do there. */
  failed: { at: 'Sentinels' | 'connecting' | 'records'; why: Failure } | undefined
  /** INFO as a record; empty where the user may not ask. */
  info: Record<string, string>
}

const TIME_LIMIT_MS = 4_000
const LIFE_SECONDS = 5

function failureOf(thrown: unknown): Failure {
  const error = rootOf(thrown)
  return { ...storeTrouble(thrown), error, message: error instanceof Error ? error.message : '' }
}

type Ask = (...command: string[]) => Promise<unknown>

/** @throws why it can't be reached */
async function connect(url: string): Promise<{ ask: Ask; close(): void }> {
  const client = createClient({ url, socket: { connectTimeout: TIME_LIMIT_MS, reconnectStrategy: false } })
  // Without a listener the process would die; the reason comes with connect().
  client.on('error', () => {})
  const close = () => void (client.isOpen && client.destroy())
  try {
    await within(TIME_LIMIT_MS, client.connect())
    return { ask: async (...command) => await within(TIME_LIMIT_MS, client.sendCommand(command)), close }
  } catch (error) {
    close()
    throw error
  }
}

async function infoFrom(ask: Ask): Promise<RedisFacts['info']> {
  const text = await ask('INFO').catch(() => '')
  const lines = String(text).matchAll(/^([a-z_]+):([^\r\n]*)/gm)
  return Object.fromEntries([...lines].map(([, name, value]) => [name, value]))
}

/** Everything that onramp does with records, on one that expires after seconds. @throws what Redis refuses */
async function tryRecords(url: string, settings: Partial<Settings>, prefix: string): Promise<void> {
  const opened = await openerOf(url, topologyOf(settings), prefix)(() => {})
  try {
    const records = createRedisRecords(opened.commands, prefix)
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
  const prefix = settings.REDIS_PREFIX ?? STANDARD_PREFIX
  const facts: RedisFacts = {
    url: redisUrl,
    isSentinel: topology.kind === 'sentinel',
    isCluster: topology.kind === 'cluster',
    rights: `allow all that onramp uses: ACL SETUSER NAME ${redisAccess(prefix, topology.kind, redisUrl).join(' ')}`,
    failed: undefined,
    info: {},
  }
  let at: NonNullable<RedisFacts['failed']>['at'] = 'Sentinels'
  try {
    if (topology.kind === 'sentinel') facts.url = await primaryUrl(redisUrl, topology)
    at = 'connecting'
    const probe = await connect(facts.url)
    try {
      facts.info = await infoFrom(probe.ask)
      at = 'records'
      // Without PING the server considers its own connection lost, every second.
      await probe.ask('PING')
      await tryRecords(redisUrl, settings, prefix)
    } finally {
      probe.close()
    }
  } catch (error) {
    facts.failed = { at, why: failureOf(error) }
  }
  return facts
}

function inWords({ code, words, isRefusal, message, error }: Failure): string {
  if (isRefusal) return words
  if (message.startsWith('ERR ')) return `it says: ${message.slice(4, 204)}`
  return silenceInWords(code === 'timeout' ? 'too-slow' : silenceOf(error))
}

const FIXES: Record<string, string> = {
  READONLY: 'set it to the primary',
  OOM: 'give it more memory',
  MISCONF: "check Redis's log: its disk is full, or its folder is not writable",
  CLUSTERDOWN: 'fix the cluster: every slot needs a node',
  NOSUCHCOMMAND: "remove its rename-command from Redis's configuration; onramp needs it",
}

function shownName(info: RedisFacts['info']): string {
  const name = 'valkey_version' in info ? 'Valkey' : 'Redis'
  const version = info['valkey_version'] ?? info['redis_version'] ?? ''
  return /^\d+(\.\d+){1,3}$/.test(version) ? `${name} ${version}` : name
}

function judgeFailure({ failed, rights, isSentinel }: RedisFacts) {
  if (failed === undefined) return undefined
  const { at, why } = failed
  const words = inWords(why)
  if (at === 'Sentinels') {
    if (why.error instanceof NoSuchPrimary) return 'primary'
    return /unknown command/i.test(why.message) ? 'no-sentinel' : ({ is: 'sentinels', why: words } as const)
  }
  if (why.code === 'NOPERM') {
    const isOfKeys = /\bkeys?\b/i.test(why.message)
    const denied = isOfKeys ? 'keys that begin with REDIS_PREFIX' : (why.denied ?? 'a command')
    return { is: 'denied', rights, denied } as const
  }
  if (at === 'connecting')
    return { is: 'unreached', why: words, sentinels: isSentinel ? 'REDIS_SENTINELS, ' : '' } as const
  const { code } = why
  return { is: 'unusable', why: words, code, fix: FIXES[code] ?? "check Redis's log" } as const
}

const table: Table<RedisFacts> = {
  'store.redis': [
    // A cluster answers an ordinary client with MOVED.
    ({ info, isCluster, failed }) =>
      !isCluster && (info['cluster_enabled'] === '1' || failed?.why.message.startsWith('MOVED')) && 'cluster',
    ({ info, isCluster }) => isCluster && info['cluster_enabled'] === '0' && 'no-cluster',
    judgeFailure,
    ({ info, url }) => {
      const { protocol, hostname } = new URL(url)
      const way = protocol === 'rediss:' ? ' over TLS' : isLoopback(hostname) ? '' : ', without TLS'
      return { is: 'fine', name: shownName(info), way }
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
