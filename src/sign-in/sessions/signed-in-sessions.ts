// Where a person is signed in: a sealed list per person, and who a session id of the authorization server (sid) belongs
// to. It names sessions by the hash under which they are kept, so that a reader can end a session and open none.
import { createChanges } from '../../records/change.ts'
import { createOnce } from '../../records/lease.ts'
import { storeTrouble } from '../../records/store-trouble.ts'
import { readable, sealedJson } from '../../records/sealed-json.ts'
import { personKey, type SignIns } from '../../session/signed-in.ts'
import type { SignInParts } from '../parts.ts'
import { createSids, type Identity } from './sids.ts'
import {
  emptyList,
  endedBy,
  isOver,
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

export type SignedInSessions = {
  /**
   * Puts a sign-in on the list, before its browser gets the cookie. Ends what the list has no room for.
   * @param startedAt milliseconds since 1970, when the browser was sent away to sign in
   * @returns false when the authorization server has ended this sign-in since: it must not be used
   */
  add(user: Identity, session: SignedInSession, startedAt: number): Promise<boolean>
  /** Those that work: one that was idle for too long is over, and is taken off. */
  list(user: Identity): Promise<SignedInSession[]>
  /** Ends those that match. @returns how many */
  end(user: Identity, matches: (session: SignedInSession) => boolean): Promise<number>
  /**
   * The authorization server ended this session of its own, or the person everywhere: ends those sign-ins here, also
   * those that are still on their way (OpenID Connect Back-Channel Logout 1.0, 2.7). @returns how many
   */
  endThere(issuer: string, named: { sub?: string; sid?: string }): Promise<number>
}

type Parts = Pick<SignInParts, 'records' | 'sealer' | 'maxSeconds' | 'now'> & {
  log: Record<'warn', (fields: object, message: string) => void>
  signIns: Pick<SignIns, 'end' | 'isKept'>
}

const UNLISTED = 'earlier sign-ins work until they run out, and no logout elsewhere ends them'

export function createSignedInSessions(parts: Parts): SignedInSessions {
  const { records, sealer, signIns, log, maxSeconds, now } = parts
  const json = sealedJson<SignInList>({ sealer, version: 1 })
  const sids = createSids(parts)
  const changeRecord = createChanges(records)

  /**
   * One for each secret: an installation with another one on the same store must not take this one's place. What a
   * retired secret sealed named sessions that no longer open either.
   */
  const keysOf = (user: Identity) => sealer.keyIds.map((id) => `sessions-of:${personKey(user)}.${id}`)
  const keyOf = (user: Identity) => keysOf(user)[0] ?? ''
  const isRotating = sealer.keyIds.length > 1

  type Open = (key: string, text: string | undefined) => SignInList

  /** @throws {StoreUnavailable} also where the list can't be read: it may name sign-ins that are to be ended */
  const opened: Open = (key, text) => living(readable(json, text, key) ?? emptyList, now(), maxSeconds)

  /** For a sign-in, which a list that can't be read must not keep out. */
  const openedAnew: Open = (key, text) => {
    const list = json.open(text, key)
    if (list === undefined && text !== undefined)
      log.warn({ key }, `the list of a person's sign-ins can't be read and begins anew: ${UNLISTED}`)
    return living(list ?? emptyList, now(), maxSeconds)
  }

  /**
   * @param change may run more than once; undefined changes nothing
   * @param open `openedAnew` for a sign-in, whose person probably has no list yet
   */
  async function update(
    user: Identity,
    change: (list: SignInList) => SignInList | undefined,
    open = opened,
  ): Promise<SignInList | undefined> {
    const key = keyOf(user)
    let list: SignInList | undefined
    await changeRecord({
      key,
      next(text) {
        list = change(open(key, text))
        return list && { text: json.seal(list, key), seconds: maxSeconds }
      },
      guess: open === openedAnew ? { text: undefined } : undefined,
    })
    return list
  }

  /** Ends what is marked, then takes it off the list: never the other way round. */
  async function finish(user: Identity, { sessions }: SignInList): Promise<number> {
    const names = sessions.filter((session) => !isUsable(session)).map(({ name }) => name)
    if (names.length === 0) return 0
    await Promise.all(names.map((name) => signIns.end(name)))
    await update(user, (list) => without(list, new Set(names)))
    return names.length
  }

  /**
   * The list, after taking over what processes with the secrets in another order have listed. What surprises: it comes
   * after the own change. Two processes that both write first and then look can't miss each other.
   */
  async function whole(user: Identity, open = opened): Promise<SignInList> {
    const [key = '', ...others] = keysOf(user)
    for (const other of others) {
      const text = await records.get(other)
      if (text === undefined) continue
      await update(user, (list) => united(list, open(other, text)))
      await records.compareAndRemove(other, text)
    }
    return opened(key, await records.get(key))
  }

  /** A hundred questions to the store: tabs that ask at the same moment share the answers. */
  const lookOnce = createOnce<ReadonlySet<string>>()

  async function overOf(usable: readonly SignedInSession[]): Promise<ReadonlySet<string>> {
    const areKept = await Promise.all(usable.map(({ name }) => signIns.isKept(name)))
    return new Set(usable.filter((_, index) => !areKept[index]).map(({ name }) => name))
  }

  type Matches = (session: SignedInSession) => boolean

  /** @throws {StoreUnavailable} also where the sign-ins that are listed have ended, and the list could not be changed */
  async function end(user: Identity, matches: Matches, ended?: Ended): Promise<number> {
    try {
      return await endMarked(user, matches, ended)
    } catch (error) {
      if (!storeTrouble(error).isRefusal) throw error
      // A store that is full takes no marks, and still forgets.
      const { sessions } = opened(keyOf(user), await records.get(keyOf(user)))
      await Promise.all(sessions.filter(matches).map(({ name }) => signIns.end(name)))
      throw error
    }
  }

  async function endMarked(user: Identity, matches: Matches, ended?: Ended): Promise<number> {
    const mark = (word?: Ended) =>
      update(user, (list) => {
        const after = withEnding(list, matches, word)
        return word === undefined && after.sessions.every(isUsable) ? undefined : after
      })
    let marked = await mark(ended)
    if (isRotating) {
      await whole(user)
      marked = (await mark()) ?? marked
    }
    return marked === undefined ? 0 : await finish(user, marked)
  }

  return {
    async add(user, session, startedAt) {
      // At once, in either order: an end of the sid afterwards finds the person, and leaves a word on the list.
      const [isOpen, own] = await Promise.all([
        session.sid === undefined || sids.add(user, session.sid, startedAt),
        update(user, (before) => withSession(before, session, startedAt), openedAnew),
      ])
      if (own === undefined) return false
      const list = isRotating ? await whole(user, openedAnew) : own
      if (!isOpen || isOver(list, session, startedAt)) {
        await update(user, (before) => without(before, new Set([session.name])))
        return false
      }
      await finish(user, list)
      return true
    },
    async list(user) {
      const list = await whole(user)
      await finish(user, list)
      const usable = list.sessions.filter(isUsable)
      const over = await lookOnce(personKey(user), () => overOf(usable))
      // Tidying up: what is over can be told on a store that takes no writes too.
      if (over.size > 0) await update(user, (before) => without(before, over)).catch(() => {})
      return usable.filter(({ name }) => !over.has(name))
    },
    end: (user, matches) => end(user, matches),
    async endThere(issuer, { sub, sid }) {
      const user = sub === undefined ? await sids.end(issuer, sid ?? '') : { issuer, subject: sub }
      if (user === undefined) return 0
      return await end(user, endedBy(sid), { at: now(), sid })
    },
  }
}
