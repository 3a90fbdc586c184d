// Sign-ins that were started and not finished: a record each, named by its state, so any number of tabs works while the
// cookie stays one small id. A finished one is remembered for a while, so a second callback lands on the result.
import type { Records } from '../records/records.ts'
import { nameOf, type Sealer } from '../session/seal.ts'
import type { Wish } from './prompt.ts'
import type { Room } from './room.ts'

export type PendingSignIn = {
  kind: 'pending'
  /** The browser that started it (session.browser): nobody else's answer counts (RFC 9700 4.7). */
  browser: string
  verifier: string
  nonce: string | undefined
  returnTo: string
  /** Milliseconds since 1970. */
  startedAt: number
  /** The person asked for another account. */
  wish?: Wish
}

export type FinishedSignIn = { kind: 'finished'; browser: string; returnTo: string }

export type PendingSignIns = {
  /** Is there room for another? @throws {Problem} as `add` does */
  checkRoom(network: string): Promise<void>
  /**
   * @param network whose room it takes
   * @param also is written at the same time; where there is no room, neither is
   * @throws {Problem} 503 when those under way take all the room that there is, 429 all that this network gets
   */
  add(
    state: string,
    signIn: Omit<PendingSignIn, 'kind'>,
    network: string,
    also?: () => Promise<void>,
  ): Promise<void>
  find(state: string): Promise<PendingSignIn | FinishedSignIn | undefined>
  /** Consumes it: of any number of callbacks one gets true, and only that one may redeem the code. */
  finish(state: string, signIn: PendingSignIn): Promise<boolean>
  /** It ended in somebody who is signed in: its room is free for another. */
  succeeded(signIn: PendingSignIn, network: string): Promise<void>
}

/** Anyone can make us write these, so they are soon gone. */
export const PENDING_SECONDS = 600
const FINISHED_SECONDS = 600

/** Besides the record: the names, and the session of the browser. */
const OVERHEAD_BYTES = 700
/** Redis keeps text in pieces of fixed sizes. */
const SHARE_OF_ALLOCATION = 1.25

/** Bytes that a sign-in takes in Redis, rounded up; measured with MEMORY USAGE. */
const costOf = (sealed: string) => Math.ceil(sealed.length * SHARE_OF_ALLOCATION) + OVERHEAD_BYTES

export function createPendingSignIns(
  records: Pick<Records, 'get' | 'put' | 'compareAndSet'>,
  sealer: Sealer,
  room: Room,
): PendingSignIns {
  const keyOf = (state: string) => `sign-in:${nameOf(state)}`
  const holderOf = (state: string) => `sign-in:${state}`
  /** What was read, as it stands in the store: consuming compares with it. */
  const stored = new WeakMap<PendingSignIn, string>()

  return {
    checkRoom: (network) => room.check(network),
    async add(state, signIn, network, also) {
      const plain = JSON.stringify({ kind: 'pending', ...signIn })
      const sealed = sealer.seal(plain, holderOf(state))
      await room.take(costOf(sealed), network)
      await Promise.all([records.put(keyOf(state), sealed, PENDING_SECONDS), also?.()])
    },
    async find(state) {
      const sealed = await records.get(keyOf(state))
      const plain = sealed === undefined ? undefined : sealer.open(sealed, holderOf(state))
      if (sealed === undefined || plain === undefined) return undefined
      const signIn = JSON.parse(plain) as PendingSignIn | FinishedSignIn
      if (signIn.kind === 'pending') stored.set(signIn, sealed)
      return signIn
    },
    async finish(state, signIn) {
      const { browser, returnTo } = signIn
      const plain = JSON.stringify({ kind: 'finished', browser, returnTo } satisfies FinishedSignIn)
      const finished = sealer.seal(plain, holderOf(state))
      return await records.compareAndSet(keyOf(state), stored.get(signIn), finished, FINISHED_SECONDS)
    },
    async succeeded(signIn, network) {
      const sealed = stored.get(signIn)
      if (sealed !== undefined) await room.giveBack(costOf(sealed), network)
    },
  }
}
