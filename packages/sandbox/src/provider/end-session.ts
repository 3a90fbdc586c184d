// Signing out at an authorization server without the extra click: the client's id_token_hint is proof enough.
// Also ends all sessions from outside, as an administrator would; clients hear of it by back-channel.
import type Provider from 'oidc-provider'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { z } from 'zod'
import type { ProviderStore } from './store.ts'

const authorizationsSchema = z.record(
  z.string(),
  z.object({
    sid: z.string().optional(),
    grantId: z.string().optional(),
    persistsLogout: z.boolean().optional(),
  }),
)
type Authorizations = z.infer<typeof authorizationsSchema>
type OpenSession = { id: string; accountId?: string; authorizations: Authorizations }
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
  const hinted = 'IdTokenHint' in oidc.entities
  if (!hinted && oidc.session.accountId) return
  const { session, provider, params } = oidc
  await endSession(provider, store, asOpenSession(session.jti, session))
  ctx.cookies.set(provider.cookieName('session'), null)
  ctx.body = null
  ctx.status = 303
  ctx.remove('content-type')
  ctx.redirect(destination(params) ?? oidc.urlFor('end_session_success'))
}

/** Ends the sessions of one person, or of all. @returns how many there were */
export async function endSessions(
  provider: Provider,
  store: ProviderStore,
  personId?: string,
): Promise<number> {
  const open = store.list('Session').map(({ id, payload }) => asOpenSession(id, payload))
  const ended = open.filter(
    ({ accountId }) => accountId && (personId === undefined || accountId === personId),
  )
  for (const session of ended) await endSession(provider, store, session)
  return ended.length
}

function asOpenSession(id: string, source: { accountId?: unknown; authorizations?: unknown }): OpenSession {
  const authorizations = authorizationsSchema.parse(source.authorizations ?? {})
  return typeof source.accountId === 'string'
    ? { id, accountId: source.accountId, authorizations }
    : { id, authorizations }
}

async function endSession(provider: Provider, store: ProviderStore, session: OpenSession): Promise<void> {
  store.remove('Session', session.id)
  for (const [clientId, { sid, grantId, persistsLogout }] of Object.entries(session.authorizations)) {
    if (grantId && !persistsLogout) store.revokeGrant(grantId)
    const client: unknown = await provider.Client.find(clientId)
    if (!wantsToKnow(client) || session.accountId === undefined) continue
    await client.backchannelLogout(session.accountId, sid).catch(() => undefined)
  }
}

function wantsToKnow(client: unknown): client is Notified {
  if (typeof client !== 'object' || client === null) return false
  return (
    'backchannelLogout' in client && 'backchannelLogoutUri' in client && Boolean(client.backchannelLogoutUri)
  )
}

function destination(params: KoaContextWithOIDC['oidc']['params']): string | undefined {
  const uri = params?.['post_logout_redirect_uri']
  if (typeof uri !== 'string') return undefined
  const url = new URL(uri)
  const state = params?.['state']
  if (typeof state === 'string') url.searchParams.set('state', state)
  return url.href
}
