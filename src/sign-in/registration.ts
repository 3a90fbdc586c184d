// Dynamic registration as a life cycle (RFC 7591): one registration over all processes, kept sealed, taken up again
// after a restart, made anew when its secret expires, when the server no longer knows it, or when PUBLIC_URL changed
// (which is part of the record's name).
import { setTimeout as pause } from 'node:timers/promises'
import type { ClientMetadata } from 'openid-client'
import { Problem } from '../problem.ts'
import { takeLease } from '../records/lease.ts'
import type { Records } from '../records/records.ts'
import { nameOf, type Sealer } from '../session/seal.ts'

/** What the server answered: client_id, perhaps a secret and when it expires, the method it wants. */
export type Registered = ClientMetadata & { client_secret_expires_at?: number }

export type Registration = {
  /** The client as it is registered, registering it first if need be. @param register makes one request */
  current(register: () => Promise<Registered>): Promise<Registered>
  /** The authorization server does not know this client any more: forgets it, unless it was replaced already. */
  forget(clientId: string): Promise<void>
}

export type RegistrationParts = {
  records: Pick<Records, 'get' | 'put' | 'compareAndSet' | 'compareAndRemove'>
  sealer: Sealer
  issuer: string
  publicUrl: string
  now: () => number
}

const LIFE_SECONDS = 5 * 365 * 24 * 3600
const RENEW_AHEAD_MS = 3600 * 1000
const WAIT_FOR_OTHERS_MS = 10_000
const LOOK_EVERY_MS = 200

/** Is the secret good for a while yet? 0 means that it does not expire (RFC 7591 3.2.1). */
export const isLasting = (client: Registered, now: number): boolean => {
  const expires = client.client_secret_expires_at ?? 0
  if (client.client_secret === undefined || expires === 0) return true
  const life =
    typeof client['registered_at'] === 'number' ? expires * 1000 - client['registered_at'] : RENEW_AHEAD_MS
  return expires * 1000 - now > Math.min(RENEW_AHEAD_MS, life * 0.1)
}

export function createRegistration({
  records,
  sealer,
  issuer,
  publicUrl,
  now,
}: RegistrationParts): Registration {
  const name = nameOf(`${issuer}\n${publicUrl}`)
  const [key, holder] = [`client:${name}`, `client:${issuer} ${publicUrl}`]

  async function load(): Promise<{ client: Registered; sealed: string } | undefined> {
    const sealed = await records.get(key)
    const plain = sealed === undefined ? undefined : sealer.open(sealed, holder)
    return sealed === undefined || plain === undefined
      ? undefined
      : { sealed, client: JSON.parse(plain) as Registered }
  }

  async function loadLasting(): Promise<Registered | undefined> {
    const found = await load()
    return found !== undefined && isLasting(found.client, now()) ? found.client : undefined
  }

  async function registerAlone(register: () => Promise<Registered>): Promise<Registered | undefined> {
    const lease = await takeLease(records, `client:${name}`)
    if (lease === undefined) return undefined
    try {
      const found = await loadLasting()
      if (found !== undefined) return found
      const client: Registered = { ...(await register()), registered_at: now() }
      await records.put(key, sealer.seal(JSON.stringify(client), holder), LIFE_SECONDS)
      return client
    } finally {
      await lease.release()
    }
  }

  return {
    async current(register) {
      for (const until = now() + WAIT_FOR_OTHERS_MS; now() < until; await pause(LOOK_EVERY_MS)) {
        const client = (await loadLasting()) ?? (await registerAlone(register))
        if (client !== undefined) return client
      }
      const detail = 'another process holds the lease to register the client and does not finish'
      throw new Problem(503, 'sign_in_unavailable', { detail, retryAfter: 5 })
    },
    async forget(clientId) {
      const found = await load()
      if (found?.client.client_id === clientId) await records.compareAndRemove(key, found.sealed)
    },
  }
}
