// Sessions over Records. A record is named by the hash of the session's ID and sealed by the ID itself. A session carries a
// revision, and a write over any other revision fails: a slow request never brings back old tokens or an ended session.
import type { Request } from 'express'
import { Store, type SessionData } from 'express-session'
import type { Records } from '../records/records.ts'
import { hashOf, type Sealer } from '../records/seal.ts'

type Done = (error?: unknown, session?: SessionData | null) => void
type SessionRecords = Pick<Records, 'get' | 'put' | 'compareAndSet' | 'remove'>

/** Another request has changed or ended the session. */
export class SessionChanged extends Error {
  override name = 'SessionChanged'
}

/** The idle time starts anew after this share of it, so that most pages only read. */
const TOUCH_SHARE = 0.05
const MAX_TOUCHES = 50_000

/** Replaces a session that its person has ended from another device: the next sign-in there sends prompt=login. */
const ENDED = 'ended'
const ENDED_SESSION = '{"promptLogin":true,"revision":0}'

const keyOf = (hash: string) => `session:${hash}`
/** The ID itself and not its hash, so a dump of the store opens nothing, even with the secret. */
const associatedDataOf = (id: string) => `session:${id}`

type Revision = { revision: number; json: string }

const serialize = (session: SessionData, revision: number) =>
  JSON.stringify({ ...session, cookie: undefined, revision })

const revisionIn = (json: string): number => (JSON.parse(json) as Revision).revision

/** Without `touch`, for which express-session would hash each session once more: a session is touched when it is read. */
export class SessionStore extends Store {
  readonly #records: SessionRecords
  readonly #sealer: Sealer
  readonly #seconds: number
  readonly #maxMs: number
  readonly #touchEveryMs: number
  readonly #now: () => number
  readonly #revisions = new WeakMap<SessionData, Revision>()
  readonly #touchedAt = new Map<string, number>()

  /** @param idleSeconds SESSION_IDLE_MINUTES @param maxSeconds SESSION_MAX_HOURS @param now milliseconds since 1970 */
  constructor(options: {
    records: SessionRecords
    sealer: Sealer
    idleSeconds: number
    maxSeconds: number
    now: () => number
  }) {
    super()
    const { records, sealer, idleSeconds, maxSeconds, now } = options
    this.#records = records
    this.#sealer = sealer
    // Longer than documented by what a skipped touch may cost.
    this.#seconds = Math.ceil(idleSeconds * (1 + TOUCH_SHARE))
    this.#maxMs = maxSeconds * 1000
    this.#touchEveryMs = idleSeconds * TOUCH_SHARE * 1000
    this.#now = now
  }

  override get(id: string, done: Done): void {
    this.#read(id)
      .then((session) => done(null, session))
      .catch(done)
  }

  /** Writes a session that has changed since it was read. Passes {SessionChanged} or {StoreUnavailable} to `done`. */
  override set(id: string, session: SessionData, done: Done = () => {}): void {
    const before = this.#revisions.get(session)
    if (before !== undefined && serialize(session, before.revision) === before.json) return done()
    const revision = before === undefined ? 0 : before.revision + 1
    const next = { revision, json: serialize(session, revision) }
    // Now and not after the write, so the end of the request doesn't write the same again.
    this.#revisions.set(session, next)
    this.#write(id, next)
      .catch((error: unknown) => {
        if (before === undefined) this.#revisions.delete(session)
        else this.#revisions.set(session, before)
        throw error
      })
      .then(() => done())
      .catch(done)
  }

  override destroy(id: string, done: Done = () => {}): void {
    this.end(hashOf(id))
      .then(() => done())
      .catch(done)
  }

  override createSession(req: Request, data: SessionData) {
    const session = super.createSession(req, data)
    const revision = this.#revisions.get(data)
    if (revision !== undefined) this.#revisions.set(session, revision)
    return session
  }

  /** @param hash of the session ID (hashOf), here and below */
  async has(hash: string): Promise<boolean> {
    return ![undefined, ENDED].includes(await this.#records.get(keyOf(hash)))
  }

  end(hash: string): Promise<void> {
    return this.#records.remove(keyOf(hash))
  }

  /** Ends it, so that the next sign-in in that browser sends prompt=login. */
  async endElsewhere(hash: string): Promise<void> {
    // A store that is full takes no writes, and still forgets.
    await this.#records.put(keyOf(hash), ENDED, this.#maxMs / 1000).catch(() => this.end(hash))
  }

  /** @returns null for none, or one that was signed in too long ago */
  async #read(id: string): Promise<SessionData | null> {
    const key = keyOf(hashOf(id))
    const sealed = await this.#records.get(key)
    const json = sealed === ENDED ? ENDED_SESSION : this.#open(id, sealed)
    if (json === undefined) return null
    const { revision, ...content } = JSON.parse(json) as SessionData & Revision
    const session = { ...content, cookie: { originalMaxAge: null } }
    if (session.signedInAt !== undefined && this.#now() - session.signedInAt > this.#maxMs) return null
    this.#revisions.set(session, { revision, json })
    if (sealed !== undefined && sealed !== ENDED) void this.#touch(id, key, sealed)
    return session
  }

  /** Inserts revision 0, and writes any other only over the one before. @throws {SessionChanged} {StoreUnavailable} */
  async #write(id: string, { revision, json }: Revision): Promise<void> {
    const key = keyOf(hashOf(id))
    const before = revision === 0 ? undefined : await this.#records.get(key)
    const stored = this.#open(id, before)
    const isNext = revision === 0 || (stored !== undefined && revisionIn(stored) === revision - 1)
    const sealed = this.#sealer.seal(json, associatedDataOf(id))
    if (!isNext || !(await this.#records.compareAndSet(key, before, sealed, this.#seconds)))
      throw new SessionChanged('another request has changed or ended the session')
    this.#noteTouch(id)
  }

  /** In the background: it neither delays the response nor fails it. */
  async #touch(id: string, key: string, sealed: string): Promise<void> {
    if (this.#now() - (this.#touchedAt.get(id) ?? 0) < this.#touchEveryMs) return
    this.#noteTouch(id)
    const touching = this.#records.compareAndSet(key, sealed, sealed, this.#seconds)
    await touching.catch(() => this.#touchedAt.delete(id))
  }

  #open(id: string, sealed: string | undefined): string | undefined {
    return sealed === undefined ? undefined : this.#sealer.open(sealed, associatedDataOf(id))
  }

  #noteTouch(id: string): void {
    if (this.#touchedAt.size >= MAX_TOUCHES) this.#touchedAt.clear()
    this.#touchedAt.set(id, this.#now())
  }
}
