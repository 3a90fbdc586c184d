// What the doctor says of a Redis that denies something, saves nothing, or is behind Sentinels: tried on real servers.
import { afterEach, describe, expect, it } from 'vitest'
import { persistence } from '../../src/doctor/store/persistence.ts'
import { redisAccess } from '../../src/records/redis-records.ts'
import { startRedis, type RedisOptions, type RedisServer } from '../helpers/redis.ts'
import { startCluster, startSentinels } from '../helpers/redis-topologies.ts'
import { examined, newSecret } from './set-up.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close()
})

const start = async (...options: string[]): Promise<RedisServer> => {
  const redis = await startRedis({ options: () => options } satisfies RedisOptions)
  open.push(redis)
  return redis
}

async function look(settings: Record<string, string>) {
  const report = await examined({
    PUBLIC_URL: 'https://onramp.acme.test',
    SESSION_SECRET: newSecret() + newSecret(),
    ...settings,
  })
  const findings = report.findings.filter(({ check }) => check === 'store.redis')
  const of = (status: string) => findings.filter((finding) => finding.status === status)
  return { findings, fails: of('fail'), warns: of('warn'), said: findings.map(({ says }) => says).join('\n') }
}

const passwords = new WeakMap<RedisServer, string>()

/** What the doctor says when the user of REDIS_URL may do what is documented, changed by these rules. */
async function lookAs(redis: RedisServer, ...rules: string[]) {
  const password = passwords.get(redis) ?? newSecret()
  passwords.set(redis, password)
  await redis.ask('ACL', 'SETUSER', 'app', 'reset', 'on', `>${password}`, ...redisAccess('onramp:'), ...rules)
  return await look({ REDIS_URL: redis.url.replace('//', `//app:${password}@`) })
}

describe('the rights of the user of REDIS_URL', () => {
  it('are enough as they are documented', async () => {
    expect((await lookAs(await start('--appendonly', 'yes'))).fails).toEqual([])
  })

  it.each(['get', 'set', 'del', 'expire', 'ttl', 'incrby', 'eval', 'scan', 'ping'])(
    'without %s are told not to be enough, with all that has to be allowed',
    async (command) => {
      const { fails } = await lookAs(await start(), `-${command}`)
      expect(fails).toHaveLength(1)
      expect(fails[0]?.says).toContain(command.toUpperCase())
      expect(fails[0]?.settings).toEqual(['REDIS_URL'])
      expect(fails[0]?.fix).toContain(redisAccess('onramp:').join(' '))
    },
  )

  it('to select the database that REDIS_URL names are needed there, and told where they are missing', async () => {
    const redis = await start('--appendonly', 'yes')
    const without = await lookAs(redis, '-select')
    expect(without.fails).toEqual([])
    const url = redis.url.replace('//', `//app:${passwords.get(redis)}@`) + '/3'
    const { fails } = await look({ REDIS_URL: url })
    expect(fails).toMatchObject([{ says: expect.stringContaining("isn't allowed to use SELECT") }])
    const rules = fails[0]?.fix?.split('SETUSER NAME ')[1]?.split(' ') ?? []
    expect(rules).toEqual(redisAccess('onramp:', 'standalone', url))
    await redis.ask('ACL', 'SETUSER', 'app', ...rules)
    expect((await look({ REDIS_URL: url })).fails).toEqual([])
    expect((await look({ REDIS_URL: url.replace(/3$/, '99') })).fails).toMatchObject([
      { says: expect.stringContaining('no database with that number') },
    ])
  })

  it('for other keys than those of onramp are told with the keys that are meant', async () => {
    const { fails } = await lookAs(await start(), 'resetkeys', '~app:*')
    expect(fails).toMatchObject([{ says: expect.stringContaining('keys that begin with onramp:') }])
    expect(fails[0]?.fix).toContain('~onramp:*')
  })

  it('to no INFO are no failure; what cannot be told then is told to be unknown', async () => {
    const { fails, warns, said } = await lookAs(await start(), '-info')
    expect([...fails, ...warns]).toEqual([])
    expect(said).toContain("doesn't report whether it saves data")
  })

  it('do not help where a command was renamed', async () => {
    const { fails } = await look({ REDIS_URL: (await start('--rename-command', 'EVAL', '')).url })
    expect(fails).toMatchObject([{ says: expect.stringMatching(/doesn't know EVAL.*renamed/) }])
  })
})

describe('what survives a restart of Redis', () => {
  it('is nothing where it saves nothing, and the ledger of invitations is named', async () => {
    const { warns } = await look({ REDIS_URL: (await start()).url })
    expect(warns).toMatchObject([
      {
        says: expect.stringMatching(/saves nothing.*ledger of sent invitations.*emailed again/),
        fix: expect.stringContaining('appendonly yes'),
      },
    ])
  })

  it('is not known where the configuration may not be asked, and is not called safe', async () => {
    const { warns, said } = await lookAs(await start())
    expect(warns).toMatchObject([
      { says: expect.stringContaining("doesn't report whether it makes snapshots") },
    ])
    expect(said).not.toContain('goes back to its last snapshot')
  })

  it('is what was saved last where it makes snapshots only', async () => {
    const redis = await start()
    await redis.ask('CONFIG', 'SET', 'save', '3600 1')
    const { warns } = await look({ REDIS_URL: redis.url })
    expect(warns).toMatchObject([{ says: expect.stringMatching(/snapshots only.*ledger/) }])
  })

  it('is everything with an append-only file', async () => {
    const { warns, said } = await look({ REDIS_URL: (await start('--appendonly', 'yes')).url })
    expect(warns).toEqual([])
    expect(said).toContain('persistence is on')
  })

  it('is what the system has put on disk where the append-only file is left to it', async () => {
    const { warns, said } = await look({
      REDIS_URL: (await start('--appendonly', 'yes', '--appendfsync', 'no')).url,
    })
    expect(warns).toMatchObject([{ says: expect.stringContaining('appendfsync no') }])
    expect(warns[0]?.fix).toContain('appendfsync everysec')
    expect(said).not.toContain('every change to disk')
  })

  it('is judged by whether saving works', () => {
    const info = { aof_enabled: '0', rdb_last_bgsave_status: 'err' }
    expect(persistence({ save: '3600 1', info }).says).toContain("can't save")
    const aof = { aof_enabled: '1', aof_last_write_status: 'err' }
    expect(persistence({ save: '', info: aof }).status).toBe('warn')
  })

  it('is not judged by the time of the last save, which is the time of the start where nothing was saved', () => {
    const now = 1_800_000_000
    const info = {
      aof_enabled: '0',
      rdb_last_bgsave_status: 'ok',
      rdb_last_save_time: String(now - 100),
      uptime_in_seconds: '100',
      server_time_usec: String(now * 1e6),
    }
    expect(persistence({ save: undefined, info }).says).toContain("doesn't report whether")
    const later = { ...info, rdb_last_save_time: String(now - 10) }
    expect(persistence({ save: undefined, info: later }).says).toContain('snapshots only')
  })
})

describe('Redis by Sentinels or as a cluster', () => {
  it('is found where the Sentinels ask for the password of REDIS_URL', async () => {
    const password = newSecret()
    const set = await startSentinels(password)
    open.push(set)
    for (const sentinel of set.sentinels)
      await sentinel.ask('ACL', 'SETUSER', 'default', 'resetpass', `>${password}`)
    const { fails, said } = await look(set.settings)
    expect(fails).toEqual([])
    expect(said).toContain('run scripts')
    const other = await look({ ...set.settings, REDIS_SENTINEL_NAME: 'another' })
    expect(other.fails).toMatchObject([{ settings: ['REDIS_SENTINEL_NAME', 'REDIS_SENTINELS'] }])
  }, 60_000)

  it('needs ROLE behind Sentinels, and a cluster its slots, which is told', async () => {
    const set = await startSentinels('only-redis-has-it')
    open.push(set)
    const rules = ['on', '>only-redis-has-it', ...redisAccess('onramp:')]
    for (const server of [set.primary, set.replica]) await server.ask('ACL', 'SETUSER', 'app', ...rules)
    const asApp = { ...set.settings, REDIS_URL: 'redis://app:only-redis-has-it@127.0.0.1:1' }
    const { fails } = await look(asApp)
    expect(fails).toMatchObject([
      { says: expect.stringContaining('ROLE'), fix: expect.stringContaining('+role') },
    ])
    for (const server of [set.primary, set.replica]) await server.ask('ACL', 'SETUSER', 'app', '+role')
    expect((await look(asApp)).fails).toEqual([])
  }, 60_000)

  it('is tried on whichever node of a cluster has the key', async () => {
    const cluster = await startCluster()
    open.push(cluster)
    expect((await look(cluster.settings)).fails).toEqual([])
    const password = newSecret()
    const allowed = redisAccess('onramp:', 'cluster')
    const nodes = [...cluster.primaries, ...cluster.replicas]
    for (const node of nodes) await node.ask('ACL', 'SETUSER', 'app', 'on', `>${password}`, ...allowed)
    const url = (cluster.settings['REDIS_URL'] ?? '').replace('//', `//app:${password}@`)
    const asApp = { ...cluster.settings, REDIS_URL: url }
    expect((await look(asApp)).fails).toEqual([])
    for (const node of nodes) await node.ask('ACL', 'SETUSER', 'app', '-cluster|slots')
    expect((await look(asApp)).fails).toMatchObject([{ fix: expect.stringContaining('+cluster|slots') }])
  }, 60_000)
})
