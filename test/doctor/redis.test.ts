// What can be wrong with Redis: tried on real servers.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from 'redis'
import { afterEach, describe, expect, it } from 'vitest'
import { freePort } from '../helpers/running.ts'
import { examined, newSecret, troubles } from './set-up.ts'

const running: ChildProcess[] = []
const folders: string[] = []
afterEach(async () => {
  for (const child of running.splice(0)) {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

async function answers(port: number): Promise<boolean> {
  const client = createClient({ url: `redis://127.0.0.1:${port}`, socket: { reconnectStrategy: false } })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.ping()
    return true
  } catch (error) {
    return error instanceof Error && error.message.startsWith('NOAUTH')
  } finally {
    if (client.isOpen) client.destroy()
  }
}

/** @returns its port */
async function startRedis(...options: string[]): Promise<number> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'onramp-doctor-redis-'))
  folders.push(folder)
  const common = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '']
  const saving = options.includes('--save') || options.includes('--appendonly') ? [] : ['--appendonly', 'yes']
  running.push(spawn('redis-server', [...common, ...saving, ...options], { stdio: 'ignore' }))
  for (let tries = 0; tries < 100 && !(await answers(port)); tries++) await pause(50)
  return port
}

const look = async (settings: Record<string, string>) => {
  const report = await examined({
    PUBLIC_URL: 'https://onramp.acme.test',
    SESSION_SECRET: newSecret() + newSecret(),
    ...settings,
  })
  const findings = report.findings.filter(({ check }) => check === 'store.redis')
  return {
    trouble: troubles(report, 'store.redis'),
    said: findings.map(({ says }) => says).join('\n'),
    report,
  }
}

describe('Redis', () => {
  it('that is in order is told with its version, and nothing of the trial stays', async () => {
    const port = await startRedis('--appendonly', 'yes')
    const { trouble, said } = await look({ REDIS_URL: `redis://127.0.0.1:${port}` })
    expect(trouble).toEqual([])
    expect(said).toMatch(/(Redis|Valkey) \d+\.\d+.*is reachable/)
    expect(said).toMatch(/can write, read, expire and delete records/)
    const client = await createClient({ url: `redis://127.0.0.1:${port}` }).connect()
    expect(await client.dbSize()).toBe(0)
    client.destroy()
  })

  it('that would throw sessions away when memory is short is warned of', async () => {
    const port = await startRedis('--maxmemory', '50mb', '--maxmemory-policy', 'allkeys-lru')
    expect((await look({ REDIS_URL: `redis://127.0.0.1:${port}` })).trouble).toMatchObject([
      { status: 'warn', fix: expect.stringContaining('noeviction') },
    ])
  })

  it('that requires a password says whether it is missing or wrong, and none is shown', async () => {
    const [right, wrong] = [newSecret(), newSecret()]
    const port = await startRedis('--requirepass', right)
    const without = await look({ REDIS_URL: `redis://127.0.0.1:${port}` })
    expect(without.trouble[0]).toMatchObject({
      says: expect.stringContaining('requires a password'),
      settings: ['REDIS_URL'],
    })
    const other = await look({ REDIS_URL: `redis://:${wrong}@127.0.0.1:${port}` })
    expect(other.trouble[0]?.says).toContain('rejected the username')
    expect(other.report.text).not.toContain(wrong)
    const fine = await look({ REDIS_URL: `redis://:${right}@127.0.0.1:${port}` })
    expect(fine.trouble).toEqual([])
    expect(fine.report.text).not.toContain(right)
  })

  it('that is full is told to be', async () => {
    const port = await startRedis('--maxmemory', '1')
    expect((await look({ REDIS_URL: `redis://127.0.0.1:${port}` })).said).toContain('Redis is full')
  })

  it('that is a replica is told to be', async () => {
    const primary = await startRedis()
    const port = await startRedis('--replicaof', `127.0.0.1 ${primary}`)
    expect((await look({ REDIS_URL: `redis://127.0.0.1:${port}` })).said).toContain('replica')
  })

  it('that is a cluster, or is not one, is held against REDIS_CLUSTER', async () => {
    const [cluster, single] = [await startRedis('--cluster-enabled', 'yes'), await startRedis()]
    const named = async (port: number, told: string) =>
      (await look({ REDIS_URL: `redis://127.0.0.1:${port}`, REDIS_CLUSTER: told })).trouble.map(
        ({ settings }) => settings[0],
      )
    expect(await named(cluster, 'no')).toContain('REDIS_CLUSTER')
    expect(await named(single, 'yes')).toContain('REDIS_CLUSTER')
    expect(await named(cluster, 'yes')).not.toContain('REDIS_CLUSTER')
  })

  it('that nobody runs, that freezes, or that is something else is told', async () => {
    const port = await freePort()
    expect((await look({ REDIS_URL: `redis://127.0.0.1:${port}` })).said).toContain('connection refused')
    const frozen = createServer(() => {})
    await new Promise<void>((resolve) => frozen.listen(port, '127.0.0.1', resolve))
    expect((await look({ REDIS_URL: `redis://127.0.0.1:${port}` })).said).toContain('timed out')
    frozen.close()
  })

  it('behind Sentinels that are not there, or call the primary by another name, names the right setting', async () => {
    const primary = await startRedis()
    const nobody = { REDIS_URL: 'redis://any', REDIS_SENTINELS: `127.0.0.1:${await freePort()}` }
    expect((await look(nobody)).trouble).toMatchObject([{ settings: ['REDIS_SENTINELS', 'REDIS_URL'] }])
    const other = { ...nobody, REDIS_SENTINELS: `127.0.0.1:${primary}` }
    expect((await look(other)).trouble).toMatchObject([
      {
        says: expect.stringContaining('not a Sentinel'),
        settings: ['REDIS_SENTINELS', 'REDIS_SENTINEL_NAME'],
      },
    ])
  })
})
