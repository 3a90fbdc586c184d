// The store that seals what it keeps. Around connect-redis on Redis, around records on SQLite: names are hashed,
// contents sealed, every call has a deadline, and one damaged value costs that session only, once.
import { RedisStore } from 'connect-redis'
import { Store, type SessionData } from 'express-session'
import type { RedisConnection } from '../records/redis-connection.ts'
import { withinDeadline, type Records } from '../records/records.ts'
import { nameOf, type Sealer } from './seal.ts'

/** Keeps sealed text by name; the two kinds of store have nothing else to do. */
export type SealedTexts = {
  get(name: string): Promise<string | undefined>
  set(name: string, sealed: string, seconds: number): Promise<void>
  destroy(name: string): Promise<void>
}

const PREFIX = 'session:'

/** Sessions as connect-redis keeps them. It passes text through as it is: the sealing is ours. */
export function redisSessionTexts(client: RedisConnection): SealedTexts {
  type Envelope = SessionData & { sealed: string; seconds: number }
  const store = new RedisStore({
    client,
    prefix: `onramp:${PREFIX}`,
    ttl: (envelope) => (envelope as Envelope).seconds,
    serializer: {
      stringify: (envelope) => (envelope as Envelope).sealed,
      parse: (sealed) => ({ sealed }) as Envelope,
    },
  })
  return {
    get: async (name) => ((await withinDeadline(() => store.get(name))) as Envelope | null)?.sealed,
    set: (name, sealed, seconds) => withinDeadline(() => store.set(name, { sealed, seconds } as Envelope)),
    destroy: (name) => withinDeadline(() => store.destroy(name)),
  }
}

/** The same on the embedded store. */
export const recordSessionTexts = (records: Records): SealedTexts => ({
  get: (name) => records.get(PREFIX + name),
  set: (name, sealed, seconds) => records.put(PREFIX + name, sealed, seconds),
  destroy: (name) => records.remove(PREFIX + name),
})

export type SessionLifetimes = { idleSeconds: number; maxSeconds: number }

/** A session that is only read is written again when so much of its idle life has passed: one write in a while, not one a page. */
const RENEW_AFTER_SHARE = 0.05

type Done<T = void> = (error?: unknown, result?: T) => void

export class SealedSessionStore extends Store {
  readonly #texts: SealedTexts
  readonly #sealer: Sealer
  readonly #lifetimes: SessionLifetimes
  readonly #now: () => number

  constructor(texts: SealedTexts, sealer: Sealer, lifetimes: SessionLifetimes, now: () => number = Date.now) {
    super()
    this.#texts = texts
    this.#sealer = sealer
    this.#lifetimes = lifetimes
    this.#now = now
  }

  override get = (sid: string, done: Done<SessionData | null>): void => {
    settle(this.#read(sid), done)
  }

  override set = (sid: string, session: SessionData, done: Done = () => {}): void => {
    settle(this.#write(sid, session), done)
  }

  override touch = (sid: string, session: SessionData, done: Done = () => {}): void => {
    const renewAfter = this.#lifetimes.idleSeconds * RENEW_AFTER_SHARE * 1000
    if (this.#now() - (session.seenAt ?? 0) < renewAfter) done()
    else settle(this.#write(sid, session), done)
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
    const plain = JSON.stringify({ ...session, seenAt: this.#now() })
    await this.#texts.set(nameOf(sid), this.#sealer.seal(plain, `${PREFIX}${sid}`), this.#idleSeconds())
  }

  /** Longer by what a skipped renewal may cost, so that nobody is signed out before the time that is documented. */
  #idleSeconds = () => this.#lifetimes.idleSeconds * (1 + RENEW_AFTER_SHARE)

  #isOver(session: SessionData): boolean {
    const now = this.#now()
    const idle = now - (session.seenAt ?? 0) > this.#idleSeconds() * 1000
    return idle || now - (session.signedInAt ?? now) > this.#lifetimes.maxSeconds * 1000
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
