// /readyz: a store that reads but does not write serves nobody. Tried on a real Redis that is full, or denies scripts.
import { afterEach, describe, expect, it } from 'vitest'
import { newSecret } from '../doctor/set-up.ts'
import { messagesOf } from '../helpers/faulty.ts'
import { statusOf, until } from '../helpers/processes.ts'
import { startRedis, type RedisServer } from '../helpers/redis.ts'
import { run, type Running } from '../helpers/running.ts'
import { TestBrowser } from '../helpers/test-browser.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close()
})

async function ready(...options: string[]): Promise<{ redis: RedisServer; running: Running }> {
  const redis = await startRedis({ options: () => options })
  open.push(redis)
  const password = newSecret()
  await redis.ask('ACL', 'SETUSER', 'onramp', 'on', `>${password}`, '~*', '+@all')
  const url = redis.url.replace('//', `//onramp:${password}@`)
  const running = await run({ settings: { REDIS_URL: url } })
  open.push(running)
  return { redis, running }
}

const readyz = (running: Running) => new TestBrowser().open(`${running.url}/readyz`)
const becomes = (running: Running, status: number) =>
  until(async () => (await statusOf(`${running.url}/readyz`)) === status, `status ${status}`, 6_000)

const linesWith = (running: Running, words: string) =>
  messagesOf(running)
    .split('\n')
    .filter((line) => line.includes(words))

describe('a server whose Redis', () => {
  it('is full is not ready, says why once, and says when it is ready again', async () => {
    const { redis, running } = await ready()
    await becomes(running, 200)
    await redis.ask('CONFIG', 'SET', 'maxmemory', '1')
    await becomes(running, 503)
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    const page = await readyz(running)
    expect(page.status).toBe(503)
    expect(JSON.parse(page.body)).toMatchObject({ status: 'not ready', store: 'refuses' })
    expect(linesWith(running, 'not ready')).toEqual(['not ready: Redis is full and takes no writes (OOM)'])
    await redis.ask('CONFIG', 'SET', 'maxmemory', '0')
    await becomes(running, 200)
    expect(linesWith(running, 'ready again')).toHaveLength(1)
  })

  it.each(['eval', 'del'])('denies %s, without which nobody can sign in, is not ready', async (command) => {
    const { redis, running } = await ready()
    await becomes(running, 200)
    await redis.ask('ACL', 'SETUSER', 'onramp', `-${command}`)
    await becomes(running, 503)
    expect(linesWith(running, 'not ready')).toEqual([
      'not ready: the user of REDIS_URL may not do this (NOPERM)',
    ])
  })

  it('has no scripts at all, because the command was renamed, is not ready', async () => {
    const { running } = await ready('--rename-command', 'EVAL', '')
    await until(
      () => linesWith(running, 'not ready').length > 0 || readyz(running).then(() => false),
      'the log',
    )
    expect((await readyz(running)).status).toBe(503)
    expect(linesWith(running, 'not ready').at(-1)).toContain('NOSUCHCOMMAND')
  })

  it('became a replica, or cannot save, is told with that reason', async () => {
    const { redis, running } = await ready('--min-replicas-to-write', '0')
    await becomes(running, 200)
    await redis.ask('CONFIG', 'SET', 'min-replicas-to-write', '1')
    await becomes(running, 503)
    expect(linesWith(running, 'not ready').at(-1)).toContain('NOREPLICAS')
  })

  it('is well is tried once a second at most, however many ask', async () => {
    const { redis, running } = await ready()
    await becomes(running, 200)
    await redis.ask('CONFIG', 'RESETSTAT')
    await Promise.all(Array.from({ length: 40 }, () => readyz(running)))
    const sets = /cmdstat_eval:calls=(\d+)/.exec(String(await redis.ask('INFO', 'commandstats')))?.[1]
    expect(Number(sets ?? 0)).toBeLessThanOrEqual(2)
  })
})

describe('a server that is asked whether it is alive', () => {
  it('is recognised as onramp, and does not tell its version', async () => {
    const { running } = await ready()
    const page = await new TestBrowser().open(`${running.url}/healthz`)
    expect(page.headers['x-onramp']).toBe('healthz')
    expect(JSON.parse(page.body)).toEqual({ status: 'ok' })
    expect(JSON.stringify(page.headers)).not.toMatch(/\d+\.\d+\.\d+/)
  })
})
