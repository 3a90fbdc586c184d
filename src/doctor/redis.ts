// Redis: reachable, writable, fast, not evicting, alone or a cluster as the settings say.
import { randomUUID } from 'node:crypto'
import { STANDARD_PREFIX } from '../records/redis-clients.ts'
import type { Settings } from '../settings.ts'
import { fail, ok, skip, warn, type Check, type Finding } from './check.ts'
import { connectProbe, unreachableInWords, type Probe } from './redis-probe.ts'
import { primaryUrl } from './redis-sentinels.ts'

const SLOW_MS = 50
const settings = ['REDIS_URL']

/** INFO's lines as a record; empty where the user may not ask. */
async function infoOf(probe: Probe): Promise<Record<string, string>> {
  const text = await probe.send(['INFO']).catch(() => '')
  const pairs = [...String(text).matchAll(/^([a-z_]+):([^\r\n]*)/gm)].map(([, name = '', value = '']) => [
    name,
    value,
  ])
  return Object.fromEntries(pairs)
}

/** SET with a life, GET, DEL: what every record does. */
async function writing(probe: Probe, prefix: string): Promise<Finding> {
  const key = `${prefix}doctor:${randomUUID()}`
  try {
    const start = performance.now()
    await probe.send(['SET', key, 'doctor', 'EX', '5'])
    const got = await probe.send(['GET', key])
    const life = Number(await probe.send(['TTL', key]))
    await probe.send(['DEL', key])
    const each = (performance.now() - start) / 4
    if (String(got) !== 'doctor' || life < 1 || life > 5)
      return fail('Redis does not keep what is written, or does not let it expire.', {
        settings,
        mend: 'use a real Redis or Valkey',
      })
    const ms = each < 1 ? 'less than 1 ms' : `${Math.round(each)} ms`
    return each > SLOW_MS
      ? warn(`A command takes ${ms}.`, { settings, mend: 'use a Redis that is nearer' })
      : ok(`Records can be written, read, expired and removed; a command takes ${ms}.`)
  } catch (error) {
    const message = error instanceof Error ? error.message : ''
    // A cluster's node that does not own the key: another one does.
    if (/^MOVED|^CLUSTERDOWN/.test(message)) return clusterAnswer(message)
    const [says, mend] = message.startsWith('READONLY')
      ? ['Redis is a replica and takes no writes.', 'name the primary']
      : message.startsWith('OOM')
        ? ['Redis is full.', 'give it more memory']
        : message.startsWith('NOPERM')
          ? [
              'The user of REDIS_URL may not write.',
              `allow it get, set, del, getdel, eval and ping on ${prefix}*`,
            ]
          : ['Records cannot be written.', "look at Redis's log"]
    return fail(says, { settings, mend })
  }
}

const clusterAnswer = (message: string): Finding =>
  message.startsWith('MOVED')
    ? ok('The key of the trial belongs to another node of the cluster, which is in order.')
    : fail('The cluster is down.', { settings, mend: 'mend the cluster: all slots need a node' })

/** Sessions that are evicted sign people out in the middle of their walk. */
async function eviction(probe: Probe, info: Record<string, string>): Promise<Finding> {
  const policy = info['maxmemory_policy']
  if (policy === undefined) return skip('it does not tell its maxmemory-policy.')
  if (policy === 'noeviction') return ok('Nothing is evicted (maxmemory-policy noeviction).')
  const limited = Number(info['maxmemory'] ?? 0) > 0
  return warn(
    `When memory is short Redis throws sessions away${limited ? '' : ', should it ever get a limit'} (another maxmemory-policy than noeviction).`,
    { settings, mend: 'set maxmemory-policy noeviction in Redis' },
  )
}

function persistence(info: Record<string, string>): Finding[] {
  if (info['aof_enabled'] === '1') return [ok('Redis writes every change down (append-only file).')]
  const saved = Number(info['rdb_last_save_time'] ?? 0) > 0 && info['rdb_last_bgsave_status'] !== 'err'
  return 'aof_enabled' in info
    ? [
        ok(
          `A restart of Redis ${saved ? 'goes back to its last snapshot' : 'loses what it holds'}: people sign in again, and skipped apps are asked about again.`,
        ),
      ]
    : []
}

function clustered(info: Record<string, string>, { REDIS_CLUSTER: told }: Partial<Settings>): Finding[] {
  const is = info['cluster_enabled']
  if (is === '1' && told !== 'yes')
    return [
      fail('Redis is a cluster, but REDIS_CLUSTER does not say so.', {
        settings: ['REDIS_CLUSTER'],
        mend: 'set it to yes',
      }),
    ]
  if (is === '0' && told === 'yes')
    return [
      fail('REDIS_CLUSTER says cluster, but Redis is not one.', {
        settings: ['REDIS_CLUSTER'],
        mend: 'set it to no',
      }),
    ]
  return []
}

function identity(info: Record<string, string>, url: string): Finding {
  const name = 'valkey_version' in info ? 'Valkey' : 'Redis'
  const version = info['valkey_version'] ?? info['redis_version'] ?? ''
  const shown = /^\d+(\.\d+){1,3}$/.test(version) ? ` ${version}` : ''
  const { protocol, hostname } = new URL(url)
  const here = /^(localhost|127\..*|\[::1\])$/.test(hostname)
  const open = protocol === 'redis:' && !here
  return ok(`${name}${shown} answers${protocol === 'rediss:' ? ' over TLS' : open ? ', without TLS' : ''}.`)
}

export const redis: Check = {
  id: 'store.redis',
  about: 'Redis',
  group: 'Store',
  network: true,
  async look(subject) {
    const { REDIS_URL: url } = subject.settings
    if (url === undefined) return [skip('REDIS_URL is not set.')]
    const target = await primaryUrl(subject.settings, url)
    if ('finding' in target) return [target.finding]
    const probe = await connectProbe(target.url)
    if (typeof probe === 'string')
      return [
        fail(`Redis cannot be reached: ${unreachableInWords[probe]}.`, {
          settings: target.settings,
          mend: 'check name, port, password and redis:// or rediss://',
        }),
      ]
    try {
      const info = await infoOf(probe)
      return [
        identity(info, target.url),
        ...clustered(info, subject.settings),
        await writing(probe, subject.settings.REDIS_PREFIX ?? STANDARD_PREFIX),
        await eviction(probe, info),
        ...persistence(info),
      ]
    } finally {
      probe.close()
    }
  },
}
