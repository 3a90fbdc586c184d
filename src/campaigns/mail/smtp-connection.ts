// How the mail server is connected to, and how long it is waited for.
import { isLoopback } from '../../loopback.ts'

/**
 * How long the mail server is waited for; milliseconds. An email whose reply isn't waited for may have been taken, so a reply
 * has as long as RFC 5321 asks for (4.5.3.2: ten minutes after the final dot, five for a greeting).
 */
export const LIMITS = {
  check: 60_000,
  greeting: 300_000,
  reply: 600_000,
  /** When onSlow is called. */
  slow: 30_000,
  /** For the emails under way when the run is to stop. */
  stop: 30_000,
  /** Before an email whose connection broke too early is tried again; there is one try for each. */
  again: [200, 1_000, 3_000],
}

/** @param smtpUrl SMTP_URL; TLS, from the start (smtps) or by STARTTLS, except for a mail server on this machine. */
export function serverOf(smtpUrl: string) {
  const url = new URL(smtpUrl)
  const secure = url.protocol === 'smtps:'
  const user = decodeURIComponent(url.username)
  return {
    host: url.hostname.replaceAll(/[[\]]/g, ''),
    port: Number(url.port) || (secure ? 465 : 587),
    secure,
    requireTLS: !secure && !isLoopback(url.hostname),
    disableFileAccess: true,
    disableUrlAccess: true,
    // Without forceAuth a server that offers no sign-in would get the emails, and refuse them one by one.
    ...(user !== '' && { auth: { user, pass: decodeURIComponent(url.password) }, forceAuth: true }),
  }
}

export const waitingAtMost = (greeting: number, reply: number) => ({
  // It includes the time for the greeting.
  connectionTimeout: greeting,
  greetingTimeout: greeting,
  socketTimeout: reply,
})
