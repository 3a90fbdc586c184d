// Where express-session keeps sessions: named by the hash of their id, sealed by the id itself. A new id is
// inserted only, and an existing session is written only over what was read, so neither a slow request nor a process that
// was frozen brings back old tokens or a session that was ended.
import { Store, type Session, type SessionData } from 'express-session'
import type { Request } from 'express'
import type { Records } from '../records/records.ts'
import { hashOf, type Sealer } from '../records/seal.ts'

type Done<T = void> = (error?: unknown, result?: T) => void

/** Another request has changed or ended the session since it was read. */
export class SessionChanged extends Error {
  override name = 'SessionChanged'
}

type SessionStoreOptions = {
  records: Pick<Records, 'get' | 'put' | 'compareAndSet' | 'remove'>
  /** Of SESSION_SECRET. */
  sealer: Sealer
  /** SESSION_IDLE_MINUTES and SESSION_MAX_HOURS, in seconds. */
  idleSeconds: number
  maxSeconds: number
  /** Milliseconds since 1970. */
  now: () => number
}

/** The idle time starts anew after this share of it, so that most pages only read. */
const TOUCH_SHARE = 0.05
const MAX_TOUCHES = 50_000

const keyOf = (name: string) => `session:${name}`
/** The id and not its name: a dump of the store then opens nothing, even with the secret. */
const holderOf = (id: string) => `session:${id}`

/** In the place of a session that its person has ended from another device; it needs no sealing, as it opens nothing. */
const ENDED = 'ended'

/** What a session is when it is written: everything that was set on it. */
const jsonOf = (session: SessionData) => JSON.stringify({ ...session, cookie: undefined })

/** A session as the store has it; `name`: the hash of its id. */
type Stored = { name: string; sealed: string }

export class SessionStore extends Store {
  readonly #options: SessionStoreOptions
  /** By the object that was made of it. */
  readonly #stored = new WeakMap<object, Stored>()
  readonly #touchedAt = new Map<string, number>()
  /** Longer than documented by what a touch that was left out may cost. */
  readonly #lifeSeconds: number

  constructor(options: SessionStoreOptions) {
    super()
    this.#options = options
    this.#lifeSeconds = Math.ceil(options.idleSeconds * (1 + TOUCH_SHARE))
  }

  override get = (id: string, done: Done<SessionData | null>): void => settle(this.#read(id), done)

  /** Nothing is left to do at the end of a request: what changes a session saves it and waits (session.ts). */
  override set = (_id: string, _session: SessionData, done: Done = () => {}): void => done()

  override destroy = (id: string, done: Done = () => {}): void => settle(this.end(hashOf(id)), done)

  /** Doesn't hold up the answer, and doesn't fail it. */
  override touch = (_id: string, session: SessionData, done: Done = () => {}): void => {
    done()
    const stored = this.#stored.get(session)
    if (stored === undefined) return
    const { name, sealed } = stored
    const { idleSeconds, now, records } = this.#options
    if (now() - (this.#touchedAt.get(name) ?? 0) < idleSeconds * TOUCH_SHARE * 1000) return
    this.#noteTouch(name)
    records
      .compareAndSet(keyOf(name), sealed, sealed, this.#lifeSeconds)
      .catch(() => this.#touchedAt.delete(name))
  }

  override createSession = (req: Request, data: SessionData) => {
    const session = super.createSession(req, data)
    const stored = this.#stored.get(data)
    if (stored !== undefined) this.#stored.set(session, stored)
    return session
  }

  /** Is there a session? @param name the hash of its id (nameOf) */
  async has(name: string): Promise<boolean> {
    const sealed = await this.#options.records.get(keyOf(name))
    return sealed !== undefined && sealed !== ENDED
  }

  /** @param name as above */
  end(name: string): Promise<void> {
    return this.#options.records.remove(keyOf(name))
  }

  /** Ends it, so that the next sign-in in that browser asks who is there. @param name as above */
  async endElsewhere(name: string): Promise<void> {
    const { records, maxSeconds } = this.#options
    // A store that is full takes no writes, and still forgets.
    await records.put(keyOf(name), ENDED, maxSeconds).catch(() => this.end(name))
  }

  async #read(id: string): Promise<SessionData | null> {
    const { records, sealer, maxSeconds, now } = this.#options
    const name = hashOf(id)
    const sealed = await records.get(keyOf(name))
    if (sealed === ENDED) return { cookie: { originalMaxAge: null }, promptLogin: true }
    const json = sealed === undefined ? undefined : sealer.open(sealed, holderOf(id))
    if (sealed === undefined || json === undefined) return null
    const data = { ...JSON.parse(json), cookie: { originalMaxAge: null } } as SessionData
    if (now() - (data.signedInAt ?? 0) > maxSeconds * 1000) return null
    this.#stored.set(data, { name, sealed })
    return data
  }

  /** Inserts a new session, and writes any other only over what was read. @throws {SessionChanged} {StoreUnavailable} */
  async save(session: Session): Promise<void> {
    const name = hashOf(session.id)
    const sealed = this.#options.sealer.seal(jsonOf(session), holderOf(session.id))
    const before = this.#stored.get(session)?.sealed
    if (!(await this.#options.records.compareAndSet(keyOf(name), before, sealed, this.#lifeSeconds)))
      throw new SessionChanged('another request has changed or ended the session')
    this.#stored.set(session, { name, sealed })
    this.#noteTouch(name)
  }

  #noteTouch(name: string): void {
    if (this.#touchedAt.size >= MAX_TOUCHES) this.#touchedAt.clear()
    this.#touchedAt.set(name, this.#options.now())
  }
}

function settle<T>(work: Promise<T>, done: Done<T>): void {
  work.then(
    (result) => done(undefined, result),
    (error: unknown) => done(error),
  )
}
