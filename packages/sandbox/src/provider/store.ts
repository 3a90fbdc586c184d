// The state of an authorization server, in memory. It outlives the provider, so that keys can be rotated (by a new
// provider over the same store) without signing anyone out.
import type { Adapter, AdapterPayload } from 'oidc-provider'
import type { Person } from '../people.ts'
import type { SwitchesControl } from '../switches.ts'

export type IssuerConfig = {
  /** Without a trailing slash. */
  issuer: string
  /** The name on the issuer's pages, for example "Sign in to the service". */
  site: string
  people: Person[]
  /** Shown below a person's name. */
  describe: (person: Person) => string
  switches: SwitchesControl
}

type StoredModel = { model: string; payload: AdapterPayload; expiresAt: number }

const GRANTED = ['AccessToken', 'AuthorizationCode', 'RefreshToken']

export class ProviderStore {
  /** Clients' responses to logout tokens, oldest first. */
  readonly logouts: { status: number }[] = []
  private readonly entries = new Map<string, StoredModel>()

  list(model: string): AdapterPayload[] {
    const storedModels = [...this.entries.values()].filter((entry) => entry.model === model)
    return storedModels.filter(({ expiresAt }) => expiresAt > Date.now()).map(({ payload }) => payload)
  }

  find(model: string, id: string): AdapterPayload | undefined {
    const storedModel = this.entries.get(`${model}:${id}`)
    return storedModel && storedModel.expiresAt > Date.now() ? storedModel.payload : undefined
  }

  put(model: string, id: string, payload: AdapterPayload, seconds = Infinity): void {
    this.entries.set(`${model}:${id}`, { model, payload, expiresAt: Date.now() + seconds * 1000 })
  }

  remove(model: string, id: string): void {
    this.entries.delete(`${model}:${id}`)
  }

  revokeGrant(grantId: string): void {
    this.removeWhere(({ model, payload }) => GRANTED.includes(model) && payload.grantId === grantId)
  }

  expireTokens(): void {
    this.removeWhere(({ model }) => model === 'AccessToken')
  }

  private removeWhere(isGone: (stored: StoredModel) => boolean): void {
    for (const [key, stored] of this.entries) if (isGone(stored)) this.entries.delete(key)
  }

  /** oidc-provider requires an adapter for each model. */
  adapter(model: string): Adapter {
    return {
      upsert: async (id, payload, seconds) => this.put(model, id, payload, seconds),
      find: async (id) => this.find(model, id),
      findByUid: async (uid) => this.list(model).find((payload) => payload.uid === uid),
      findByUserCode: async () => undefined,
      consume: async (id) => void Object.assign(this.find(model, id) ?? {}, { consumed: Date.now() / 1000 }),
      destroy: async (id) => this.remove(model, id),
      revokeByGrantId: async (grantId) => this.revokeGrant(grantId),
    }
  }
}
