// Can the store be written to? Reading alone does not tell: a full Redis still reads, and one that denies scripts, EXPIRE
// or DEL lets no one sign in. It is written to once a second at most, however many probes come; a read goes out with
// each, because a store that has just gone must not be called ready for the rest of that second.
import type { Records } from './records.ts'
import { storeTrouble } from './store-trouble.ts'

type Log = { warn(fields: object, message: string): void; info(fields: object, message: string): void }

export type Readiness = {
  /** Resolves when a record can be written, changed by a script, removed, and read. @throws what the store said */
  ask(): Promise<void>
}

const KEY = 'ready'
const LIFE_SECONDS = 10
const FRESH_MS = 1_000

type Parts = {
  records: Pick<Records, 'get' | 'put' | 'compareAndSet' | 'remove'>
  /** What keeps sessions alive: the one command that records have no use for. */
  sessions: { touch(name: string, seconds: number): Promise<void> }
  log: Log
  now?: () => number
}

/** @param now milliseconds of a clock that never goes back */
export function createReadiness({ records, sessions, log, now = () => performance.now() }: Parts): Readiness {
  const tell = teller(log)
  let last: { at: number; written: Promise<void> } | undefined

  async function write(): Promise<void> {
    await records.put(KEY, 'written', LIFE_SECONDS)
    // False only where another process changed it, or removed it, which is just as good.
    await records.compareAndSet(KEY, 'written', 'changed', LIFE_SECONDS)
    await sessions.touch(KEY, LIFE_SECONDS)
    await records.remove(KEY)
  }

  async function tryIt(): Promise<void> {
    await records.get(KEY)
    if (last === undefined || now() - last.at >= FRESH_MS) last = { at: now(), written: write() }
    await last.written
  }

  return {
    async ask() {
      try {
        await tryIt()
      } catch (error) {
        tell.fails(error)
        throw error
      }
      tell.works()
    },
  }
}

/** One line when the store stops working, or for another reason than before, and one when it works again. */
function teller(log: Log) {
  let told: string | undefined
  return {
    works() {
      if (told !== undefined) log.info({}, 'ready again: the store can be written to')
      told = undefined
    },
    fails(error: unknown) {
      const { code, words } = storeTrouble(error)
      if (told !== code) log.warn({ err: error, reason: code }, `not ready: ${words} (${code})`)
      told = code
    },
  }
}
