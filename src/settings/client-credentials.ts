// Client authentication for OIDC_CLIENT_… and SMTP_OAUTH_CLIENT_…: a secret, a key (and its certificate), or a file
// with another issuer's token.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { z } from 'zod'
import { text, type Setting } from './values.ts'

type Prefix = 'OIDC' | 'SMTP_OAUTH'
type Name<P extends Prefix> = `${P}_CLIENT_${'SECRET' | 'KEY' | 'CERT' | 'ASSERTION_FILE'}`
type Definition = Pick<Setting, 'secret' | 'file' | 'meaning' | 'details'> & {
  schema: z.ZodType<string, string>
}

const pemOf = (isUsable: (pem: string) => boolean, fault: string) =>
  text.refine((pem) => {
    try {
      return isUsable(pem)
    } catch {
      return false
    }
  }, fault)

/** True if the key can sign client assertions (RFC 7523 2.2). */
function canSign(pem: string): boolean {
  const { asymmetricKeyType: type = '', asymmetricKeyDetails: details } = createPrivateKey(pem)
  return ['rsa', 'ed25519'].includes(type) || details?.namedCurve === 'prime256v1'
}

export function clientCredentials<P extends Prefix>(prefix: P, use: string) {
  const key = `must be an RSA, P-256 or Ed25519 private key in PEM (PKCS #8); a file in ${prefix}_CLIENT_KEY_FILE is easiest`
  const certificate = `must be a certificate in PEM; a file in ${prefix}_CLIENT_CERT_FILE is easiest`
  const definitions: Record<string, Definition> = {
    SECRET: { secret: true, meaning: "That client's secret", schema: text },
    KEY: { secret: true, meaning: `The private key for ${use}, PEM (PKCS #8)`, schema: pemOf(canSign, key) },
    CERT: {
      file: true,
      meaning:
        'Its certificate, PEM, for servers that know the client by it, as Microsoft Entra does; also `_FILE`',
      schema: pemOf((pem) => new X509Certificate(pem).raw.length > 0, certificate),
    },
    ASSERTION_FILE: {
      meaning: "Path of a file with another issuer's token, sent instead of a secret",
      details:
        'For workload identity (Kubernetes, Azure, AWS, GitHub). The file is read again for each call.',
      schema: text,
    },
  }
  const named = Object.entries(definitions).map(([name, item]) => [`${prefix}_CLIENT_${name}`, item])
  return Object.fromEntries(named) as Record<Name<P>, Definition>
}

type Credentials = Partial<Record<Name<Prefix>, string | undefined>>

/** Key and certificate are PEM; `assertionFile` is a path. */
export const credentialsIn = (settings: Credentials, prefix: Prefix) => ({
  secret: settings[`${prefix}_CLIENT_SECRET`],
  key: settings[`${prefix}_CLIENT_KEY`],
  certificate: settings[`${prefix}_CLIENT_CERT`],
  assertionFile: settings[`${prefix}_CLIENT_ASSERTION_FILE`],
  assertionSetting: `${prefix}_CLIENT_ASSERTION_FILE`,
})
