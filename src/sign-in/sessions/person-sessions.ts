// Where a person is signed in: a sealed list for each person, and whose a session id of the authorization server (sid) is.
// It names sessions by the hash of their id, so that a reader can end a session and open none.
import { createChanges } from '../../records/change.ts'
import type { Installation } from '../../records/installation.ts'
import type { Records } from '../../records/records.ts'
import { sealedJson } from '../../records/sealed-json.ts'
import type { SessionStore } from '../../session/session-store.ts'
import type { User } from '../../session/signed-in.ts'
import { isNamed, isOver, living, MAX_SESSIONS, type ListedSession, type SessionList } from './list.ts'

type Identity = Pick<User, 'issuer' | 'subject'>

export type PersonSessions = {
  /**
   * Lists a session that is stored, before its browser gets the cookie. Ends the earliest that the list has no room for.
   * @param startedAt milliseconds since 1970, when the browser was sent away to sign in
   * @returns false when the authorization server has ended this sign-in since: it must not be used
   */
  add(user: Identity, session: ListedSession, startedAt: number): Promise<boolean>
  /** Those that work. */
  list(user: Identity): Promise<ListedSession[]>
  /**
   * The authorization server ended this session of its own, or the person everywhere: ends those sign-ins here, also
   * those that are still on their way (OpenID Connect Back-Channel Logout 1.0, 2.7). @returns how many
   */
  endThere(issuer: string, named: { sub?: string; sid?: string }): Promise<number>
}

type Needs = {
  records: Pick<Records, 'get' | 'compareAndSet'>
  installation: Installation
  store: Pick<SessionStore, 'has' | 'end'>
  /** SESSION_MAX_HOURS, in seconds. */
  maxSeconds: number
  now: () => number
}

/** Whose a sid is, or that it was ended before anyone here signed in with it. */
type SidRecord = Partial<Identity> & { endedAt?: number }

const ENDED_SECONDS = 3_600

export function createPersonSessions({
  records,
  installation,
  store,
  maxSeconds,
  now,
}: Needs): PersonSessions {
  const change = createChanges(records)

  async function kept() {
    const { sealer, nameOf } = await installation.vault()
    return {
      lists: sealedJson<SessionList>(sealer),
      sids: sealedJson<SidRecord>(sealer),
      keyOf: ({ issuer, subject }: Identity) => `sessions-of:${nameOf('sessions', `${issuer}\n${subject}`)}`,
      sidKeyOf: (issuer: string, sid: string) => `sid:${nameOf('sid', `${issuer}\n${sid}`)}`,
    }
  }

  /** @param next may run more than once; undefined changes nothing @returns the list as it was changed, or was */
  async function changeList(user: Identity, next: (list: SessionList) => SessionList | undefined) {
    const { lists, keyOf } = await kept()
    const key = keyOf(user)
    let list: SessionList = { sessions: [], ended: [] }
    await change({
      key,
      next(text) {
        list = living(lists.open(text, key) ?? { sessions: [], ended: [] }, now(), maxSeconds)
        const changed = next(list)
        list = changed ?? list
        return changed && { text: lists.seal(changed, key), seconds: maxSeconds }
      },
    })
    return list
  }

  /** @returns false where this sid was ended after `startedAt` */
  async function claim({ issuer, subject }: Identity, sid: string, startedAt: number): Promise<boolean> {
    const { sids, sidKeyOf } = await kept()
    const key = sidKeyOf(issuer, sid)
    let isOpen = true
    await change({
      key,
      next(text) {
        const { endedAt = -Infinity } = sids.open(text, key) ?? {}
        isOpen = endedAt < startedAt
        return isOpen ? { text: sids.seal({ issuer, subject }, key), seconds: maxSeconds } : undefined
      },
      // Most sign-ins have a sid of their own.
      guess: { text: undefined },
    })
    return isOpen
  }

  /** Whose it is. Of one that isn't known yet it is noted that it is over, for a sign-in that is on its way. */
  async function ownerOf(issuer: string, sid: string): Promise<Identity | undefined> {
    const { sids, sidKeyOf } = await kept()
    const key = sidKeyOf(issuer, sid)
    let owner: Identity | undefined
    await change({
      key,
      next(text) {
        const { subject } = sids.open(text, key) ?? {}
        owner = subject === undefined ? undefined : { issuer, subject }
        return owner ? undefined : { text: sids.seal({ endedAt: now() }, key), seconds: ENDED_SECONDS }
      },
    })
    return owner
  }

  async function workingOf(sessions: readonly ListedSession[]): Promise<ListedSession[]> {
    const areThere = await Promise.all(sessions.map(({ name }) => store.has(name)))
    return sessions.filter((_, index) => areThere[index])
  }

  return {
    async add(user, session, startedAt) {
      const isClaimed = session.sid === undefined ? true : claim(user, session.sid, startedAt)
      let surplus: ListedSession[] = []
      const adding = changeList(user, (list) => {
        const others = list.sessions.filter(({ name }) => name !== session.name)
        // What a logout has ended may still be there, where the process died in between.
        const kept = others.filter(({ sid, time }) => !isOver(list, sid, time)).slice(1 - MAX_SESSIONS)
        surplus = others.filter((one) => !kept.includes(one))
        return isOver(list, session.sid, startedAt) ? undefined : { ...list, sessions: [...kept, session] }
      })
      const [isOpen, list] = await Promise.all([isClaimed, adding])
      await Promise.all(surplus.map(({ name }) => store.end(name)))
      return isOpen && !isOver(list, session.sid, startedAt)
    },
    async list(user) {
      const { sessions } = await changeList(user, () => undefined)
      return await workingOf(sessions)
    },
    async endThere(issuer, { sub, sid }) {
      const user = sub === undefined ? await ownerOf(issuer, sid ?? '') : { issuer, subject: sub }
      if (user === undefined) return 0
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
