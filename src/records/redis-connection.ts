// A self-healing Redis connection. A failed client is replaced, because only a new one finds a new primary, leaves a
// dead network path and drops commands that no one waits for. Without a client, every command fails at once.
import { setTimeout as pause } from 'node:timers/promises'
import { TimedOut } from '../with-timeout.ts'
import { StoreUnavailable, withinDeadline } from './records.ts'
import { commandsOf, type RedisCommands } from './redis-clients.ts'
import { describeStoreError } from './store-error.ts'

type OpenedRedis = { commands: RedisCommands; close(): void }

export type ConnectionLog = {
  warn(fields: object, message: string): void
  info(fields: object, message: string): void
}

/** Milliseconds between tries, with jitter, so that processes don't reconnect in step. */
const retryIn = () => 250 * (0.5 + Math.random())

/** Commands pending on a lost client may still complete, because other nodes of a cluster are alive. */
const CLOSE_AFTER_MS = 1_500

/** Connects in the background. Commands throw {StoreUnavailable} if Redis is unreachable or slow, or rejects them. */
export class RedisConnection {
  readonly commands = commandsOf(
    (command) => this.#run(command),
    (pattern) => this.#scan(pattern),
  )
  readonly #open
  readonly #log: ConnectionLog
  #lastFailure: unknown = new Error('not connected yet')
  /** Error codes of the present outage, each logged once. */
  readonly #logged = new Set<string>()
  readonly #ending = new AbortController()
  /** Settles once the first client has opened or failed. */
  readonly #first = Promise.withResolvers<void>()
  #current: OpenedRedis | undefined
  #isRenewing = false

  constructor(open: (onLost: (error: Error) => void) => Promise<OpenedRedis>, log: ConnectionLog) {
    this.#open = open
    this.#log = log
    void this.#renew()
  }

  get isReady(): boolean {
    return this.#current !== undefined && !this.#isRenewing
  }

  destroy(): void {
    this.#ending.abort()
    this.#current?.close()
  }

  async *#scan(pattern: string): AsyncGenerator<string[]> {
    let batches: AsyncGenerator<string[]> | undefined
    for (;;) {
      const batch = await this.#run((redis) => (batches ??= redis.scan(pattern)).next())
      if (batch.done === true) return
      yield batch.value
    }
  }

  /** @param reason the error of the current client; undefined at the start */
  async #renew(reason?: unknown): Promise<void> {
    if (this.#isRenewing) return
    this.#isRenewing = true
    const previous = this.#current
    if (reason !== undefined) {
      this.#onFailure(reason)
      await pause(retryIn())
    }
    while (!this.#ending.signal.aborted && this.#current === previous)
      try {
        let opened: OpenedRedis | undefined
        opened = await this.#open((error) => {
          if (opened !== undefined && opened === this.#current) void this.#renew(error)
        })
        this.#current = opened
        if (this.#logged.size > 0) this.#log.info({}, 'Redis is reachable again')
        this.#logged.clear()
      } catch (error) {
        this.#onFailure(error)
        this.#first.resolve()
        await pause(retryIn())
      }
    this.#first.resolve()
    this.#isRenewing = false
    setTimeout(() => previous?.close(), CLOSE_AFTER_MS).unref()
    if (this.#ending.signal.aborted) this.#current?.close()
  }

  #onFailure(error: unknown): void {
    this.#lastFailure = error
    const { code, message, isErrorReply } = describeStoreError(error)
    const problem = isErrorReply
      ? `Redis rejected onramp: ${message} (${code})`
      : `Redis cannot be reached (${code})`
    if (!this.#logged.has(code)) this.#log.warn({ err: error }, `${problem}: retrying`)
    this.#logged.add(code)
  }

  async #run<T>(command: (redis: RedisCommands) => Promise<T>): Promise<T> {
    if (this.#current === undefined) await withinDeadline(() => this.#first.promise)
    const client = this.#current
    if (client === undefined) throw new StoreUnavailable(this.#lastFailure)
    try {
      return await withinDeadline(() => command(client.commands))
    } catch (error) {
      this.#replaceIfBroken(client, error instanceof StoreUnavailable ? error.cause : error)
      throw error
    }
  }

  #replaceIfBroken(client: OpenedRedis, reason: unknown): void {
    if (client !== this.#current || isServerState(reason)) return
    if (reason instanceof TimedOut) {
      // Commands fail at once until a new client has answered.
      this.#current = undefined
      client.close()
    }
    void this.#renew(reason)
  }
}

/**
 * Failures that another client would have too: replies (full, loading, cluster down), and too many commands of our own.
 * Other replies, such as READONLY, mean another server.
 */
const isServerState = (error: unknown) =>
  error instanceof Error &&
  /^(The queue is full|OOM|LOADING|CLUSTERDOWN|TRYAGAIN|BUSY|MISCONF|NOREPLICAS|MASTERDOWN|WRONGTYPE|NOPERM|ERR)\b/.test(
    error.message,
  )
