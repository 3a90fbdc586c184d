// Tries the mail server without sending an email, and the webhook receiver with a signed `webhook.test` about no one,
// by the product's own code.
import { randomUUID } from 'node:crypto'
import { NoAccessToken } from '../campaigns/mail/access-token.ts'
import { MailServerUnusable } from '../campaigns/mail/send-result.ts'
import { SmtpClient, senderRefusal } from '../campaigns/mail/smtp-client.ts'
import type { Settings } from '../settings/settings.ts'
import { sendEventOnce } from '../webhooks/sender.ts'
import { withTimeout } from '../with-timeout.ts'
import { createCheck, fail, ok, unreachable, warn, type DoctorContext } from './findings.ts'

/** `trouble`: undefined if the server accepts the sign-in. `senderRejection`: its reply if it rejects MAIL_FROM. */
type EmailFacts = { trouble: string | undefined; hasNoToken?: boolean; senderRejection?: string | undefined }

const LIMIT_MS = 10_000

async function collectEmail(settings: Partial<Settings>): Promise<EmailFacts> {
  const { MAIL_FROM: from } = settings
  const server = new SmtpClient(settings)
  try {
    await withTimeout(LIMIT_MS, server.check())
    const rejection = from && senderRefusal(settings, from.address, LIMIT_MS).catch(() => undefined)
    return { trouble: undefined, senderRejection: await rejection }
  } catch (error) {
    const timeoutText = `the mail server gave no response within ${LIMIT_MS / 1_000} seconds`
    const trouble =
      error instanceof MailServerUnusable
        ? error.message.replace(/: see SMTP_\w+( and SMTP_\w+)?$/, '')
        : timeoutText
    return { trouble, hasNoToken: error instanceof NoAccessToken }
  } finally {
    server.close()
  }
}

function connectionFinding({ trouble, hasNoToken }: EmailFacts) {
  const message = trouble && `${trouble.replace(/^[nt]/, (letter) => letter.toUpperCase())}.`
  if (!message)
    return ok(
      'The mail server in SMTP_URL is reachable, and accepts the sign-in if there is one. To test delivery, run: onramp invite preview --to EMAIL',
    )
  return hasNoToken === true
    ? fail(
        message,
        'SMTP_OAUTH_CLIENT_ID, SMTP_OAUTH_SCOPE, SMTP_OAUTH_ISSUER: check the client there, its permissions, and the other SMTP_OAUTH_ settings (docs/invitations.md, "Without a password")',
      )
    : fail(
        message,
        'SMTP_URL: check the host name, port, smtp:// or smtps://, username and password (with characters such as @ : / % percent-encoded), and what the mail server allows; smtp:// requires STARTTLS',
      )
}

function senderFinding(
  { senderRejection: reply }: EmailFacts,
  { settings: { MAIL_FROM: from }, faults }: DoctorContext,
) {
  if (reply !== undefined)
    return fail(
      `The mail server rejects ${from?.address} as a sender: ${reply.slice(0, 200)}.`,
      'MAIL_FROM, SMTP_URL: use an address that this account may send as, or allow it there',
    )
  // A faulty MAIL_FROM is reported already.
  if (from !== undefined || faults.some((fault) => fault.startsWith('MAIL_FROM'))) return undefined
  return warn(
    "SMTP_URL is set, but MAIL_FROM isn't, so onramp can't send invitations.",
    'MAIL_FROM: use the form Search team <search@acme.example>',
  )
}

export const emailCheck = createCheck(collectEmail, {
  'settings.mail': (facts, context) => [connectionFinding(facts), senderFinding(facts, context)],
})

const collectWebhook = (settings: Partial<Settings>, now: number) =>
  sendEventOnce(settings, { id: `msg_${randomUUID()}`, type: 'webhook.test', at: now }, now)

export const webhookCheck = createCheck(collectWebhook, {
  'settings.webhooks': (outcome) => {
    if (outcome.kind === 'unreachable')
      return unreachable(outcome.why, 'WEBHOOK_URL', "The receiver at WEBHOOK_URL can't be reached")
    if (outcome.kind !== 'rejected') return ok('The receiver at WEBHOOK_URL accepted a signed test event.')
    return fail(
      `The receiver at WEBHOOK_URL rejected a signed test event (${outcome.why}).`,
      'WEBHOOK_SECRET, WEBHOOK_URL: check that it has the same secret and responds 2xx to unknown types, such as webhook.test; redirects are not followed',
    )
  },
})
