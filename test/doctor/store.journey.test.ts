// Redis, and what the store holds, as the doctor sees them: tried on real servers.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createKeyRing } from '../../src/records/data-key.ts'
import { redisAclRules } from '../../src/records/redis-records.ts'
import { openStore } from '../../src/records/store.ts'
import { loadSettings } from '../../src/settings/settings.ts'
import { createLog } from '../../src/web/log.ts'
import { startWire } from '../helpers/network.ts'
import { startRedis, type RedisServer } from '../helpers/redis.ts'
import { startSentinels } from '../helpers/redis-topologies.ts'
import { examined, newFolder, newSecret } from './set-up.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close()
})

const start = async (...options: string[]): Promise<RedisServer> => {
  const redis = await startRedis({ options: () => ['--appendonly', 'yes', ...options] })
  open.push(redis)
  return redis
}

const REQUIRED = {
  PUBLIC_URL: 'https://onramp.example',
  SERVICE_BASE_URL: 'http://127.0.0.1:9',
  OIDC_ISSUER: 'http://127.0.0.1:9',
  SESSION_SECRET: newSecret() + newSecret(),
}

async function look(settings: Record<string, string>) {
  const { findings, text } = await examined({ ...REQUIRED, ...settings })
  const redis = findings.filter(({ check }) => check === 'store.redis')
  return {
    text,
    said: redis.map(({ says }) => says).join('\n'),
    fails: redis.filter(({ status }) => status === 'fail'),
  }
}

const PASSWORD = newSecret()

/** What the doctor says when the user of REDIS_URL may do what is documented, changed by these rules. */
async function lookAs(redis: RedisServer, ...rules: string[]) {
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
  return await look({ REDIS_URL: redis.url.replace('//', `//app:${PASSWORD}@`) })
}

it('Redis that is in order is told with its version, and nothing of the trial stays', async () => {
  const redis = await start()
  const { said, fails } = await look({ REDIS_URL: redis.url })
  expect(fails).toEqual([])
  expect(said).toMatch(/(Redis|Valkey) \d+\.\d+.* is reachable; onramp can write.*persistence is on/s)
  expect(await redis.ask('DBSIZE')).toBe(0)
})

it('Redis that requires a password says whether it is missing or wrong, and none is shown', async () => {
  const redis = await start()
  await redis.ask('CONFIG', 'SET', 'requirepass', PASSWORD)
  const at = (password: string) => look({ REDIS_URL: redis.url.replace('//', `//${password}@`) })
  expect((await at('')).said).toContain('asks for a password')
  const wrong = await at(`:${newSecret()}`)
  expect(wrong.said).toContain('does not accept the user name')
  const right = await at(`:${PASSWORD}`)
  expect(right.fails).toEqual([])
  expect(right.text).not.toContain(PASSWORD)
})

it.each<[string, string[], RegExp]>([
  ['full', ['--maxmemory', '1'], /Redis is full.*OOM/],
  ['without scripts', ['--rename-command', 'EVAL', ''], /renamed.*NOSUCHCOMMAND/],
  ['a replica', ['--replicaof', '127.0.0.1 9'], /replica/],
  ['a cluster', ['--cluster-enabled', 'yes'], /REDIS_CLUSTER is not set/],
])('Redis that is %s is told so', async (_what, options, says) => {
  const { fails } = await look({ REDIS_URL: (await start(...options)).url })
  expect(fails).toMatchObject([{ says: expect.stringMatching(says) }])
})

it('Redis behind a proxy that closes the connection for HELLO, CLIENT and INFO is in order', async () => {
  const proxy = await startWire((await start()).port, { refuses: /\r\n(HELLO|CLIENT|INFO)\r\n/i })
  open.push(proxy)
  const { said, fails } = await look({ REDIS_URL: `redis://127.0.0.1:${proxy.port}` })
  expect(fails).toEqual([])
  expect(said).toContain('onramp can write')
})

it('Redis that has no TLS at the port of a rediss:// is told so, in time', async () => {
  const { fails } = await look({ REDIS_URL: (await start()).url.replace('redis:', 'rediss:') })
  expect(fails).toMatchObject([
    { says: expect.stringContaining('as at a port without TLS'), fix: expect.stringContaining('redis://') },
  ])
})

it('Redis that is not a cluster, or no Sentinel, is told so', async () => {
  const redis = await start()
  expect((await look({ REDIS_URL: redis.url, REDIS_CLUSTER: 'yes' })).fails).toMatchObject([
    { settings: ['REDIS_CLUSTER'], fix: 'set it to no' },
  ])
  const nowhere = { REDIS_URL: 'redis://any', REDIS_SENTINELS: '127.0.0.1:9' }
  expect((await look(nowhere)).fails).toMatchObject([{ settings: ['REDIS_SENTINELS', 'REDIS_URL'] }])
  const other = { REDIS_URL: 'redis://any', REDIS_SENTINELS: new URL(redis.url).host }
  expect((await look(other)).said).toContain('not a Sentinel')
})

it('the rights of the user of REDIS_URL without one of the commands are told not to be enough, with all that has to be allowed', async () => {
  const redis = await start()
  for (const command of ['get', 'set', 'del', 'eval', 'ping', 'scan']) {
    const { fails } = await lookAs(redis, `-${command}`)
    expect(fails).toMatchObject([
      {
        says: expect.stringContaining(command.toUpperCase()),
        settings: ['REDIS_URL'],
        fix: expect.stringContaining(redisAclRules('onramp:').join(' ')),
      },
    ])
  }
})

it('the rights of the user of REDIS_URL for other keys, or without SELECT where a database is named, are told not to be enough', async () => {
  const redis = await start()
  expect((await lookAs(redis, 'resetkeys', '~app:*')).said).toContain('keys that begin with REDIS_PREFIX')
  await lookAs(redis, '-select')
  const url = redis.url.replace('//', `//app:${PASSWORD}@`)
  const { fails } = await look({ REDIS_URL: `${url}/3` })
  expect(fails).toMatchObject([{ says: expect.stringContaining("isn't allowed to use SELECT") }])
  expect((await look({ REDIS_URL: `${redis.url}/99` })).said).toContain('DB index is out of range')
})

it('the rights of the user of REDIS_URL behind Sentinels need ROLE, and another name of the primary is told', async () => {
  const set = await startSentinels(PASSWORD)
  open.push(set)
  const rules = ['on', `>${PASSWORD}`, ...redisAclRules('onramp:')]
  for (const server of [set.primary, set.replica]) await server.ask('ACL', 'SETUSER', 'app', ...rules)
  const asApp = { ...set.settings, REDIS_URL: `redis://app:${PASSWORD}@127.0.0.1:1` }
  expect((await look(asApp)).fails).toMatchObject([{ fix: expect.stringContaining('+role') }])
  for (const server of [set.primary, set.replica]) await server.ask('ACL', 'SETUSER', 'app', '+role')
  expect((await look(asApp)).fails).toEqual([])
  const other = await look({ ...asApp, REDIS_SENTINEL_NAME: 'another' })
  expect(other.fails).toMatchObject([{ settings: ['REDIS_SENTINEL_NAME', 'REDIS_SENTINELS'] }])
})

it('what the store holds shows an app of the company file that no one has had in a week', async () => {
  const folder = newFolder()
  open.push({ close: () => rmSync(folder, { recursive: true }) })
  const COMPANY_FILE = join(folder, 'company.yaml')
  writeFileSync(COMPANY_FILE, 'datasources: { slak: {}, jira: {}, box: {} }')
  const env = { ...REQUIRED, DATA_DIR: folder, COMPANY_FILE }
  const store = openStore(loadSettings(env), createLog('silent'))
  const { sealer } = await createKeyRing(store.records, [REQUIRED.SESSION_SECRET]).dataKey()
  const put = (key: string, record: object) =>
    store.records.put(key, sealer.seal(JSON.stringify(record), key), 3_600)
  await put('walk:ada', { startedAt: Date.now() - 8 * 86_400_000, known: [{ instance: 'slack_1' }] })
  await put('person:bob', { lastCheck: { apps: [{ instance: 'jira_2' }] }, campaigns: [] })
  await store.close()
  const found = (await examined(env)).findings.filter(({ check }) => check === 'settings.company')
  expect(found.filter(({ status }) => status === 'warn')).toMatchObject([
    { says: expect.stringContaining('datasources.slak'), fix: 'did you mean slack?' },
    { says: expect.stringContaining('datasources.box'), fix: 'correct its name, or remove it' },
  ])
})

it('what the store holds that no secret opens, or that was damaged, is told, and nothing is changed', async () => {
  const redis = await start()
  const env = { ...REQUIRED, REDIS_URL: redis.url }
  const records = async (changed: Record<string, string> = {}) =>
    (await examined({ ...env, ...changed })).findings.filter(({ check }) => check === 'store.records')
  expect(await records()).toEqual([])
  expect(await redis.ask('DBSIZE')).toBe(0)
  const store = openStore(loadSettings(env), createLog('silent'))
  open.push(store)
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
