// Explains why a network call had no response. Pure.
import { singleLine } from '../safe-text.ts'

type Cause = keyof typeof WORDS
type ProxyErrorText = `the proxy ${string}`
type CertificateErrorText = `its certificate ${string}`
export type NetworkError = Cause | ProxyErrorText | CertificateErrorText

const MAX_CAUSES = 6

const AUTHORITY: CertificateErrorText =
  "its certificate is self-signed, or comes from an authority that this machine doesn't trust: set NODE_EXTRA_CA_CERTS to the authority's certificate"

/** Messages by Node's codes (tls, "X509 certificate error codes"). */
const CERTIFICATES: Record<string, CertificateErrorText> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `${AUTHORITY}, or have it send the certificates in between`,
  CERT_HAS_EXPIRED: "its certificate has expired: have it renewed (or set this machine's clock)",
  CERT_NOT_YET_VALID: "its certificate is not valid yet: check this machine's clock",
  CERT_REVOKED: 'its certificate was revoked: have it renewed',
}

/** An error of Node or nodemailer, which keeps Node's code as `originalCode`. */
type TlsError = {
  code?: string
  originalCode?: string
  cert?: { subjectaltname?: string; subject?: { CN?: string | string[] } }
}

/** The reason for a rejected certificate, with advice; undefined for any other error. */
export function certificateError({ code, originalCode = code ?? '', cert }: TlsError) {
  if (originalCode !== 'ERR_TLS_CERT_ALTNAME_INVALID') return CERTIFICATES[originalCode]
  const names = cert?.subjectaltname?.replaceAll(/(DNS|IP Address):/g, '') ?? String(cert?.subject?.CN ?? '')
  const shownNames = names === '' ? 'another name' : singleLine(names).slice(0, 160)
  return `its certificate is for ${shownNames}, not for this name: use the certificate's name in the address` as const
}

function networkErrorOfOne(error: Error): NetworkError | undefined {
  if (error instanceof ProxyError) return error.networkError
  const code = 'code' in error ? String(error.code) : ''
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'unknown-name'
  if (code === 'ECONNREFUSED') return 'refused'
  const fault = certificateError(error as TlsError)
  if (fault !== undefined) return fault
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) return 'no-tls'
  if (/TIMEOUT|TIMEDOUT/.test(code) || error.name === 'TimeoutError') return 'too-slow'
  return error instanceof RangeError ? 'too-large' : undefined
}

/** An error, its cause, and so on; of an aggregate, the first error. The last one may be any value. */
export function causesOf(error: unknown): unknown[] {
  const causes = [error]
  for (let last = error; last instanceof Error && causes.length < MAX_CAUSES; causes.push(last))
    last = last.cause ?? (last instanceof AggregateError ? last.errors[0] : undefined)
  return causes
}

/** Searches the causes of an error. `cut-off` if none is known. */
export const networkErrorOf = (error: unknown): NetworkError =>
  causesOf(error)
    .map((cause) => (cause instanceof Error ? networkErrorOfOne(cause) : undefined))
    .find((found) => found !== undefined) ?? 'cut-off'

const WORDS = {
  'unknown-name': 'host not found',
  refused: 'connection refused',
  'too-slow': 'timed out',
  'no-tls': 'not a TLS server',
  'too-large': 'response too large',
  'cut-off': 'connection closed',
} as const

/** True for proxy and certificate errors, whose text has advice. Nothing was sent. */
export const hasAdvice = (error: NetworkError): error is ProxyErrorText | CertificateErrorText =>
  !Object.hasOwn(WORDS, error)

/** Plain text after "cannot be reached:". */
export const describeNetworkError = (error: NetworkError): string => WORDS[error as Cause] ?? error

/** True if the forward proxy failed, so nothing was sent. */
export const isProxyError = (error: NetworkError): error is ProxyErrorText => error.startsWith('the proxy ')

export const isCertificateError = (error: NetworkError): error is CertificateErrorText =>
  error.startsWith('its certificate ')

export class ProxyError extends Error {
  readonly networkError: ProxyErrorText
  override name = 'ProxyError'
  /** @param proxy its host and port; the rest of HTTPS_PROXY is a secret @param failure like `refuses to connect` */
  constructor(proxy: string, failure: string, cause?: unknown) {
    const text = `the proxy ${proxy} ${failure}` as const
    super(text, { cause })
    this.networkError = text
  }
}
