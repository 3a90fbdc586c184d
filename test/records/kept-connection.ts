// A connection over clients that open, fail and hang as a test wants, in time that tests move.
import { afterEach, beforeEach, vi } from 'vitest'
import { StoreUnavailable } from '../../src/records/records.ts'
import type { RedisCommands } from '../../src/records/redis-clients.ts'
import { connectBy, type RedisConnection } from '../../src/records/redis-connection.ts'
import { memoryRedis } from '../helpers/memory-redis.ts'

export let random: ReturnType<typeof vi.spyOn>
let connection: RedisConnection | undefined
beforeEach(() => {
  vi.useFakeTimers({ fakeNodeBuiltins: true })
  random = vi.spyOn(Math, 'random').mockReturnValue(0.5)
})
afterEach(() => {
  connection?.destroy()
  random.mockRestore()
  vi.useRealTimers()
})

export const AWAY = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
type Client = { lose(error: Error): void; isClosed: boolean; answer: RedisCommands['get'] }

/** A server; `opens` says what the next attempts to open a client come to. */
export function server(opens: (Error | 'hangs' | 'slow' | undefined)[] = []) {
  const { commands } = memoryRedis()
  const [clients, tried, lines]: [Client[], number[], string[]] = [[], [], []]
  const began = performance.now()
  connection = connectBy(
    async (lost) => {
      tried.push(performance.now() - began)
      const comesTo = opens.shift()
      if (comesTo === 'slow') lost(AWAY)
      if (comesTo === 'slow') await new Promise((done) => setTimeout(done, 100))
      if (comesTo === 'hangs') await new Promise(() => {})
      if (comesTo instanceof Error) throw comesTo
      const client: Client = { lose: lost, isClosed: false, answer: (key) => commands.get(key) }
      clients.push(client)
      return {
        commands: { ...commands, get: (key) => client.answer(key) },
        close: () => void (client.isClosed = true),
      }
    },
    {
      warn: (fields, message) => void lines.push(`${'err' in fields ? '' : 'without cause: '}${message}`),
      info: (_, message) => void lines.push(message),
    },
  )
  return { connection, clients, tried, lines }
}

export const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)
export const failing = (message: string) => () => Promise.reject(new Error(message))
export const outcome = (work: Promise<unknown>) =>
  work.catch((error: unknown) => (error instanceof StoreUnavailable ? error.detail : 'another failure'))
export const AWAY_LINE = 'Redis cannot be reached (ECONNREFUSED): trying again until it can'
export const BACK_LINE = 'Redis is reached again'
