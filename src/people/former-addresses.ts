// Remembers who owned a former address until when, so that a link belongs to the person it was sent to. Each former
// address has a sealed record, named by an HMAC like a person's.
import { changeRecord } from '../records/change.ts'
import type { DataKey, KeyRing } from '../records/data-key.ts'
import type { Records } from '../records/records.ts'
import { sealedJson } from '../records/seal.ts'
import { normalizedAddress } from './address.ts'

/** At `until` (milliseconds since 1970), the person moved to `email`. */
type Move = { email: string; until: number }

/** Both methods throw {StoreUnavailable}. */
export const createFormerAddresses = (records: Pick<Records, 'get' | 'compareAndSet'>, keyRing: KeyRing) => ({
  /** @returns the current address of the person who owned this address at `at` */
  async follow(email: string, at: number): Promise<string> {
    const dataKey = await keyRing.dataKey()
    for (let [address, time] = [normalizedAddress(email), at]; ;) {
      const key = formerAddressKey(dataKey, address)
      const move = movesIn(dataKey, key, await records.get(key)).find(({ until }) => until > time)
      if (move === undefined) return address
      ;[address, time] = [move.email, move.until]
    }
  },
  async change(email: string, seconds: number, change: (moves: Move[]) => Move[]): Promise<void> {
    const dataKey = await keyRing.dataKey()
    const key = formerAddressKey(dataKey, email)
    const { seal } = sealedJson<Move[]>(dataKey.sealer)
    await changeRecord(records, {
      key,
      next: (text) => {
        const moves = change(movesIn(dataKey, key, text))
        return { text: seal(moves, key), seconds: moves.length === 0 ? 1 : seconds }
      },
    })
  },
})

/** @returns no moves if the record is unreadable */
const movesIn = ({ sealer }: DataKey, key: string, text: string | undefined): Move[] =>
  sealedJson<Move[]>(sealer).open(text, key) ?? []

const formerAddressKey = ({ keyFor }: DataKey, email: string): string =>
  `former-address:${keyFor('former address', normalizedAddress(email))}`
