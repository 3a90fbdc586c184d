// Shared by the authorization servers of tests: keys, id_tokens, metadata, and the redirect back to the client.
import crypto from 'node:crypto'

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

export function createTokenSigner(alg: 'RS256' | 'ES256') {
  const { privateKey, publicKey } =
    alg === 'RS256'
      ? crypto.generateKeyPairSync('rsa', { modulusLength: 2048 })
      : crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const header = encode({ alg, kid: '1', typ: 'JWT' })
  return {
    keys: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: '1', use: 'sig', alg }] },
    idToken(claims: object) {
      const text = `${header}.${encode(claims)}`
      const signature = crypto.sign('sha256', Buffer.from(text), {
        key: privateKey,
        dsaEncoding: 'ieee-p1363',
      })
      return `${text}.${signature.toString('base64url')}`
    },
  }
}

export const metadataOf = (issuer: string, alg: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/keys`,
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
  id_token_signing_alg_values_supported: [alg],
})

/** The redirect that ends an authorization request. @param more further parameters, such as `iss` */
export function callbackUrl(
  request: URLSearchParams,
  code: string,
  more: Record<string, string> = {},
): string {
  const url = new URL(request.get('redirect_uri') ?? '')
  url.search = new URLSearchParams({ code, state: request.get('state') ?? '', ...more }).toString()
  return url.href
}
