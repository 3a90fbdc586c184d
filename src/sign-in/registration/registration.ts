// Dynamic registration as a life cycle (RFC 7591): one registration over all processes, kept sealed, taken up again after
// a restart, made anew when its secret expires, when the server no longer knows it, or when other things are asked for
// (which are part of the record's name). A server that makes clients which cannot be used is not asked again for an hour.
import { setTimeout as pause } from 'node:timers/promises'
import { createChanges } from '../../records/change.ts'
import { takeLease } from '../../records/lease.ts'
import type { Records } from '../../records/records.ts'
import { nameOf, type Sealer } from '../../session/seal.ts'
import { sealedJson } from '../../session/sealed-json.ts'
import { signInUnavailable } from '../answer-problems.ts'
import type { Registered } from './answer.ts'
import { createRegistrationHistory } from './history.ts'
import type { Outcome } from './request.ts'

export type Kept = Registered & {
  /** Milliseconds since 1970. */
  registered_at: number
  /** Endpoints that refused this client when it was new, so that their refusals say nothing. */
  mute?: string[]
  /** The status that the authorization endpoint refuses made-up clients with, when it did not refuse this one. */
  refusal_of_unknown?: number
}

export type Registration = {
  /** The client as it is registered, if it is and lasts a while. */
  stored(): Promise<Kept | undefined>
  /**
   * The client as it is registered, registering it first if need be.
   * @param register asks the server @throws {Problem} sign_in_misconfigured with the seconds to wait
   */
  current(register: () => Promise<Outcome>): Promise<Kept>
  /** Writes down what was learned of the server with this client, unless it was replaced meanwhile. */
  note(clientId: string, learned: Pick<Kept, 'mute' | 'refusal_of_unknown'>): Promise<void>
  /** Was a client given up within the last ten minutes? */
  wasGivenUp(): Promise<boolean>
  /**
   * The authorization server no longer knows this client: gives it up, unless it was replaced already.
   * @returns false when one was given up within the last ten minutes: then this one stays
   */
  forget(clientId: string): Promise<boolean>
  /** For the operator: forgets the client and everything that holds back the next registration. */
  reset(): Promise<Registered | undefined>
}

export type RegistrationParts = {
  records: Pick<Records, 'get' | 'put' | 'remove' | 'compareAndSet' | 'compareAndRemove'>
  sealer: Sealer
  /** What is asked for, and where: another identity is another registration. */
  identity: string
  now: () => number
}

const LIFE_SECONDS = 5 * 365 * 24 * 3600
const RENEW_AHEAD_MS = 3600 * 1000
const WAIT_FOR_OTHERS_MS = 10_000
const LOOK_EVERY_MS = 200
/** A server that forgets every client at once must not get one with every sign-in. */
const GIVE_UP_EVERY_SECONDS = 600

type Lasting = Pick<Registered, 'client_secret' | 'client_secret_expires_at'> & { registered_at?: unknown }

/** When the client has to be made anew; milliseconds since 1970. 0 means that it does not expire (RFC 7591 3.2.1). */
export function renewalOf(client: Lasting): number {
  const expires = (client.client_secret_expires_at ?? 0) * 1000
  if (client.client_secret === undefined || expires === 0) return Infinity
  const life = typeof client.registered_at === 'number' ? expires - client.registered_at : RENEW_AHEAD_MS
  return expires - Math.min(RENEW_AHEAD_MS, life * 0.1)
}

/** Is the secret good for a while yet? */
export const isLasting = (client: Lasting, now: number): boolean => renewalOf(client) > now

export function createRegistration({ records, sealer, identity, now }: RegistrationParts): Registration {
  const name = nameOf(identity)
  const [key, holder, givenUpKey] = [`client:${name}`, `client:${identity}`, `client-given-up:${name}`]
  const json = sealedJson<Kept>({ sealer, version: 1, wasUnversioned: true })
  const change = createChanges(records)
  const history = createRegistrationHistory({ records, sealer, name, now })
  /** Registered, but not yet written down because the store failed: not to be made again. */
  let unsaved: Kept | undefined

  async function loadLasting(): Promise<Kept | undefined> {
    const client = json.open(await records.get(key), holder)
    return client && isLasting(client, now()) ? client : undefined
  }

  async function save(client: Kept): Promise<Kept> {
    unsaved = client
    await records.put(key, json.seal(client, holder), LIFE_SECONDS)
    unsaved = undefined
    return client
  }

  async function registerAlone(register: () => Promise<Outcome>): Promise<Kept | undefined> {
    const lease = await takeLease(records, `client:${name}`)
    if (lease === undefined) return undefined
    try {
      const found = await loadLasting()
      if (found !== undefined) return found
      if (unsaved !== undefined && isLasting(unsaved, now())) return await save(unsaved)
      await history.begin()
      const outcome = await register().catch(async (error: unknown) => {
        await history.undo()
        throw error
      })
      if (outcome.kind !== 'registered') throw await history.end(outcome)
      return await save({ ...outcome.client, registered_at: now() })
    } finally {
      await lease.release()
    }
  }

  return {
    stored: loadLasting,
    async current(register) {
      for (const until = now() + WAIT_FOR_OTHERS_MS; now() < until; await pause(LOOK_EVERY_MS)) {
        const client = (await loadLasting()) ?? (await registerAlone(register))
        if (client !== undefined) return client
      }
      throw signInUnavailable('another process holds the lease to register the client and does not finish')
    },
    note: (clientId, learned) =>
      change({
        key,
        next(sealed) {
          const client = json.open(sealed, holder)
          if (client?.client_id !== clientId) return undefined
          return { text: json.seal({ ...client, ...learned }, holder), seconds: LIFE_SECONDS }
        },
      }),
    wasGivenUp: async () => (await records.get(givenUpKey)) !== undefined,
    async forget(clientId) {
      const sealed = await records.get(key)
      if (sealed === undefined || json.open(sealed, holder)?.client_id !== clientId) return true
      if (!(await records.compareAndSet(givenUpKey, undefined, 'given up', GIVE_UP_EVERY_SECONDS)))
        return false
      await records.compareAndRemove(key, sealed)
      return true
    },
    async reset() {
      const client = json.open(await records.get(key), holder)
      for (const one of [key, givenUpKey, history.key]) await records.remove(one)
      return client
    },
  }
}
