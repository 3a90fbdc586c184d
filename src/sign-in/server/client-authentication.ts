// Client authentication at a token endpoint (OIDC_CLIENT_…, SMTP_OAUTH_CLIENT_…).
import { createPrivateKey, createPublicKey, hash, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ClientSecretPost, modifyAssertion, None, PrivateKeyJwt, type ClientAuth } from 'openid-client'
import { Problem } from '../../problem.ts'
import { credentialsIn } from '../../settings/client-credentials.ts'
import type { Settings } from '../../settings/settings.ts'

export type ClientAuthentication = {
  method: Settings['OIDC_CLIENT_AUTH']
} & Partial<ReturnType<typeof credentialsIn>>

/** The client of OIDC_CLIENT_…; undefined if the settings have no valid method. */
export function readClientAuthentication(settings: Partial<Settings>): ClientAuthentication | undefined {
  const credentials = credentialsIn(settings, 'OIDC')
  const method = credentials.assertionFile === undefined ? settings.OIDC_CLIENT_AUTH : 'private_key_jwt'
  return method && { method, ...credentials }
}

/** @throws {Error} if the key can't sign; the message doesn't quote it */
export async function createClientAuth(client: ClientAuthentication): Promise<ClientAuth> {
  const { method, secret, key = '', certificate, assertionFile, assertionSetting } = client
  if (assertionFile !== undefined) return assertionFrom(assertionFile, assertionSetting)
  switch (method) {
    case 'none':
      return None()
    case 'client_secret_basic':
      return basic(secret ?? '')
    case 'client_secret_post':
      return ClientSecretPost(secret)
    case 'private_key_jwt':
      return certificate === undefined ? PrivateKeyJwt(signingKey(key)) : withCertificate(key, certificate)
  }
}

/** Workload identity: a file with a short-lived assertion, replaced while onramp runs (RFC 7521 4.2). */
const assertionFrom =
  (path: string, setting?: string): ClientAuth =>
  (_server, client, body) => {
    body.set('client_id', client.client_id)
    body.set('client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer')
    body.set('client_assertion', readAssertion(path, setting))
  }

/** @throws {Problem} sign_in_misconfigured, which doesn't quote the file */
function readAssertion(path: string, setting = ''): string {
  let why = 'holds no signed JWT'
  try {
    const assertion = readFileSync(path, 'utf8').trim()
    if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(assertion)) return assertion
  } catch (error) {
    why = `cannot be read (${String(Reflect.get(Object(error), 'code'))})`
  }
  const detail = `the file ${path} ${why}: see ${setting}`
  throw new Problem(502, 'sign_in_misconfigured', { detail })
}

/** Microsoft Entra's certificate credentials: x5t#S256, its aud, and PS256 unless the server lists only others. */
function withCertificate(pem: string, certificate: string): ClientAuth {
  const x5t = hash('sha256', new X509Certificate(certificate).raw, 'base64url')
  return (server, ...request) => {
    const isListed = server.token_endpoint_auth_signing_alg_values_supported?.includes('PS256') !== false
    const authenticate = PrivateKeyJwt(signingKey(pem, isListed ? 'RSA-PSS' : undefined), {
      [modifyAssertion](header, payload) {
        Object.assign(header, { typ: 'JWT', 'x5t#S256': x5t })
        payload['aud'] = server.token_endpoint ?? server.issuer
      },
    })
    return authenticate(server, ...request)
  }
}

/** Encodes by RFC 6749 2.3.1, but not - _ . and *: the library does, and servers that don't decode refuse that. */
export const formEncoded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1)

const basic =
  (secret: string): ClientAuth =>
  (_server, client, _body, headers) => {
    const credentials = `${formEncoded(client.client_id)}:${formEncoded(secret)}`
    headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`)
  }

export function publicJwks(pem: string) {
  const jwk = createPublicKey(createPrivateKey(pem)).export({ format: 'jwk' })
  return { keys: [{ ...jwk, use: 'sig' }] }
}

function signingKey(pem: string, rsa = 'RSASSA-PKCS1-v1_5') {
  const key = createPrivateKey(pem)
  const isRsa = key.asymmetricKeyType === 'rsa'
  const other =
    key.asymmetricKeyType === 'ed25519' ? { name: 'Ed25519' } : { name: 'ECDSA', namedCurve: 'P-256' }
  return key.toCryptoKey(isRsa ? { name: rsa, hash: 'SHA-256' } : other, false, ['sign'])
}
