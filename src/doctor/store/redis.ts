// Redis: reachable, writable, fast, not evicting, alone or a cluster as the settings say.
import { isLoopback } from '../../loopback.ts'
import { STANDARD_PREFIX } from '../../records/redis-clients.ts'
import type { Settings } from '../../settings/settings.ts'
import { storeTrouble } from '../../records/store-trouble.ts'
import { topologyOf } from '../../records/store.ts'
import type { Subject } from '../check.ts'
import { fail, ok, skip, warn, type Finding, type Findings } from '../finding.ts'
import { openProbe, type Probe } from './probe.ts'
import { persistence } from './persistence.ts'
import { allowAll, redisTrial, undeclaredCluster, type Trial } from './trial.ts'

const settings = ['REDIS_URL']

/** INFO's lines as a record; empty where the user may not ask. */
async function infoOf(probe: Probe): Promise<Record<string, string>> {
  const text = await probe.send(['INFO']).catch(() => '')
  const lines = String(text).matchAll(/^([a-z_]+):([^\r\n]*)/gm)
  return Object.fromEntries([...lines].map(([, name, value]) => [name, value]))
}

/** Sessions that are evicted sign people out in the middle of their walk. */
function eviction(info: Record<string, string>): Finding {
  const policy = info['maxmemory_policy']
  if (policy === undefined) return skip('maxmemory-policy is not readable.')
  if (policy === 'noeviction') return ok('Nothing is evicted (maxmemory-policy noeviction).')
  const limited = Number(info['maxmemory'] ?? 0) > 0
  return warn(
    `Redis may evict sessions when memory is full${limited ? '' : ', if it ever gets a limit'} (maxmemory-policy is not noeviction).`,
    { settings, fix: 'set maxmemory-policy noeviction in Redis' },
  )
}

/** CONFIG GET; undefined where the user may not ask. */
async function configured(probe: Probe, name: string): Promise<string | undefined> {
  const answer: unknown = await probe.send(['CONFIG', 'GET', name]).catch(() => undefined)
  if (Array.isArray(answer)) return answer.length > 1 ? String(answer[1]) : undefined
  const value: unknown = typeof answer === 'object' && answer !== null ? Reflect.get(answer, name) : undefined
  return typeof value === 'string' ? value : undefined
}

function clustered(
  info: Record<string, string>,
  { REDIS_CLUSTER: given }: Partial<Settings>,
): Finding | undefined {
  const is = info['cluster_enabled']
  if (is === '1' && given !== 'yes') return undeclaredCluster
  if (is !== '0' || given !== 'yes') return undefined
  return fail('REDIS_CLUSTER is yes, but Redis is not a cluster.', {
    settings: ['REDIS_CLUSTER'],
    fix: 'set it to no',
  })
}

/** Without PING the server considers its own connection lost, every second. */
async function pings(probe: Probe, trial: Trial): Promise<Finding | undefined> {
  const trouble = await probe.send(['PING']).then(() => undefined, storeTrouble)
  if (trouble === undefined) return undefined
  const says = `Redis didn't respond to PING: ${trouble.words} (${trouble.code}).`
  return fail(says, { settings, fix: allowAll(trial) })
}

function identity(info: Record<string, string>, url: string): Finding {
  const name = 'valkey_version' in info ? 'Valkey' : 'Redis'
  const version = info['valkey_version'] ?? info['redis_version'] ?? ''
  const shown = /^\d+(\.\d+){1,3}$/.test(version) ? ` ${version}` : ''
  const { protocol, hostname } = new URL(url)
  const open = protocol === 'redis:' && !isLoopback(hostname)
  return ok(
    `${name}${shown} is reachable${protocol === 'rediss:' ? ' over TLS' : open ? ', without TLS' : ''}.`,
  )
}

export async function redis({ settings: read }: Subject): Promise<Findings> {
  if (read.REDIS_URL === undefined) return skip('REDIS_URL is not set.')
  const opened = await openProbe(read, read.REDIS_URL)
  if ('finding' in opened) return opened.finding
  const { url, probe } = opened
  try {
    const info = await infoOf(probe)
    const mismatch = clustered(info, read)
    const prefix = read.REDIS_PREFIX ?? STANDARD_PREFIX
    const trial = { url, topology: topologyOf(read), prefix }
    return [
      identity(info, url),
      mismatch,
      await pings(probe, trial),
      mismatch === undefined ? await redisTrial(trial) : undefined,
      eviction(info),
      persistence({
        save: await configured(probe, 'save'),
        appendfsync: await configured(probe, 'appendfsync'),
        info,
      }),
    ]
  } finally {
    probe.close()
  }
}
