// The authorization server: is it there, is it the one that OIDC_ISSUER names, and does it give out its signing keys?
import { z } from 'zod'
import { jsonIn } from '../../client-api/body.ts'
import { silenceInWords } from '../../client-api/silence.ts'
import { ask, isSafeAddress } from '../ask.ts'
import type { Subject } from '../check.ts'
import { fail, ok, skip, warn, type Finding } from '../finding.ts'
import type { Metadata } from './discovered.ts'

export async function discovery({ authorizationServer, settings }: Subject): Promise<Finding> {
  const discovered = await authorizationServer()
  if (discovered.kind === 'unknown') return skip('needs OIDC_ISSUER first.')
  if (discovered.kind === 'missing') return discovered.finding
  return ok(`${settings.OIDC_ISSUER} is there and speaks ${discovered.how}.`)
}

const keysSchema = z
  .object({ keys: z.array(z.looseObject({ kty: z.string(), use: z.string().optional() })) })
  .catch({ keys: [] })

const isSigning = ({ kty, use }: { kty: string; use?: string | undefined }) => use !== 'enc' && kty !== 'oct'

/** Without them no id_token can be believed. */
export async function keys({ jwks_uri: address }: Metadata, { settings }: Subject): Promise<Finding> {
  if (address === undefined)
    return settings.OIDC_SCOPE?.split(' ').includes('openid') === false
      ? skip('plain OAuth 2.1 has no id_token.')
      : fail('It names no signing keys (jwks_uri), so no id_token can be checked.', {
          settings: ['OIDC_SCOPE', 'OIDC_ISSUER'],
          fix: 'for a plain OAuth 2.1 server leave openid out of OIDC_SCOPE',
        })
  if (!isSafeAddress(address)) return skip('their address is not https.')
  const asked = await ask(address)
  const count =
    asked.kind === 'answer' && asked.status === 200
      ? keysSchema.parse(jsonIn(asked.text)).keys.filter(isSigning).length
      : 0
  if (count > 0) return ok(`${count === 1 ? 'One signing key' : `${count} signing keys`} can be fetched.`)
  if (asked.kind === 'answer' && asked.status === 429)
    return warn('The signing keys cannot be fetched for now (429).', {
      settings: ['OIDC_ISSUER'],
      fix: 'try again in a few minutes',
    })
  if (asked.kind === 'answer' && asked.status === 200)
    return fail('There is no signing key at the jwks_uri of the metadata.', {
      settings: ['OIDC_ISSUER'],
      fix: 'have the authorization server publish the keys that it signs id_tokens with',
    })
  const why = asked.kind === 'silent' ? `: ${silenceInWords[asked.why]}` : ` (${asked.status})`
  return fail(`The signing keys cannot be fetched${why}.`, {
    settings: ['OIDC_ISSUER'],
    fix: 'let this machine reach the jwks_uri of the metadata',
  })
}
