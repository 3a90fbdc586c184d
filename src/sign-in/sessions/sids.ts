// Who a session id of the authorization server (sid) belongs to, for logout tokens that name nothing else. A logout may
// arrive before the sign-in that it ends is finished, so an unknown sid is remembered as ended.
import type { Records } from '../../records/records.ts'
import { nameOf, type Sealer } from '../../session/seal.ts'
import type { User } from '../../session/session.ts'

export type Identity = Pick<User, 'issuer' | 'subject'>

/** Version 0.1 wrote the identity alone, and in clear. */
type SidRecord = Partial<Identity> & { endedAt?: number }

export type Sids = {
  /** @param startedAt milliseconds since 1970 @returns false when it was ended since then */
  add(user: Identity, sid: string, startedAt: number): Promise<boolean>
  /** Whose it is; undefined where that is not known yet, which then counts as ended. */
  end(issuer: string, sid: string): Promise<Identity | undefined>
}

export type SidsParts = {
  records: Pick<Records, 'get' | 'put' | 'compareAndSet'>
  sealer: Pick<Sealer, 'seal' | 'open'>
  maxSeconds: number
  now: () => number
}

/** A sign-in that takes longer than this is over anyway. */
const ENDED_SECONDS = 3600

export function createSids({ records, sealer, maxSeconds, now }: SidsParts): Sids {
  const keyOf = (issuer: string, sid: string) => `sid:${nameOf(`${issuer}\n${sid}`)}`
  const sealed = (key: string, record: SidRecord) => sealer.seal(JSON.stringify(record), key)

  function read(key: string, text: string | undefined): SidRecord {
    const plain = text?.startsWith('{') ? text : sealer.open(text ?? '', key)
    return plain === undefined ? {} : (JSON.parse(plain) as SidRecord)
  }

  return {
    async add({ issuer, subject }, sid, startedAt) {
      const key = keyOf(issuer, sid)
      const record = sealed(key, { issuer, subject })
      if (await records.compareAndSet(key, undefined, record, maxSeconds)) return true
      const { endedAt } = read(key, await records.get(key))
      if (endedAt !== undefined && startedAt <= endedAt) return false
      await records.put(key, record, maxSeconds)
      return true
    },
    async end(issuer, sid) {
      const key = keyOf(issuer, sid)
      const ended = sealed(key, { endedAt: now() })
      if (await records.compareAndSet(key, undefined, ended, ENDED_SECONDS)) return undefined
      const { subject } = read(key, await records.get(key))
      return subject === undefined ? undefined : { issuer, subject }
    },
  }
}
