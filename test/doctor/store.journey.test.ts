// The doctor's checks of Redis and of the stored records, on real servers.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createKeyRing } from '../../src/records/data-key.ts'
import { redisAclRules } from '../../src/records/redis-records.ts'
import { openStore } from '../../src/records/store.ts'
import { loadSettings } from '../../src/settings/settings.ts'
import { createLog } from '../../src/web/log.ts'
import { startWire } from '../helpers/network.ts'
import { startRedis, type RedisServer } from '../helpers/redis.ts'
import { startSentinels } from '../helpers/redis-topologies.ts'
import { runDoctor, newFolder, newSecret } from './setup.ts'

const start = async (...options: string[]): Promise<RedisServer> => {
  const redis = await startRedis({ options: () => ['--appendonly', 'yes', ...options] })
  onTestFinished(() => redis.close())
  return redis
}

const REQUIRED = {
  PUBLIC_URL: 'https://onramp.example',
  SERVICE_BASE_URL: 'http://127.0.0.1:9',
  OIDC_ISSUER: 'http://127.0.0.1:9',
  SESSION_SECRET: newSecret() + newSecret(),
}

async function examineRedis(settings: Record<string, string>) {
  const { findings, text } = await runDoctor({ ...REQUIRED, ...settings })
  const redis = findings.filter(({ check }) => check === 'store.redis')
  return {
    text,
    output: redis.map(({ says }) => says).join('\n'),
    fails: redis.filter(({ status }) => status === 'fail'),
  }
}

const PASSWORD = newSecret()

/** The doctor's findings for a Redis user with the documented ACL, changed by these rules. */
async function examineRedisAs(redis: RedisServer, ...rules: string[]) {
  await redis.ask(
    'ACL',
    'SETUSER',
    'app',
    'reset',
    'on',
    `>${PASSWORD}`,
    ...redisAclRules('onramp:'),
    ...rules,
  )
  return await examineRedis({ REDIS_URL: redis.url.replace('//', `//app:${PASSWORD}@`) })
}

it('the doctor names the version of a healthy Redis, and deletes its trial record', async () => {
  const redis = await start()
  const { output, fails } = await examineRedis({ REDIS_URL: redis.url })
  expect(fails).toEqual([])
  expect(output).toMatch(/(Redis|Valkey) \d+\.\d+.* is reachable; onramp can write.*persistence is on/s)
  expect(await redis.ask('DBSIZE')).toBe(0)
})

it('the doctor distinguishes a missing from a wrong Redis password, and shows none', async () => {
  const redis = await start()
  await redis.ask('CONFIG', 'SET', 'requirepass', PASSWORD)
  const at = (password: string) => examineRedis({ REDIS_URL: redis.url.replace('//', `//${password}@`) })
  expect((await at('')).output).toContain('requires a password')
  const wrong = await at(`:${newSecret()}`)
  expect(wrong.output).toContain('rejected the username')
  const right = await at(`:${PASSWORD}`)
  expect(right.fails).toEqual([])
  expect(right.text).not.toContain(PASSWORD)
})

it.each<[string, string[], RegExp]>([
  ['full', ['--maxmemory', '1'], /Redis is full.*OOM/],
  ['without scripts', ['--rename-command', 'EVAL', ''], /renamed.*NOSUCHCOMMAND/],
  ['a replica', ['--replicaof', '127.0.0.1 9'], /replica/],
  ['a cluster', ['--cluster-enabled', 'yes'], /REDIS_CLUSTER is not set/],
])('the doctor reports Redis that is %s', async (_title, options, pattern) => {
  const { fails } = await examineRedis({ REDIS_URL: (await start(...options)).url })
  expect(fails).toMatchObject([{ says: expect.stringMatching(pattern) }])
})

it('the doctor accepts Redis behind a proxy that drops HELLO and CLIENT', async () => {
  const proxy = await startWire((await start()).port, { refuses: /\r\n(HELLO|CLIENT|INFO)\r\n/i })
  onTestFinished(() => proxy.close())
  const { output, fails } = await examineRedis({ REDIS_URL: `redis://127.0.0.1:${proxy.port}` })
  expect(fails).toEqual([])
  expect(output).toContain('onramp can write')
})

it('the doctor reports a rediss:// port without TLS, in time', async () => {
  const { fails } = await examineRedis({ REDIS_URL: (await start()).url.replace('redis:', 'rediss:') })
  expect(fails).toMatchObject([
    { says: expect.stringContaining('as on a port without TLS'), fix: expect.stringContaining('redis://') },
  ])
})

it('the doctor reports a Redis server without cluster mode, or without Sentinel', async () => {
  const redis = await start()
  expect((await examineRedis({ REDIS_URL: redis.url, REDIS_CLUSTER: 'yes' })).fails).toMatchObject([
    { settings: ['REDIS_CLUSTER'], fix: 'set it to no' },
  ])
  const nowhere = { REDIS_URL: 'redis://any', REDIS_SENTINELS: '127.0.0.1:9' }
  expect((await examineRedis(nowhere)).fails).toMatchObject([{ settings: ['REDIS_SENTINELS', 'REDIS_URL'] }])
  const other = { REDIS_URL: 'redis://any', REDIS_SENTINELS: new URL(redis.url).host }
  expect((await examineRedis(other)).output).toContain('not a Sentinel')
})

it('the doctor names the Redis commands that the user lacks', async () => {
  const redis = await start()
  for (const command of ['get', 'set', 'del', 'eval', 'ping', 'scan']) {
    const { fails } = await examineRedisAs(redis, `-${command}`)
    expect(fails).toMatchObject([
      {
        says: expect.stringContaining(command.toUpperCase()),
        settings: ['REDIS_URL'],
        fix: expect.stringContaining(redisAclRules('onramp:').join(' ')),
      },
    ])
  }
})

it('the doctor reports a Redis user without access to our keys, or without SELECT', async () => {
  const redis = await start()
  expect((await examineRedisAs(redis, 'resetkeys', '~app:*')).output).toContain(
    'keys that begin with REDIS_PREFIX',
  )
  await examineRedisAs(redis, '-select')
  const url = redis.url.replace('//', `//app:${PASSWORD}@`)
  const { fails } = await examineRedis({ REDIS_URL: `${url}/3` })
  expect(fails).toMatchObject([{ says: expect.stringContaining("isn't allowed to use SELECT") }])
  expect((await examineRedis({ REDIS_URL: `${redis.url}/99` })).output).toContain('DB index is out of range')
})

it("behind Sentinels, the doctor reports a Redis user without ROLE, and the primary's other name", async () => {
  const set = await startSentinels(PASSWORD)
  onTestFinished(() => set.close())
  const rules = ['on', `>${PASSWORD}`, ...redisAclRules('onramp:')]
  for (const server of [set.primary, set.replica]) await server.ask('ACL', 'SETUSER', 'app', ...rules)
  const asApp = { ...set.settings, REDIS_URL: `redis://app:${PASSWORD}@127.0.0.1:1` }
  expect((await examineRedis(asApp)).fails).toMatchObject([{ fix: expect.stringContaining('+role') }])
  for (const server of [set.primary, set.replica]) await server.ask('ACL', 'SETUSER', 'app', '+role')
  expect((await examineRedis(asApp)).fails).toEqual([])
  const other = await examineRedis({ ...asApp, REDIS_SENTINEL_NAME: 'another' })
  expect(other.fails).toMatchObject([{ settings: ['REDIS_SENTINEL_NAME', 'REDIS_SENTINELS'] }])
})

it('the doctor reports an app of the company file without a match for a week', async () => {
  const folder = newFolder()
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const COMPANY_FILE = join(folder, 'company.yaml')
  writeFileSync(
    COMPANY_FILE,
    'datasources: { slak: {}, jira: {}, box: {}, slack_2: { replaces: slack_1 }, box_2: { replaces: box_1 } }',
  )
  const env = { ...REQUIRED, DATA_DIR: folder, COMPANY_FILE }
  const store = openStore(loadSettings(env), createLog('silent'))
  const { sealer } = await createKeyRing(store.records, [REQUIRED.SESSION_SECRET]).dataKey()
  const put = (key: string, record: object) =>
    store.records.put(key, sealer.seal(JSON.stringify(record), key), 3_600)
  await put('walk:ada', { startedAt: Date.now() - 8 * 86_400_000, known: [{ instance: 'slack_1' }] })
  await put('person:bob', { lastCheck: { apps: [{ instance: 'jira_2' }] }, campaigns: [] })
  await store.close()

  const found = (await runDoctor(env)).findings.filter(({ check }) => check === 'settings.company')

  expect(found.filter(({ status }) => status === 'warn')).toMatchObject([
    { says: expect.stringContaining('datasources.slak'), fix: 'did you mean slack?' },
    { says: expect.stringContaining('datasources.box'), fix: 'correct its name, or remove it' },
    {
      says: expect.stringContaining('datasources.box_2.replaces'),
      fix: 'correct the name, or remove replaces',
    },
  ])
})

it('the doctor counts undecryptable and damaged records, and changes nothing', async () => {
  const redis = await start()
  const env = { ...REQUIRED, REDIS_URL: redis.url }
  const records = async (changed: Record<string, string> = {}) =>
    (await runDoctor({ ...env, ...changed })).findings.filter(({ check }) => check === 'store.records')

  expect(await records()).toEqual([])
  expect(await redis.ask('DBSIZE')).toBe(0)
  const store = openStore(loadSettings(env), createLog('silent'))
  onTestFinished(() => store.close())
  const { sealer } = await createKeyRing(store.records, [REQUIRED.SESSION_SECRET]).dataKey()
  await store.records.put('walk:ada', sealer.seal('{}', 'walk:ada'), 60)
  expect(await records()).toMatchObject([{ status: 'ok' }])

  await store.records.put('walk:bob', 'damaged', 60)
  expect(await records()).toMatchObject([{ status: 'warn', says: expect.stringMatching(/^One record/) }])
  const before = await store.records.get('installation')
  const newer = newSecret() + newSecret()
  const rotated = { SESSION_SECRET: `${newer},${REQUIRED.SESSION_SECRET}` }
  expect(await records(rotated)).toMatchObject([{ status: 'warn' }])
  expect(await records({ SESSION_SECRET: newer })).toMatchObject([
    {
      status: 'fail',
      settings: expect.arrayContaining(['SESSION_SECRET']),
      fix: expect.stringContaining('onramp store adopt'),
    },
  ])
  expect(await store.records.get('installation')).toBe(before)
})
