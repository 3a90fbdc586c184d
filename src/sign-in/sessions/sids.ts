// Who a session id of the authorization server (sid) belongs to, for logout tokens that name nothing else. A logout may
// arrive before the sign-in that it ends is finished, so an unknown sid is remembered as ended.
import type { Records } from '../../records/records.ts'
import { nameOf, type Sealer } from '../../session/seal.ts'
import { openJson, sealJson } from '../../session/sealed-json.ts'
import type { User } from '../../session/signed-in.ts'

export type Identity = Pick<User, 'issuer' | 'subject'>

type SidRecord = Partial<Identity> & { endedAt?: number }

export type Sids = {
  /** @param startedAt milliseconds since 1970 @returns false when it was ended since then */
  add(user: Identity, sid: string, startedAt: number): Promise<boolean>
  /** Whose it is; undefined where that is not known yet, which then counts as ended. */
  end(issuer: string, sid: string): Promise<Identity | undefined>
}

export type SidsParts = {
  records: Pick<Records, 'get' | 'put' | 'compareAndSet'>
  sealer: Sealer
  maxSeconds: number
  now: () => number
}

/** A sign-in that takes longer than this is over anyway. */
const ENDED_SECONDS = 3600

export function createSids({ records, sealer, maxSeconds, now }: SidsParts): Sids {
  const form = { sealer, version: 1 }
  /** One for each secret: an installation with another one on the same store must not take this one's place. */
  const keysOf = (issuer: string, sid: string) =>
    sealer.keyIds.map((id) => `sid:${nameOf(`${issuer}\n${sid}`)}.${id}`) as [string, ...string[]]

  async function read(key: string): Promise<SidRecord> {
    const text = await records.get(key)
    const found = text === undefined ? undefined : openJson(text, key, form)
    return found?.kind === 'json' ? found.json : {}
  }

  return {
    async add({ issuer, subject }, sid, startedAt) {
      const [key, ...others] = keysOf(issuer, sid)
      const isOver = ({ endedAt }: SidRecord) => endedAt !== undefined && startedAt <= endedAt
      const record = sealJson({ issuer, subject }, key, form)
      if (!(await records.compareAndSet(key, undefined, record, maxSeconds))) {
        if (isOver(await read(key))) return false
        await records.put(key, record, maxSeconds)
      }
      // Written first, as in `end`: a process with the secrets in another order sees it, or is seen.
      for (const other of others) if (isOver(await read(other))) return false
      return true
    },
    async end(issuer, sid) {
      const [key, ...others] = keysOf(issuer, sid)
      const ended = sealJson({ endedAt: now() }, key, form)
      const isUnknown = await records.compareAndSet(key, undefined, ended, ENDED_SECONDS)
      for (const place of isUnknown ? others : [key, ...others]) {
        const { subject } = await read(place)
        if (subject !== undefined) return { issuer, subject }
      }
      return undefined
    },
  }
}
