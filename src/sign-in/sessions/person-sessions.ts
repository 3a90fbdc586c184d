// Where a person is signed in: a sealed list for each person, and whose a session id of the authorization server (sid) is.
// It names sessions by the hash of their id, so that a reader can end a session and open none. What is on it may be over
// already (idle for too long, or signed out): whether a session is there is the store's to say.
import { createChanges } from '../../records/change.ts'
import type { KeyRing } from '../../records/data-key.ts'
import type { Records } from '../../records/records.ts'
import { sealedJson } from '../../records/sealed-json.ts'
import type { SessionStore } from '../../session/session-store.ts'
import type { User } from '../../session/signed-in.ts'

type ListedSession = {
  /** The hash of the session id. */
  name: string
  /** The authorization server's own session (OpenID Connect Back-Channel Logout 1.0). */
  sid?: string | undefined
  /** "Firefox on Linux", for people to recognize it by. */
  device: string
  /** Milliseconds since 1970, when the person signed in. */
  time: number
}

/** The authorization server ended `sid`, or everything of the person; a sign-in that began before `at` is part of it. */
type Ended = { at: number; sid?: string | undefined }

type SessionList = { sessions: ListedSession[]; ended: Ended[] }

/** Whose a sid is, or that it was ended before anyone here signed in with it. */
type SidRecord = { subject?: string; endedAt?: number }

type Identity = Pick<User, 'issuer' | 'subject'>

export type PersonSessions = ReturnType<typeof createPersonSessions>

type Needs = {
  records: Pick<Records, 'get' | 'compareAndSet'>
  keyRing: KeyRing
  store: Pick<SessionStore, 'has' | 'end'>
  /** SESSION_MAX_HOURS, in seconds. */
  maxSeconds: number
  now: () => number
}

/** What a sign-in finds: the first one of the day, and a sid of its own. */
const NEW = { text: undefined }

const MAX_SESSIONS = 100
const MAX_ENDED = 50
/** A code is good for ten minutes (RFC 6749 4.1.2), so a sign-in that the authorization server ended earlier can't end well. */
const ENDED_SECONDS = 3_600

/** Does a logout end this sign-in? One with a sid also ends sign-ins whose id_token had none. */
const isNamed = (named: string | undefined, sid: string | undefined): boolean =>
  named === undefined || sid === undefined || named === sid

/** Has the authorization server ended this sign-in? @param startedAt when the browser was sent away to sign in */
const isOver = ({ ended }: SessionList, sid: string | undefined, startedAt: number): boolean =>
  ended.some((end) => startedAt <= end.at && isNamed(end.sid, sid))

export function createPersonSessions({ records, keyRing, store, maxSeconds, now }: Needs) {
  const change = createChanges(records)

  /** @param next may run more than once; undefined changes nothing @returns the list as it was changed, or was */
  async function changeList(
    { issuer, subject }: Identity,
    next: (list: SessionList) => SessionList | undefined,
    guess?: { text: undefined },
  ): Promise<SessionList> {
    const { sealer, keyFor } = await keyRing.dataKey()
    const [key, json] = [
      `sessions-of:${keyFor('sessions', `${issuer}\n${subject}`)}`,
      sealedJson<SessionList>(sealer),
    ]
    let list: SessionList = { sessions: [], ended: [] }
    await change({
      key,
      guess,
      next(text) {
        const { sessions, ended } = json.open(text, key) ?? { sessions: [], ended: [] }
        list = {
          sessions: sessions.filter(({ time }) => now() - time < maxSeconds * 1000),
          ended: ended.slice(-MAX_ENDED),
        }
        const changed = next(list)
        list = changed ?? list
        return changed && { text: json.seal(changed, key), seconds: maxSeconds }
      },
    })
    return list
  }

  /** @param next may run more than once; undefined changes nothing */
  async function changeSid(
    issuer: string,
    sid: string,
    next: (record: SidRecord) => SidRecord | undefined,
    guess?: { text: undefined },
  ): Promise<void> {
    const { sealer, keyFor } = await keyRing.dataKey()
    const [key, json] = [`sid:${keyFor('sid', `${issuer}\n${sid}`)}`, sealedJson<SidRecord>(sealer)]
    await change({
      key,
      guess,
      next(text) {
        const changed = next(json.open(text, key) ?? {})
        const seconds = changed?.endedAt === undefined ? maxSeconds : ENDED_SECONDS
        return changed && { text: json.seal(changed, key), seconds }
      },
    })
  }

  /** @returns false where this sid was ended after `startedAt` */
  async function claim({ issuer, subject }: Identity, sid: string, startedAt: number): Promise<boolean> {
    let isOpen = true
    const next = ({ endedAt = -Infinity }: SidRecord) => {
      isOpen = endedAt < startedAt
      return isOpen ? { subject } : undefined
    }
    await changeSid(issuer, sid, next, NEW)
    return isOpen
  }

  /** Whose it is. Of one that isn't known yet it is noted that it is over, for a sign-in that is on its way. */
  async function subjectOf(issuer: string, sid: string): Promise<string | undefined> {
    let owner: string | undefined
    await changeSid(issuer, sid, ({ subject }) => {
      owner = subject
      return subject === undefined ? { endedAt: now() } : undefined
    })
    return owner
  }

  async function workingOf(sessions: readonly ListedSession[]): Promise<ListedSession[]> {
    const areThere = await Promise.all(sessions.map(({ name }) => store.has(name)))
    return sessions.filter((_, index) => areThere[index])
  }

  return {
    /**
     * Lists a session that is stored, before its browser gets the cookie. Ends the earliest that the list has no room for.
     * @param startedAt milliseconds since 1970, when the browser was sent away to sign in
     * @returns false when the authorization server has ended this sign-in since: it must not be used
     */
    async add(user: Identity, session: ListedSession, startedAt: number): Promise<boolean> {
      const { sid } = session
      const isClaimed = sid === undefined ? true : claim(user, sid, startedAt)
      let surplus: ListedSession[] = []
      const next = (list: SessionList) => {
        const others = list.sessions.filter(({ name }) => name !== session.name)
        // What a logout has ended may still be there, where the process died in between.
        const kept = others.filter((one) => !isOver(list, one.sid, one.time)).slice(1 - MAX_SESSIONS)
        surplus = others.filter((one) => !kept.includes(one))
        return { ...list, sessions: [...kept, session] }
      }
      const [isOpen, list] = await Promise.all([isClaimed, changeList(user, next, NEW)])
      await Promise.all(surplus.map(({ name }) => store.end(name)))
      return isOpen && !isOver(list, sid, startedAt)
    },

    /** Those that work. */
    async list(user: Identity): Promise<ListedSession[]> {
      const { sessions } = await changeList(user, () => undefined)
      return await workingOf(sessions)
    },

    /** OpenID Connect Back-Channel Logout 1.0 2.7, also for sign-ins under way. @returns how many sessions ended */
    async endThere(issuer: string, { sub, sid }: { sub?: string; sid?: string }): Promise<number> {
      const subject = sub ?? (await subjectOf(issuer, sid ?? ''))
      if (subject === undefined) return 0
      const user = { issuer, subject }
      // Written first: a sign-in that is listed later finds it, and one that was listed before is found below.
      const marking = changeList(user, (list) => ({ ...list, ended: [...list.ended, { at: now(), sid }] }))
      const marked = await marking.catch(() => undefined)
      const { sessions } = marked ?? (await changeList(user, () => undefined))
      const ended = await workingOf(sessions.filter((one) => isNamed(sid, one.sid)))
      await Promise.all(ended.map(({ name }) => store.end(name)))
      // A store that is full takes no mark, and still forgets.
      await marking
      return ended.length
    },
  }
}
