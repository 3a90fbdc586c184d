// Where a person is signed in: a sealed list per person, and who a session id of the authorization server (sid) belongs
// to. It names sessions by the hash under which they are kept, so that a reader can end a session and open none.
import { setTimeout as pause } from 'node:timers/promises'
import { StoreUnavailable, type Records } from '../../records/records.ts'
import { nameOf, type Sealer } from '../../session/seal.ts'
import { jsonIn } from '../../session/sealed-json.ts'
import { createSids, type Identity } from './sids.ts'
import {
  emptyList,
  isUsable,
  living,
  united,
  withEnding,
  without,
  withSession,
  type Ended,
  type SignedInSession,
  type SignInList,
} from './list.ts'

export type { SignedInSession }

export type SignedInSessions = {
  /**
   * Puts a sign-in on the list; it must not work before. Ends what the list has no room for.
   * @param startedAt milliseconds since 1970, when the browser was sent away to sign in
   * @returns false when the authorization server has ended this sign-in since: it must not be used
   */
  add(user: Identity, session: SignedInSession, startedAt: number): Promise<boolean>
  /** Is it still on the list? Asked once its tokens are stored: whatever ends it from then on finds them. */
  has(user: Identity, name: string): Promise<boolean>
  list(user: Identity): Promise<SignedInSession[]>
  /** Ends those that match. @returns how many */
  end(user: Identity, matches: (session: SignedInSession) => boolean): Promise<number>
  /**
   * The authorization server ended this session of its own, or the person everywhere: ends those sign-ins here, those
   * that are still on their way too (OpenID Connect Back-Channel Logout 1.0, 2.7). @returns how many
   */
  endThere(issuer: string, named: { sub?: string; sid?: string }): Promise<number>
}

export type SignedInSessionsParts = {
  records: Pick<Records, 'get' | 'put' | 'compareAndSet' | 'compareAndRemove'>
  sealer: Pick<Sealer, 'seal' | 'open' | 'keyIds'>
  /** Ends one session by its name: its tokens first, so that nothing a request in flight writes back is a sign-in. */
  endByName: (name: string) => Promise<void>
  maxSeconds: number
  now: () => number
}

const MAX_TRIES = 50

const hashOf = ({ issuer, subject }: Identity) => nameOf(`${issuer}\n${subject}`)
/** Until version 0.1 the list was there, in clear; a process of that version may still write it. */
const earlierKeyOf = (user: Identity) => `sign-ins:${hashOf(user)}`

export function createSignedInSessions(parts: SignedInSessionsParts): SignedInSessions {
  const { records, sealer, endByName, maxSeconds, now } = parts
  const sids = createSids(parts)
  const oneByOne = createQueues()

  /**
   * One for each secret: an installation with another one on the same store must not take this one's place. What a
   * retired secret sealed named sessions that no longer open either.
   */
  const keysOf = (user: Identity) => sealer.keyIds.map((id) => `sessions-of:${hashOf(user)}.${id}`)
  const keyOf = (user: Identity) => keysOf(user)[0] ?? ''

  const opened = (key: string, text: string | undefined): SignInList => {
    const plain = text === undefined ? undefined : sealer.open(text, key)
    return living(plain === undefined ? emptyList : (JSON.parse(plain) as SignInList), now(), maxSeconds)
  }

  type Change = (list: SignInList) => SignInList | undefined

  /** Writes the list of a person who has none, and reads it in the same round trip where there is one. */
  async function begun(
    key: string,
    change: Change,
  ): Promise<{ list?: SignInList; was?: string | undefined }> {
    const list = change(emptyList)
    if (list === undefined) return { was: await records.get(key) }
    const sealed = sealer.seal(JSON.stringify(list), key)
    const [isWritten, was] = await Promise.all([
      records.compareAndSet(key, undefined, sealed, maxSeconds),
      records.get(key),
    ])
    return isWritten ? { list } : { was }
  }

  /**
   * Compare-and-set; `change` may run more than once. Undefined changes nothing.
   * @param isNew the person probably has no list yet
   * @throws {StoreUnavailable}
   */
  const update = (user: Identity, change: Change, isNew = false) =>
    oneByOne(keyOf(user), async () => {
      const key = keyOf(user)
      const first = isNew ? await begun(key, change) : { was: await records.get(key) }
      if (first.list !== undefined) return first.list
      for (let tries = 0, { was } = first; tries < MAX_TRIES; tries++, was = await records.get(key)) {
        const list = change(opened(key, was))
        if (list === undefined) return undefined
        const sealed = sealer.seal(JSON.stringify(list), key)
        if (await records.compareAndSet(key, was, sealed, maxSeconds)) return list
        await pause(Math.random() * 4 * (tries + 1))
      }
      throw new StoreUnavailable(new Error(`a list of sign-ins was changed by others ${MAX_TRIES} times`))
    })

  /** Ends what is marked, then takes it off the list: never the other way round. */
  async function finish(user: Identity, { sessions }: SignInList): Promise<number> {
    const names = sessions.filter((session) => !isUsable(session)).map(({ name }) => name)
    if (names.length === 0) return 0
    await Promise.all(names.map(endByName))
    await update(user, (list) => without(list, new Set(names)))
    return names.length
  }

  /** Takes over what a process with the secrets in another order has listed, or one of version 0.1. */
  async function adopt(user: Identity): Promise<void> {
    const earlier = earlierKeyOf(user)
    for (const key of [...keysOf(user).slice(1), earlier]) {
      const text = await records.get(key)
      if (text === undefined) continue
      const other = key === earlier ? earlierList(text) : opened(key, text)
      await update(user, (list) => united(list, other))
      await records.compareAndRemove(key, text)
    }
  }

  async function end(user: Identity, matches: (session: SignedInSession) => boolean, ended?: Ended) {
    await adopt(user)
    const marked = await update(user, (list) => {
      const after = withEnding(list, matches, ended)
      const isSame = ended === undefined && after.sessions.every(isUsable)
      return isSame ? undefined : after
    })
    return marked === undefined ? 0 : await finish(user, marked)
  }

  return {
    async add(user, session, startedAt) {
      if (sealer.keyIds.length > 1) await adopt(user)
      // At once, in either order: what ends the sid afterwards finds the person, and leaves a word on the list.
      const [isOpen, list] = await Promise.all([
        session.sid === undefined || sids.add(user, session.sid, startedAt),
        update(user, (before) => withSession(before, session, startedAt), true),
      ])
      if (list === undefined) return false
      if (!isOpen) {
        await update(user, (before) => without(before, new Set([session.name])))
        return false
      }
      await finish(user, list)
      return true
    },
    async has(user, name) {
      for (const key of keysOf(user)) {
        const { sessions } = opened(key, await records.get(key))
        if (sessions.some((session) => session.name === name && isUsable(session))) return true
      }
      return false
    },
    async list(user) {
      await adopt(user)
      const list = opened(keyOf(user), await records.get(keyOf(user)))
      await finish(user, list)
      return list.sessions.filter(isUsable)
    },
    end: (user, matches) => end(user, matches),
    async endThere(issuer, { sub, sid }) {
      const user = sub === undefined ? await sids.end(issuer, sid ?? '') : { issuer, subject: sub }
      if (user === undefined) return 0
      const ended = { at: now(), ...(sid === undefined ? {} : { sid }) }
      return await end(user, (session) => sid === undefined || session.sid === sid, ended)
    },
  }
}

/** The list as version 0.1 wrote it; what is none names nothing. */
function earlierList(text: string): SignInList {
  const sessions = jsonIn(text)
  return { ...emptyList, sessions: Array.isArray(sessions) ? (sessions as SignedInSession[]) : [] }
}

/** Work on one key waits for the work before it, so that a process does not race itself. */
function createQueues() {
  const last = new Map<string, Promise<unknown>>()
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work, work)
    last.set(key, mine)
    try {
      return await mine
    } finally {
      if (last.get(key) === mine) last.delete(key)
    }
  }
}
