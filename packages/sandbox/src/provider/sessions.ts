// How sessions at an authorization server end: without an extra click when the client's id_token_hint is proof enough,
// or from outside, as an administrator would end them. Clients are told by back-channel logout.
import { decodeJwt, type JWK } from 'jose'
import type { AdapterPayload, default as Provider, KoaContextWithOIDC } from 'oidc-provider'
import type { Faults } from '../switches.ts'
import { forgeries } from './forgeries.ts'
import type { ProviderStore } from './store.ts'

/** A member of oidc-provider's clients that its types do not show. */
type Notified = {
  backchannelLogoutUri?: string
  backchannelLogout: (sub: string, sid?: string) => Promise<void>
}

/**
 * Turns a sign-out that oidc-provider wants confirmed into one that is done: after a valid id_token_hint,
 * and when no one was signed in anyway.
 */
export async function endSessionWithoutConfirmation(
  ctx: KoaContextWithOIDC,
  store: ProviderStore,
): Promise<void> {
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

/** Ends the sessions of one person, or of all. */
export async function endSessions(
  provider: Provider,
  store: ProviderStore,
  personId?: string,
): Promise<void> {
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

/** Sends a logout token as the fault says. @returns what was sent, and the client's answer */
export async function sendLogout(to: string, token: string, key: JWK, fault: Faults['logoutToken']) {
  const good = { token, claims: decodeJwt(token), key, secret: JSON.stringify(key.n), typ: 'logout+jwt' }
  const sent = (fault && (await forgeries[fault](good))) ?? token
  const body = new URLSearchParams({ logout_token: sent })
  const response = await fetch(to, { method: 'POST', redirect: 'manual', body })
  return { to, token: sent, status: response.status, answer: await response.text() }
}
