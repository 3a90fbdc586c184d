// Stores sessions in Records, by connect-redis. The hash of a session's ID names its record, and the ID seals it.
// A session has a revision, and a write over any other revision fails, so a slow request never restores old tokens or
// an ended session.
import { RedisStore } from 'connect-redis'
import type { Request } from 'express'
import type { SessionData } from 'express-session'
import type { Records } from '../records/records.ts'
import { hashOf, type Sealer } from '../records/seal.ts'

type Done = (error?: unknown) => void
type SessionRecords = Pick<Records, 'get' | 'put' | 'compareAndSet' | 'remove'>

/** Another request has changed or ended the session. */
export class SessionChanged extends Error {
  override name = 'SessionChanged'
}

/** Touches within this share of the idle time are skipped, so that most pages only read. */
const TOUCH_SHARE = 0.05
const MAX_TOUCHES = 50_000

/** Replaces a session that was ended from another device, so that the next sign-in there sends prompt=login. */
const ENDED = 'ended'
const ENDED_SESSION = '{"promptLogin":true,"revision":0}'

const sessionKey = (hash: string) => `session:${hash}`
/** Contains the ID and not its hash, so a dump of the store opens nothing, even with the secret. */
const associatedDataOf = (id: string) => `session:${id}`

type Revision = { revision: number; json: string }

const serialize = (session: SessionData, revision: number) =>
  JSON.stringify({ ...session, cookie: undefined, revision })

const revisionIn = (json: string): number => (JSON.parse(json) as Revision).revision

export class SessionStore extends RedisStore {
  readonly #records: SessionRecords
  readonly #maxMs: number
  readonly #touchEveryMs: number
  readonly #now: () => number
  readonly #revisions = new WeakMap<SessionData, Revision | undefined>()
  readonly #touchTimes = new Map<string, number>()

  /** @param idleSeconds SESSION_IDLE_MINUTES @param maxSeconds SESSION_MAX_HOURS @param now milliseconds since 1970 */
  constructor(options: {
    records: SessionRecords
    sealer: Sealer
    idleSeconds: number
    maxSeconds: number
    now: () => number
  }) {
    const { records, sealer, idleSeconds, maxSeconds, now } = options
    // Skipped touches may cost this share of the idle time, so the record lives longer.
    const ttl = Math.ceil(idleSeconds * (1 + TOUCH_SHARE))
    super({ client: new SessionCommands(records, sealer), prefix: '', ttl })
    this.serializer = {
      parse: (json) => this.#parse(json) as SessionData,
      // `set` has computed it.
      stringify: (session) => this.#revisions.get(session)?.json ?? '',
    }
    this.#records = records
    this.#maxMs = maxSeconds * 1000
    this.#touchEveryMs = idleSeconds * TOUCH_SHARE * 1000
    this.#now = now
  }

  /** Passes {SessionChanged} or {StoreUnavailable} to `done`. */
  override async set(id: string, session: SessionData, done: Done = () => {}): Promise<void> {
    const revisionBefore = this.#revisions.get(session)
    if (revisionBefore !== undefined && serialize(session, revisionBefore.revision) === revisionBefore.json)
      return done()
    const revision = revisionBefore === undefined ? 0 : revisionBefore.revision + 1
    // Set before the write ends, so the save at the end of the request doesn't write it again.
    this.#revisions.set(session, { revision, json: serialize(session, revision) })
    await super.set(id, session, (error) => {
      if (!error) this.#rememberTouch(id)
      else this.#revisions.set(session, revisionBefore)
      done(error)
    })
  }

  /** Runs in the background, so that it neither delays the response nor fails it. */
  override async touch(id: string, session: SessionData, done: Done = () => {}): Promise<void> {
    done()
    if (this.#now() - (this.#touchTimes.get(id) ?? 0) < this.#touchEveryMs) return
    this.#rememberTouch(id)
    await super.touch(id, session, (error) => error && this.#touchTimes.delete(id))
  }

  override createSession(req: Request, data: SessionData) {
    const session = super.createSession(req, data)
    this.#revisions.set(session, this.#revisions.get(data))
    return session
  }

  /** True while the session is open. @param hash of its ID (`hashOf`) */
  async has(hash: string): Promise<boolean> {
    return ![undefined, ENDED].includes(await this.#records.get(sessionKey(hash)))
  }

  /** @param hash of the session's ID (`hashOf`) */
  end(hash: string): Promise<void> {
    return this.#records.remove(sessionKey(hash))
  }

  /** Ends a session. The next sign-in in its browser sends prompt=login. @param hash of its ID (`hashOf`) */
  async endElsewhere(hash: string): Promise<void> {
    // A full store rejects writes, but not removals.
    await this.#records.put(sessionKey(hash), ENDED, this.#maxMs / 1000).catch(() => this.end(hash))
  }

  /** @returns null if the sign-in is too old */
  #parse(json: string): SessionData | null {
    const { revision, ...content } = JSON.parse(json) as SessionData & Revision
    const data = { ...content, cookie: { originalMaxAge: null } }
    if (data.signedInAt !== undefined && this.#now() - data.signedInAt > this.#maxMs) return null
    this.#revisions.set(data, { revision, json })
    return data
  }

  #rememberTouch(id: string): void {
    if (this.#touchTimes.size >= MAX_TOUCHES) this.#touchTimes.clear()
    // A copy, because V8 keeps the whole Cookie header in memory for a part of it.
    this.#touchTimes.set(Buffer.from(id).toString(), this.#now())
  }
}

/** The commands that connect-redis calls, with session IDs as keys. */
class SessionCommands {
  readonly #records: SessionRecords
  readonly #sealer: Sealer

  constructor(records: SessionRecords, sealer: Sealer) {
    this.#records = records
    this.#sealer = sealer
  }

  async get(id: string): Promise<string | undefined> {
    const sealedText = await this.#records.get(sessionKey(hashOf(id)))
    return sealedText === ENDED ? ENDED_SESSION : this.#open(id, sealedText)
  }

  /** Inserts revision 0; other revisions replace only the previous one. @throws {SessionChanged} {StoreUnavailable} */
  async set(id: string, json: string, { expiration }: { expiration: { value: number } }): Promise<void> {
    const key = sessionKey(hashOf(id))
    const revision = revisionIn(json)
    const sealedBefore = revision === 0 ? undefined : await this.#records.get(key)
    const storedJson = this.#open(id, sealedBefore)
    const isNext = storedJson === undefined ? revision === 0 : revisionIn(storedJson) === revision - 1
    const sealedText = this.#sealer.seal(json, associatedDataOf(id))
    if (!isNext || !(await this.#records.compareAndSet(key, sealedBefore, sealedText, expiration.value)))
      throw new SessionChanged('another request has changed or ended the session')
  }

  async expire(id: string, seconds: number): Promise<void> {
    const key = sessionKey(hashOf(id))
    const sealedText = await this.#records.get(key)
    if (sealedText !== undefined && sealedText !== ENDED)
      await this.#records.compareAndSet(key, sealedText, sealedText, seconds)
  }

  del([id = '']: string[]): Promise<void> {
    return this.#records.remove(sessionKey(hashOf(id)))
  }

  #open(id: string, sealed: string | undefined): string | undefined {
    return sealed === undefined ? undefined : this.#sealer.open(sealed, associatedDataOf(id))
  }
}
