// Redis servers that are killed, frozen, filled and started again on their port; nothing of them is saved.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from 'redis'
import { spawnOne, until, type Spawned } from './processes.ts'
import { freePort } from './running.ts'

export type RedisServer = Awaited<ReturnType<typeof startRedis>>

export type RedisOptions = {
  /** More options of redis-server; absent: an ordinary server. */
  options?: (port: number, folder: string) => string[]
  /** Lines of a configuration file, for a Sentinel. */
  sentinel?: string[]
  port?: number
  /** How a test connects to it. */
  url?: (port: number) => string
  /** False: it is only made, not started. */
  started?: boolean
}

/** @param options what is given beside a port, no saving and a folder of its own */
export async function startRedis(options: RedisOptions = {}) {
  const port = options.port ?? (await freePort())
  const url = options.url?.(port) ?? `redis://127.0.0.1:${port}`
  const folder = mkdtempSync(join(tmpdir(), 'onramp-redis-'))
  let child: Spawned | undefined

  const args = (): string[] => {
    const common = ['--bind', '127.0.0.1', '--dir', folder]
    const own = options.options?.(port, folder) ?? []
    if (options.sentinel === undefined)
      return ['--port', String(port), ...common, '--save', '', '--appendonly', 'no', ...own]
    const file = join(folder, 'sentinel.conf')
    writeFileSync(file, [`port ${port}`, ...options.sentinel, ''].join('\n'))
    return [file, '--sentinel', ...common]
  }

  async function ofEachKey<T>(command: string, read: (reply: unknown) => T): Promise<Map<string, T>> {
    const keys = (await ask('KEYS', '*')) as string[]
    const replies = await Promise.all(keys.map((key) => ask(command, key)))
    return new Map(keys.map((key, index) => [key, read(replies[index])]))
  }

  async function ask(...command: string[]): Promise<unknown> {
    const client = createClient({ url, RESP: 2, socket: { reconnectStrategy: false } })
    client.on('error', () => {})
    try {
      await client.connect()
      return await client.sendCommand(command)
    } finally {
      client.destroy()
    }
  }

  async function start() {
    const process = spawnOne('redis-server', args())
    child = process
    await until(() => {
      if (process.hasEnded()) throw new Error(`redis-server ended: ${process.output()}`)
      return ask('PING').then(
        () => true,
        () => false,
      )
    }, 'redis-server')
  }

  const kill = async () => void (await child?.end('SIGKILL'))
  if (options.started !== false) await start()
  return {
    port,
    url,
    /** Every key with its text. */
    dump: () => ofEachKey('GET', String),
    /** Seconds that each key has left to live; -1: for ever. */
    lives: () => ofEachKey('TTL', Number),
    /** One command, on a connection of its own. */
    ask,
    start,
    /** What it wrote since it was started. */
    output: () => child?.output() ?? '',
    kill,
    freeze: () => child?.signal('SIGSTOP'),
    thaw: () => child?.signal('SIGCONT'),
    async close() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
