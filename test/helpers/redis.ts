// Redis servers without persistence, which tests kill, freeze, fill and restart on the same port.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from 'redis'
import { scratchFolder, spawnOne, until, type Spawned } from './processes.ts'
import { freePort } from './running.ts'

export type RedisOptions = {
  options?: (port: number, folder: string) => string[]
  /** Lines of a configuration file, for a Sentinel. */
  sentinel?: string[]
  /** Options of the test's connections. */
  url?: (port: number) => string
  /** False: the server is started by `start()`. */
  started?: boolean
  pin?: string | undefined
}

export class RedisServer {
  readonly port: number
  readonly url: string
  readonly #options: RedisOptions
  readonly #folder = scratchFolder('redis')
  #child: Spawned | undefined

  constructor(port: number, options: RedisOptions) {
    this.port = port
    this.url = options.url?.(port) ?? `redis://127.0.0.1:${port}`
    this.#options = options
  }

  async start(): Promise<void> {
    const child = spawnOne('redis-server', this.#arguments(), process.env, { pin: this.#options.pin })
    this.#child = child
    await until(() => {
      if (child.hasEnded()) throw new Error(`redis-server ended: ${child.output()}`)
      return this.ask('PING').then(
        () => true,
        () => false,
      )
    }, 'redis-server')
  }

  #arguments(): string[] {
    const { options, sentinel } = this.#options
    const common = ['--bind', '127.0.0.1', '--dir', this.#folder]
    if (sentinel === undefined) {
      const own = options?.(this.port, this.#folder) ?? []
      return ['--port', String(this.port), ...common, '--save', '', '--appendonly', 'no', ...own]
    }
    const file = join(this.#folder, 'sentinel.conf')
    writeFileSync(file, [`port ${this.port}`, ...sentinel, ''].join('\n'))
    return [file, '--sentinel', ...common]
  }

  /** Sends one command, on a connection of its own. */
  async ask(...command: string[]): Promise<unknown> {
    const client = createClient({ url: this.url, RESP: 2, socket: { reconnectStrategy: false } })
    client.on('error', () => {})
    try {
      await client.connect()
      return await client.sendCommand(command)
    } finally {
      client.destroy()
    }
  }

  async #ofEachKey<T>(command: string, read: (reply: unknown) => T): Promise<Map<string, T>> {
    const keys = (await this.ask('KEYS', '*')) as string[]
    const replies = await Promise.all(keys.map((key) => this.ask(command, key)))
    return new Map(keys.map((key, index) => [key, read(replies[index])]))
  }

  dump = () => this.#ofEachKey('GET', String)
  /** Remaining seconds of each key; -1: no expiry. */
  lives = () => this.#ofEachKey('TTL', Number)
  output = () => this.#child?.output() ?? ''
  freeze = () => this.#child?.signal('SIGSTOP')
  thaw = () => this.#child?.signal('SIGCONT')
  kill = async () => void (await this.#child?.end('SIGKILL'))
  close = this.kill
}

/** On a free port, without persistence. */
export async function startRedis(options: RedisOptions = {}): Promise<RedisServer> {
  const server = new RedisServer(await freePort(), options)
  if (options.started !== false) await server.start()
  return server
}
