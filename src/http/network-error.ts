// Why there was no answer: the causes that a network call can fail with, told apart. Pure.
import { presentable } from '../presentable.ts'

type Cause = 'unknown-name' | 'refused' | 'too-slow' | 'no-tls' | 'too-large' | 'cut-off'

/** In words already, because they name the proxy. */
type ProxyErrorText = `the proxy ${string}`

/** In words already, because they name the certificate's names, and what to do. */
type CertificateErrorText = `its certificate ${string}`

export type NetworkError = Cause | ProxyErrorText | CertificateErrorText

const MAX_CAUSES = 6

const AUTHORITY: CertificateErrorText =
  "its certificate is self-signed, or comes from an authority that this machine doesn't trust: set NODE_EXTRA_CA_CERTS to the authority's certificate"

/** By Node's own codes (tls, "X509 certificate error codes"). */
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

/** The server chooses the names in its certificate, and there can be many. Characters. */
const MAX_NAMES = 160

/** What Node or nodemailer throws; `originalCode` is Node's, before the mail library's own code replaced it. */
type TlsError = {
  code?: string
  originalCode?: string
  cert?: { subjectaltname?: string; subject?: { CN?: string | string[] } }
}

/** Why another server's certificate is not accepted, and what to do; undefined for any other error. */
export function certificateError({ code, originalCode = code ?? '', cert }: TlsError) {
  if (originalCode !== 'ERR_TLS_CERT_ALTNAME_INVALID') return CERTIFICATES[originalCode]
  const names = cert?.subjectaltname?.replaceAll(/(DNS|IP Address):/g, '') ?? String(cert?.subject?.CN ?? '')
  const shown = names === '' ? 'another name' : presentable(names).slice(0, MAX_NAMES)
  return `its certificate is for ${shown}, not for this name: use the certificate's name in the address` as const
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

/** What a failed call means; `cut-off` where nothing better is known. */
export function networkErrorOf(error: unknown): NetworkError {
  let current = error
  for (let depth = 0; current instanceof Error && depth < MAX_CAUSES; depth++) {
    const found = networkErrorOfOne(current)
    if (found !== undefined) return found
    current = current.cause ?? (current instanceof AggregateError ? current.errors[0] : undefined)
  }
  return 'cut-off'
}

const WORDS: Record<Cause, string> = {
  'unknown-name': 'host not found',
  refused: 'connection refused',
  'too-slow': 'timed out',
  'no-tls': 'not a TLS server',
  'too-large': 'response too large',
  'cut-off': 'connection closed',
}

/** Its own words say what to do: the proxy, or the certificate, and nothing of the call was sent. */
export const hasAdvice = (silence: NetworkError): silence is ProxyErrorText | CertificateErrorText =>
  !Object.hasOwn(WORDS, silence)

/** The cause in plain words, to stand behind "cannot be reached:". */
export const describeNetworkError = (silence: NetworkError): string => WORDS[silence as Cause] ?? silence

/** The call did not get past the forward proxy, so nothing of it was sent. */
export const isProxyError = (silence: NetworkError): silence is ProxyErrorText =>
  silence.startsWith('the proxy ')

export const isCertificateError = (silence: NetworkError): silence is CertificateErrorText =>
  silence.startsWith('its certificate ')

type Trouble = {
  /** Its host and port: what else is in HTTPS_PROXY is a secret. */
  proxy: string
  /** Where the call was to go. */
  hostname: string
  /** The proxy was given a user name and password. */
  isSignedIn: boolean
  /** What it answered; undefined: nothing. */
  status?: number
  cause?: unknown
}

/** The forward proxy did not open the way. */
export class ProxyError extends Error {
  readonly networkError: ProxyErrorText
  override name = 'ProxyError'
  constructor({ proxy, hostname, isSignedIn, status, cause }: Trouble) {
    const what =
      status === undefined
        ? `cannot be used: ${describeNetworkError(networkErrorOf(cause))}`
        : status === 407 || status === 401
          ? `${isSignedIn ? 'rejects the' : 'asks for a'} username and password (${status})`
          : status >= 500
            ? `cannot reach ${hostname} (${status})`
            : `refuses to connect to ${hostname} (${status})`
    const says: ProxyErrorText = `the proxy ${proxy} ${what}`
    super(says, { cause })
    this.networkError = says
  }
}
