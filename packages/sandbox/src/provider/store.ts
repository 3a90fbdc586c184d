// What an authorization server remembers, in memory. It outlives the provider that writes to it,
// so that keys can rotate (a new provider over the same store) without anybody being signed out.
import type { Adapter, AdapterPayload } from 'oidc-provider'

type Stored = { model: string; id: string; payload: AdapterPayload; expiresAt: number }

export type ProviderStore = {
  /** For oidc-provider: one adapter a model. */
  adapter: (model: string) => Adapter
  put: (model: string, id: string, payload: AdapterPayload) => void
  remove: (model: string, id: string) => void
  /** Forgets every entry of a model. */
  forget: (model: string) => void
  list: (model: string) => { id: string; payload: AdapterPayload }[]
  revokeGrant: (grantId: string) => void
}

const grantable = new Set(['AccessToken', 'AuthorizationCode', 'RefreshToken'])

/** Creates an empty store. */
export function createProviderStore(): ProviderStore {
  const entries = new Map<string, Stored>()
  const live = () => [...entries.values()].filter((stored) => stored.expiresAt > Date.now())
  const put = (model: string, id: string, payload: AdapterPayload, seconds = Infinity) => {
    entries.set(`${model}:${id}`, { model, id, payload, expiresAt: Date.now() + seconds * 1000 })
  }
  const revokeGrant = (grantId: string) => {
    for (const [key, { model, payload }] of entries) {
      if (grantable.has(model) && payload.grantId === grantId) entries.delete(key)
    }
  }
  const find = (model: string, id: string) => {
    const stored = entries.get(`${model}:${id}`)
    return stored && stored.expiresAt > Date.now() ? stored.payload : undefined
  }
  return {
    put,
    revokeGrant,
    remove: (model, id) => void entries.delete(`${model}:${id}`),
    forget(model) {
      for (const [key, stored] of entries) if (stored.model === model) entries.delete(key)
    },
    list: (model) => live().filter((stored) => stored.model === model),
    adapter: (model) => ({
      upsert: async (id, payload, seconds) => put(model, id, payload, seconds),
      find: async (id) => find(model, id),
      findByUid: async (uid) =>
        live().find((stored) => stored.model === model && stored.payload.uid === uid)?.payload,
      findByUserCode: async () => undefined,
      async consume(id) {
        const payload = find(model, id)
        if (payload) payload.consumed = Math.floor(Date.now() / 1000)
      },
      destroy: async (id) => void entries.delete(`${model}:${id}`),
      revokeByGrantId: async (grantId) => revokeGrant(grantId),
    }),
  }
}
