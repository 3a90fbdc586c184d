// Redis: reachable, writable, fast, not evicting, alone or a cluster as the settings say.
import { isLoopback } from '../../loopback.ts'
import { STANDARD_PREFIX } from '../../records/redis-clients.ts'
import type { Settings } from '../../settings/settings.ts'
import { storeTrouble } from '../../records/store-trouble.ts'
import { topologyOf } from '../../records/store.ts'
import type { Check } from '../check.ts'
import { fail, ok, skip, warn, type Finding } from '../finding.ts'
import { connectProbe, unreachableInWords, type Probe } from './probe.ts'
import { persistence } from './persistence.ts'
import { primaryOf } from './sentinels.ts'
import { allowAll, redisTrial, type Trial } from './trial.ts'

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

/** Sessions that are evicted sign people out in the middle of their walk. */
function eviction(info: Record<string, string>): Finding {
  const policy = info['maxmemory_policy']
  if (policy === undefined) return skip('it does not tell its maxmemory-policy.')
  if (policy === 'noeviction') return ok('Nothing is evicted (maxmemory-policy noeviction).')
  const limited = Number(info['maxmemory'] ?? 0) > 0
  return warn(
    `When memory is short Redis throws sessions away${limited ? '' : ', should it ever get a limit'} (another maxmemory-policy than noeviction).`,
    { settings, mend: 'set maxmemory-policy noeviction in Redis' },
  )
}

/** CONFIG GET save; undefined where the user may not ask. */
async function saveOf(probe: Probe): Promise<string | undefined> {
  const answer = await probe.send(['CONFIG', 'GET', 'save']).catch(() => undefined)
  if (Array.isArray(answer)) return answer.length > 1 ? String(answer[1]) : undefined
  const value = typeof answer === 'object' && answer !== null && 'save' in answer ? answer.save : undefined
  return typeof value === 'string' ? value : undefined
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

/** Without PING the server takes its own connection for lost, every second. */
async function pings(probe: Probe, trial: Trial): Promise<Finding[]> {
  const trouble = await probe.send(['PING']).then(() => undefined, storeTrouble)
  if (trouble === undefined) return []
  const says = `Redis does not answer PING: ${trouble.words} (${trouble.code}).`
  return [fail(says, { settings, mend: allowAll(trial) })]
}

function identity(info: Record<string, string>, url: string): Finding {
  const name = 'valkey_version' in info ? 'Valkey' : 'Redis'
  const version = info['valkey_version'] ?? info['redis_version'] ?? ''
  const shown = /^\d+(\.\d+){1,3}$/.test(version) ? ` ${version}` : ''
  const { protocol, hostname } = new URL(url)
  const open = protocol === 'redis:' && !isLoopback(hostname)
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
    const target = await primaryOf(subject.settings, url)
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
      const mismatch = clustered(info, subject.settings)
      const trial = {
        url: target.url,
        topology: topologyOf(subject.settings),
        prefix: subject.settings.REDIS_PREFIX ?? STANDARD_PREFIX,
      }
      return [
        identity(info, target.url),
        ...mismatch,
        ...(await pings(probe, trial)),
        ...(mismatch.length > 0 ? [] : [await redisTrial(trial)]),
        eviction(info),
        persistence({ save: await saveOf(probe), info }),
      ]
    } finally {
      probe.close()
    }
  },
}
