// How the client proves itself at the token endpoint (OIDC_CLIENT_AUTH).
import { createPrivateKey, createPublicKey, hash, type KeyObject } from 'node:crypto'
import { ClientSecretPost, None, PrivateKeyJwt, type ClientAuth } from 'openid-client'

export type ClientAuthentication = {
  method: 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none'
  secret?: string | undefined
  /** PEM, PKCS #8. */
  key?: string | undefined
}

/** @throws {Error} when the key is not one that signs; the message does not quote it */
export async function clientAuthOf({ method, secret, key }: ClientAuthentication): Promise<ClientAuth> {
  switch (method) {
    case 'none':
      return None()
    case 'client_secret_basic':
      return basic(secret ?? '')
    case 'client_secret_post':
      return ClientSecretPost(secret)
    case 'private_key_jwt':
      return PrivateKeyJwt(signingKey(key ?? ''))
  }
}

/** A name for the key that reveals nothing of it; empty where the text is no key. */
export function keyThumbprint(pem: string): string {
  try {
    const der = createPublicKey(createPrivateKey(pem)).export({ type: 'spki', format: 'der' })
    return hash('sha256', der, 'base64url')
  } catch {
    return ''
  }
}

/**
 * As RFC 6749 2.3.1 and its appendix B say (application/x-www-form-urlencoded), which leaves `-`, `_`, `.` and `*` as they
 * are. The library encodes these too; servers that do not decode would then refuse most secrets that are made today.
 */
export const formEncoded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1)

function basic(secret: string): ClientAuth {
  return (_server, client, _body, headers) => {
    const credentials = `${formEncoded(client.client_id)}:${formEncoded(secret)}`
    headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`)
  }
}

/** What the authorization server gets to know of the key (RFC 7517). */
export function publicJwks(pem: string) {
  const jwk = createPublicKey(createPrivateKey(pem)).export({ format: 'jwk' })
  return { keys: [{ ...jwk, use: 'sig' }] }
}

function signingKey(pem: string) {
  const key = createPrivateKey(pem)
  const algorithm = algorithmOf(key)
  return key.toCryptoKey(algorithm, false, ['sign'])
}

/** Of the kinds that OIDC_CLIENT_KEY may be. */
function algorithmOf(key: KeyObject) {
  if (key.asymmetricKeyType === 'rsa') return { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  if (key.asymmetricKeyType === 'ed25519') return { name: 'Ed25519' }
  return { name: 'ECDSA', namedCurve: 'P-256' }
}
