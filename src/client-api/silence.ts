// Why there was no answer: the causes that a network call can fail with, told apart. Pure; imports nothing.

type Cause = 'unknown-name' | 'refused' | 'too-slow' | 'certificate' | 'no-tls' | 'too-large' | 'cut-off'

/** In words already, because they name the proxy. */
type ProxySilence = `the proxy ${string}`

export type Silence = Cause | ProxySilence

const MAX_CAUSES = 6

const CERTIFICATE =
  /^(CERT_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|ERR_TLS_CERT)/

function silenceOfOne(error: Error): Silence | undefined {
  if (error instanceof ProxyTrouble) return error.says
  const code = 'code' in error ? String(error.code) : ''
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'unknown-name'
  if (code === 'ECONNREFUSED') return 'refused'
  if (CERTIFICATE.test(code)) return 'certificate'
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) return 'no-tls'
  if (/TIMEOUT|TIMEDOUT/.test(code) || error.name === 'TimeoutError') return 'too-slow'
  return error instanceof RangeError ? 'too-large' : undefined
}

/** What a failed call means; `cut-off` where nothing better is known. */
export function silenceOf(error: unknown): Silence {
  let current = error
  for (let depth = 0; current instanceof Error && depth < MAX_CAUSES; depth++) {
    const found = silenceOfOne(current)
    if (found !== undefined) return found
    current = current.cause ?? (current instanceof AggregateError ? current.errors[0] : undefined)
  }
  return 'cut-off'
}

const WORDS: Record<Cause, string> = {
  'unknown-name': 'host not found',
  refused: 'connection refused',
  'too-slow': 'timed out',
  certificate: 'untrusted certificate (for a private CA, set NODE_EXTRA_CA_CERTS)',
  'no-tls': 'not a TLS server',
  'too-large': 'response too large',
  'cut-off': 'connection closed',
}

/** The cause in plain words, to stand behind "cannot be reached:". */
export const silenceInWords = (silence: Silence): string => (isOfProxy(silence) ? silence : WORDS[silence])

/** The call did not get past the forward proxy, so nothing of it was sent. */
export const isOfProxy = (silence: Silence): silence is ProxySilence => silence.startsWith('the proxy ')

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
export class ProxyTrouble extends Error {
  readonly says: ProxySilence
  override name = 'ProxyTrouble'
  constructor({ proxy, hostname, isSignedIn, status, cause }: Trouble) {
    const what =
      status === undefined
        ? `cannot be used: ${silenceInWords(silenceOf(cause))}`
        : status === 407 || status === 401
          ? `${isSignedIn ? 'rejects the' : 'asks for a'} username and password (${status})`
          : status >= 500
            ? `cannot reach ${hostname} (${status})`
            : `refuses to connect to ${hostname} (${status})`
    const says: ProxySilence = `the proxy ${proxy} ${what}`
    super(says, { cause })
    this.says = says
  }
}
