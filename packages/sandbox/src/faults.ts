// Where an authorization server can be made to lie: its answers are rewritten after oidc-provider made them.
// A new fault: name it in fault-switches.ts, then do it in the function of the answer that it changes.
import { setTimeout as sleep } from 'node:timers/promises'
import type { JWK } from 'jose'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Faults } from './control/fault-switches.ts'
import { elsewhere, faultyIdToken } from './provider/faulty-id-tokens.ts'
import { metadataFaults, plainUserinfo } from './provider/faulty-metadata.ts'
import type { Person } from './people.ts'
import type { ProviderStore } from './provider/store.ts'

type Json = Record<string, unknown>
type FaultOptions = {
  faults: Faults
  key: JWK
  store: ProviderStore
  /** The person that an access token stands for. */
  holderOf: (accessToken: string) => Promise<Person | undefined>
  answer: () => Promise<void>
}

/**
 * Answers a request to oidc-provider as the faults say.
 * @param answer lets oidc-provider answer; not called when the fault comes before that
 * @param key signs changed id_tokens
 */
export async function withFaults(ctx: KoaContextWithOIDC, options: FaultOptions) {
  const { faults, store, holderOf, answer } = options
  if (ctx.method === 'POST' && ctx.path === '/reg' && faults.registration?.closed) {
    ctx.status = faults.registration.closed
    ctx.body = { error: 'access_denied', error_description: 'registration is closed' }
    return
  }
  if (ctx.path === '/me' && faults.metadata?.plainOAuth) await plainUserinfo(ctx, holderOf)
  else await answer()
  metadataFaults(ctx, faults)
  const route = ctx.oidc?.route
  if (route === 'authorization' || route === 'resume') authorizationFaults(ctx, faults)
  if (route === 'token') await tokenFaults(ctx, options)
  if (ctx.path === '/me') userinfoFaults(ctx, faults)
  if (route === 'registration') registrationFaults(ctx, faults, store)
}

function authorizationFaults(ctx: KoaContextWithOIDC, faults: Faults): void {
  const { authorizationAnswer: fault, authorizationError } = faults
  const location: string | undefined = ctx.response.get('location')
  const callback = ctx.oidc.params?.['redirect_uri']
  if (typeof callback !== 'string' || !location?.startsWith(callback)) return
  const url = new URL(location)
  if (authorizationError) {
    url.searchParams.delete('code')
    url.searchParams.set('error', authorizationError.error)
    if (authorizationError.description)
      url.searchParams.set('error_description', authorizationError.description)
  }
  if (fault === 'wrongIss') url.searchParams.set('iss', elsewhere)
  if (fault === 'missingIss') url.searchParams.delete('iss')
  if (fault === 'wrongState') url.searchParams.set('state', 'another-state')
  if (fault === 'missingState') url.searchParams.delete('state')
  if (fault === 'duplicateState') url.searchParams.append('state', url.searchParams.get('state') ?? '')
  if (fault === 'missingCode') url.searchParams.delete('code')
  ctx.set('location', url.href)
}

type TokenFaultOptions = Pick<FaultOptions, 'faults' | 'key' | 'store'>

async function tokenFaults(
  ctx: KoaContextWithOIDC,
  { faults, key, store }: TokenFaultOptions,
): Promise<void> {
  const grant = ctx.oidc.params?.['grant_type']
  if (faults.token && [undefined, grant].includes(faults.token.grant))
    await tokenEndpointFaults(ctx, faults.token, store)
  const body = jsonOf(ctx)
  // Clients may take everything from the id_token; a fault of userinfo shows only where they have to ask there.
  const fault = faults.idToken ?? (faults.userinfo === undefined ? undefined : 'subOnly')
  if (!fault || typeof body['id_token'] !== 'string') return
  if (fault.endsWith('OnRefresh') && grant !== 'refresh_token') return
  if (fault === 'missing') delete body['id_token']
  else {
    const secret = ctx.oidc.client?.clientSecret ?? 'there is no client secret here'
    body['id_token'] = await faultyIdToken(body['id_token'], fault, { key, secret })
  }
}

async function tokenEndpointFaults(
  ctx: KoaContextWithOIDC,
  fault: NonNullable<Faults['token']>,
  store: ProviderStore,
): Promise<void> {
  if (fault.delayMs) await sleep(fault.delayMs)
  const body = jsonOf(ctx)
  if (fault.error) {
    forgetRotation(ctx, store)
    ctx.status = fault.status ?? (fault.error === 'invalid_client' ? 401 : 400)
    ctx.body = { error: fault.error, error_description: 'a fault of the sandbox' }
    return
  }
  if (fault.withoutRefreshToken) delete body['refresh_token']
  if (fault.withoutExpiresIn) delete body['expires_in']
  if (fault.expiresIn !== undefined) body['expires_in'] = fault.expiresIn
  if (fault.tokenType) body['token_type'] = fault.tokenType
}

/** A refused client has used nothing up: the refresh token is as good as before. */
function forgetRotation(ctx: KoaContextWithOIDC, store: ProviderStore): void {
  const used: { jti?: string } | undefined = ctx.oidc.entities?.RotatedRefreshToken
  const found = store.list('RefreshToken').find(({ id }) => id === used?.jti)
  if (found) delete found.payload.consumed
}

function userinfoFaults(ctx: KoaContextWithOIDC, { userinfo: fault }: Faults): void {
  const body = jsonOf(ctx)
  if (!fault || ctx.status !== 200) return
  if (fault === 'otherSub') body['sub'] = 'somebody-else'
  if (fault === 'noSub') delete body['sub']
  if (fault === 'noEmail') delete body['email']
}

function registrationFaults(
  ctx: KoaContextWithOIDC,
  { registration: fault }: Faults,
  store: ProviderStore,
): void {
  const body = jsonOf(ctx)
  if (!fault?.secretSeconds || ctx.status !== 201 || !body['client_secret']) return
  body['client_secret_expires_at'] = Math.floor(Date.now() / 1000) + fault.secretSeconds
  const { registration_client_uri: _uri, registration_access_token: _token, ...metadata } = body
  store.put('Client', String(body['client_id']), metadata)
}

/** The body of the answer, to be changed in place; an empty object where there is none. */
function jsonOf({ body }: KoaContextWithOIDC): Json {
  return isJson(body) ? body : {}
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null
}
