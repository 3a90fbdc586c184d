// Metadata with faults, and an authorization server that is plain OAuth 2.1: RFC 8414 alone, and a userinfo endpoint
// of its own kind, since oidc-provider's wants the scope `openid`.
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Faults } from '../control/fault-switches.ts'
import { elsewhere } from './faulty-id-tokens.ts'
import type { Person } from '../people.ts'

/** What OpenID Connect adds to RFC 8414. */
const openid = ['claims_supported', 'claim_types_supported', 'subject_types_supported', 'jwks_uri']
const isOpenid = (name: string) => name.startsWith('id_token_') || openid.includes(name)

/** Changes the metadata that is about to be answered. */
export function metadataFaults(ctx: KoaContextWithOIDC, { metadata: fault }: Faults): void {
  if (!fault || !ctx.path.startsWith('/.well-known/')) return
  if (fault.plainOAuth && ctx.path.startsWith('/.well-known/openid-configuration')) {
    ctx.status = 404
    ctx.body = { error: 'not_found' }
    return
  }
  const all = Object.entries((ctx.body ?? {}) as Record<string, unknown>)
  const left = all.filter(
    ([name]) => !fault.without?.includes(name) && !(fault.plainOAuth === true && isOpenid(name)),
  )
  ctx.body = {
    ...Object.fromEntries(left),
    ...(fault.wrongIssuer && { issuer: elsewhere }),
    ...(fault.algNone && { id_token_signing_alg_values_supported: ['RS256', 'none'] }),
  }
}

/** Answers a request for userinfo with whatever access token. */
export async function plainUserinfo(
  ctx: KoaContextWithOIDC,
  holderOf: (accessToken: string) => Promise<Person | undefined>,
): Promise<void> {
  const token = /^Bearer +(\S+)$/i.exec(ctx.get('authorization'))?.[1] ?? ''
  const person = await holderOf(token)
  ctx.status = person ? 200 : 401
  ctx.body = person
    ? { sub: person.id, name: person.name, email: person.email, email_verified: true }
    : { error: 'invalid_token' }
}
