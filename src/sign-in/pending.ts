// Sign-ins that were started and not finished: a record each, named by its state, so any number of tabs works while the
// cookie stays one small id. A finished one is remembered for a while, so a second callback lands on the result.
import type { Records } from '../records/records.ts'
import { nameOf, type Sealer } from '../session/seal.ts'
import type { Wish } from './prompt.ts'

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
  add(state: string, signIn: Omit<PendingSignIn, 'kind'>): Promise<void>
  find(state: string): Promise<PendingSignIn | FinishedSignIn | undefined>
  /** Consumes it: of any number of callbacks one gets true, and only that one may redeem the code. */
  finish(state: string, signIn: PendingSignIn): Promise<boolean>
}

const PENDING_SECONDS = 3600
const FINISHED_SECONDS = 600

export function createPendingSignIns(
  records: Pick<Records, 'get' | 'put' | 'compareAndSet'>,
  sealer: Sealer,
): PendingSignIns {
  const keyOf = (state: string) => `sign-in:${nameOf(state)}`
  const holderOf = (state: string) => `sign-in:${state}`
  /** What was read, as it stands in the store: consuming compares with it. */
  const stored = new WeakMap<PendingSignIn, string>()

  return {
    async add(state, signIn) {
      const plain = JSON.stringify({ kind: 'pending', ...signIn })
      await records.put(keyOf(state), sealer.seal(plain, holderOf(state)), PENDING_SECONDS)
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
  }
}
