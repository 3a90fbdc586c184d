// The authorization server: is it there, is it the one that OIDC_ISSUER names, and does it give out its signing keys?
import { z } from 'zod'
import { jsonIn } from '../../client-api/body.ts'
import { silenceInWords } from '../../client-api/silence.ts'
import { ask, isSafeAddress } from '../ask.ts'
import type { Subject } from '../check.ts'
import { fail, missing, ok, skip, unreached, warn, type Finding } from '../finding.ts'
import type { Metadata } from './discovered.ts'

export async function discovery({ authorizationServer, settings }: Subject): Promise<Finding> {
  const discovered = await authorizationServer()
  if (discovered.kind === 'unknown') return missing('OIDC_ISSUER')
  if (discovered.kind === 'missing') return discovered.finding
  return ok(`${settings.OIDC_ISSUER} is reachable (${discovered.how}).`)
}

const keysSchema = z
  .object({ keys: z.array(z.looseObject({ kty: z.string(), use: z.string().optional() })) })
  .catch({ keys: [] })

const isSigning = ({ kty, use }: { kty: string; use?: string | undefined }) => use !== 'enc' && kty !== 'oct'

/** Without them no id_token can be believed. */
export async function keys({ jwks_uri: address }: Metadata, { settings }: Subject): Promise<Finding> {
  if (address === undefined)
    return settings.OIDC_SCOPE?.split(' ').includes('openid') === false
      ? skip('plain OAuth 2.1 has no ID token.')
      : fail("The server's metadata has no signing keys (jwks_uri), so onramp can't verify ID tokens.", {
          settings: ['OIDC_SCOPE', 'OIDC_ISSUER'],
          fix: 'for a plain OAuth 2.1 server, remove openid from OIDC_SCOPE',
        })
  if (!isSafeAddress(address)) return skip('their URL is not https.')
  const asked = await ask(address)
  const count =
    asked.kind === 'answer' && asked.status === 200
      ? keysSchema.parse(jsonIn(asked.text)).keys.filter(isSigning).length
      : 0
  if (count > 0) return ok(`${count === 1 ? 'One signing key' : `${count} signing keys`} fetched.`)
  if (asked.kind === 'answer' && asked.status === 429)
    return warn('The server is limiting requests for its signing keys (429).', {
      settings: ['OIDC_ISSUER'],
      fix: 'try again in a few minutes',
    })
  if (asked.kind === 'answer' && asked.status === 200)
    return fail('The jwks_uri in the metadata has no signing key.', {
      settings: ['OIDC_ISSUER'],
      fix: 'have the authorization server publish the keys that it signs ID tokens with',
    })
  if (asked.kind === 'silent')
    return fail(
      `Couldn't fetch the signing keys: ${silenceInWords(asked.why)}.`,
      unreached(asked.why, ['OIDC_ISSUER']),
    )
  return fail(`Couldn't fetch the signing keys (${asked.status}).`, {
    settings: ['OIDC_ISSUER'],
    fix: 'make sure this machine can reach the jwks_uri in the metadata',
  })
}
