// What an authorization server remembers, in memory. It outlives the provider that writes to it,
// so keys can rotate (a new provider over the same store) without signing anyone out.
import type { Adapter, AdapterPayload } from 'oidc-provider'
import type { Person } from '../people.ts'
import type { SwitchesControl } from '../switches.ts'

export type IssuerConfig = {
  /** Without a trailing slash. */
  issuer: string
  /** Shown on its pages, for example "Sign in to the service". */
  site: string
  people: Person[]
  /** A few words about a person, shown below the name. */
  describe: (person: Person) => string
  switches: SwitchesControl
  /** Present: dynamic registration asks for it. */
  initialAccessToken?: string
}

type StoredModel = { model: string; id: string; payload: AdapterPayload; expiresAt: number }

export type ProviderStore = ReturnType<typeof createProviderStore>

const GRANTED = ['AccessToken', 'AuthorizationCode', 'RefreshToken']

/** Creates an empty store. */
export function createProviderStore() {
  const entries = new Map<string, StoredModel>()
  const list = (model: string) =>
    [...entries.values()]
      .filter((stored) => stored.model === model && stored.expiresAt > Date.now())
      .map(({ payload }) => payload)
  const find = (model: string, id: string): AdapterPayload | undefined => {
    const stored = entries.get(`${model}:${id}`)
    return stored && stored.expiresAt > Date.now() ? stored.payload : undefined
  }
  const put = (model: string, id: string, payload: AdapterPayload, seconds = Infinity): void =>
    void entries.set(`${model}:${id}`, { model, id, payload, expiresAt: Date.now() + seconds * 1000 })
  const removeWhere = (isGone: (stored: StoredModel) => boolean): void => {
    for (const [key, stored] of entries) if (isGone(stored)) entries.delete(key)
  }
  const remove = (model: string, id: string): void => void entries.delete(`${model}:${id}`)
  const revokeGrant = (grantId: string): void =>
    removeWhere(({ model, payload }) => GRANTED.includes(model) && payload.grantId === grantId)
  return {
    list,
    find,
    put,
    remove,
    revokeGrant,
    expireTokens: () => removeWhere(({ model }) => model === 'AccessToken'),
    /** The logout tokens that clients were sent, oldest first, and what they answered. */
    logouts: [] as { to: string; token: string; status: number; answer: string }[],
    /** For oidc-provider: one adapter a model. */
    adapter: (model: string): Adapter => ({
      upsert: async (id, payload, seconds) => put(model, id, payload, seconds),
      find: async (id) => find(model, id),
      findByUid: async (uid) => list(model).find((payload) => payload.uid === uid),
      findByUserCode: async () => undefined,
      consume: async (id) => void Object.assign(find(model, id) ?? {}, { consumed: Date.now() / 1000 }),
      destroy: async (id) => remove(model, id),
      revokeByGrantId: async (grantId) => revokeGrant(grantId),
    }),
  }
}
