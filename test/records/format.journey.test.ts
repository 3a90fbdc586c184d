// A store with an unreadable format, on Redis and SQLite: the server, the commands and the doctor refuse it with
// advice, and don't change it.
import { isDeepStrictEqual } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { openStore } from '../../src/records/store.ts'
import { createRedisRecords } from '../../src/records/redis-records.ts'
import { createRedisOpener } from '../../src/records/redis-clients.ts'
import { RedisConnection } from '../../src/records/redis-connection.ts'
import { createSqliteRecords } from '../../src/records/sqlite-records.ts'
import type { Records } from '../../src/records/records.ts'
import { loadSettings } from '../../src/settings/settings.ts'
import { createLog } from '../../src/web/log.ts'
import { runCommand } from '../cli/run-command.ts'
import { spawnOnramp, until } from '../helpers/processes.ts'
import { run, signIn } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'
import { stores } from '../helpers/stores.ts'

describe.each(stores)('records on %s', (name, open) => {
  const store = shared(open)
  const running = shared(() => run({ settings: store.settings }))
  beforeAll(async () => {
    await signIn(running, 'ada')
    await running.stopOnramp()
  })

  /** The message after a successful check of the format. */
  async function withRecords<T>(work: (records: Records) => Promise<T>): Promise<T> {
    const { REDIS_URL: url, REDIS_PREFIX: prefix, DATA_DIR: folder } = loadSettings(running.env)
    if (url === undefined) {
      const records = createSqliteRecords(folder)
      return work(records).finally(() => records.close())
    }
    const redis = new RedisConnection(createRedisOpener(url), createLog('silent'))
    return work(createRedisRecords(redis.commands, prefix)).finally(() => redis.destroy())
  }

  const contents = () =>
    withRecords(async (records) => {
      const all: Record<string, string | undefined> = {}
      for await (const keys of records.keys('')) for (const key of keys) all[key] = await records.get(key)
      // Leases of the previous run, which expire within seconds.
      return Object.fromEntries(Object.entries(all).filter(([key]) => !/^(lease:|ready$)/.test(key)))
    })

  /** The messages of server, command and doctor about the store, and whether it is unchanged. */
  async function refusals() {
    const before = await contents()
    const child = spawnOnramp(running.env)
    await until(() => child.hasEnded(), 'the end of onramp')
    const { code } = await child.end('SIGKILL')
    const commands = [
      await runCommand(['invite', 'report', '--json'], running.env),
      await runCommand(['invite', 'forget', 'ada@acme.example'], running.env),
      await runCommand(['registration', 'forget', '--yes'], running.env),
    ]
    const doctor = await runCommand(['doctor', '--json'], running.env)
    const { findings } = JSON.parse(doctor.out) as { findings: { check: string; status: string }[] }
    const outputs = [child.output(), ...commands.map(({ err }) => err), JSON.stringify(findings)]
    return {
      exits: [code, ...commands.map(({ exit }) => exit), doctor.exit],
      outputs: outputs.map((text) => text.toLowerCase()),
      finding: findings.find(({ check }) => check === 'store.records')?.status,
      // The order of Redis' keys changes when its table grows.
      isUnchanged: isDeepStrictEqual(await contents(), before),
    }
  }

  const refusedWith = (words: string) => ({
    exits: [78, 78, 78, 78, 1],
    outputs: Array.from({ length: 5 }, () => expect.stringContaining(words) as string),
    finding: 'fail',
    isUnchanged: true,
  })

  it('a store of a later format is refused, and nothing is written', async () => {
    await withRecords((records) => records.put('format', '3', 3600))
    expect(await refusals()).toEqual(
      refusedWith('the store has format 3, but this version of onramp reads format 2'),
    )
    await withRecords((records) => records.put('format', '2', 3600))
  })

  it.skipIf(name === 'Redis')('the doctor checks the format also with --offline', async () => {
    await withRecords((records) => records.put('format', '3', 3600))
    const { out } = await runCommand(['doctor', '--offline'], running.env)
    expect(out.replaceAll(/\s+/g, ' ')).toContain('the store has format 3')
    await withRecords((records) => records.put('format', '2', 3600))
  })

  it('a store of an earlier version is refused without a write', async () => {
    const earlier = {
      ...running.env,
      REDIS_PREFIX: 'earlier:',
      DATA_DIR: `${running.env['DATA_DIR']}/earlier`,
    }
    Object.assign(running.env, earlier)
    await withRecords((records) => records.put('arrivals:4711', 'sealed', 3600))
    const words = 'the store holds records about people that another version of onramp wrote'

    expect(await refusals()).toEqual(refusedWith(words))
    expect(await runCommand(['store', 'adopt', '--yes'], earlier)).toMatchObject({ exit: 0 })
    expect(await runCommand(['invite', 'report', '--json'], earlier)).toMatchObject({ exit: 0 })

    const again = await runCommand(['store', 'adopt', '--yes'], earlier)
    expect(again.out).toContain('nothing was changed')
    const opened = openStore(loadSettings(earlier), createLog('silent'))
    expect(await opened.records.get('format').finally(() => opened.close())).toBe('2')
  })
})
