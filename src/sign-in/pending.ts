// Sign-ins that were started and not finished: a record each, named by its state, so any number of tabs works while the
// cookie stays one small id. A used one is remembered for a while, so a second callback lands on the result.
import type { Records } from '../records/records.ts'
import { nameOf, type Sealer } from '../records/seal.ts'
import { sealedJson } from '../records/sealed-json.ts'
import type { Wish } from './prompt.ts'
import type { Room } from './room.ts'

export type PendingSignIn = {
  verifier: string
  nonce: string | undefined
  returnTo: string
  /** Milliseconds since 1970. */
  startedAt: number
  /** The person asked for another account. */
  wish?: Wish | undefined
  /** Whose room it takes (networkOf). A version before kept none. */
  network?: string | undefined
}

/** One that has its room, and is not written yet. */
export type Prepared = {
  keep(): Promise<void>
  /** It can't be started: its room is free again. */
  drop(): Promise<void>
}

export type TakenSignIn = {
  signIn: PendingSignIn
  /** Of any number of callbacks one may redeem the code: the first from the browser that started (RFC 9700 4.7). */
  mayRedeem: boolean
  /** Bytes of room that it takes. */
  cost: number
}

export type PendingSignIns = {
  /**
   * Takes the room for one.
   * @param browser the one that started it (browserOf)
   * @throws {Problem} 503 when those under way take all the room that there is, 429 all that this network gets
   */
  prepare(state: string, browser: string, signIn: PendingSignIn): Promise<Prepared>
  /** Finds it, and uses it up if this browser started it. @param browser undefined where it is not known (yet) */
  take(state: string, browser: string | undefined): Promise<TakenSignIn | undefined>
  /** It ended with someone signed in: its room is free for another. */
  succeeded(taken: TakenSignIn): Promise<void>
}

/** Anyone can make us write these, so they are soon gone: used or not, after so long. */
export const LIFE_SECONDS = 600
/** Enough for a double click, and for a page that is loaded again. */
const USED_SECONDS = 60
const PENDING_SECONDS = LIFE_SECONDS - USED_SECONDS

/** Besides the record: its name in Redis. */
const OVERHEAD_BYTES = 250
/** Redis keeps text in pieces of fixed sizes. */
const SHARE_OF_ALLOCATION = 1.25

/** Bytes that a sign-in takes in Redis, rounded up; measured with MEMORY USAGE. */
const costOf = (sealed: string) => Math.ceil(sealed.length * SHARE_OF_ALLOCATION) + OVERHEAD_BYTES

const networkIn = ({ network = '' }: PendingSignIn) => network

const keyOf = (state: string) => `sign-in:${nameOf(state)}`
/**
 * In front of the sealed text until the sign-in is used. A writer to the store could put another browser's there, so
 * the sealed text names the browser too.
 */
const markOf = (browser: string) => `${browser}.`

export function createPendingSignIns(
  records: Pick<Records, 'get' | 'put' | 'takeMark'>,
  sealer: Sealer,
  room: Room,
): PendingSignIns {
  const json = sealedJson<PendingSignIn & { browser: string }>({ sealer, version: 1 })
  const holderOf = (state: string) => `sign-in:${state}`

  return {
    async prepare(state, browser, signIn) {
      const text = markOf(browser) + json.seal({ ...signIn, browser }, holderOf(state))
      const [cost, network] = [costOf(text), networkIn(signIn)]
      await room.take(cost, network)
      return {
        keep: () => records.put(keyOf(state), text, PENDING_SECONDS),
        drop: () => room.giveBack(cost, network),
      }
    },
    async take(state, browser) {
      const found =
        browser === undefined
          ? { value: await records.get(keyOf(state)), isTaken: false }
          : await records.takeMark(keyOf(state), markOf(browser), USED_SECONDS)
      if (found?.value === undefined) return undefined
      const { value, isTaken } = found
      const opened = json.open(value.slice(value.indexOf('.') + 1), holderOf(state))
      if (opened === undefined) return undefined
      const { browser: startedBy, ...signIn } = opened
      return { signIn, mayRedeem: isTaken && browser === startedBy, cost: costOf(value) }
    },
    succeeded: ({ cost, signIn }) => room.giveBack(cost, networkIn(signIn)),
  }
}
