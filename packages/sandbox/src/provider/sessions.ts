// Ends sessions at an authorization server: at sign-out, or from outside, as an administrator would.
// Clients get back-channel logout.
import { decodeJwt, type JWK } from 'jose'
import type { AdapterPayload, default as Provider, KoaContextWithOIDC } from 'oidc-provider'
import type { Faults } from '../switches.ts'
import { forgeries } from './forgeries.ts'
import type { ProviderStore } from './store.ts'

/** Missing from oidc-provider's types. */
type Notified = {
  backchannelLogoutUri?: string
  backchannelLogout: (sub: string, sid?: string) => Promise<void>
}

/** Skips oidc-provider's confirmation after a valid id_token_hint, and if no one was signed in. */
export async function endSessionWithoutConfirmation(ctx: KoaContextWithOIDC, store: ProviderStore) {
  const { oidc } = ctx
  if (oidc?.route !== 'end_session' || ctx.status !== 200 || !oidc.session) return
  const { session, provider, params } = oidc
  if (!('IdTokenHint' in oidc.entities) && session.accountId) return
  await endSession(provider, store, session)
  const { post_logout_redirect_uri: uri, state } = params ?? {}
  const destination = new URL(typeof uri === 'string' ? uri : oidc.urlFor('end_session_success'))
  if (typeof uri === 'string' && typeof state === 'string') destination.searchParams.set('state', state)
  ctx.redirect(destination.href)
  ctx.status = 303
}

export async function endSessions(provider: Provider, store: ProviderStore, personId?: string) {
  for (const session of store.list('Session'))
    if (session.accountId && [undefined, session.accountId].includes(personId))
      await endSession(provider, store, session)
}

type Session = Pick<AdapterPayload, 'jti' | 'accountId' | 'authorizations'>

async function endSession(provider: Provider, store: ProviderStore, session: Session): Promise<void> {
  const { jti = '', accountId, authorizations = {} } = session
  store.remove('Session', jti)
  for (const [clientId, { sid, grantId, persistsLogout }] of Object.entries(authorizations)) {
    if (grantId && !persistsLogout) store.revokeGrant(grantId)
    const client = (await provider.Client.find(clientId)) as Notified | undefined
    if (client?.backchannelLogoutUri && accountId !== undefined)
      await client.backchannelLogout(accountId, sid).catch(() => undefined)
  }
}

/** @returns the token that was sent, and the client's response */
export async function sendLogout(to: string, token: string, key: JWK, fault: Faults['logoutToken']) {
  const good = { token, claims: decodeJwt(token), key, secret: JSON.stringify(key.n), typ: 'logout+jwt' }
  const sent = (fault && (await forgeries[fault](good))) ?? token
  const body = new URLSearchParams({ logout_token: sent })
  const response = await fetch(to, { method: 'POST', redirect: 'manual', body })
  return { to, token: sent, status: response.status, answer: await response.text() }
}
