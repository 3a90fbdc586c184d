// Why there was no answer: the causes that a network call can fail with, told apart. Pure; imports nothing.

export type Silence =
  'unknown-name' | 'refused' | 'too-slow' | 'certificate' | 'no-tls' | 'too-large' | 'cut-off'

const MAX_CAUSES = 6

const CERTIFICATE =
  /^(CERT_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|ERR_TLS_CERT)/

function silenceOfOne(error: Error): Silence | undefined {
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

/** The cause in plain words, to stand behind "cannot be reached:". */
export const silenceInWords: Record<Silence, string> = {
  'unknown-name': 'host not found',
  refused: 'connection refused',
  'too-slow': 'timed out',
  certificate: 'untrusted certificate (for a private CA, set NODE_EXTRA_CA_CERTS)',
  'no-tls': 'not a TLS server',
  'too-large': 'response too large',
  'cut-off': 'connection closed',
}
