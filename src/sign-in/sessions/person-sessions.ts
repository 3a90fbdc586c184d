// Stores a sealed list of sessions for each person, and the owner of each sid of the authorization server. The list has
// the hashes of session ids, so its reader can end sessions but not use them. Some may have ended already.
import { changeRecord } from '../../records/change.ts'
import { createSingleFlight } from '../../single-flight.ts'
import type { KeyRing } from '../../records/data-key.ts'
import type { Records } from '../../records/records.ts'
import { sealedJson } from '../../records/seal.ts'
import type { SessionStore } from '../../session/session-store.ts'
import type { User } from '../../session/signed-in.ts'

/** `name`: the hash of the session id; `sid`: the authorization server's session; `time`: the time of the sign-in. */
type ListedSession = { name: string; sid?: string | undefined; device: string; time: number }

/** The authorization server ended `sid`, or all sessions of the person, including sign-ins begun before `at`. */
type LogoutMark = { at: number; sid?: string | undefined }

type SessionList = { sessions: ListedSession[]; ended: LogoutMark[] }

/** `endedAt`: the sid was ended before anyone had signed in with it. */
type SidRecord = { subject?: string; endedAt?: number }

type Identity = Pick<User, 'issuer' | 'subject'>

const MAX_SESSIONS = 100
const MAX_LOGOUT_MARKS = 50
/** A code is valid for ten minutes (RFC 6749 4.1.2), so no older sign-in can still finish. */
const ENDED_SECONDS = 3_600

/** A logout with a sid also ends sign-ins whose id_token had no sid. */
const matchesLogout = (logoutSid: string | undefined, sid: string | undefined): boolean =>
  logoutSid === undefined || sid === undefined || logoutSid === sid

const isEnded = ({ ended }: SessionList, sid: string | undefined, startedAt: number): boolean =>
  ended.some((mark) => startedAt <= mark.at && matchesLogout(mark.sid, sid))

export class PersonSessions {
  readonly #deps
  readonly #listOnce = createSingleFlight<ListedSession[]>()

  constructor(deps: {
    records: Pick<Records, 'get' | 'compareAndSet'>
    keyRing: KeyRing
    store: Pick<SessionStore, 'has' | 'end' | 'endElsewhere'>
    maxSeconds: number
    now: () => number
  }) {
    this.#deps = deps
  }

  /**
   * Lists a stored session, before its browser gets the cookie. Ends the oldest sessions above 100.
   * @returns false if the authorization server has ended this sign-in since `startedAt`, so that it must not be used
   */
  async add(user: Identity, session: ListedSession, startedAt: number): Promise<boolean> {
    const { sid } = session
    const isClaimed = sid === undefined || this.#claimSid(user, sid, startedAt)
    let surplus: ListedSession[] = []
    const next = (list: SessionList) => {
      const others = list.sessions.filter(({ name }) => name !== session.name)
      // A process that died during a logout may have left ended sessions on the list.
      const kept = others.filter((listed) => !isEnded(list, listed.sid, listed.time)).slice(1 - MAX_SESSIONS)
      surplus = others.filter((listed) => !kept.includes(listed))
      return { ...list, sessions: [...kept, session] }
    }
    const [isOpen, list] = await Promise.all([isClaimed, this.#changeList(user, next, true)])
    await Promise.all(surplus.map(({ name }) => this.end(name)))
    return isOpen && !isEnded(list, sid, startedAt)
  }

  /** Open sessions. Concurrent requests share one list, which costs a read for each session. */
  list(user: Identity): Promise<ListedSession[]> {
    return this.#listOnce(JSON.stringify([user.issuer, user.subject]), async () => {
      const { sessions } = await this.#changeList(user, () => undefined)
      return await this.#filterExisting(sessions)
    })
  }

  end(sessionHash: string): Promise<void> {
    return this.#deps.store.end(sessionHash)
  }

  /** Ends a session. The next sign-in in its browser sends prompt=login. */
  endElsewhere(sessionHash: string): Promise<void> {
    return this.#deps.store.endElsewhere(sessionHash)
  }

  /** Ends sessions, and sign-ins in progress (OpenID Connect Back-Channel Logout 1.0 2.7). @returns the number ended */
  async endByLogoutToken(issuer: string, { sub, sid }: { sub?: string; sid?: string }): Promise<number> {
    const subject = sub ?? (await this.#ownerOf(issuer, sid ?? ''))
    if (subject === undefined) return 0
    const user = { issuer, subject }
    const mark: LogoutMark = { at: this.#deps.now(), sid }
    // The mark comes first: a sign-in listed later finds it, and one listed before is ended after it.
    const marking = this.#changeList(user, (list) => ({ ...list, ended: [...list.ended, mark] }))
    const { sessions } = await marking.catch(() => this.#changeList(user, () => undefined))
    const endedSessions = await this.#filterExisting(
      sessions.filter((session) => matchesLogout(sid, session.sid)),
    )
    await Promise.all(endedSessions.map(({ name }) => this.end(name)))
    // A full store refuses the mark, but still deletes: end the sessions, then report the failure.
    await marking
    return endedSessions.length
  }

  async #filterExisting(sessions: readonly ListedSession[]): Promise<ListedSession[]> {
    const exist = await Promise.all(sessions.map(({ name }) => this.#deps.store.has(name)))
    return sessions.filter((_, index) => exist[index])
  }

  /** @param next may run more than once; undefined changes nothing @returns the list after it */
  async #changeList(
    { issuer, subject }: Identity,
    next: (list: SessionList) => SessionList | undefined,
    isProbablyNew = false,
  ): Promise<SessionList> {
    const { maxSeconds, now } = this.#deps
    let list: SessionList = { sessions: [], ended: [] }
    const nextRecord = ({ sessions, ended }: SessionList = { sessions: [], ended: [] }) => {
      list = {
        sessions: sessions.filter(({ time }) => now() - time < maxSeconds * 1000),
        ended: ended.slice(-MAX_LOGOUT_MARKS),
      }
      const value = next(list)
      list = value ?? list
      return value && { value, seconds: maxSeconds }
    }
    await this.#changeRecord(['sessions-of', issuer, subject], nextRecord, isProbablyNew)
    return list
  }

  async #claimSid({ issuer, subject }: Identity, sid: string, startedAt: number): Promise<boolean> {
    let isOpen = true
    const next = ({ endedAt = -Infinity }: SidRecord = {}) => {
      isOpen = endedAt < startedAt
      return isOpen ? { value: { subject }, seconds: this.#deps.maxSeconds } : undefined
    }
    await this.#changeRecord<SidRecord>(['sid', issuer, sid], next, true)
    return isOpen
  }

  /** Marks a sid without an owner as ended, in case a sign-in is in progress. */
  async #ownerOf(issuer: string, sid: string): Promise<string | undefined> {
    let owner: string | undefined
    const ended = { value: { endedAt: this.#deps.now() }, seconds: ENDED_SECONDS }
    await this.#changeRecord<SidRecord>(['sid', issuer, sid], ({ subject } = {}) => {
      owner = subject
      return subject === undefined ? ended : undefined
    })
    return owner
  }

  /** @param isProbablyNew saves a read if there is no record yet */
  async #changeRecord<T extends object>(
    [kind, issuer, subjectOrSid]: ['sessions-of' | 'sid', string, string],
    next: (value: T | undefined) => { value: T; seconds: number } | undefined,
    isProbablyNew = false,
  ): Promise<void> {
    const { sealer, keyFor } = await this.#deps.keyRing.dataKey()
    const key = `${kind}:${keyFor(kind === 'sid' ? 'sid' : 'sessions', `${issuer}\n${subjectOrSid}`)}`
    const json = sealedJson<T>(sealer)
    await changeRecord(this.#deps.records, {
      key,
      loaded: isProbablyNew ? { text: undefined } : undefined,
      next(text) {
        const changed = next(json.open(text, key))
        return changed && { text: json.seal(changed.value, key), seconds: changed.seconds }
      },
    })
  }
}
