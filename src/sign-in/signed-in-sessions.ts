// Where a person is signed in: a list per person, and who a session id of the authorization server (sid) belongs to.
// It names sessions by the hash under which they are kept, so whoever reads it can end a session and open none.
import type { Records } from '../records/records.ts'
import { updateJson, type JsonRecord } from '../records/update.ts'
import { nameOf } from '../session/seal.ts'
import type { User } from '../session/session.ts'

export type SignedInSession = {
  /** The hash of the session id. */
  name: string
  /** The authorization server's own session (OpenID Connect Back-Channel Logout 1.0). */
  sid?: string
  /** Milliseconds since 1970. */
  signedInAt: number
  /** "Firefox on Linux", for people to recognize it by. */
  device: string
}

type Identity = Pick<User, 'issuer' | 'subject'>

export type SignedInSessions = {
  add(user: Identity, session: SignedInSession): Promise<void>
  list(user: Identity): Promise<SignedInSession[]>
  /** Ends those that match: their tokens first, so that nothing a request in flight writes back is a sign-in. */
  end(user: Identity, matches: (session: SignedInSession) => boolean): Promise<number>
  /** Whose session of the authorization server this is. */
  userOfSid(issuer: string, sid: string): Promise<Identity | undefined>
}

export type SignedInSessionsParts = {
  records: Pick<Records, 'get' | 'put' | 'compareAndSet'>
  /** Ends one session by its name: its tokens and itself. */
  endByName: (name: string) => Promise<void>
  maxSeconds: number
  now: () => number
}

const MOST_SESSIONS = 100

export function createSignedInSessions(parts: SignedInSessionsParts): SignedInSessions {
  const { records, endByName, maxSeconds, now } = parts
  const isLiving = (session: SignedInSession) => now() - session.signedInAt < maxSeconds * 1000
  const recordOf = ({ issuer, subject }: Identity): JsonRecord<SignedInSession[]> => ({
    key: `sign-ins:${nameOf(`${issuer}\n${subject}`)}`,
    seconds: maxSeconds,
    read: (text) => (text === undefined ? [] : (JSON.parse(text) as SignedInSession[]).filter(isLiving)),
  })
  const sidKey = (issuer: string, sid: string) => `sid:${nameOf(`${issuer}\n${sid}`)}`

  return {
    async add(user, session) {
      const { issuer, subject } = user
      if (session.sid !== undefined)
        await records.put(sidKey(issuer, session.sid), JSON.stringify({ issuer, subject }), maxSeconds)
      await updateJson(records, recordOf(user), (sessions) => [...sessions, session].slice(-MOST_SESSIONS))
    },
    async list(user) {
      const { key, read } = recordOf(user)
      return read(await records.get(key))
    },
    async end(user, matches) {
      const { key, read } = recordOf(user)
      const ending = read(await records.get(key)).filter(matches)
      for (const session of ending) await endByName(session.name)
      const ended = new Set(ending.map((session) => session.name))
      if (ended.size > 0)
        await updateJson(records, recordOf(user), (all) => all.filter(({ name }) => !ended.has(name)))
      return ended.size
    },
    async userOfSid(issuer, sid) {
      const text = await records.get(sidKey(issuer, sid))
      return text === undefined ? undefined : (JSON.parse(text) as Identity)
    },
  }
}
