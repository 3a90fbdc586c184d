// Where onramp sends things: the mail server, which only gets a greeting, and the receiver of events, which gets one of
// the type `webhook.test` that is about no one. The product's own code connects, signs in and signs.
import { randomUUID } from 'node:crypto'
import { NoAccessToken } from '../campaigns/mail/access-token.ts'
import { MailServerUnusable } from '../campaigns/mail/send-result.ts'
import { createMailServer, checkSender } from '../campaigns/mail/server.ts'
import type { Settings } from '../settings/settings.ts'
import { sendEventOnce, type DeliveryOutcome } from '../webhooks/sender.ts'
import { within } from '../within.ts'
import { unheard, type Table } from './rule.ts'

/** `trouble` names the server; undefined if it accepts the sign-in. `sender`: its reply if it refuses MAIL_FROM. */
type MailFacts = { trouble: string | undefined; hasNoToken?: boolean; sender?: string | undefined }

const LIMIT_MS = 10_000

async function lookAtMail(settings: Partial<Settings>): Promise<MailFacts> {
  const { MAIL_FROM: from } = settings
  const server = createMailServer(settings)
  try {
    await within(LIMIT_MS, server.check())
    const asked = from && checkSender(settings, from.address, LIMIT_MS).catch(() => undefined)
    return { trouble: undefined, sender: await asked }
  } catch (error) {
    const isSaid = error instanceof MailServerUnusable
    const late = `the mail server gave no answer within ${LIMIT_MS / 1_000} seconds`
    const trouble = isSaid ? error.message.replace(/: see SMTP_\w+( and SMTP_\w+)?$/, '') : late
    return { trouble, hasNoToken: error instanceof NoAccessToken }
  } finally {
    server.close()
  }
}

const mailTable: Table<MailFacts> = {
  'settings.mail': [
    ({ trouble, hasNoToken }) => {
      const is = hasNoToken === true ? 'no-token' : 'unusable'
      return trouble && { is, trouble: trouble.replace(/^[nt]/, (letter) => letter.toUpperCase()) }
    },
    () => 'fine',
  ],
  'settings.mail/sender': [
    ({ sender: reply }, { settings: { MAIL_FROM: from } }) =>
      reply !== undefined && { is: 'refused', from: from?.address, reply: reply.slice(0, 200) },
    (_, { settings, faults }) =>
      settings.MAIL_FROM === undefined && !faults.some((fault) => fault.startsWith('MAIL_FROM')) && 'none',
  ],
}

const webhookTable: Table<DeliveryOutcome> = {
  'settings.webhooks': [
    (outcome) => {
      if (outcome.kind === 'silent') return { is: 'silent', ...unheard(outcome.why) }
      return outcome.kind === 'refused' ? { is: 'refused', why: outcome.why } : 'taken'
    },
  ],
}

export const mail = { look: lookAtMail, table: mailTable }
export const webhook = {
  look: (settings: Partial<Settings>, now: number) =>
    sendEventOnce(settings, { id: `msg_${randomUUID()}`, type: 'webhook.test', at: now }, now),
  table: webhookTable,
}
