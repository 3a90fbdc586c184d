// What the client proves itself with: OIDC_CLIENT_KEY, and a secret that goes into a header.
import {
  clientAuthOf,
  formEncoded,
  type ClientAuthentication,
} from '../../sign-in/server/client-authentication.ts'
import type { Subject } from '../check.ts'
import { fail, ok, skip, warn, type Finding } from '../finding.ts'

export const canSign = (how: ClientAuthentication): Promise<boolean> =>
  clientAuthOf(how).then(
    () => true,
    () => false,
  )

export async function clientKey({ settings }: Subject): Promise<Finding> {
  const { OIDC_CLIENT_KEY: key, OIDC_CLIENT_AUTH: method } = settings
  if (key === undefined) return skip('OIDC_CLIENT_KEY is not set.')
  if (!(await canSign({ method: 'private_key_jwt', key })))
    return fail('OIDC_CLIENT_KEY holds no private key that can sign.', {
      settings: ['OIDC_CLIENT_KEY'],
      fix: 'give it an RSA, P-256 or Ed25519 key as PEM (PKCS #8), most easily with OIDC_CLIENT_KEY_FILE',
    })
  if (method === 'private_key_jwt') return ok('OIDC_CLIENT_KEY can sign.')
  return warn('OIDC_CLIENT_KEY is set but not used.', {
    settings: ['OIDC_CLIENT_AUTH'],
    fix: 'set it to private_key_jwt, or remove the key',
  })
}

/**
 * client_secret_basic percent-encodes everything but letters, digits and - _ . * (RFC 6749 2.3.1). Some servers do not
 * decode, and refuse such a client (invalid_client) although its secret is right.
 */
export function clientBasic({ settings }: Subject): Finding {
  const { OIDC_CLIENT_ID: id, OIDC_CLIENT_SECRET: secret, OIDC_CLIENT_AUTH: method } = settings
  if (id === undefined || secret === undefined || method !== 'client_secret_basic')
    return skip('client_secret_basic is not used.')
  const encoded = [id, secret].filter((text) => formEncoded(text) !== text)
  if (encoded.length === 0) return ok('The id and the secret go into the header unchanged.')
  const which =
    encoded.length === 2 ? 'The id and the secret are' : encoded[0] === id ? 'The id is' : 'The secret is'
  return ok(
    `${which} percent-encoded in the header. Some servers do not decode: if the client is refused (invalid_client) although the secret is right, set OIDC_CLIENT_AUTH to client_secret_post, or have a secret of letters and digits made.`,
  )
}
