// How sessions at an authorization server end: without an extra click when the client's id_token_hint is proof enough,
// or from outside, as an administrator would end them. Clients are told by back-channel logout.
import { decodeJwt, type JWK } from 'jose'
import type { AdapterPayload, default as Provider, KoaContextWithOIDC } from 'oidc-provider'
import type { Faults } from '../control/fault-switches.ts'
import { logoutTokenFaults } from './forgeries.ts'
import type { ProviderStore } from './store.ts'

type Session = Pick<AdapterPayload, 'jti' | 'accountId' | 'authorizations'>

/** A member of oidc-provider's clients that its types do not show. */
type Notified = {
  backchannelLogoutUri?: string
  backchannelLogout: (sub: string, sid?: string) => Promise<void>
}

/**
 * Turns a sign-out that oidc-provider wants confirmed into one that is done: after a valid id_token_hint,
 * and when no one was signed in anyway.
 */
export async function endSessionAtOnce(ctx: KoaContextWithOIDC, store: ProviderStore): Promise<void> {
  const { oidc } = ctx
  if (oidc?.route !== 'end_session' || ctx.status !== 200 || !oidc.session) return
  const { session, provider, params } = oidc
  if (!('IdTokenHint' in oidc.entities) && session.accountId) return
  await endSession(provider, store, session)
  ctx.cookies.set(provider.cookieName('session'), null)
  ctx.body = null
  ctx.status = 303
  ctx.remove('content-type')
  ctx.redirect(destination(params) ?? oidc.urlFor('end_session_success'))
}

function destination(params: KoaContextWithOIDC['oidc']['params']): string | undefined {
  const { post_logout_redirect_uri: uri, state } = params ?? {}
  if (typeof uri !== 'string') return undefined
  const url = new URL(uri)
  if (typeof state === 'string') url.searchParams.set('state', state)
  return url.href
}

/** Ends the sessions of one person, or of all. @returns how many there were */
export async function endSessions(provider: Provider, store: ProviderStore, personId?: string) {
  const open = store.list('Session').map(({ payload }) => payload)
  const ended = open.filter(({ accountId }) => accountId && [undefined, accountId].includes(personId))
  for (const session of ended) await endSession(provider, store, session)
  return ended.length
}

async function endSession(provider: Provider, store: ProviderStore, session: Session): Promise<void> {
  const { jti = '', accountId, authorizations = {} } = session
  store.remove('Session', jti)
  for (const [clientId, { sid, grantId, persistsLogout }] of Object.entries(authorizations)) {
    if (grantId && !persistsLogout) store.revokeGrant(grantId)
    const client = (await provider.Client.find(clientId)) as Notified | undefined
    if (!client?.backchannelLogoutUri || accountId === undefined) continue
    await client.backchannelLogout(accountId, sid).catch(() => undefined)
  }
}

/** A logout token that a client was sent, and its answer. */
export type SentLogout = { to: string; token: string; status: number; answer: string }

type Sending = { fault: Faults['logoutToken']; key: JWK }

const TOO_MUCH = 100_000

/** Sends a logout token as the fault says. @returns the client's answer, to the last one if there were several */
export async function sendLogout(uri: string, token: string, { fault, key }: Sending): Promise<SentLogout> {
  const good = { token, claims: decodeJwt(token), key, secret: JSON.stringify(key.n), typ: 'logout+jwt' }
  const sent = (fault && (await logoutTokenFaults[fault](good))) ?? token
  const padding = fault === 'tooLarge' && { padding: 'x'.repeat(TOO_MUCH) }
  const fields = { logout_token: sent, ...padding }
  const form =
    fault === 'asJson'
      ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(fields) }
      : { body: new URLSearchParams(fields) }
  const send = async () => {
    const response = await fetch(uri, { method: 'POST', redirect: 'manual', ...form })
    return { to: uri, token: sent, status: response.status, answer: await response.text() }
  }
  if (fault === 'twice') await send()
  return await send()
}
