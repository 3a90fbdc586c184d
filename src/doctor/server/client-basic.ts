// client_secret_basic percent-encodes what is neither a letter, a digit nor - _ . * (RFC 6749 2.3.1). Some servers do not
// decode, and refuse such a client (invalid_client) although its secret is right.
import { formEncoded } from '../../sign-in/server/client-authentication.ts'
import type { Check } from '../check.ts'
import { ok, skip } from '../finding.ts'

export const clientBasic: Check = {
  id: 'authorization-server.client-basic',
  about: "The client's secret in a header",
  group: 'Authorization server',
  look({ settings: { OIDC_CLIENT_ID: id, OIDC_CLIENT_SECRET: secret, OIDC_CLIENT_AUTH: method } }) {
    if (id === undefined || secret === undefined || method !== 'client_secret_basic')
      return [skip('client_secret_basic is not used.')]
    const encoded = [id, secret].filter((text) => formEncoded(text) !== text)
    if (encoded.length === 0) return [ok('The id and the secret go into the header as they are.')]
    const which =
      encoded.length === 2 ? 'The id and the secret are' : encoded[0] === id ? 'The id is' : 'The secret is'
    return [
      ok(
        `${which} percent-encoded in the header. Some servers do not decode: if the client is refused (invalid_client) although the secret is right, set OIDC_CLIENT_AUTH to client_secret_post, or have a secret of letters and digits made.`,
      ),
    ]
  },
}
