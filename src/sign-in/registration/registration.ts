// Dynamic registration as a life cycle (RFC 7591): one registration over all processes, kept sealed, taken up again after
// a restart, made anew when its secret expires, when the server's management address says that it is gone (RFC 7592), or
// when other things are asked for (which are part of the record's name).
import { setTimeout as pause } from 'node:timers/promises'
import { takeLease } from '../../records/lease.ts'
import type { Records } from '../../records/records.ts'
import type { Installation } from '../../records/installation.ts'
import { sealedJson } from '../../records/sealed-json.ts'
import { signInUnavailable } from '../answer-problems.ts'
import type { Registered } from './answer.ts'
import { readStanding } from './request.ts'

export type Kept = Registered & {
  /** Milliseconds since 1970. */
  registered_at: number
}

export type Registration = {
  /** The client as it is registered, if it is and lasts a while. */
  stored(): Promise<Kept | undefined>
  /**
   * The same, registering it first if it is not there or the server says that it is gone: for background work only.
   * @param register asks the server @throws {Problem} what `register` throws, sign_in_unavailable
   */
  current(register: () => Promise<Registered>): Promise<Kept>
  /** For the operator: the next start registers again. @returns the client that was forgotten */
  forget(): Promise<Registered | undefined>
}

export type RegistrationNeeds = {
  records: Pick<Records, 'get' | 'put' | 'remove' | 'compareAndSet' | 'compareAndRemove'>
  installation: Installation
  /** What is asked for, and where: another identity is another registration. */
  identity: string
  now: () => number
}

const LIFE_SECONDS = 5 * 365 * 24 * 3600
const RENEW_AHEAD_MS = 3600 * 1000
const WAIT_FOR_OTHERS_MS = 10_000
const LOOK_EVERY_MS = 200

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

export function createRegistration({
  records,
  installation,
  identity,
  now,
}: RegistrationNeeds): Registration {
  async function opened() {
    const { sealer, nameOf } = await installation.vault()
    return { key: `client:${nameOf('client', identity)}`, json: sealedJson<Kept>(sealer) }
  }

  async function stored(): Promise<Kept | undefined> {
    const { key, json } = await opened()
    const client = json.open(await records.get(key), key)
    return client && isLasting(client, now()) ? client : undefined
  }

  async function save(client: Kept): Promise<Kept> {
    const { key, json } = await opened()
    await records.put(key, json.seal(client, key), LIFE_SECONDS)
    return client
  }

  /** A server whose management address refuses a client that it has just made can't be asked there. */
  async function registerNew(register: () => Promise<Registered>): Promise<Kept> {
    const client = await save({ ...(await register()), registered_at: now() })
    const { standing, renewed } = await readStanding(client)
    const { registration_client_uri: _uri, ...unmanaged } = client
    if (standing === 'gone') return await save(unmanaged)
    return renewed === undefined ? client : await save({ ...client, ...renewed })
  }

  async function currentAlone(register: () => Promise<Registered>): Promise<Kept> {
    const client = await stored()
    if (client === undefined) return await registerNew(register)
    const { standing, renewed } = await readStanding(client)
    if (standing === 'gone') return await registerNew(register)
    return renewed === undefined ? client : await save({ ...client, ...renewed })
  }

  return {
    stored,
    async current(register) {
      for (const until = now() + WAIT_FOR_OTHERS_MS; now() < until; await pause(LOOK_EVERY_MS)) {
        const lease = await takeLease(records, (await opened()).key)
        if (lease !== undefined) return await currentAlone(register).finally(() => lease.release())
        // The holder of the lease asks whether it is still known.
        const client = await stored()
        if (client !== undefined) return client
      }
      throw signInUnavailable('another process holds the lease to register the client and does not finish')
    },
    async forget() {
      const { key, json } = await opened()
      const client = json.open(await records.get(key), key)
      await records.remove(key)
      return client
    },
  }
}
