// Why the mail server gave no answer, or cannot be used, in words that say what happened and what to do. Pure.
import { getSystemErrorName } from 'node:util'
import { replyShown } from './smtp-reply.ts'

/** What nodemailer throws. `originalCode` is what Node said before the library's own code replaced it. */
export type SmtpError = Error & {
  code?: string
  originalCode?: string
  command?: string
  response?: string
  responseCode?: number
  syscall?: string
  errno?: number
  reason?: string
  cert?: { subjectaltname?: string; subject?: { CN?: string | string[] } }
}

const AUTHORITY = "set NODE_EXTRA_CA_CERTS to its authority's certificate"
const UNKNOWN_AUTHORITY = `its certificate comes from an unknown authority`

/** By Node's own codes (tls, "X509 certificate error codes"). */
const CERTIFICATES: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: `its certificate is self-signed, so it could be anyone's: ${AUTHORITY}`,
  SELF_SIGNED_CERT_IN_CHAIN: `its certificate comes from a private authority that this machine does not trust: ${AUTHORITY}`,
  UNABLE_TO_GET_ISSUER_CERT: `${UNKNOWN_AUTHORITY}: ${AUTHORITY}`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `${UNKNOWN_AUTHORITY}: ${AUTHORITY}`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `${UNKNOWN_AUTHORITY}, or it leaves out the certificates in between: have it send them, or ${AUTHORITY}`,
  CERT_HAS_EXPIRED: "its certificate has expired: have it renewed (or set this machine's clock)",
  CERT_NOT_YET_VALID: "its certificate is not valid yet: check this machine's clock",
  CERT_REVOKED: 'its certificate was revoked: have it replaced',
  CERT_SIGNATURE_FAILURE: 'its certificate does not match its authority: have it replaced',
  INVALID_CA: `its certificate was issued by something that is not an authority: ${AUTHORITY}`,
  INVALID_PURPOSE: 'its certificate is not for servers: have it replaced',
  HOSTNAME_MISMATCH: 'its certificate is for another name: use that name in SMTP_URL',
}

/** The server chooses the names in its certificate, and there can be many. Characters. */
const MAX_NAMES = 160

/** In words that hold nothing the server chose. @param code Node's own */
export const certificateWords = (code: string): string | undefined =>
  CERTIFICATES[code === 'ERR_TLS_CERT_ALTNAME_INVALID' ? 'HOSTNAME_MISMATCH' : code]

function certificateTrouble({ originalCode = '', cert }: SmtpError): string | undefined {
  if (originalCode !== 'ERR_TLS_CERT_ALTNAME_INVALID') return CERTIFICATES[originalCode]
  const names = cert?.subjectaltname?.replaceAll(/(DNS|IP Address):/g, '') ?? String(cert?.subject?.CN ?? '')
  const shown = names === '' ? 'another name' : replyShown(names).slice(0, MAX_NAMES)
  return `its certificate is for ${shown}, not for this name: use the certificate's name in SMTP_URL`
}

/** A name that is not known has two names in Node's list of system errors. */
const UNKNOWN_NAME = 'host not found (ENOTFOUND)'
const SYSTEM: Record<string, string> = {
  ECONNREFUSED: 'connection refused (ECONNREFUSED)',
  ENOTFOUND: UNKNOWN_NAME,
  EAI_NONAME: UNKNOWN_NAME,
  EAI_NODATA: UNKNOWN_NAME,
  EAI_AGAIN: "the DNS server didn't respond (EAI_AGAIN)",
  ECONNRESET: 'the connection broke (ECONNRESET)',
  EPIPE: 'the connection broke (EPIPE)',
  ETIMEDOUT: 'timed out (ETIMEDOUT)',
}

function withoutTls({ response, responseCode = 0, message }: SmtpError): string {
  if (!message.includes('STARTTLS')) return `TLS failed (${replyShown(message)})`
  const reply = response === undefined ? '' : ` (it says: ${replyShown(response)})`
  // Postfix, while it asks a filter in vain; TLS is not what is wrong.
  if (/^454[ -]4\.3\./.test(response ?? ''))
    return `it takes no email for now${reply}: if it stays so, a filter of its own (milter, such as OpenDKIM) is down`
  // RFC 3207 4: it has TLS, but TLS does not work.
  if (responseCode === 454) return `its encryption (STARTTLS) does not work${reply}: have it fixed`
  return `it offers no encryption (STARTTLS)${reply}, and onramp sends emails to another machine only encrypted: have it turned on, or use smtps://`
}

/** Other kinds of sign-in are wanted: an app password (Gmail), or any but this one (Exchange Online, unless it says otherwise). */
const OTHER_KIND = /^535[ -]5\.7\.(9\b|139\b(?!.*credentials were incorrect))/is

/** Is a sign-in refused because of the name or the password (RFC 4954 6), and not because of its kind? */
export const isWrongPassword = ({ responseCode, response = '' }: SmtpError): boolean =>
  responseCode === undefined || (responseCode === 535 && !OTHER_KIND.test(response))

const inWords = (ms: number) => (ms < 120_000 ? `${ms / 1_000} seconds` : `${ms / 60_000} minutes`)

/**
 * What happened, and what to do where the error shows it. Never the password: no error holds it.
 * @param limitMs how long it was waited for
 */
export function troubleOf(error: SmtpError, limitMs: number): string {
  const { errno, reason, response, code, originalCode } = error
  const certificate = certificateTrouble(error)
  if (certificate !== undefined) return certificate
  const system = errno === undefined ? (originalCode ?? '') : getSystemErrorName(errno)
  if (SYSTEM[system] !== undefined) return SYSTEM[system]
  if (errno !== undefined) return system
  if (response !== undefined && code !== 'ETLS') return `it says: ${replyShown(response)}`
  if (reason !== undefined && /wrong version number/i.test(reason))
    return 'this port does not start with TLS: use smtp:// for it, or the port for smtps:// (465)'
  if (reason !== undefined) return `TLS: ${replyShown(reason)}`
  if (code === 'ETLS' || error.command === 'EHLO') return withoutTls(error)
  if (code === 'ETIMEDOUT') return `no answer within ${inWords(limitMs)}`
  if (code === 'EPROTOCOL') return 'its reply is too long'
  if (code === 'EABORT') return 'no answer before the run was stopped'
  if (code === 'ECONNECTION' || code === undefined) return 'the connection broke'
  return originalCode ?? code
}
