// The store that seals what it keeps. Around connect-redis on Redis, around records on SQLite: names are hashed,
// contents sealed, every call has a deadline, and one damaged value costs that session only, once.
import { RedisStore } from 'connect-redis'
import { Store, type SessionData } from 'express-session'
import type { Records } from '../records/records.ts'
import { STANDARD_PREFIX, type RedisCommands } from '../records/redis-clients.ts'
import type { Store as RecordStore } from '../records/store.ts'
import { createRenewal, type Renewal } from './renewal.ts'
import { nameOf, type Sealer } from './seal.ts'

/** Keeps sealed text by name; the two kinds of store have nothing else to do. */
export type SealedTexts = {
  get(name: string): Promise<string | undefined>
  set(name: string, sealed: string, seconds: number): Promise<void>
  /** Lets it live `seconds` from now; does nothing where there is none, so nothing that was ended comes back. */
  touch(name: string, seconds: number): Promise<void>
  destroy(name: string): Promise<void>
}

const PREFIX = 'session:'
/**
 * How long a browser is remembered that has begun to sign in, or to sign out: anyone can make us write these, so they are
 * small and soon gone.
 */
export const SIGNING_IN_SECONDS = 600

/**
 * Sessions as connect-redis keeps them. It passes text through as it is: the sealing is ours.
 * @param prefix REDIS_PREFIX
 */
export function redisSessionTexts(client: RedisCommands, prefix: string = STANDARD_PREFIX): SealedTexts {
  type Envelope = SessionData & { sealed: string; seconds: number }
  const store = new RedisStore({
    client,
    prefix: prefix + PREFIX,
    ttl: (envelope) => (envelope as Envelope).seconds,
    serializer: {
      stringify: (envelope) => (envelope as Envelope).sealed,
      parse: (sealed) => ({ sealed }) as Envelope,
    },
  })
  return {
    get: async (name) => ((await store.get(name)) as Envelope | null)?.sealed,
    set: (name, sealed, seconds) => store.set(name, { sealed, seconds } as Envelope),
    touch: (name, seconds) => store.touch(name, { seconds } as Envelope),
    destroy: (name) => store.destroy(name),
  }
}

/** The same on the embedded store. */
export const recordSessionTexts = (records: Records): SealedTexts => ({
  get: (name) => records.get(PREFIX + name),
  set: (name, sealed, seconds) => records.put(PREFIX + name, sealed, seconds),
  async touch(name, seconds) {
    const sealed = await records.get(PREFIX + name)
    if (sealed !== undefined) await records.compareAndSet(PREFIX + name, sealed, sealed, seconds)
  },
  destroy: (name) => records.remove(PREFIX + name),
})

/** Where sessions are kept: by connect-redis on Redis, in a record each on the embedded store. */
export const sessionTextsOn = ({ records, redis }: Pick<RecordStore, 'records' | 'redis'>): SealedTexts =>
  redis === undefined ? recordSessionTexts(records) : redisSessionTexts(redis.client, redis.prefix)

export type SessionLifetimes = { idleSeconds: number; maxSeconds: number }

type Done<T = void> = (error?: unknown, result?: T) => void

export class SealedSessionStore extends Store {
  readonly #texts: SealedTexts
  readonly #sealer: Sealer
  readonly #lifetimes: SessionLifetimes
  readonly #now: () => number
  readonly #renewal: Renewal

  constructor(texts: SealedTexts, sealer: Sealer, lifetimes: SessionLifetimes, now: () => number = Date.now) {
    super()
    this.#texts = texts
    this.#sealer = sealer
    this.#lifetimes = lifetimes
    this.#now = now
    this.#renewal = createRenewal(lifetimes.idleSeconds, now)
  }

  override get = (sid: string, done: Done<SessionData | null>): void => {
    settle(this.#read(sid), done)
  }

  override set = (sid: string, session: SessionData, done: Done = () => {}): void => {
    settle(this.#write(sid, session), done)
  }

  override touch = (sid: string, session: SessionData, done: Done = () => {}): void => {
    const name = nameOf(sid)
    if (this.#renewal.isDue(name)) settle(this.#texts.touch(name, this.#lifeOf(session)), done)
    else done()
  }

  override destroy = (sid: string, done: Done = () => {}): void => {
    settle(this.#texts.destroy(nameOf(sid)), done)
  }

  async #read(sid: string): Promise<SessionData | null> {
    const sealed = await this.#texts.get(nameOf(sid))
    if (sealed === undefined) return null
    const session = parse(this.#sealer.open(sealed, `${PREFIX}${sid}`))
    if (session !== undefined && !this.#isOver(session)) return session
    await this.#texts.destroy(nameOf(sid))
    return null
  }

  async #write(sid: string, session: SessionData): Promise<void> {
    const plain = JSON.stringify(session)
    await this.#texts.set(nameOf(sid), this.#sealer.seal(plain, `${PREFIX}${sid}`), this.#lifeOf(session))
  }

  /** Seconds from now: a sign-in's idle life; less for a browser that has only begun to sign in. */
  #lifeOf({ user }: SessionData): number {
    const { lifeSeconds } = this.#renewal
    return user === undefined ? Math.min(SIGNING_IN_SECONDS, lifeSeconds) : lifeSeconds
  }

  /** The idle lifetime is the store's to end; the absolute one is counted from the sign-in. */
  #isOver(session: SessionData): boolean {
    const now = this.#now()
    return now - (session.signedInAt ?? now) > this.#lifetimes.maxSeconds * 1000
  }
}

function settle<T>(work: Promise<T>, done: Done<T>): void {
  work.then(
    (result) => done(undefined, result),
    (error: unknown) => done(error),
  )
}

function parse(plain: string | undefined): SessionData | undefined {
  if (plain === undefined) return undefined
  try {
    const session: unknown = JSON.parse(plain)
    const whole = typeof session === 'object' && session !== null && 'cookie' in session
    return whole ? (session as SessionData) : undefined
  } catch {
    return undefined
  }
}
