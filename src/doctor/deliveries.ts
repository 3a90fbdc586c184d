// Where onramp sends things: the mail server, which only gets a greeting, and the receiver of events, which gets one of
// the type `webhook.test` that is about no one. The product's own code connects, signs in and signs.
import { randomUUID } from 'node:crypto'
import { createMailServer } from '../campaigns/mail/server.ts'
import { isWrongPassword, type SmtpError } from '../campaigns/mail/smtp-trouble.ts'
import type { Settings } from '../settings/settings.ts'
import { createPost, type Outcome } from '../webhooks/post.ts'
import { signatureHeaders, testBody } from '../webhooks/signature.ts'
import { within } from './ask.ts'
import { unheard, type Table } from './rule.ts'

export type MailFacts = {
  /** What the check threw, of the mail library; undefined: it went well. */
  error: SmtpError | undefined
  /** The same in the product's words, which name the server. */
  words: string
  hasUser: boolean
}

const LIMIT_MS = 10_000

/** The mail library says what happened in the cause. */
export async function tryMail(url: string): Promise<MailFacts> {
  const server = createMailServer(url)
  const hasUser = new URL(url).username !== ''
  try {
    await within(LIMIT_MS, server.check())
    return { error: undefined, words: '', hasUser }
  } catch (error) {
    const { message, cause } = error as Error
    const words = message.replace(/: see SMTP_URL$/, '')
    return { error: (cause ?? error) as SmtpError, words, hasUser }
  } finally {
    server.close()
  }
}

export async function tryWebhook(
  { WEBHOOK_URL: url, WEBHOOK_SECRET: secrets }: Partial<Settings>,
  now: number,
): Promise<Outcome | undefined> {
  if (url === undefined || secrets === undefined) return undefined
  const post = createPost(url, 1)
  try {
    const body = testBody(now)
    return await post.send(signatureHeaders(secrets, `msg_${randomUUID()}`, now, body), body)
  } finally {
    await post.close()
  }
}

export const mailTable: Table<MailFacts> = {
  'settings.mail': [
    ({ error, words }) => {
      if (error === undefined) return undefined
      const isPassword = error.code === 'EAUTH' && isWrongPassword(error) && (error.responseCode ?? 0) >= 500
      return isPassword ? 'password' : { is: 'unusable', words: words.replace(/^t/, 'T') }
    },
    ({ hasUser }) => (hasUser ? 'fine' : 'no-user'),
  ],
  'settings.mail/sender': [(_, { settings }) => settings.MAIL_FROM === undefined && 'none'],
}

export const webhookTable: Table<Outcome> = {
  'settings.webhooks': [
    (outcome) => outcome.kind === 'taken' && 'taken',
    (outcome) => outcome.kind === 'silent' && { is: 'silent', ...unheard(outcome.why) },
    (outcome) => outcome.kind === 'refused' && { is: 'refused', why: outcome.why },
  ],
}
