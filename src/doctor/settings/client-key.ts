// OIDC_CLIENT_KEY: can it sign?
import { clientAuthOf } from '../../sign-in/server/client-authentication.ts'
import type { Check } from '../check.ts'
import { fail, ok, skip, warn } from '../finding.ts'

export const clientKey: Check = {
  id: 'authorization-server.client-key',
  about: "The client's key",
  group: 'Authorization server',
  async look({ settings }) {
    const { OIDC_CLIENT_KEY: key, OIDC_CLIENT_AUTH: method } = settings
    if (key === undefined) return [skip('OIDC_CLIENT_KEY is not set.')]
    const usable = await clientAuthOf({ method: 'private_key_jwt', key }).then(
      () => true,
      () => false,
    )
    if (!usable)
      return [
        fail('OIDC_CLIENT_KEY holds no private key that can sign.', {
          settings: ['OIDC_CLIENT_KEY'],
          mend: 'give it an RSA, P-256 or Ed25519 key as PEM (PKCS #8), easiest by OIDC_CLIENT_KEY_FILE',
        }),
      ]
    return method === 'private_key_jwt'
      ? [ok('OIDC_CLIENT_KEY can sign.')]
      : [
          warn('OIDC_CLIENT_KEY is set but not used.', {
            settings: ['OIDC_CLIENT_AUTH'],
            mend: 'set it to private_key_jwt, or remove the key',
          }),
        ]
  },
}
