// A real redis-server on a free port, with nothing on disk that outlives it.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'redis'
import { freePort } from './running.ts'

export type RedisServer = {
  url: string
  port: number
  /** Every key with its text. */
  dump(): Promise<Map<string, string>>
  /** Seconds that each key has left to live; -1: for ever. */
  lives(): Promise<Map<string, number>>
  set(key: string, value: string): Promise<void>
  /** Sends a signal: SIGSTOP freezes it, SIGKILL ends it. */
  signal(signal: NodeJS.Signals): void
  close(): Promise<void>
}

export async function startRedis(): Promise<RedisServer> {
  const port = await freePort('127.0.0.1')
  const folder = mkdtempSync(join(tmpdir(), 'onramp-redis-'))
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const child = spawn('redis-server', [...options, '--dir', folder], { stdio: 'ignore' })
  // A test that fails before it closes what it opened must not leave a server behind.
  const end = () => void child.kill('SIGKILL')
  process.once('exit', end)
  const url = `redis://127.0.0.1:${port}`
  await answered(url, child)
  return {
    url,
    port,
    dump: () =>
      asked(url, async (client) => {
        const found = new Map<string, string>()
        for (const key of await client.keys('*')) found.set(key, (await client.get(key)) ?? '')
        return found
      }),
    lives: () =>
      asked(url, async (client) => {
        const found = new Map<string, number>()
        for (const key of await client.keys('*')) found.set(key, await client.ttl(key))
        return found
      }),
    set: (key, value) => asked(url, async (client) => void (await client.set(key, value, { KEEPTTL: true }))),
    signal: (signal) => void child.kill(signal),
    async close() {
      process.off('exit', end)
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

type Client = ReturnType<typeof newClient>
const newClient = (url: string) =>
  createClient({ url, socket: { reconnectStrategy: false } }).on('error', () => {})

async function asked<T>(url: string, question: (client: Client) => Promise<T>): Promise<T> {
  const client = newClient(url)
  await client.connect()
  try {
    return await question(client)
  } finally {
    client.destroy()
  }
}

async function answered(url: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}`)
    const pong = await asked(url, (client) => client.ping()).catch(() => undefined)
    if (pong === 'PONG') return
    await sleep(20)
  }
  throw new Error('redis-server does not answer')
}
