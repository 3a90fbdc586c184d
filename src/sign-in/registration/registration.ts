// Stores the client that onramp registered, sealed and shared by all processes. It is registered again when its secret
// expires, when the server has lost it, or when the settings request something else.
import { setTimeout as pause } from 'node:timers/promises'
import type { ServerMetadata } from 'openid-client'
import type { KeyRing } from '../../records/data-key.ts'
import { takeLease } from '../../records/lease.ts'
import type { Records } from '../../records/records.ts'
import { sealedJson } from '../../records/seal.ts'
import { settingDefinitions, type Settings } from '../../settings/settings.ts'
import type { OnCall } from '../../trace/measure-call.ts'
import type { Log } from '../../web/log.ts'
import type { FindClient } from '../server/authorization-server.ts'
import { createClientAuth, publicJwks, readClientAuthentication } from '../server/client-authentication.ts'
import type { ClientAuthentication } from '../server/client-authentication.ts'
import { signInUnavailable } from '../server/error-response.ts'
import { scopeToRequest, type RegisteredClient } from './metadata.ts'
import { readClient, registerClient } from './register.ts'

const LIFE_SECONDS = 5 * 365 * 24 * 3600
const RENEW_AHEAD_MS = 3600 * 1000
const MAX_WAIT_MS = 10_000
const RETRY_MS = 200
/** Doubled pauses: one late response doesn't stop sign-in for long, and an hour creates at most ten clients. */
const FIRST_PAUSE_SECONDS = 10
const MAX_PAUSE_SECONDS = 3600

/** In milliseconds since 1970. An expiry of 0 means never (RFC 7591 3.2.1). */
function renewalTime(client: RegisteredClient): number {
  const expires = (client.client_secret_expires_at ?? 0) * 1000
  if (client.client_secret === undefined || expires === 0) return Infinity
  const life = typeof client.registered_at === 'number' ? expires - client.registered_at : RENEW_AHEAD_MS
  return expires - Math.min(RENEW_AHEAD_MS, life * 0.1)
}

function identityOf({ PUBLIC_URL, OIDC_ISSUER, OIDC_SCOPE, ...client }: Settings): string {
  const { OIDC_CLIENT_AUTH: method, OIDC_CLIENT_KEY: key = '' } = client
  const jwks = method === 'private_key_jwt' ? JSON.stringify(publicJwks(key)) : ''
  const scope = OIDC_SCOPE.split(' ').toSorted().join(' ')
  return [OIDC_ISSUER, PUBLIC_URL, scope, method, jwks].join('\n')
}

type RegistrationDeps = {
  records: Pick<Records, 'get' | 'put' | 'remove' | 'compareAndSet' | 'compareAndRemove'>
  keyRing: KeyRing
  now: () => number
}

export class Registration {
  readonly #deps: RegistrationDeps
  readonly #identity: string

  constructor(settings: Settings, deps: RegistrationDeps) {
    this.#deps = deps
    this.#identity = identityOf(settings)
  }

  /** @returns undefined if the client has to be registered or renewed */
  async load(): Promise<RegisteredClient | undefined> {
    const { client } = await this.#record()
    return client && renewalTime(client) > this.#deps.now() ? client : undefined
  }

  /** Registers the client if it isn't stored, or the server has lost it. For background work only. @throws {Problem} */
  async ensure(register: () => Promise<RegisteredClient>): Promise<RegisteredClient> {
    const { records, now } = this.#deps
    for (const until = now() + MAX_WAIT_MS; now() < until; await pause(RETRY_MS)) {
      const lease = await takeLease(records, (await this.#record()).key)
      if (lease !== undefined) return await this.#ensureUnderLease(register).finally(() => lease.release())
      // The holder of the lease checks whether the server still has the client.
      const client = await this.load()
      if (client !== undefined) return client
    }
    throw signInUnavailable('timed out waiting for another process to register the client')
  }

  /** Removes the client, so that the next start registers another one. @returns the former client */
  async forget(): Promise<RegisteredClient | undefined> {
    const { key, client } = await this.#record()
    await this.#deps.records.remove(key)
    return client
  }

  async #ensureUnderLease(register: () => Promise<RegisteredClient>): Promise<RegisteredClient> {
    const storedClient = await this.load()
    const current = storedClient === undefined ? 'gone' : await readClient(storedClient)
    if (current !== 'gone') return await this.#save(current, storedClient)
    const client = await this.#save(await register())
    // A management address that denies a client just created is useless.
    const { registration_client_uri: _uri, ...unmanaged } = client
    const read = await readClient(client)
    return await this.#save(read === 'gone' ? unmanaged : read, client)
  }

  async #save(client: RegisteredClient, before?: RegisteredClient): Promise<RegisteredClient> {
    if (client === before) return client
    const { key, json } = await this.#record()
    await this.#deps.records.put(key, json.seal(client, key), LIFE_SECONDS)
    return client
  }

  async #record() {
    const { sealer, keyFor } = await this.#deps.keyRing.dataKey()
    const key = `client:${keyFor('client', this.#identity)}`
    const json = sealedJson<RegisteredClient>(sealer)
    return { key, json, client: json.open(await this.#deps.records.get(key), key) }
  }
}

const defaultScope = settingDefinitions.find(({ name }) => name === 'OIDC_SCOPE')?.default

export function createFindClient(
  settings: Settings,
  deps: RegistrationDeps & { log: Log; onCall: OnCall },
): FindClient {
  const { OIDC_CLIENT_ID: clientId, OIDC_CLIENT_AUTH: method, OIDC_SCOPE: scope } = settings
  const authentication = readClientAuthentication(settings) ?? { method }
  if (clientId !== undefined)
    return async () => ({ metadata: { client_id: clientId }, auth: await createClientAuth(authentication) })
  const registration = new Registration(settings, deps)
  /** Attempts since the last success that may have created a client, each of them another one. */
  let uncertain = 0
  const uncertainPause = () => Math.min(FIRST_PAUSE_SECONDS * 2 ** uncertain++, MAX_PAUSE_SECONDS)
  const register = async (server: ServerMetadata) => {
    const client = await registerClient(settings, server, { ...deps, uncertainPause })
    uncertain = 0
    return client
  }

  return async (server, mayRegister) => {
    const client = mayRegister ? await registration.ensure(() => register(server)) : await registration.load()
    if (client === undefined) return undefined
    const agreed = client.token_endpoint_auth_method as ClientAuthentication['method']
    // An operator's scope is requested unchanged.
    const requested = scope === defaultScope ? scopeToRequest(scope, server, client['scope']) : scope
    return {
      metadata: { ...client, scope: requested },
      auth: await createClientAuth({ ...authentication, method: agreed, secret: client.client_secret }),
      renewAt: renewalTime(client),
    }
  }
}
