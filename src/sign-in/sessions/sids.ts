// Who a session id of the authorization server (sid) belongs to, for logout tokens that name nothing else. A logout may
// arrive before the sign-in that it ends is finished, so an unknown sid is remembered as ended.
import { nameOf } from '../../records/seal.ts'
import { readable, sealedJson } from '../../records/sealed-json.ts'
import type { SignInParts } from '../parts.ts'
import type { User } from '../../session/signed-in.ts'

export type Identity = Pick<User, 'issuer' | 'subject'>

type SidRecord = Partial<Identity> & { endedAt?: number }

/** A sign-in that takes longer than this is over anyway. */
const ENDED_SECONDS = 3600

type Parts = Pick<SignInParts, 'records' | 'sealer' | 'maxSeconds' | 'now'>

export function createSids({ records, sealer, maxSeconds, now }: Parts) {
  const json = sealedJson<SidRecord>({ sealer, version: 1 })
  /** One for each secret: an installation with another one on the same store must not take this one's place. */
  const keysOf = (issuer: string, sid: string) =>
    sealer.keyIds.map((id) => `sid:${nameOf(`${issuer}\n${sid}`)}.${id}`) as [string, ...string[]]

  const read = async (key: string) => readable(json, await records.get(key), key) ?? {}

  async function ownerIn(issuer: string, keys: readonly string[]): Promise<Identity | undefined> {
    for (const key of keys) {
      const { subject } = await read(key)
      if (subject !== undefined) return { issuer, subject }
    }
    return undefined
  }

  return {
    /** @param startedAt milliseconds since 1970 @returns false when it was ended since then */
    async add({ issuer, subject }: Identity, sid: string, startedAt: number): Promise<boolean> {
      const [key, ...others] = keysOf(issuer, sid)
      const isOver = ({ endedAt }: SidRecord) => endedAt !== undefined && startedAt <= endedAt
      const record = json.seal({ issuer, subject }, key)
      if (!(await records.compareAndSet(key, undefined, record, maxSeconds))) {
        if (isOver(await read(key))) return false
        await records.put(key, record, maxSeconds)
      }
      // Written first, as in `end`: a process with the secrets in another order sees it, or is seen.
      for (const other of others) if (isOver(await read(other))) return false
      return true
    },
    /** Whose it is; undefined where that is not known yet, which then counts as ended. */
    async end(issuer: string, sid: string): Promise<Identity | undefined> {
      const keys = keysOf(issuer, sid)
      const [key, ...others] = keys
      // Looked for first: a store that is full takes no word of it.
      const known = await ownerIn(issuer, keys)
      if (known !== undefined) return known
      const ended = json.seal({ endedAt: now() }, key)
      const isUnknown = await records.compareAndSet(key, undefined, ended, ENDED_SECONDS)
      return await ownerIn(issuer, isUnknown ? others : keys)
    },
  }
}
